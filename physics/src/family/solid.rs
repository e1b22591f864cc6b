//! Linear elastic solids driven by known displacements, answered without inertia.
//!
//! What never changes is the [`SolidModel`], what does is the state in [`Solid`].

mod inverse;
mod model;
mod prefetch;
mod question;
mod refusal;
mod skin_stress;
mod solution;

use std::sync::Arc;

use crate::deformable::{Deformable, IdleWork, Outcome, StepReport};
use crate::frame::Reaction;
use crate::linear::{
    ContactAnswer, ContactError, ContactSystem, NodeColumns, Rigid, RigidShare, are_finite,
    displace, displace_exactly,
};
use crate::mesh::{Dof, FieldValues, Surface};
use crate::state::{State, StateError};
use crate::touch::{KnownDisplacement, Loose, Touch};
use model::INACCURATE;
use prefetch::prefetch;

pub use inverse::solve_by_inverse;
pub use model::SolidModel;
pub use question::{Algorithm, Answer, Question};
pub use refusal::{Dense, SolveError, TouchError};
pub use solution::Solution;

/// A frame is streamed in `f32` if that rounds off at most this share of the prescribed displacements.
const STREAMED: f64 = 1e-5;

/// As states name it.
const FAMILY: &str = "solid";
const STATE_VERSION: u32 = 1;

/// A scale of stresses reaches at least so far, in Pa.
const LEAST_STRESS: f32 = 50.0;

/// A solid and its present shape.
pub struct Solid {
    model: Arc<SolidModel>,
    surface: Surface,
    reactions: Vec<Reaction>,
    /// Prepared for the nodes that were touched last.
    contact: Option<Contact>,
    /// Positions of earlier frames, to be written again once nobody looks at them.
    spare: Vec<Arc<Vec<[f32; 3]>>>,
    scratch: Scratch,
    /// The degrees of freedom whose surroundings have been handed out as idle work.
    prefetched_for: Option<Vec<Dof>>,
}

/// What is prepared for one set of touched degrees of freedom.
struct Contact {
    system: ContactSystem,
    loose: Loose,
    columns: Vec<Arc<NodeColumns>>,
    /// For each touched degree of freedom, which of `columns` belong to its node.
    node_of_dof: Vec<usize>,
    /// For each of them, the largest displacement in its column.
    reach: Vec<f64>,
}

/// Kept from step to step, so that a step needs no new memory.
#[derive(Default)]
struct Scratch {
    touched: Vec<Dof>,
    prescribed: Vec<f64>,
    answer: ContactAnswer,
    rigid: Vec<RigidShare<f64>>,
}

impl Solid {
    /// A solid at rest; several may share a model.
    pub fn of(model: Arc<SolidModel>) -> Self {
        let surface = model.rest_surface().clone();
        Self {
            model,
            surface,
            reactions: Vec::new(),
            contact: None,
            spare: Vec::new(),
            scratch: Scratch::default(),
            prefetched_for: None,
        }
    }

    /// The model that it shares.
    pub fn model(&self) -> &Arc<SolidModel> {
        &self.model
    }

    /// Back to the rest shape, with nothing that holds it.
    fn relax(&mut self) {
        let rest = Arc::clone(&self.model.rest_surface().positions);
        self.show(rest);
    }

    /// Finds the stresses of the answer in `scratch`, or of the rest shape if nothing is touched.
    fn find_stresses(&mut self, touch: &Touch) {
        let contact = self.contact.as_ref().filter(|_| !touch.known.is_empty());
        self.surface.fields.clear();
        if touch.wants_fields {
            let stresses = match contact {
                Some(contact) => self.model.skin_stresses(&contact.system, &self.scratch.answer),
                None => vec![0.0; self.surface.positions.len()],
            };
            self.surface.fields.push(FieldValues::from_zero(stresses, LEAST_STRESS));
        }
    }

    /// Shows other positions and keeps the buffer of the last ones, unless it is the model's.
    fn show(&mut self, positions: Arc<Vec<[f32; 3]>>) {
        let shown = std::mem::replace(&mut self.surface.positions, positions);
        if !Arc::ptr_eq(&shown, &self.model.rest_surface().positions) {
            self.spare.push(shown);
        }
    }

    /// Prepares for the degrees of freedom in `scratch`, unless they are those of the last step.
    fn prepare(&mut self, loose: Loose) -> Result<&Contact, ContactError> {
        // Taken out and put back, so that a failure leaves no system of other nodes behind.
        let touched = &self.scratch.touched;
        let contact = match self.contact.take() {
            Some(old) if old.system.touched() == touched && old.loose == loose => old,
            _ => {
                let (system, columns) = self.model.contact(touched, loose)?;
                let nodes = touched.chunk_by(|a, b| a.node() == b.node()).enumerate();
                let node_of_dof: Vec<usize> =
                    nodes.flat_map(|(i, dofs)| dofs.iter().map(move |_| i)).collect();
                let reach = touched.iter().zip(&node_of_dof);
                let reach = reach.map(|(dof, &i)| columns[i].reach(dof.axis()).into()).collect();
                Contact { system, loose, columns, node_of_dof, reach }
            }
        };
        Ok(self.contact.insert(contact))
    }

    /// Whether the touch differs from one that was checked and prepared only in how far it goes.
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

    /// Computes the surface and the reactions for the answer in `scratch`. Changes nothing and says so if
    /// they cannot be shown.
    fn show_answer(&mut self, touch: &Touch) -> bool {
        let contact = self.contact.as_ref().expect("the answer comes from it");
        let answer = &self.scratch.answer;
        let rigid = &mut self.scratch.rigid;
        rigid.clear();
        rigid.resize(self.model.compliance().free_bodies().count(), RigidShare::default());
        for (body, [x, y, z, rx, ry, rz]) in contact.system.rigid_motions(answer) {
            rigid[body] = RigidShare { shift: [x, y, z], turn: [rx, ry, rz] };
        }
        let mut positions = free_buffer(&mut self.spare, &self.model.rest_surface().positions);
        let target = Arc::get_mut(&mut positions).expect("a free buffer is nobody else's");
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
        let mut forces = contact.system.touched().iter().zip(&answer.scaled_forces).peekable();
        self.reactions.extend(touch.known.iter().map(|known| {
            let mut reaction = Reaction { node: known.node, force: nalgebra::Vector3::zeros() };
            while let Some((dof, force)) = forces.next_if(|(dof, _)| dof.node() == known.node) {
                reaction.force[dof.axis()] = force * contact.system.force_scale();
            }
            reaction
        }));
        self.show(positions);
        true
    }
}

impl Contact {
    /// About the most that `f32` sums round off, in metres: forces that fight each other make large shares
    /// that cancel. Some terms round up and others down: of the sum of all, a fifth of the last digit was
    /// the most that was ever off.
    fn rounding(&self, answer: &ContactAnswer, rigid: &[RigidShare<f64>]) -> f64 {
        let shares = answer.scaled_forces.iter().zip(&self.reach);
        let sum: f64 = shares.map(|(force, reach)| force.abs() * reach).sum();
        let rigid = rigid.iter().map(RigidShare::reach).fold(0.0, f64::max);
        0.25 * f64::from(f32::EPSILON) * (sum + rigid)
    }

    /// Which of the columns, along which axis, a touched degree of freedom has.
    fn column(&self, i: usize) -> (&NodeColumns, usize) {
        (&self.columns[self.node_of_dof[i]], self.system.touched()[i].axis())
    }
}

/// Writes the positions of a frame, limited by memory traffic alone.
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

/// Writes the same positions where that would leave too few digits.
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

/// A buffer that nobody looks at, or a new one of the same length.
fn free_buffer(
    spare: &mut Vec<Arc<Vec<[f32; 3]>>>,
    like: &Arc<Vec<[f32; 3]>>,
) -> Arc<Vec<[f32; 3]>> {
    /// One on screen, one on its way, one being written; more are only kept by somebody slow.
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

    /// Columns that the hand may need next: those around the touched nodes, then, if there is room for
    /// them all, those of the whole surface.
    fn idle_work(&mut self) -> Option<IdleWork> {
        // Also while too few nodes are touched for an answer: the others will be needed next.
        let touched = &self.scratch.touched;
        if self.prefetched_for.as_ref() == Some(touched) {
            return None;
        }
        self.prefetched_for = Some(touched.clone());
        prefetch(Arc::clone(&self.model), touched)
    }

    /// Nothing: each touch is answered by itself.
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

    /// The answer is static: `dt` plays no part.
    fn step(&mut self, touch: &Touch, _dt: f64) -> StepReport {
        // What is not solved holds nothing: stale forces must not reach a finger.
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
        match self.prepare(touch.loose) {
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
