//! What goes into a step (a [`Touch`]) and what comes out (a [`SurfaceFrame`]): plain data.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};

use crate::deformable::{Deformable, StepReport};
use crate::mesh::{Dof, NodeId, Topology};

/// Identifies the pair of device samples that caused a touch, and so the frame that answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SampleId(pub u64);

/// All that the hand does to one object in one step, in the object's frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Touch {
    /// The sample that caused it.
    pub sample: SampleId,
    /// When, in seconds since the session began. Time passes for an object only through touches, so
    /// that the same touches give the same frames however late they arrive.
    pub time: f64,
    /// Where the object's frame is: which way is down, and how the frame itself moves, for families that
    /// feel it.
    pub world_from_object: Isometry3<f64>,
    /// The topology that the node ids below belong to.
    pub topology_version: u32,
    /// Where the hand holds the object: in ascending order of nodes, each node once.
    pub known: Vec<KnownDisplacement>,
    /// What to do if the known displacements leave the object loose.
    pub loose: Loose,
    /// The hand's moving shapes, for families that find their own contacts.
    pub proxies: Vec<Proxy>,
    /// Whether the surface's stresses are wanted as well; frames without them are quicker.
    pub wants_stresses: bool,
}

/// What to do about rigid motions that known displacements leave free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loose {
    /// Do not answer, and say which motion is free.
    #[default]
    Refuse,
    /// Answer with the least motion: none along what is free, as the touched nodes see it. One node takes
    /// the object along as it is; two do not turn it about their axis.
    LeastMotion,
}

/// One node and where it is held, relative to its rest position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownDisplacement {
    /// The node that is held.
    pub node: NodeId,
    /// Its prescribed displacement `u = x - X`; along an axis that is `None` the node is free.
    pub displacement: [Option<f64>; 3],
}

impl KnownDisplacement {
    /// A node that is held along all axes, as a finger does.
    pub fn whole(node: NodeId, displacement: Vector3<f64>) -> Self {
        Self { node, displacement: [0, 1, 2].map(|axis| Some(displacement[axis])) }
    }

    /// The prescribed components.
    pub fn components(&self) -> impl Iterator<Item = (Dof, f64)> {
        let dof = |axis| Dof::new(self.node, axis);
        (0..3).filter_map(move |axis| Some((dof(axis), self.displacement[axis]?)))
    }

    /// The displacement with zeros where the node is free.
    pub fn vector(&self) -> Vector3<f64> {
        Vector3::from(self.displacement.map(Option::unwrap_or_default))
    }
}

/// A rigid shape that follows a bone or a tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proxy {
    /// Its shape and place.
    pub shape: Shape,
    /// Velocity of the shape's centre, as seen from the object: zero while it is carried along.
    pub velocity: Vector3<f64>,
    /// Angular velocity about the shape's centre.
    pub angular_velocity: Vector3<f64>,
}

/// The shapes that a hand is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// A ball.
    Sphere {
        /// Its centre.
        centre: Point3<f64>,
        /// Its radius.
        radius: f64,
    },
    /// A cylinder with flat caps.
    Cylinder {
        /// Centre of one cap.
        start: Point3<f64>,
        /// Centre of the other cap.
        end: Point3<f64>,
        /// Its radius.
        radius: f64,
    },
}

/// Force on one node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reaction {
    /// The held node.
    pub node: NodeId,
    /// The force that holds it.
    pub force: Vector3<f64>,
}

/// What one step gives, rounded to `f32` once for every way of delivering it.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceFrame {
    /// The sample that caused it.
    pub sample: SampleId,
    /// How the positions hang together; shared, since it rarely changes.
    pub topology: Arc<Topology>,
    /// One position for each of the topology's points; shared with whoever made the frame.
    pub positions: Arc<Vec<[f32; 3]>>,
    /// Von Mises stress at each of them, in Pa; absent unless the touch asked for it.
    pub stresses: Option<Arc<Vec<f32>>>,
    /// Forces that hold the touched nodes.
    pub reactions: Vec<(NodeId, [f32; 3])>,
    /// How the step went.
    pub report: StepReport,
}

impl SurfaceFrame {
    /// The object's surface as it is now, as the answer to `sample`.
    pub fn of(object: &dyn Deformable, sample: SampleId, report: StepReport) -> Self {
        let surface = object.surface();
        Self {
            sample,
            topology: Arc::clone(&surface.topology),
            positions: Arc::clone(&surface.positions),
            stresses: surface.stresses.clone(),
            reactions: object.reactions().iter().map(|r| (r.node, rounded(&r.force))).collect(),
            report,
        }
    }
}

/// As a frame has it: rounded once.
pub fn rounded(v: &Vector3<f64>) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}
