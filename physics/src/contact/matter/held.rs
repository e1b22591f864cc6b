//! Held nodes of a touch, on their way during a step.

use nalgebra::Vector3;

use crate::contact::held::SubstepError;
use crate::contact::report::SubstepReport;
use crate::contact::shape::ContactProxy;
use crate::contact::solid::ContactSolid;
use crate::surface_frame::Reaction;
use crate::touch::KnownDisplacement;

/// Held nodes of a step. Its memory is used again for the next one.
#[derive(Default)]
pub(super) struct Held {
    /// Prescribed displacements at the end of the step.
    known: Vec<KnownDisplacement>,
    /// Displacements before the step.
    from: Vec<Vector3<f64>>,
    /// Prescribed displacements at the end of a part of the step.
    between: Vec<KnownDisplacement>,
}

impl Held {
    /// Starts a step: the nodes go from where they are to their prescribed displacements.
    pub(super) fn start(&mut self, solid: &mut ContactSolid, known: &[KnownDisplacement]) {
        self.known.clear();
        let is_held = |known: &&KnownDisplacement| known.displacement.iter().any(Option::is_some);
        self.known.extend(known.iter().filter(is_held));
        let nodes = self.known.iter().map(|known| known.node);
        if self.known.is_empty() {
            self.from.clear();
        } else {
            solid.displacements_in_world(nodes, &mut self.from);
        }
    }

    /// Way of each node in the step, along the axes on which it is held.
    pub(super) fn travels(&self) -> impl Iterator<Item = f64> {
        self.known.iter().zip(&self.from).map(|(known, from)| {
            let ways = (0..3).filter_map(|axis| Some(known.displacement[axis]? - from[axis]));
            ways.map(|way| way * way).sum::<f64>().sqrt()
        })
    }

    /// Advances the body to a share of the step.
    pub(super) fn substep(
        &mut self,
        solid: &mut ContactSolid,
        share: f64,
        proxies: &[ContactProxy],
        gravity: &Vector3<f64>,
        dt: f64,
    ) -> Result<SubstepReport, SubstepError> {
        if self.known.is_empty() {
            return Ok(solid.substep(proxies, gravity, dt));
        }
        if share == 1.0 {
            return solid.substep_holding(proxies, &self.known, gravity, dt);
        }
        self.between.clear();
        self.between.extend(self.known.iter().zip(&self.from).map(|(known, from)| {
            let on_the_way = |axis: usize| {
                known.displacement[axis].map(|to| from[axis] + (to - from[axis]) * share)
            };
            KnownDisplacement { displacement: [0, 1, 2].map(on_the_way), ..*known }
        }));
        solid.substep_holding(proxies, &self.between, gravity, dt)
    }

    /// Sets a reaction for each node of the touch, in its order. Nodes that are free along all axes
    /// feel no force.
    pub(super) fn reactions(
        &self,
        known: &[KnownDisplacement],
        forces: &[Reaction],
        reactions: &mut Vec<Reaction>,
    ) {
        let mut forces = forces.iter().peekable();
        reactions.clear();
        reactions.extend(known.iter().map(|known| {
            let force = forces.next_if(|reaction| reaction.node == known.node);
            Reaction { node: known.node, force: force.map_or_else(Vector3::zeros, |it| it.force) }
        }));
    }
}
