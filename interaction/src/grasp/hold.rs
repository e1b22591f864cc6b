//! One finger on one node, or on the nodes under its disc.

use nalgebra::{Point3, Vector3};
use physics::{KnownDisplacement, NodeId};

use super::AfterRelease;
use crate::collision::SurfaceContact;

/// Nodes, each with a displacement.
pub(super) type HeldNodes = Vec<(NodeId, Vector3<f64>)>;

/// A finger that holds nodes. Everything is in the object's frame, so that moving hand and object
/// together adds no strain.
#[derive(Debug, Clone)]
pub(super) struct Hold {
    /// Each with its displacement when the fingertip was at `anchor`, in ascending order.
    nodes: HeldNodes,
    /// Outward at the moment of touch.
    normal: Vector3<f64>,
    anchor: Point3<f64>,
    /// Where the fingertip was when it was deepest: what clay remembers.
    deepest: Point3<f64>,
}

impl Hold {
    /// A fingertip at `tip` on `patch`, which is at least one node; `nodes` is there for its memory.
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

    /// What is left of it when the finger lets go: memory.
    pub(super) fn into_nodes(self) -> HeldNodes {
        self.nodes
    }

    /// Where the fingertip's motion is counted from.
    pub(super) fn anchor(&self) -> Point3<f64> {
        self.anchor
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes.iter().map(|(node, _)| *node)
    }

    /// The same hold on an object at rest, counted from where the fingertip is now.
    pub(super) fn begin_at(&mut self, tip: &Point3<f64>) {
        self.anchor = *tip;
        self.deepest = *tip;
        self.nodes.iter_mut().for_each(|(_, base)| *base = Vector3::zeros());
    }

    /// The same hold on an object whose nodes rest farther by `moved`: they stay where the finger has them,
    /// and it opens from the new rest shape.
    pub(super) fn rest_moved(&mut self, moved: impl Fn(NodeId) -> Vector3<f64>) {
        self.nodes.iter_mut().for_each(|(node, base)| *base -= moved(*node));
        let n = self.nodes.len().max(1) as f64;
        let mean = self.nodes.iter().map(|(_, base)| base).sum::<Vector3<f64>>() / n;
        self.nodes.iter_mut().for_each(|(_, base)| *base -= mean);
        self.anchor -= mean;
    }

    /// Takes note of how deep the fingertip is.
    pub(super) fn press(&mut self, tip: &Point3<f64>) {
        if (tip - self.deepest).dot(&self.normal) < 0.0 {
            self.deepest = *tip;
        }
    }

    /// How far the fingertip is outside of where the skin follows it to.
    pub(super) fn opened_by(&self, tip: &Point3<f64>, release: AfterRelease) -> f64 {
        let from = match release {
            AfterRelease::Springs => self.anchor,
            AfterRelease::Keeps => self.deepest,
        };
        (tip - from).dot(&self.normal)
    }

    /// The fingertip's motion since it touched is that of its nodes. It presses and drags but does not pull:
    /// the skin follows it back to where it touched, clay not even that.
    pub(super) fn known(
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
