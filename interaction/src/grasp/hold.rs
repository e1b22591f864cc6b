//! The hold of one finger on one node, or on the nodes under its disc.

use nalgebra::{Point3, Vector3};
use physics::{KnownDisplacement, NodeId};

use super::AfterRelease;
use crate::collision::SurfaceContact;

/// Nodes with their displacements.
pub(super) type HeldNodes = Vec<(NodeId, Vector3<f64>)>;

/// The hold of one finger on nodes. All vectors are in the object's frame, so that moving hand and
/// object together adds no strain.
#[derive(Debug, Clone)]
pub(super) struct Hold {
    /// Held nodes in ascending order, each with its displacement when the fingertip was at
    /// `anchor`.
    nodes: HeldNodes,
    /// Outward normal of the skin at the moment of touch.
    normal: Vector3<f64>,
    /// Position of the fingertip from which its motion is counted.
    anchor: Point3<f64>,
    /// Deepest position of the fingertip; the dent in clay goes to there.
    deepest: Point3<f64>,
}

impl Hold {
    /// Creates the hold of a fingertip at `tip` on `patch`, which has at least one node. `nodes`
    /// only provides memory.
    pub(super) fn new(
        mut nodes: HeldNodes,
        patch: &[SurfaceContact],
        normal: Vector3<f64>,
        tip: &Point3<f64>,
    ) -> Self {
        nodes.clear();
        nodes.extend(patch.iter().map(|c| (c.node, c.displacement)));
        nodes.sort_unstable_by_key(|(node, _)| *node);
        Self { nodes, normal, anchor: *tip, deepest: *tip }
    }

    /// Returns the memory of the hold for later use.
    pub(super) fn into_nodes(self) -> HeldNodes {
        self.nodes
    }

    /// Position from which the fingertip's motion is counted.
    pub(super) fn anchor(&self) -> Point3<f64> {
        self.anchor
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes.iter().map(|(node, _)| *node)
    }

    /// Starts the hold again on an object at rest, with the fingertip at `tip`.
    pub(super) fn begin_at(&mut self, tip: &Point3<f64>) {
        self.anchor = *tip;
        self.deepest = *tip;
        self.nodes.iter_mut().for_each(|(_, base)| *base = Vector3::zeros());
    }

    /// Adapts the hold to a new rest shape whose nodes differ by `moved`. The nodes stay at the
    /// finger, and the finger opens relative to the new rest shape.
    pub(super) fn rest_moved(&mut self, moved: impl Fn(NodeId) -> Vector3<f64>) {
        self.nodes.iter_mut().for_each(|(node, base)| *base -= moved(*node));
        let n = self.nodes.len().max(1) as f64;
        let mean = self.nodes.iter().map(|(_, base)| base).sum::<Vector3<f64>>() / n;
        self.nodes.iter_mut().for_each(|(_, base)| *base -= mean);
        self.anchor -= mean;
    }

    /// Updates the deepest position of the fingertip.
    pub(super) fn press(&mut self, tip: &Point3<f64>) {
        if (tip - self.deepest).dot(&self.normal) < 0.0 {
            self.deepest = *tip;
        }
    }

    /// Distance of the fingertip outside of the place to which the skin follows it.
    pub(super) fn opened_by(&self, tip: &Point3<f64>, release: AfterRelease) -> f64 {
        let from = match release {
            AfterRelease::Springs => self.anchor,
            AfterRelease::Keeps => self.deepest,
        };
        (tip - from).dot(&self.normal)
    }

    /// Displacements of the held nodes: each follows the fingertip's motion since it touched. The
    /// fingertip presses and drags but does not pull. The skin follows it back to where it touched,
    /// and clay does not follow it back at all.
    pub(super) fn known_displacements(
        &self,
        tip: &Point3<f64>,
        release: AfterRelease,
    ) -> impl Iterator<Item = KnownDisplacement> + '_ {
        let motion = match release {
            AfterRelease::Springs => {
                tip - self.anchor - self.normal * self.opened_by(tip, release).max(0.0)
            }
            AfterRelease::Keeps if self.opened_by(tip, release) > 0.0 => self.deepest - self.anchor,
            AfterRelease::Keeps => tip - self.anchor,
        };
        self.nodes.iter().map(move |(node, base)| KnownDisplacement::whole(*node, base + motion))
    }
}
