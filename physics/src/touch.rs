//! Input of a step: the actions of hands on an object, and its surroundings.

use nalgebra::{Isometry3, Vector3};

use crate::mesh::{Dof, NodeId};
use crate::proxy::Proxy;

/// Identifies the pair of device samples that caused a touch, and the frame for that touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SampleId(pub u64);

/// Actions of all hands on one object in one step, in the object's frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Touch {
    /// Sample that caused the touch.
    pub sample: SampleId,
    /// Time in seconds since the session began. Time passes for an object only through touches, so
    /// the same touches give the same frames, however late they arrive.
    pub time: f64,
    /// Pose of the object's frame, for families that feel gravity and the motion of their frame.
    pub world_from_object: Isometry3<f64>,
    /// Version of the topology to which the node numbers belong.
    pub topology_version: u32,
    /// Nodes that the hand holds, in ascending order, each node once.
    pub known: Vec<KnownDisplacement>,
    /// Behaviour if the known displacements leave a rigid motion free.
    pub when_underdetermined: WhenUnderdetermined,
    /// Proxies of all hands, for families that find their own contacts.
    pub proxies: Vec<Proxy>,
    /// Gravity and the table.
    pub surroundings: Surroundings,
    /// True if the frame must have the topology's fields. Frames without them are quicker.
    pub wants_fields: bool,
    /// True if the frame must have the object's state after the step.
    pub wants_state: bool,
    /// True if another step follows before anyone sees the object: matter that moves in substeps
    /// need not show its surface after this one.
    pub is_between: bool,
    /// True if the frame must have models of what the proxies feel, for a device that pushes back.
    /// Frames without them are quicker.
    pub wants_contact_models: bool,
}

impl Touch {
    /// Copies `other` into this touch, and uses the memory of this touch's lists again.
    pub fn copy_from(&mut self, other: &Self) {
        let (mut known, mut proxies) =
            (std::mem::take(&mut self.known), std::mem::take(&mut self.proxies));
        known.clone_from(&other.known);
        proxies.clone_from(&other.proxies);
        *self = Self {
            known,
            proxies,
            sample: other.sample,
            time: other.time,
            world_from_object: other.world_from_object,
            topology_version: other.topology_version,
            when_underdetermined: other.when_underdetermined,
            surroundings: other.surroundings,
            wants_fields: other.wants_fields,
            wants_state: other.wants_state,
            is_between: other.is_between,
            wants_contact_models: other.wants_contact_models,
        };
    }
}

/// Influences on an object other than hands, in the world's frame. All families use the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surroundings {
    /// Gravitational acceleration, in m/s².
    pub gravity: Vector3<f64>,
    /// Table; matter stays above it.
    pub table: Option<HalfSpace>,
}

/// Half-space: all points below a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace {
    /// Unit normal of the plane, upwards.
    pub normal: Vector3<f64>,
    /// Distance of the plane from the origin along the normal, in metres.
    pub offset: f64,
}

impl Surroundings {
    /// Standard gravity, in m/s².
    pub const STANDARD_GRAVITY: f64 = 9.806_65;

    /// Standard gravity along -y, and a table whose top is the plane y = 0.
    pub fn on_table() -> Self {
        Self {
            gravity: Vector3::new(0.0, -Self::STANDARD_GRAVITY, 0.0),
            table: Some(HalfSpace { normal: Vector3::y(), offset: 0.0 }),
        }
    }
}

impl Default for Surroundings {
    /// Neither gravity nor a table.
    fn default() -> Self {
        Self { gravity: Vector3::zeros(), table: None }
    }
}

/// Behaviour if known displacements leave a rigid motion free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhenUnderdetermined {
    /// Do not solve, and name the free motion.
    #[default]
    Refuse,
    /// Solve with the least motion: none along the free motions, taken about the touched nodes. One
    /// node moves the object without turning it; two nodes do not turn it about their axis.
    LeastMotion,
}

/// Prescribed displacement of one node from its rest position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownDisplacement {
    /// Held node.
    pub node: NodeId,
    /// Prescribed displacement `u = x - X`. `None` leaves the node free along that axis.
    pub displacement: [Option<f64>; 3],
}

impl KnownDisplacement {
    /// Creates a displacement that is prescribed along all axes, as by a finger.
    pub fn whole(node: NodeId, displacement: Vector3<f64>) -> Self {
        Self { node, displacement: [0, 1, 2].map(|axis| Some(displacement[axis])) }
    }

    /// Returns the prescribed components.
    pub fn components(&self) -> impl Iterator<Item = (Dof, f64)> {
        let dof = |axis| Dof::new(self.node, axis);
        (0..3).filter_map(move |axis| Some((dof(axis), self.displacement[axis]?)))
    }

    /// Returns the displacement, with zeros along free axes.
    pub fn vector(&self) -> Vector3<f64> {
        Vector3::from(self.displacement.map(Option::unwrap_or_default))
    }
}
