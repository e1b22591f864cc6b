//! Linear elastic solids driven by known displacements, solved without inertia.
//!
//! [`SolidModel`] holds the constant part of a solid, [`Solid`] its present shape.

mod dense_inverse;
mod load;
mod model;
mod prefetch;
mod single_solve;
mod skin_stress;
mod solution;
mod solve_error;

use std::sync::Arc;

use crate::deformable::{Deformable, IdleWork, Outcome, StepReport};
use crate::linear::{
    ContactAnswer, ContactError, ContactSystem, NodeColumns, Rigid, RigidShare, are_finite,
    displace, displace_exactly,
};
use crate::mesh::{Dof, FieldValues, Surface};
use crate::state::{State, StateError};
use crate::surface_frame::Reaction;
use crate::touch::{KnownDisplacement, Touch, WhenUnderdetermined};
use load::Load;
use model::{INACCURATE, reactions};
use prefetch::prefetch;

pub use dense_inverse::solve_by_inverse;
pub use model::SolidModel;
pub use single_solve::{Algorithm, SolveAnswer, SolveQuestion};
pub use solution::Solution;
pub use solve_error::{DenseMatrix, SolveError, TouchError};

/// Largest rounding error of a frame that is computed in `f32`, as a share of the largest
/// prescribed displacement.
const STREAMED: f64 = 1e-5;

/// Name of this family in a [`State`].
const FAMILY: &str = "solid";

/// Version of this family's [`State`].
const STATE_VERSION: u32 = 1;

/// Smallest upper end of the stress scale, in Pa.
const LEAST_STRESS: f32 = 50.0;

/// A solid and its present shape.
pub struct Solid {
    model: Arc<SolidModel>,
    surface: Surface,
    reactions: Vec<Reaction>,
    /// Load of the present shape.
    load: Load,
    /// System of the degrees of freedom that were touched last.
    contact: Option<Contact>,
    /// Buffers of earlier frames, used again once no reader holds them.
    spare: Vec<Arc<Vec<[f32; 3]>>>,
    scratch: Scratch,
    /// Touched degrees of freedom of the last idle work.
    prefetched_for: Option<Vec<Dof>>,
}

/// Prepared data of one set of touched degrees of freedom.
struct Contact {
    system: ContactSystem,
    when_underdetermined: WhenUnderdetermined,
    columns: Vec<Arc<NodeColumns>>,
    /// Index into `columns` for each touched degree of freedom.
    node_of_dof: Vec<usize>,
    /// Largest displacement in the column of each touched degree of freedom.
    reach: Vec<f64>,
}

/// Working memory, kept from step to step so that a step allocates nothing.
#[derive(Default)]
struct Scratch {
    touched: Vec<Dof>,
    prescribed: Vec<f64>,
    answer: ContactAnswer,
    rigid: Vec<RigidShare<f64>>,
}

impl Solid {
    /// Creates a solid at rest. Several solids may share a model.
    pub fn of(model: Arc<SolidModel>) -> Self {
        let surface = model.rest_surface().clone();
        Self {
            model,
            surface,
            reactions: Vec::new(),
            load: Load::default(),
            contact: None,
            spare: Vec::new(),
            scratch: Scratch::default(),
            prefetched_for: None,
        }
    }

    /// Model of the solid.
    pub fn model(&self) -> &Arc<SolidModel> {
        &self.model
    }

    /// Returns the surface to the rest shape.
    fn relax(&mut self) {
        let rest = Arc::clone(&self.model.rest_surface().positions);
        self.show(rest);
        self.load.clear();
    }

    /// Computes the stresses of the present shape.
    fn find_stresses(&mut self, touch: &Touch) {
        self.surface.fields.clear();
        if touch.wants_fields {
            let stresses = match self.load.is_empty() {
                true => vec![0.0; self.surface.positions.len()],
                false => self.model.skin_stresses(&self.load),
            };
            self.surface.fields.push(FieldValues::from_zero(stresses, LEAST_STRESS));
        }
    }

    /// Replaces the surface's positions and keeps the old buffer, unless it is the model's.
    fn show(&mut self, positions: Arc<Vec<[f32; 3]>>) {
        let shown = std::mem::replace(&mut self.surface.positions, positions);
        if !Arc::ptr_eq(&shown, &self.model.rest_surface().positions) {
            self.spare.push(shown);
        }
    }

    /// Prepares the system of the degrees of freedom in `scratch`, unless they are those of the
    /// last step.
    fn prepare(
        &mut self,
        when_underdetermined: WhenUnderdetermined,
    ) -> Result<&Contact, ContactError> {
        // Take the old system out first, so that a failure leaves no system of other nodes.
        let touched = &self.scratch.touched;
        let contact = match self.contact.take() {
            Some(old)
                if old.system.touched() == touched
                    && old.when_underdetermined == when_underdetermined =>
            {
                old
            }
            _ => {
                let (system, columns) = self.model.contact(touched, when_underdetermined)?;
                let nodes = touched.chunk_by(|a, b| a.node() == b.node()).enumerate();
                let node_of_dof: Vec<usize> =
                    nodes.flat_map(|(i, dofs)| dofs.iter().map(move |_| i)).collect();
                let reach = touched.iter().zip(&node_of_dof);
                let reach = reach.map(|(dof, &i)| columns[i].reach(dof.axis()).into()).collect();
                Contact { system, when_underdetermined, columns, node_of_dof, reach }
            }
        };
        Ok(self.contact.insert(contact))
    }

    /// True if the touch was checked and prepared before, except for the values of its
    /// displacements.
    fn has_checked(&self, touch: &Touch) -> bool {
        let Some(contact) = &self.contact else { return false };
        let mut dofs = contact.system.touched().iter().peekable();
        let is_same = |known: &KnownDisplacement| {
            let mut is_same = known.displacement.iter().any(Option::is_some);
            for (axis, displacement) in known.displacement.iter().enumerate() {
                let here = |dof: &&Dof| dof.node() == known.node && dof.axis() == axis;
                let was_touched = dofs.next_if(here).is_some();
                is_same &= displacement.map_or(!was_touched, |d| was_touched && d.is_finite());
            }
            is_same
        };
        touch.topology_version == self.surface.topology.version
            && touch.known.iter().all(is_same)
            && dofs.peek().is_none()
    }

    /// Computes the surface and the reactions for the answer in `scratch`. Returns false and
    /// changes nothing if positions are not finite.
    fn show_answer(&mut self, touch: &Touch) -> bool {
        let contact = self.contact.as_ref().expect("an answer has a contact system");
        let answer = &self.scratch.answer;
        let rigid = &mut self.scratch.rigid;
        rigid.clear();
        rigid.resize(self.model.compliance().free_bodies().count(), RigidShare::default());
        for (body, [x, y, z, rx, ry, rz]) in contact.system.rigid_motions(answer) {
            rigid[body] = RigidShare { shift: [x, y, z], turn: [rx, ry, rz] };
        }
        let mut positions = free_buffer(&mut self.spare, &self.model.rest_surface().positions);
        let target = Arc::get_mut(&mut positions).expect("a free buffer has one owner");
        let farthest = self.scratch.prescribed.iter().fold(0.0_f64, |most, d| d.abs().max(most));
        if contact.rounding(answer, rigid) <= STREAMED * farthest {
            stream(target, &self.model, contact, answer, rigid);
        } else {
            stream_exactly(target, &self.model, contact, answer, rigid);
        }
        if !are_finite(target) {
            self.spare.push(positions);
            return false;
        }
        self.load.set(&contact.system, answer);
        self.reactions.extend(reactions(&touch.known, &self.load));
        self.show(positions);
        true
    }
}

impl Contact {
    /// Estimates the largest rounding error of `f32` sums, in metres. Opposing forces make large
    /// shares that cancel each other. Rounding errors cancel in part, too: the largest error
    /// measured was a fifth of the last digit of the sum of all shares.
    fn rounding(&self, answer: &ContactAnswer, rigid: &[RigidShare<f64>]) -> f64 {
        let shares = answer.scaled_forces.iter().zip(&self.reach);
        let sum: f64 = shares.map(|(force, reach)| force.abs() * reach).sum();
        let rigid = rigid.iter().map(RigidShare::reach).fold(0.0, f64::max);
        0.25 * f64::from(f32::EPSILON) * (sum + rigid)
    }

    /// Columns of the node of the `i`-th touched degree of freedom, and its axis.
    fn column(&self, i: usize) -> (&NodeColumns, usize) {
        (&self.columns[self.node_of_dof[i]], self.system.touched()[i].axis())
    }
}

/// Computes the positions of a frame in `f32`. Its speed is limited by memory traffic.
fn stream(
    target: &mut [[f32; 3]],
    model: &SolidModel,
    contact: &Contact,
    answer: &ContactAnswer,
    rigid: &[RigidShare<f64>],
) {
    let topology = &model.rest_surface().topology;
    let bodies = model.compliance().free_bodies();
    let of_point = |point: usize| {
        bodies.of_node(topology.nodes[point]).map(|body| rigid[body].rounded()).unwrap_or_default()
    };
    let rigid = match rigid {
        [RigidShare { shift: [x, y, z], turn: [rx, ry, rz] }] if bodies.is_everything() => {
            Rigid::Together(model.rigid_columns(), [x, y, z, rx, ry, rz].map(|c| *c as f32))
        }
        _ => Rigid::ByPoint(&of_point),
    };
    let share = |i: usize| {
        let (columns, axis) = contact.column(i);
        (columns.streamed(axis), answer.scaled_forces[i] as f32)
    };
    let n_shares = answer.scaled_forces.len();
    displace(target, &topology.rest_positions, model.arms(), &rigid, n_shares, share);
}

/// Computes the positions of a frame in `f64`, for frames where [`stream`] would lose too many
/// digits.
fn stream_exactly(
    target: &mut [[f32; 3]],
    model: &SolidModel,
    contact: &Contact,
    answer: &ContactAnswer,
    rigid: &[RigidShare<f64>],
) {
    let topology = &model.rest_surface().topology;
    let share = |i: usize| {
        let (columns, axis) = contact.column(i);
        (columns.halves(axis), answer.scaled_forces[i])
    };
    let rigid_at = |point: usize| model.rigid_displacement(topology.nodes[point], rigid);
    let n_shares = answer.scaled_forces.len();
    displace_exactly(target, &topology.rest_positions, rigid_at, n_shares, share);
}

/// Takes a spare buffer that no reader holds, or a new one of the length of `like`.
pub(crate) fn free_buffer(
    spare: &mut Vec<Arc<Vec<[f32; 3]>>>,
    like: &Arc<Vec<[f32; 3]>>,
) -> Arc<Vec<[f32; 3]>> {
    /// Number of buffers: one on screen, one on its way, one being written, and one for a slow
    /// reader.
    const MOST_SPARE: usize = 4;
    let free = spare.iter_mut().position(|buffer| Arc::get_mut(buffer).is_some());
    match free {
        Some(at) => spare.swap_remove(at),
        None => {
            spare.truncate(MOST_SPARE - 1);
            Arc::new(like.to_vec())
        }
    }
}

impl Deformable for Solid {
    fn surface(&self) -> &Surface {
        &self.surface
    }

    fn reactions(&self) -> &[Reaction] {
        &self.reactions
    }

    fn displacements(&self) -> Vec<[f64; 3]> {
        self.model.displacements(&self.load).as_chunks::<3>().0.to_vec()
    }

    /// Computes columns that the hand may need next: those around the touched nodes, then, if there
    /// is room for all of them, those of the whole surface.
    fn idle_work(&mut self) -> Option<IdleWork> {
        // Also while too few nodes are touched for a solution: their neighbours are needed next.
        let touched = &self.scratch.touched;
        if self.prefetched_for.as_ref() == Some(touched) {
            return None;
        }
        self.prefetched_for = Some(touched.clone());
        prefetch(Arc::clone(&self.model), touched)
    }

    /// Empty: each touch is solved independently of the ones before.
    fn state(&self) -> State {
        State { family: FAMILY.to_owned(), version: STATE_VERSION, ..State::default() }
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        state.check(FAMILY, STATE_VERSION, [0, 0])?;
        self.reactions.clear();
        self.surface.fields.clear();
        self.relax();
        Ok(())
    }

    /// Solves for static equilibrium; `dt` has no effect.
    fn step(&mut self, touch: &Touch, _dt: f64) -> StepReport {
        // Without a solution there are no reactions: stale forces must not reach a finger.
        self.reactions.clear();
        if !self.has_checked(touch)
            && let Err(why) = self.model.check(touch)
        {
            return StepReport::without_solve(Outcome::Refused(why.to_string()));
        }
        if touch.known.is_empty() {
            self.relax();
            self.find_stresses(touch);
            return StepReport::without_solve(Outcome::AtRest);
        }
        let Scratch { touched, prescribed, .. } = &mut self.scratch;
        touched.clear();
        prescribed.clear();
        for (dof, displacement) in touch.known.iter().flat_map(|known| known.components()) {
            touched.push(dof);
            prescribed.push(displacement);
        }
        match self.prepare(touch.when_underdetermined) {
            Ok(_) => {}
            Err(ContactError::Underdetermined(free)) => {
                return StepReport::without_solve(Outcome::Underdetermined(free));
            }
            Err(e @ (ContactError::Support(_) | ContactError::Singular)) => {
                return StepReport::without_solve(Outcome::Refused(e.to_string()));
            }
        }
        let contact = self.contact.as_ref().expect("just prepared");
        let Scratch { prescribed, answer, .. } = &mut self.scratch;
        contact.system.answer(prescribed, answer);
        let residual = answer.residual;
        let frozen = StepReport::solved(Outcome::Frozen, f64::INFINITY);
        let force_scale = contact.system.force_scale();
        let can_be_shown = |force: &f64| ((force * force_scale) as f32).is_finite();
        if !residual.is_finite() || !answer.scaled_forces.iter().all(can_be_shown) {
            return frozen;
        }
        let largest = prescribed.iter().map(|d| d.abs()).fold(0.0, f64::max);
        if residual > INACCURATE * largest {
            let outcome = Outcome::Refused(ContactError::Singular.to_string());
            return StepReport::solved(outcome, residual);
        }
        if !self.show_answer(touch) {
            return frozen;
        }
        self.find_stresses(touch);
        StepReport::solved(Outcome::Solved, residual)
    }
}
