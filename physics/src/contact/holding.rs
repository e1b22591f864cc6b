//! Substeps in which nodes are held: known displacements and contact on the same body.

use nalgebra::{Vector3, Vector6};

use super::held::SubstepError;
use super::node_compliance::rest_position;
use super::report::SubstepReport;
use super::shape::ContactProxy;
use super::solid::ContactSolid;
use super::substep::Frames;
use crate::mesh::NodeId;
use crate::surface_frame::Reaction;
use crate::touch::KnownDisplacement;

/// Share of the held nodes in the account of a substep.
pub(super) struct HeldShare {
    /// Work of the hand on the nodes, in joules.
    pub(super) work: f64,
    /// Half of force times displacement, in joules.
    pub(super) elastic: f64,
    /// Largest change of a node's elastic displacement, in metres.
    pub(super) drift: f64,
}

impl ContactSolid {
    /// [`substep`](Self::substep) with nodes of the skin that are held: at its end, each is at its
    /// displacement from its rest position, along the world's axes. All numbers are checked; after
    /// an error the body is unchanged.
    pub fn substep_holding(
        &mut self,
        proxies: &[ContactProxy],
        known: &[KnownDisplacement],
        gravity: &Vector3<f64>,
        dt: f64,
    ) -> Result<SubstepReport, SubstepError> {
        proxies.iter().try_for_each(ContactProxy::check)?;
        if !(dt.is_finite() && dt > 0.0 && gravity.iter().all(|x| x.is_finite())) {
            return Err(SubstepError::Numbers { dt, gravity: (*gravity).into() });
        }
        self.model.check_nodes(known)?;
        let supports = self.model.supports();
        if let Some(known) = known.iter().find(|it| supports.binary_search(&it.node).is_ok()) {
            return Err(SubstepError::Support(known.node));
        }
        let before = self.motion;
        let frames = self.predict(gravity, dt);
        self.compliance.held.hold(&self.model, known, &frames.predicted.world_from_object);
        if let Err(error) = self.prepare_places(proxies, dt) {
            self.motion = before;
            self.compliance.held.release();
            self.forget_places();
            return Err(error);
        }
        Ok(self.advance(proxies, &frames, gravity, dt))
    }

    /// Forces that held the nodes in the last substep, ascending by node, in the world.
    pub fn reactions(&self) -> &[Reaction] {
        &self.reactions
    }

    /// Present displacements of nodes of the skin from their rest positions, in the world.
    pub fn displacements_in_world(
        &mut self,
        nodes: impl Iterator<Item = NodeId> + Clone,
        displacements: &mut Vec<Vector3<f64>>,
    ) {
        let surface = &self.model.rest_surface().topology.nodes;
        let corner = |node: NodeId| surface.binary_search(&node).ok().map(|at| at as u32);
        let (corners, forces) = (&mut self.scratch.corners, &self.scratch.forces);
        corners.clear();
        corners.extend(forces.iter().map(|(corner, _)| *corner));
        corners.extend(nodes.clone().filter_map(corner));
        corners.sort_unstable();
        corners.dedup();
        self.compliance.nodes.hold(corners, &self.model, self.body.as_ref());
        displacements.clear();
        displacements.extend(nodes.filter_map(corner).map(|corner| {
            let rest = rest_position(&self.model, corner);
            let elastic = self.compliance.nodes.displacement(corner, forces);
            self.motion.world_from_object * (rest + elastic) - rest
        }));
    }

    /// Takes the held nodes out of the problem of the contacts.
    pub(super) fn reduce_by_held(&mut self) {
        let held = &mut self.compliance.held;
        if held.is_empty() {
            return;
        }
        held.reduce();
        for (i, contact) in self.scratch.contacts.iter().enumerate() {
            let displacement = held.displacement(self.compliance.pairs.reduced(contact.place));
            self.scratch.problem.set_by_held(i, &(contact.frame * displacement));
        }
    }

    /// Computes the forces that hold the nodes, from those of the contacts.
    pub(super) fn find_held_forces(&mut self, frames: &Frames) {
        self.reactions.clear();
        let held = &mut self.compliance.held;
        if held.is_empty() {
            return;
        }
        for (i, contact) in self.scratch.contacts.iter().enumerate() {
            let force = contact.frame.transpose() * self.scratch.problem.force(i);
            held.add_contact(self.compliance.pairs.reduced(contact.place), &force);
        }
        held.find_forces(&self.compliance.nodes, &self.scratch.forces);
        let turn = &frames.predicted.world_from_object.rotation;
        held.add_reactions(&self.model, turn, &mut self.reactions);
    }

    /// Force and moment of the held nodes about the centre of mass, along the object's axes; `None`
    /// if none is held.
    pub(super) fn held_load(&self) -> Option<Vector6<f64>> {
        let held = &self.compliance.held;
        (!held.is_empty()).then(|| held.load())
    }

    /// Share of the held nodes in the account of a substep in which the body moved by `rigid`.
    pub(super) fn held_share(&self, frames: &Frames, rigid: &Vector6<f64>) -> HeldShare {
        let (before, turn) =
            (&frames.before.world_from_object, &frames.predicted.world_from_object.rotation);
        let mut share = HeldShare { work: 0.0, elastic: 0.0, drift: 0.0 };
        for node in self.compliance.held.components() {
            let from = before * (node.rest + node.elastic_before);
            share.work += (turn * node.direction).dot(&(node.to - from)) * node.force;
            share.elastic -= 0.5 * node.force * node.unforced;
            let elastic = -node.unforced - node.direction.dot(&(node.rows * rigid));
            share.drift =
                share.drift.max((elastic - node.direction.dot(&node.elastic_before)).abs());
        }
        share
    }
}
