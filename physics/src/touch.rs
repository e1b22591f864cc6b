//! What goes into a step: what hands do to an object, and what surrounds it.

use nalgebra::{Isometry3, Point3, Rotation3, Vector3};

use crate::mesh::{Dof, NodeId};

/// Identifies the pair of device samples that caused a touch, and so the frame that answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SampleId(pub u64);

/// All that hands do to one object in one step, in the object's frame.
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
    /// The moving shapes of all hands, for families that find their own contacts.
    pub proxies: Vec<Proxy>,
    /// What else acts on the object.
    pub surroundings: Surroundings,
    /// Whether the fields that the topology names are wanted; frames without them are quicker.
    pub wants_fields: bool,
    /// Whether the frame shall bring along the object's state after the step.
    pub wants_state: bool,
}

impl Touch {
    /// Becomes a copy of `other` in its own memory.
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
            loose: other.loose,
            surroundings: other.surroundings,
            wants_fields: other.wants_fields,
            wants_state: other.wants_state,
        };
    }
}

/// What acts on an object besides hands, in the world. The same for all families.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surroundings {
    /// Acceleration of free fall, in m/s².
    pub gravity: Vector3<f64>,
    /// The table; nothing lies below it.
    pub table: Option<HalfSpace>,
}

/// All points below a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace {
    /// Unit normal, upwards.
    pub normal: Vector3<f64>,
    /// Distance of the plane from the origin along the normal, in metres.
    pub offset: f64,
}

impl Surroundings {
    /// Standard gravity, downwards along y, in m/s².
    pub const STANDARD_GRAVITY: f64 = 9.806_65;

    /// Gravity and a table whose top is the plane y = 0.
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

/// Which part of which hand a proxy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProxyId {
    /// 0 is the left hand, 1 the right.
    pub hand: u8,
    /// 0 is the thumb, 4 the little finger.
    pub finger: u8,
    /// 0 to 2 are the finger's segments from the palm outwards, 3 is the fingertip.
    pub segment: u8,
}

impl ProxyId {
    /// The segment of a fingertip.
    pub const TIP: u8 = 3;

    /// Whether a hand has such a part.
    pub fn is_of_hand(&self) -> bool {
        self.hand <= 1 && self.finger <= 4 && self.segment <= Self::TIP
    }
}

/// A rigid shape that follows a bone or a tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proxy {
    /// What it is a part of. No other proxy of a touch has the same.
    pub id: ProxyId,
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

impl Shape {
    /// The shape on its way from `self` to `to`: at 0 it is `self`, at 1 it is `to`. Shapes of
    /// different kinds have no way between them.
    pub fn on_the_way(&self, to: &Self, share: f64) -> Self {
        let point = |from: &Point3<f64>, to: &Point3<f64>| from + (to - from) * share;
        match (self, to) {
            (Self::Sphere { centre: a, .. }, Self::Sphere { centre: b, radius }) => {
                Self::Sphere { centre: point(a, b), radius: *radius }
            }
            (
                Self::Cylinder { start: a, end: b, .. },
                Self::Cylinder { start: c, end: d, radius },
            ) => Self::Cylinder { start: point(a, c), end: point(b, d), radius: *radius },
            (Self::Sphere { .. }, Self::Cylinder { .. })
            | (Self::Cylinder { .. }, Self::Sphere { .. }) => *to,
        }
    }

    /// Velocity of the centre and angular velocity of a shape that becomes `to` within `seconds`. A
    /// ball does not show that it turns, nor a cylinder that it turns about its axis.
    pub fn velocities_to(&self, to: &Self, seconds: f64) -> (Vector3<f64>, Vector3<f64>) {
        let velocity = (to.centre() - self.centre()) / seconds;
        let turn = match (self, to) {
            (Self::Cylinder { start: a, end: b, .. }, Self::Cylinder { start: c, end: d, .. }) => {
                Rotation3::rotation_between(&(b - a), &(d - c))
            }
            (Self::Sphere { .. }, _) | (_, Self::Sphere { .. }) => None,
        };
        let turn = turn.map_or_else(Vector3::zeros, |turn| turn.scaled_axis());
        (velocity, turn / seconds)
    }

    fn centre(&self) -> Point3<f64> {
        match self {
            Self::Sphere { centre, .. } => *centre,
            Self::Cylinder { start, end, .. } => nalgebra::center(start, end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn velocities_lead_from_one_shape_to_the_next() {
        let cylinder = |x: f64, angle: f64| {
            let half = Vector3::new(angle.cos(), angle.sin(), 0.0) * 0.02;
            let centre = Point3::new(x, 0.1, 0.0);
            Shape::Cylinder { start: centre - half, end: centre + half, radius: 0.008 }
        };
        let (velocity, angular) = cylinder(0.0, 0.3).velocities_to(&cylinder(0.01, 0.5), 0.1);
        assert!((velocity - Vector3::new(0.1, 0.0, 0.0)).norm() < 1e-12, "{velocity}");
        assert!((angular - Vector3::new(0.0, 0.0, 2.0)).norm() < 1e-12, "{angular}");
        let ball = |y: f64| Shape::Sphere { centre: Point3::new(0.0, y, 0.0), radius: 0.01 };
        let (velocity, angular) = ball(0.0).velocities_to(&ball(-0.3), 0.5);
        assert_eq!((velocity.y, angular), (-0.6, Vector3::zeros()));
    }
}
