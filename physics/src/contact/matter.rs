//! A solid that hands hold by contact, behind [`Deformable`].
//!
//! Steps run in the frame of the touches' object, which stays where it is: gravity and table are
//! brought into it. The rigid motion of a free body is the pose of its surface.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};

use super::anchors::{ContactMemory, ContactState};
use super::free_body::Motion;
use super::pad::{Friction, Pad};
use super::report::SubstepReport;
use super::settings::{ContactError, ContactSettings};
use super::shape::{ContactProxy, ProxyShape};
use super::solid::ContactSolid;
use super::tangent::Tangent;
use crate::contact_model::ContactModel;
use crate::deformable::{Deformable, Outcome, StepReport};
use crate::family::solid::SolidModel;
use crate::mesh::{Grip, Surface, Topology};
use crate::proxy::{Proxy, ProxyId, Shape};
use crate::state::{State, StateError};
use crate::surface_frame::{ContactForce, Reaction, rounded};
use crate::touch::{HalfSpace, Touch};

/// Name of this matter in a [`State`].
const FAMILY: &str = "solid in contact";

/// Version of the [`State`].
const VERSION: u32 = 1;

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

/// Longest way of a shape in one part of a substep, as a share of the pad's thickness: a quick hand
/// does not pass through the body.
const LONGEST_WAY: f64 = 0.5;

/// Largest number of parts of a substep, enough for 50 m/s.
const MOST_PARTS: usize = 25;

/// Number of a part of a hand among the shapes. Its order is the order of the shapes.
fn number(id: ProxyId) -> u32 {
    u32::from(id.hand) << 12 | u32::from(id.finger) << 6 | u32::from(id.segment)
}

/// Number of a finger of a hand.
fn finger_number(id: ProxyId) -> u32 {
    u32::from(id.hand) << 6 | u32::from(id.finger)
}

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
    /// Shapes of the last step: number, and pose after it.
    shapes: Vec<(u32, Isometry3<f64>)>,
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
        Ok(Self { solid, surface, forces: Vec::new(), shapes: Vec::new(), n_still: 0 })
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
        if !touch.known.is_empty() {
            return Some("nodes of a body in contact cannot be held yet, expected none".to_owned());
        }
        let is_good = |proxy: &Proxy| {
            let (ends, radius) = match proxy.shape {
                Shape::Sphere { centre, radius } => ([centre, centre], radius),
                Shape::Cylinder { start, end, radius } => ([start, end], radius),
            };
            let motion = proxy.velocity.iter().chain(&proxy.angular_velocity);
            let motion = motion.chain(proxy.orientation.coords.iter());
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
        let limb = Some(finger_number(proxy.id));
        let fixed = ContactProxy { limb, ..ContactProxy::fixed(shape, from, pad, friction) };
        (number, fixed.moved_to(to))
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

    /// Advances the body by `dt` in as many equal parts as quick shapes ask for.
    fn advance(
        &mut self,
        proxies: &[ContactProxy],
        gravity: &Vector3<f64>,
        dt: f64,
    ) -> SubstepReport {
        let thickness = self.solid.settings().pad.thickness.min(Pad::OVER_BONE.thickness);
        let travel = proxies.iter().map(ContactProxy::travel).fold(0.0, f64::max);
        let n_parts = (travel / (LONGEST_WAY * thickness)).ceil().max(1.0) as usize;
        let n_parts = n_parts.min(MOST_PARTS);
        if n_parts == 1 {
            return self.solid.substep(proxies, gravity, dt);
        }
        let mut whole = SubstepReport::default();
        let mut standing = proxies.to_vec();
        for part in 1..=n_parts {
            for (now, proxy) in standing.iter_mut().zip(proxies) {
                *now = now.moved_to(proxy.pose_at(part as f64 / n_parts as f64));
                if part == 1 {
                    now.from = proxy.from;
                }
            }
            let report = self.solid.substep(&standing, gravity, dt / n_parts as f64);
            let before = whole.solve;
            whole = report;
            whole.solve.sweeps += before.sweeps;
            whole.solve.residual = whole.solve.residual.max(before.residual);
        }
        whole
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
    let tilt = UnitQuaternion::rotation_between(&(turn * Vector3::y()), &axis);
    tilt.map_or(turn, |tilt| tilt * turn)
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
        &[]
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

    /// Motion, shapes with their poses, and contacts with anchors, forces and displacements.
    fn state(&self) -> State {
        let ContactState { motion, contacts } = self.solid.state();
        let mut reals = Vec::new();
        put_pose(&mut reals, &motion.world_from_object);
        reals.extend(motion.velocity.iter().chain(&motion.spin));
        let mut integers = vec![self.n_still, self.shapes.len() as u64, contacts.len() as u64];
        for (number, pose) in &self.shapes {
            integers.push(u64::from(*number));
            put_pose(&mut reals, pose);
        }
        for contact in &contacts {
            let flags = u64::from(contact.anchor.is_some()) | u64::from(contact.is_sliding) << 1;
            integers.extend([u64::from(contact.proxy), u64::from(contact.point), flags]);
            let anchor = contact.anchor.unwrap_or_default().coords;
            reals.extend(anchor.iter().chain(&contact.force).chain(&contact.displacement));
        }
        State { family: FAMILY.to_owned(), version: VERSION, reals, integers }
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        let (shapes, contacts) = match state.integers[..] {
            [_, shapes, contacts, ..] => (shapes as usize, contacts as usize),
            _ => (0, 0),
        };
        let most = self.solid.points().len() * (1 + shapes.min(TABLE as usize));
        let fits = shapes <= TABLE as usize && contacts <= most;
        let (shapes, contacts) = if fits { (shapes, contacts) } else { (0, 0) };
        let lengths = [13 + 7 * shapes + 9 * contacts, 3 + shapes + 3 * contacts];
        state.check(FAMILY, VERSION, lengths)?;
        let mut reader = Reader { reals: &state.reals, integers: &state.integers[3..] };
        let motion = Motion {
            world_from_object: reader.pose(),
            velocity: reader.vector(),
            spin: reader.vector(),
        };
        let shapes: Vec<_> = (0..shapes).map(|_| (reader.whole() as u32, reader.pose())).collect();
        let contacts: Vec<_> = (0..contacts).map(|_| reader.contact()).collect();
        let wrong =
            StateError::Length { got: [state.reals.len(), state.integers.len()], want: lengths };
        let is_ascending = contacts.is_sorted_by(|a, b| (a.proxy, a.point) < (b.proxy, b.point))
            && shapes.is_sorted_by(|(a, _), (b, _)| a < b);
        let poses = shapes.iter().map(|(_, pose)| *pose).chain([motion.world_from_object]);
        let are_turns = { poses }.all(|pose| (pose.rotation.norm() - 1.0).abs() < 1e-6);
        let of_shapes = contacts.iter().all(|contact| (contact.proxy as usize) < shapes.len());
        if !(is_ascending && are_turns && of_shapes) {
            return Err(wrong);
        }
        self.solid.restore(&ContactState { motion, contacts }).map_err(|_| wrong)?;
        self.shapes = shapes;
        self.n_still = state.integers[0];
        self.forces.clear();
        self.show();
        Ok(())
    }

    fn step(&mut self, touch: &Touch, dt: f64) -> StepReport {
        if let Some(why) = self.refusal(touch) {
            return StepReport::without_solve(Outcome::Refused(why));
        }
        if dt == 0.0 {
            return StepReport::without_solve(Outcome::Solved);
        }
        let before = self.solid.state();
        let (numbers, proxies) = self.proxies(touch, dt);
        self.renumber(&numbers, &proxies);
        let gravity = touch.world_from_object.rotation.inverse() * touch.surroundings.gravity;
        let report = self.advance(&proxies, &gravity, dt);
        if numbers.last() == Some(&TABLE)
            && self.solid.reports().last().is_some_and(|table| table.points > 0)
        {
            self.solid.slow_spin(1.0 / (1.0 + dt * ROLLING));
        }
        let motion = *self.solid.motion();
        let numbers_of_motion = motion.velocity.iter().chain(&motion.spin);
        let forces = self.solid.reports().iter().flat_map(|report| report.force.iter());
        if !numbers_of_motion.chain(forces).all(|x| x.is_finite()) {
            let restored = self.solid.restore(&before);
            debug_assert!(restored.is_ok(), "its own state");
            self.forces.clear();
            return StepReport::solved(Outcome::Frozen, f64::INFINITY);
        }
        let is_still = motion.velocity.norm() < STILL[0]
            && motion.spin.norm() < STILL[1]
            && proxies.iter().all(|proxy| proxy.travel() == 0.0);
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
        self.show();
        StepReport {
            outcome: Outcome::Solved,
            iterations: report.solve.sweeps,
            residual: report.solve.residual,
            is_moving: self.n_still < ASLEEP,
        }
    }
}

fn put_pose(reals: &mut Vec<f64>, pose: &Isometry3<f64>) {
    reals.extend(pose.translation.vector.iter().chain(pose.rotation.coords.iter()));
}

/// Numbers of a state, one after the other. Their count has been checked.
struct Reader<'a> {
    reals: &'a [f64],
    integers: &'a [u64],
}

impl Reader<'_> {
    fn real(&mut self) -> f64 {
        let (first, rest) = self.reals.split_first().expect("checked length");
        self.reals = rest;
        *first
    }

    fn whole(&mut self) -> u64 {
        let (first, rest) = self.integers.split_first().expect("checked length");
        self.integers = rest;
        *first
    }

    fn vector(&mut self) -> Vector3<f64> {
        let [x, y, z] = [(); 3].map(|()| self.real());
        Vector3::new(x, y, z)
    }

    fn pose(&mut self) -> Isometry3<f64> {
        let shift = self.vector();
        let [i, j, k, w] = [(); 4].map(|()| self.real());
        // Not normalised: the same bits must come back.
        let turn = UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k));
        Isometry3::from_parts(shift.into(), turn)
    }

    fn contact(&mut self) -> ContactMemory {
        let [proxy, point, flags] = [(); 3].map(|()| self.whole());
        let anchor = Point3::from(self.vector());
        ContactMemory {
            proxy: proxy as u32,
            point: u32::try_from(point).unwrap_or(u32::MAX),
            anchor: (flags & 1 == 1).then_some(anchor),
            force: self.vector(),
            displacement: self.vector(),
            is_sliding: flags >> 1 & 1 == 1,
        }
    }
}
