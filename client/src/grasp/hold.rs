//! One finger on one node.

use nalgebra::{Point3, Vector3};
use physics::{KnownDisplacement, NodeId};

use crate::collision::SurfaceContact;

/// A finger that holds a node. Everything is in the object's frame, so that moving hand and object
/// together adds no strain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hold {
    node: NodeId,
    /// Outward at the moment of touch.
    normal: Vector3<f64>,
    /// Where the fingertip was when the node had the displacement `base`.
    anchor: Point3<f64>,
    base: Vector3<f64>,
}

impl Hold {
    pub(super) fn new(contact: &SurfaceContact, tip: &Point3<f64>) -> Self {
        let SurfaceContact { node, normal, displacement } = *contact;
        Self { node, normal, anchor: *tip, base: displacement }
    }

    pub(super) fn node(&self) -> NodeId {
        self.node
    }

    /// The same hold on an object at rest, counted from where the fingertip is now.
    pub(super) fn begun_at(self, tip: &Point3<f64>) -> Self {
        Self { anchor: *tip, base: Vector3::zeros(), ..self }
    }

    /// How far the fingertip has moved away from the object since it touched.
    pub(super) fn outward(&self, tip: &Point3<f64>) -> f64 {
        (tip - self.anchor).dot(&self.normal)
    }

    /// The fingertip's motion since it touched is the node's.
    pub(super) fn known(&self, tip: &Point3<f64>) -> KnownDisplacement {
        KnownDisplacement::whole(self.node, self.base + (tip - self.anchor))
    }
}
