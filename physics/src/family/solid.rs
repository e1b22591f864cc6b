//! Linear elastic solids driven by known displacements, answered without inertia.
//!
//! What never changes is the [`SolidModel`], what does is the state in [`Solid`].

mod model;

use std::sync::Arc;

use nalgebra::Vector3;

use crate::deformable::{Deformable, Outcome, StepReport};
use crate::frame::{Reaction, Touch};
use crate::linear::{ContactError, ContactSystem};
use crate::mesh::{Dof, Surface};
use crate::spec::{BuildError, SolidSpec};

pub use model::SolidModel;

/// A solve that misses the prescribed displacements by more than this share of them is no solve.
const INACCURATE: f64 = 1e-6;

/// A solid and its present shape.
pub struct Solid {
    model: Arc<SolidModel>,
    surface: Surface,
    reactions: Vec<Reaction>,
    /// Prepared for the nodes that were touched last.
    contact: Option<ContactSystem>,
}

impl Solid {
    /// Builds the model and puts the solid at rest.
    pub fn new(spec: &SolidSpec) -> Result<Self, BuildError> {
        Ok(Self::of(Arc::new(SolidModel::new(spec)?)))
    }

    /// A solid at rest; several may share a model.
    pub fn of(model: Arc<SolidModel>) -> Self {
        let surface = model.rest_surface().clone();
        Self { model, surface, reactions: Vec::new(), contact: None }
    }

    /// Back to the rest shape, with nothing that holds it.
    fn relax(&mut self) {
        self.surface.positions.clone_from(&self.model.rest_surface().positions);
    }

    fn contact_system(&mut self, touched: &[Dof]) -> Result<&ContactSystem, ContactError> {
        // Taken out and put back, so that a failure leaves no system of other nodes behind.
        let system = match self.contact.take() {
            Some(system) if system.touched() == touched => system,
            _ => self.model.contact_system(touched)?,
        };
        Ok(self.contact.insert(system))
    }
}

impl Deformable for Solid {
    fn surface(&self) -> &Surface {
        &self.surface
    }

    fn reactions(&self) -> &[Reaction] {
        &self.reactions
    }

    /// The answer is static: `dt` plays no part.
    fn step(&mut self, touch: &Touch, _dt: f64) -> StepReport {
        // What is not solved holds nothing: stale forces must not reach a finger.
        self.reactions.clear();
        if let Err(why) = self.model.check(touch) {
            return StepReport::without_solve(Outcome::Refused(why));
        }
        if touch.known.is_empty() {
            self.relax();
            return StepReport::without_solve(Outcome::AtRest);
        }
        let (touched, prescribed): (Vec<Dof>, Vec<f64>) =
            touch.known.iter().flat_map(|known| known.components()).unzip();
        let answer = match self.contact_system(&touched) {
            Ok(system) => system.answer(&prescribed),
            Err(ContactError::Underdetermined(free)) => {
                return StepReport::without_solve(Outcome::Underdetermined(free));
            }
            Err(e @ (ContactError::Support(_) | ContactError::Singular)) => {
                return StepReport::without_solve(Outcome::Refused(e.to_string()));
            }
        };
        let finite = |v: &Vector3<f64>| v.iter().all(|c| c.is_finite());
        let forces = answer.reactions.iter().map(|reaction| &reaction.force);
        if !answer.displacements.iter().chain(forces).all(finite) {
            return StepReport { outcome: Outcome::Frozen, iterations: 1, residual: f64::INFINITY };
        }
        let largest = prescribed.iter().map(|d| d.abs()).fold(0.0, f64::max);
        if answer.residual > INACCURATE * largest {
            let outcome = Outcome::Refused(ContactError::Singular.to_string());
            return StepReport { outcome, iterations: 1, residual: answer.residual };
        }
        let rest = &self.model.rest_surface().positions;
        for ((x, rest), u) in self.surface.positions.iter_mut().zip(rest).zip(&answer.displacements)
        {
            *x = rest + u;
        }
        self.reactions = answer.reactions;
        StepReport { outcome: Outcome::Solved, iterations: 1, residual: answer.residual }
    }
}
