//! A solid that hands hold by contact, behind [`Deformable`].
//!
//! Steps run in the frame of the touches' object, which stays where it is: gravity and table are
//! brought into it. The rigid motion of a free body is the pose of its surface. Held nodes are
//! displaced along the axes of that frame: three of them lead a free body.

mod held;
mod input;
mod state;

use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};

use super::anchors::ContactState;
use super::held::SubstepError;
use super::pad::Pad;
use super::report::SubstepReport;
use super::settings::{ContactError, ContactSettings};
use super::shape::ContactProxy;
use super::solid::ContactSolid;
use super::tangent::Tangent;
use crate::contact_model::ContactModel;
use crate::deformable::{Deformable, Outcome, StepReport};
use crate::family::solid::{SolidModel, free_buffer};
use crate::mesh::{Grip, Surface, Topology};
use crate::proxy::ProxyId;
use crate::state::{State, StateError};
use crate::surface_frame::{ContactForce, Reaction, rounded};
use crate::touch::Touch;
use held::Held;
use input::number;

/// Fixed substep, in seconds.
const SUBSTEP: f64 = 1e-3;

/// Speeds below which a body rests, in m/s and rad/s.
const STILL: [f64; 2] = [1e-4, 1e-3];

/// Time without motion after which a body sleeps, in substeps.
const ASLEEP: u64 = 200;

/// Rate at which a body that touches the table loses its spin, in 1/s: soft matter does not roll
/// and rock for ever. A linear elastic body has no losses of its own.
const ROLLING: f64 = 5.0;

/// Number that stands for the table among the shapes. It is above those of all parts of hands.
const TABLE: u32 = 1 << 16;

/// Number of a shape, and its pose after the last step.
type KnownShape = (u32, Isometry3<f64>);

/// Longest way of a shape towards the body in one part of a substep, as a share of the pad's
/// thickness: a quick hand does not pass through the body, nor a quick body through a hand.
const LONGEST_WAY: f64 = 0.5;

/// Largest number of parts of a substep, enough for 50 m/s.
const MOST_PARTS: usize = 25;

/// Part of a hand with this number.
fn proxy_id(number: u32) -> ProxyId {
    let part = |shift: u32| (number >> shift & 0x3F) as u8;
    ProxyId { hand: part(12), finger: part(6), segment: part(0) }
}

/// Solid in contact with hands and a table.
pub struct ContactMatter {
    solid: ContactSolid,
    surface: Surface,
    forces: Vec<ContactForce>,
    reactions: Vec<Reaction>,
    held: Held,
    /// Shapes of the last step: number, and pose after it.
    shapes: Vec<KnownShape>,
    /// Substeps without motion.
    n_still: u64,
    /// True if the surface is that of an earlier step.
    is_stale: bool,
    scratch: Scratch,
}

/// Working memory, kept from step to step so that a step with the same contacts allocates nothing.
#[derive(Default)]
struct Scratch {
    /// Number, place in the touch, and shape of each proxy of a touch.
    numbered: Vec<(u32, u32, ContactProxy)>,
    numbers: Vec<u32>,
    proxies: Vec<ContactProxy>,
    /// Shapes on their way in a part of a step.
    standing: Vec<ContactProxy>,
    /// State before a step, for one that fails.
    before: ContactState,
    /// Buffers of earlier frames, used again once no reader holds them.
    spare: Vec<Arc<Vec<[f32; 3]>>>,
}

impl ContactMatter {
    /// Creates an object at rest.
    pub fn of(model: Arc<SolidModel>, settings: ContactSettings) -> Result<Self, ContactError> {
        let mut surface = model.rest_surface().clone();
        let topology = Topology {
            grip: Grip::Contact,
            fields: Vec::new(),
            ..Topology::clone(&surface.topology)
        };
        surface.topology = Arc::new(topology);
        let solid = ContactSolid::new(model, settings)?;
        Ok(Self {
            solid,
            surface,
            forces: Vec::new(),
            reactions: Vec::new(),
            held: Held::default(),
            shapes: Vec::new(),
            n_still: 0,
            is_stale: false,
            scratch: Scratch::default(),
        })
    }

    /// The solid.
    pub fn solid(&self) -> &ContactSolid {
        &self.solid
    }

    /// Gives the remembered contacts the places of their shapes in the new list. Contacts with a
    /// table that was put elsewhere, because the object's frame was, are gone.
    fn renumber(&mut self, numbers: &[u32], proxies: &[ContactProxy]) {
        let place = |number: u32, pose: &Isometry3<f64>| {
            let at = numbers.binary_search(&number).ok()?;
            (number != TABLE || proxies[at].from == *pose).then_some(at as u32)
        };
        let place_of = |at: usize| place(self.shapes[at].0, &self.shapes[at].1);
        let is_same = self.shapes.len() == numbers.len()
            && (0..numbers.len()).all(|at| place_of(at) == Some(at as u32));
        if !is_same {
            self.solid.renumber(|at| place_of(at as usize));
        }
    }

    /// Advances the body by `dt` in as many equal parts as quick shapes and quick held nodes ask
    /// for.
    fn advance(
        &mut self,
        touch: &Touch,
        Scratch { proxies, standing, .. }: &mut Scratch,
        gravity: &Vector3<f64>,
        dt: f64,
    ) -> Result<SubstepReport, SubstepError> {
        let thickness = self.solid.settings().pad.thickness.min(Pad::OVER_BONE.thickness);
        self.held.start(&mut self.solid, &touch.known);
        let ways = proxies.iter().flat_map(|it| [it.travel(), self.solid.approach(it, dt)]);
        let travel = ways.chain(self.held.travels()).fold(0.0, f64::max);
        let n_parts = (travel / (LONGEST_WAY * thickness)).ceil().max(1.0) as usize;
        let n_parts = n_parts.min(MOST_PARTS);
        if n_parts == 1 {
            return self.held.substep(&mut self.solid, 1.0, proxies, gravity, dt);
        }
        let mut whole = SubstepReport::default();
        standing.clone_from(proxies);
        for part in 1..=n_parts {
            let share = part as f64 / n_parts as f64;
            for (now, proxy) in standing.iter_mut().zip(&*proxies) {
                *now = now.moved_to(proxy.pose_at(share));
                if part == 1 {
                    now.from = proxy.from;
                }
            }
            let part = dt / n_parts as f64;
            let report = self.held.substep(&mut self.solid, share, standing, gravity, part)?;
            let before = whole.solve;
            whole = report;
            whole.solve.sweeps += before.sweeps;
            whole.solve.residual = whole.solve.residual.max(before.residual);
        }
        Ok(whole)
    }

    /// Computes the surface, in a buffer that no reader holds.
    fn show(&mut self) {
        self.is_stale = false;
        let rest = &self.solid.model().rest_surface().positions;
        let mut positions = free_buffer(&mut self.scratch.spare, rest);
        let is_of_model = Arc::ptr_eq(&self.surface.positions, rest);
        let target = Arc::get_mut(&mut positions).expect("a free buffer has one owner");
        self.solid.surface_positions(target);
        let shown = std::mem::replace(&mut self.surface.positions, positions);
        if !is_of_model {
            self.scratch.spare.push(shown);
        }
    }

    /// Shows the surface, unless another step follows before anyone sees it.
    fn show_at_last(&mut self, touch: &Touch) {
        self.is_stale = true;
        if !touch.is_between {
            self.show();
        }
    }

    /// Takes back a step that failed, and shows the surface of the one before.
    fn take_back(&mut self, before: &ContactState) {
        let restored = self.solid.restore(before);
        debug_assert!(restored.is_ok(), "its own state");
        self.let_go();
    }

    /// Forgets the forces: stale ones must not reach a finger, nor a stale surface the
    /// screen.
    fn let_go(&mut self) {
        self.forces.clear();
        self.reactions.clear();
        if self.is_stale {
            self.show();
        }
    }
}

impl Deformable for ContactMatter {
    fn surface(&self) -> &Surface {
        &self.surface
    }

    fn pose(&self) -> Isometry3<f64> {
        self.solid.motion().world_from_object
    }

    fn reactions(&self) -> &[Reaction] {
        &self.reactions
    }

    fn displacements(&self) -> Vec<[f64; 3]> {
        self.solid.displacements()
    }

    fn contact_forces(&self) -> &[ContactForce] {
        &self.forces
    }

    fn contact_models(&self) -> Vec<ContactModel> {
        // A restored state has no last step.
        if self.forces.is_empty() {
            return Vec::new();
        }
        let of = |tangent: &Tangent| {
            let (number, pose) = self.shapes.get(tangent.proxy as usize)?;
            let felt = self.solid.reports().get(tangent.proxy as usize)?;
            (*number != TABLE && felt.normal != Vector3::zeros()).then(|| ContactModel {
                proxy: proxy_id(*number),
                place: rounded(&pose.translation.vector),
                force: rounded(&-felt.force),
                normal: rounded(&-felt.normal),
                stiffness: ContactModel::stiffness_numbers(&tangent.stiffness),
                friction: tangent.friction as f32,
                radius: (felt.area / std::f64::consts::PI).sqrt() as f32,
                slip_speed: felt.slip_speed as f32,
            })
        };
        self.solid.tangents().iter().filter_map(of).collect()
    }

    fn substep(&self) -> Option<f64> {
        Some(SUBSTEP)
    }

    /// Motion, shapes with their poses, contacts with anchors, forces and displacements, and forces
    /// on held nodes.
    fn state(&self) -> State {
        state::written(&self.solid.state(), &self.shapes, self.n_still)
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        let written = state::read(state, self.solid.points().len())?;
        self.solid.restore(&written.contact).map_err(|_| written.wrong)?;
        self.shapes = written.shapes;
        self.n_still = written.n_still;
        self.forces.clear();
        self.reactions.clear();
        self.show();
        Ok(())
    }

    fn step(&mut self, touch: &Touch, dt: f64) -> StepReport {
        if let Some(why) = self.refusal(touch, dt) {
            self.let_go();
            return StepReport::without_solve(Outcome::Refused(why));
        }
        if dt == 0.0 {
            if self.is_stale {
                self.show();
            }
            return StepReport::without_solve(Outcome::Solved);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        self.solid.write_state(&mut scratch.before);
        self.collect_proxies(touch, dt, &mut scratch);
        self.renumber(&scratch.numbers, &scratch.proxies);
        let gravity = touch.world_from_object.rotation.inverse() * touch.surroundings.gravity;
        let report = self.advance(touch, &mut scratch, &gravity, dt);
        self.scratch = scratch;
        match report {
            Ok(report) if self.is_finite() => self.remember(touch, dt, &report),
            Ok(_) => {
                let before = std::mem::take(&mut self.scratch.before);
                self.take_back(&before);
                StepReport::solved(Outcome::Frozen, f64::INFINITY)
            }
            Err(why) => {
                let before = std::mem::take(&mut self.scratch.before);
                self.take_back(&before);
                StepReport::without_solve(Outcome::Refused(why.to_string()))
            }
        }
    }
}

impl ContactMatter {
    /// True if motion and forces after a step are numbers.
    fn is_finite(&self) -> bool {
        let motion = self.solid.motion();
        let forces = self.solid.reports().iter().flat_map(|report| report.force.iter());
        let held = self.solid.reactions().iter().flat_map(|reaction| reaction.force.iter());
        let numbers = motion.velocity.iter().chain(&motion.spin).chain(forces).chain(held);
        { numbers }.all(|x| x.is_finite())
    }

    /// Takes the results of a step over.
    fn remember(&mut self, touch: &Touch, dt: f64, report: &SubstepReport) -> StepReport {
        let has_table = self.scratch.numbers.last() == Some(&TABLE);
        if has_table && self.solid.reports().last().is_some_and(|table| table.points > 0) {
            self.solid.slow_spin(1.0 / (1.0 + dt * ROLLING));
        }
        let motion = *self.solid.motion();
        let Scratch { numbers, proxies, .. } = &self.scratch;
        let is_still = motion.velocity.norm() < STILL[0]
            && motion.spin.norm() < STILL[1]
            && proxies.iter().all(|proxy| proxy.travel() == 0.0)
            && self.held.travels().all(|way| way < STILL[0] * dt);
        self.n_still = if is_still { self.n_still + 1 } else { 0 };
        self.shapes.clear();
        self.shapes.extend(numbers.iter().copied().zip(proxies.iter().map(|proxy| proxy.to)));
        self.forces.clear();
        for proxy in &touch.proxies {
            let at = numbers.binary_search(&number(proxy.id)).expect("one of the shapes");
            let felt = &self.solid.reports()[at];
            if felt.points > 0 {
                self.forces.push(ContactForce { proxy: proxy.id, force: felt.force });
            }
        }
        self.held.reactions(&touch.known, self.solid.reactions(), &mut self.reactions);
        self.show_at_last(touch);
        StepReport {
            outcome: Outcome::Solved,
            iterations: report.solve.sweeps,
            residual: report.solve.residual,
            is_moving: self.n_still < ASLEEP,
        }
    }
}
