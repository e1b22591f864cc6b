//! A solid that hands hold by contact, behind [`Deformable`].
//!
//! Steps run in the frame of the touches' object, which stays where it is: gravity and table are
//! brought into it. The rigid motion of a free body is the pose of its surface. Held nodes are
//! displaced along the axes of that frame: three of them lead a free body.

mod held;
mod state;

use std::sync::Arc;

use nalgebra::{Isometry3, Rotation3, UnitQuaternion, Vector3};

use super::held::HoldError;
use super::pad::{Friction, Pad};
use super::report::SubstepReport;
use super::settings::{ContactError, ContactSettings};
use super::shape::{ContactProxy, ProxyShape};
use super::solid::ContactSolid;
use crate::deformable::{Deformable, Outcome, StepReport};
use crate::family::solid::SolidModel;
use crate::mesh::{Grip, Surface, Topology};
use crate::proxy::{Proxy, ProxyId, Shape};
use crate::state::{State, StateError};
use crate::surface_frame::{ContactForce, Reaction};
use crate::touch::{HalfSpace, Touch};
use held::Held;

/// Fixed substep, in seconds.
const SUBSTEP: f64 = 1e-3;

/// Speeds below which a body rests, in m/s and rad/s.
const STILL: [f64; 2] = [1e-4, 1e-3];

/// Time without motion after which a body sleeps, in substeps.
const ASLEEP: u64 = 200;

/// Number that stands for the table among the shapes. It is above those of all parts of hands.
const TABLE: u32 = 1 << 16;

/// Number of a shape, and its pose after the last step.
type KnownShape = (u32, Isometry3<f64>);

/// Longest way of a shape in one part of a substep, as a share of the pad's thickness: a quick hand
/// does not pass through the body.
const LONGEST_WAY: f64 = 0.5;

/// Largest number of parts of a substep, enough for 50 m/s.
const MOST_PARTS: usize = 25;

/// Number of a part of a hand among the shapes. Its order is the order of the shapes.
fn number(id: ProxyId) -> u32 {
    u32::from(id.hand) << 12 | u32::from(id.finger) << 6 | u32::from(id.segment)
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
        })
    }

    /// The solid.
    pub fn solid(&self) -> &ContactSolid {
        &self.solid
    }

    /// Reason why a touch is not valid.
    fn refusal(&self, touch: &Touch) -> Option<String> {
        let version = self.surface.topology.version;
        if touch.topology_version != version {
            let got = touch.topology_version;
            return Some(format!("the touch is of topology {got}, expected {version}"));
        }
        if let Err(why) = self.solid.model().check_nodes(&touch.known) {
            return Some(why.to_string());
        }
        let is_good = |proxy: &Proxy| {
            let (ends, radius) = match proxy.shape {
                Shape::Sphere { centre, radius } => ([centre, centre], radius),
                Shape::Cylinder { start, end, radius } => ([start, end], radius),
            };
            let motion = proxy.velocity.iter().chain(&proxy.angular_velocity);
            let ends = ends.iter().flat_map(|end| end.iter());
            ends.chain(motion).all(|x| x.is_finite()) && radius.is_finite() && radius > 0.0
        };
        let pose = &touch.world_from_object;
        let table = touch.surroundings.table.iter();
        let is_finite = touch.proxies.iter().all(is_good)
            && touch.surroundings.gravity.iter().all(|x| x.is_finite())
            && pose
                .translation
                .vector
                .iter()
                .chain(pose.rotation.coords.iter())
                .all(|x| x.is_finite())
            && table.flat_map(|it| it.normal.iter().chain([&it.offset])).all(|x| x.is_finite());
        (!is_finite).then(|| {
            "the touch has numbers that are not finite, or a radius that is not positive".to_owned()
        })
    }

    /// Shapes of a touch, with their way in a substep. Anchors ride on shapes, which turn with the
    /// bones.
    fn proxies(&self, touch: &Touch, dt: f64) -> (Vec<u32>, Vec<ContactProxy>) {
        let mut numbered: Vec<(u32, ContactProxy)> =
            touch.proxies.iter().map(|proxy| self.proxy(proxy, dt)).collect();
        if let Some(table) = &touch.surroundings.table {
            let mut table = table_proxy(table, &touch.world_from_object);
            table.friction = self.solid.settings().table_friction;
            numbered.push((TABLE, table));
        }
        numbered.sort_by_key(|(number, _)| *number);
        numbered.dedup_by_key(|(number, _)| *number);
        numbered.into_iter().unzip()
    }

    fn proxy(&self, proxy: &Proxy, dt: f64) -> (u32, ContactProxy) {
        let number = number(proxy.id);
        let (shape, centre, axis) = match proxy.shape {
            Shape::Sphere { centre, radius } => (ProxyShape::Sphere { radius }, centre, None),
            Shape::Cylinder { start, end, radius } => {
                let half_length = 0.5 * (end - start).norm();
                let shape = ProxyShape::Cylinder { radius, half_length, is_rounded: false };
                (shape, nalgebra::center(&start, &end), Some(end - start))
            }
        };
        let before = self.shapes.iter().find(|(known, _)| *known == number).map(|(_, pose)| *pose);
        let to = Isometry3::from_parts(centre.coords.into(), along(proxy.orientation, axis));
        // A shape without a past comes from where its velocity says.
        let from = before.unwrap_or_else(|| {
            Isometry3::from_parts((centre.coords - proxy.velocity * dt).into(), to.rotation)
        });
        let ContactSettings { friction, pad, .. } = *self.solid.settings();
        (number, ContactProxy::fixed(shape, from, pad, friction).moved_to(to))
    }

    /// Gives the remembered contacts the places of their shapes in the new list. Contacts with a
    /// table that was put elsewhere, because the object's frame was, are gone.
    fn renumber(&mut self, numbers: &[u32], proxies: &[ContactProxy]) {
        let place = |number: u32, pose: &Isometry3<f64>| {
            let at = numbers.binary_search(&number).ok()?;
            (number != TABLE || proxies[at].from == *pose).then_some(at as u32)
        };
        let places: Vec<Option<u32>> =
            self.shapes.iter().map(|(number, pose)| place(*number, pose)).collect();
        let is_same = places.len() == numbers.len()
            && places.iter().enumerate().all(|(at, place)| *place == Some(at as u32));
        if !is_same {
            self.solid.renumber(|at| places[at as usize]);
        }
    }

    /// Advances the body by `dt` in as many equal parts as quick shapes and quick held nodes ask
    /// for.
    fn advance(
        &mut self,
        touch: &Touch,
        proxies: &[ContactProxy],
        gravity: &Vector3<f64>,
        dt: f64,
    ) -> Result<SubstepReport, HoldError> {
        let thickness = self.solid.settings().pad.thickness.min(Pad::OVER_BONE.thickness);
        self.held.start(&mut self.solid, &touch.known);
        let ways = proxies.iter().map(ContactProxy::travel);
        let travel = ways.chain(self.held.travels()).fold(0.0, f64::max);
        let n_parts = (travel / (LONGEST_WAY * thickness)).ceil().max(1.0) as usize;
        let n_parts = n_parts.min(MOST_PARTS);
        if n_parts == 1 {
            return self.held.substep(&mut self.solid, 1.0, proxies, gravity, dt);
        }
        let mut whole = SubstepReport::default();
        let mut standing = proxies.to_vec();
        for part in 1..=n_parts {
            let share = part as f64 / n_parts as f64;
            for (now, proxy) in standing.iter_mut().zip(proxies) {
                *now = now.moved_to(proxy.pose_at(share));
                if part == 1 {
                    now.from = proxy.from;
                }
            }
            let part = dt / n_parts as f64;
            let report = self.held.substep(&mut self.solid, share, &standing, gravity, part)?;
            let before = whole.solve;
            whole = report;
            whole.solve.sweeps += before.sweeps;
            whole.solve.residual = whole.solve.residual.max(before.residual);
        }
        Ok(whole)
    }

    fn show(&mut self) {
        let mut positions = Arc::try_unwrap(std::mem::take(&mut self.surface.positions))
            .unwrap_or_else(|_| Vec::new());
        self.solid.surface_positions(&mut positions);
        self.surface.positions = Arc::new(positions);
    }
}

/// The rotation nearest to `turn` that has y along an axis.
fn along(turn: UnitQuaternion<f64>, axis: Option<Vector3<f64>>) -> UnitQuaternion<f64> {
    let Some(axis) = axis else { return turn };
    let tilt = Rotation3::rotation_between(&(turn * Vector3::y()), &axis);
    tilt.map_or(turn, |tilt| UnitQuaternion::from_rotation_matrix(&tilt) * turn)
}

fn table_proxy(table: &HalfSpace, world_from_object: &Isometry3<f64>) -> ContactProxy {
    let object_from_world = world_from_object.inverse();
    let up = UnitQuaternion::rotation_between(&Vector3::y(), &table.normal).unwrap_or_else(|| {
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
    });
    let pose = Isometry3::from_parts((table.normal * table.offset).into(), up);
    ContactProxy {
        touches_nodes_only: true,
        ..ContactProxy::fixed(
            ProxyShape::Plane,
            object_from_world * pose,
            Pad::HARD,
            Friction::NONE,
        )
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
        if let Some(why) = self.refusal(touch) {
            // Stale forces must not reach a finger.
            self.forces.clear();
            self.reactions.clear();
            return StepReport::without_solve(Outcome::Refused(why));
        }
        if dt == 0.0 {
            return StepReport::without_solve(Outcome::Solved);
        }
        let before = self.solid.state();
        let (numbers, proxies) = self.proxies(touch, dt);
        self.renumber(&numbers, &proxies);
        let gravity = touch.world_from_object.rotation.inverse() * touch.surroundings.gravity;
        let report = match self.advance(touch, &proxies, &gravity, dt) {
            Ok(report) => report,
            Err(why) => {
                // The contacts keep the numbers of the old shapes.
                let restored = self.solid.restore(&before);
                debug_assert!(restored.is_ok(), "its own state");
                self.forces.clear();
                self.reactions.clear();
                return StepReport::without_solve(Outcome::Refused(why.to_string()));
            }
        };
        let motion = *self.solid.motion();
        let numbers_of_motion = motion.velocity.iter().chain(&motion.spin);
        let forces = self.solid.reports().iter().flat_map(|report| report.force.iter());
        let held = self.solid.reactions().iter().flat_map(|reaction| reaction.force.iter());
        if !numbers_of_motion.chain(forces).chain(held).all(|x| x.is_finite()) {
            let restored = self.solid.restore(&before);
            debug_assert!(restored.is_ok(), "its own state");
            self.forces.clear();
            self.reactions.clear();
            return StepReport::solved(Outcome::Frozen, f64::INFINITY);
        }
        let is_still = motion.velocity.norm() < STILL[0]
            && motion.spin.norm() < STILL[1]
            && proxies.iter().all(|proxy| proxy.travel() == 0.0)
            && self.held.travels().all(|way| way < STILL[0] * dt);
        self.n_still = if is_still { self.n_still + 1 } else { 0 };
        self.shapes = numbers.iter().copied().zip(proxies.iter().map(|proxy| proxy.to)).collect();
        self.forces.clear();
        for proxy in &touch.proxies {
            let at = numbers.binary_search(&number(proxy.id)).expect("one of the shapes");
            let felt = &self.solid.reports()[at];
            if felt.points > 0 {
                self.forces.push(ContactForce { proxy: proxy.id, force: felt.force });
            }
        }
        self.held.reactions(&touch.known, self.solid.reactions(), &mut self.reactions);
        self.show();
        StepReport {
            outcome: Outcome::Solved,
            iterations: report.solve.sweeps,
            residual: report.solve.residual,
            is_moving: self.n_still < ASLEEP,
        }
    }
}
