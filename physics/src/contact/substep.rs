//! One substep: contacts at the predicted place, their forces, and the motion after them.

use nalgebra::{Isometry3, Point3, Vector3, Vector6};

use super::anchors::{ContactMemory, slides_on};
use super::candidates::{Contact, Surroundings, keep_one_per_limb, keep_the_deepest};
use super::free_body::Motion;
use super::gauss_seidel::{ContactProblem, Side, SolveReport};
use super::report::{EnergyAccount, ProxyReport, SubstepReport};
use super::shape::ContactProxy;
use super::solid::{ContactSolid, Scratch};

/// A contact whose friction is this close to the cone's edge slides.
const EDGE: f64 = 1.0 - 1e-7;

/// Shape, point and displacement of a contact.
type Displaced = (u32, u32, Vector3<f64>);

/// Rotation and place of the body during a substep.
pub(super) struct Frames {
    pub(super) before: Motion,
    pub(super) predicted: Motion,
}

impl ContactSolid {
    /// Advances the body by `dt` seconds, while each shape moves from where it was to its new pose.
    /// `gravity` is in the world, in m/s². The numbers are not checked:
    /// [`substep_holding`](Self::substep_holding) does that.
    pub fn substep(
        &mut self,
        proxies: &[ContactProxy],
        gravity: &Vector3<f64>,
        dt: f64,
    ) -> SubstepReport {
        let frames = self.predict(gravity, dt);
        self.compliance.held.release();
        self.prepare_places(proxies, dt).expect("no node is held");
        self.advance(proxies, &frames, gravity, dt)
    }

    /// Finds the contacts, solves and moves the body. Places are prepared.
    pub(super) fn advance(
        &mut self,
        proxies: &[ContactProxy],
        frames: &Frames,
        gravity: &Vector3<f64>,
        dt: f64,
    ) -> SubstepReport {
        self.search(proxies, frames);
        self.find_contacts(proxies);
        self.set_up(proxies, frames);
        self.reduce_by_held();
        let Scratch { problem, .. } = &mut self.scratch;
        let solve = problem.solve(self.settings.tolerance, self.settings.most_sweeps);
        self.find_held_forces(frames);
        self.apply(proxies, frames, gravity, dt, solve)
    }

    /// Repeats a substep without inertia and without time until the body's shape no longer moves:
    /// the static answer for shapes at the end of their step. Returns the last report.
    pub fn settle(&mut self, proxies: &[ContactProxy], dt: f64, most: u32) -> SubstepReport {
        /// Change of displacement that counts as none, in metres.
        const STILL: f64 = 1e-11;
        let mut standing: Vec<ContactProxy> = proxies.to_vec();
        let mut report = SubstepReport::default();
        let (mut before, mut after): (Vec<Displaced>, Vec<Displaced>) = (Vec::new(), Vec::new());
        for _ in 0..most {
            report = self.substep(&standing, &Vector3::zeros(), dt);
            standing.iter_mut().for_each(|proxy| proxy.from = proxy.to);
            after.clear();
            after.extend(self.memory.iter().map(|m| (m.proxy, m.point, m.displacement)));
            let same = |(a, b): (&Displaced, &Displaced)| {
                (a.0, a.1) == (b.0, b.1) && (a.2 - b.2).amax() < STILL
            };
            if before.len() == after.len() && before.iter().zip(&after).all(same) {
                break;
            }
            std::mem::swap(&mut before, &mut after);
        }
        report
    }

    pub(super) fn predict(&mut self, gravity: &Vector3<f64>, dt: f64) -> Frames {
        if self.settings.is_quasi_static {
            self.motion.velocity = Vector3::zeros();
            self.motion.spin = Vector3::zeros();
        }
        let before = self.motion;
        let predicted = match &self.body {
            Some(body) => body.predicted(&before, gravity, dt),
            None => before,
        };
        Frames { before, predicted }
    }

    /// Finds the points near shapes, unless those of an earlier search still hold.
    fn search(&mut self, proxies: &[ContactProxy], frames: &Frames) {
        let object_from_world = frames.predicted.world_from_object.inverse();
        self.scratch.poses.clear();
        self.scratch.poses.extend(proxies.iter().map(|proxy| object_from_world * proxy.to));
        if !self.scratch.near.must_search(proxies, &self.scratch.poses, self.reach) {
            return;
        }
        let mut surface = std::mem::take(&mut self.scratch.surface);
        self.displaced_surface(&mut surface);
        let rest = &self.model.rest_surface().topology.rest_positions;
        let moved = |at: u32| {
            let (x, rest) = (surface[at as usize], rest[at as usize]);
            Vector3::from_fn(|axis, _| f64::from(x[axis]) - f64::from(rest[axis]))
        };
        let lengths = (0..rest.len() as u32).map(|at| moved(at).norm());
        let of_memory = self.memory.iter().map(|memory| memory.displacement.norm());
        let largest = lengths.chain(of_memory).fold(0.0, f64::max);
        let points = self.points.points();
        let memory = &self.memory;
        let displacement = |at: u32, proxy: usize| {
            let key = |memory: &ContactMemory| (memory.proxy, memory.point);
            match memory.binary_search_by_key(&(proxy as u32, at), key) {
                Ok(found) => memory[found].displacement,
                Err(_) => points[at as usize].mean(moved),
            }
        };
        let Scratch { near, poses, .. } = &mut self.scratch;
        near.search(&self.points, proxies, poses, largest, displacement);
        self.scratch.surface = surface;
    }

    /// Collects the contacts and gives places to those that are new.
    fn find_contacts(&mut self, proxies: &[ContactProxy]) {
        let Scratch { near, poses, corners, contacts, choices, forces, .. } = &mut self.scratch;
        let memory = &self.memory;
        let around = Surroundings { points: &self.points, near, proxies, poses, memory };
        around.corners(forces, corners);
        if !self.compliance.held.is_empty() {
            corners.extend(self.compliance.held.corners());
            corners.sort_unstable();
            corners.dedup();
        }
        self.compliance.nodes.hold(corners, &self.model, self.body.as_ref());
        around.contacts(&self.compliance.nodes, forces, contacts);
        keep_one_per_limb(contacts, proxies, memory, choices);
        keep_the_deepest(contacts, memory, choices);
        // Places of contacts that are gone are free for new ones.
        let mut kept = contacts.iter().filter_map(|contact| contact.memory).peekable();
        for (at, place) in self.places.iter().enumerate() {
            if kept.next_if_eq(&(at as u32)).is_none() {
                self.compliance.pairs.remove(*place);
            }
        }
        for contact in contacts {
            contact.place = match contact.memory {
                Some(at) => self.places[at as usize],
                None => {
                    let point = &self.points.points()[contact.point as usize];
                    let point = &point.met_by(&proxies[contact.proxy as usize]);
                    self.compliance.add(contact.proxy, point, &self.model, self.body.as_ref())
                }
            };
        }
    }

    /// Place in the object's frame that a contact's point sticks to.
    fn anchor(&self, contact: &Contact, proxy: &ContactProxy, frames: &Frames) -> Point3<f64> {
        let pose = &self.scratch.poses[contact.proxy as usize];
        let remembered = contact.memory.and_then(|at| self.memory[at as usize].anchor);
        let on_shape = remembered.unwrap_or_else(|| {
            // A new contact sticks where the point was when the substep began.
            let rest = self.points.points()[contact.point as usize].rest;
            let in_world = frames.before.world_from_object * (rest + contact.displacement);
            proxy.from.inverse_transform_point(&in_world)
        });
        pose * on_shape
    }

    /// Sets up the contact problem.
    fn set_up(&mut self, proxies: &[ContactProxy], frames: &Frames) {
        let mut problem = std::mem::take(&mut self.scratch.problem);
        let contacts = &self.scratch.contacts;
        problem.start(contacts.len());
        for (i, contact) in contacts.iter().enumerate() {
            let proxy = &proxies[contact.proxy as usize];
            let point = &self.points.points()[contact.point as usize];
            let memory = contact.memory.map(|at| &self.memory[at as usize]);
            let anchor = self.anchor(contact, proxy, frames);
            let mut unforced = contact.frame * (point.rest - anchor);
            unforced[0] = contact.gap - (contact.frame * contact.displacement)[0];
            let guess = memory.map_or_else(Vector3::zeros, |memory| contact.frame * memory.force);
            let is_sliding = memory.is_some_and(|memory| memory.is_sliding);
            let friction = &proxy.friction;
            let mu = if is_sliding { friction.sliding } else { friction.sticking };
            let side = Side { mu, pad: proxy.pad, area: contact.area };
            problem.set_contact(i, &unforced, &guess, side);
            for (j, other) in contacts[..=i].iter().enumerate() {
                let block = self.compliance.pairs.block(contact.place, other.place);
                let block = contact.frame * block * other.frame.transpose();
                problem.set_block(i, j, &block);
            }
        }
        self.scratch.problem = problem;
    }

    /// Moves the body by the contacts' forces, and remembers and reports them.
    fn apply(
        &mut self,
        proxies: &[ContactProxy],
        frames: &Frames,
        gravity: &Vector3<f64>,
        dt: f64,
        solve: SolveReport,
    ) -> SubstepReport {
        let Scratch { problem, contacts, .. } = &self.scratch;
        let pairs = &self.compliance.pairs;
        let mut load = Vector6::zeros();
        for (i, contact) in contacts.iter().enumerate() {
            let force = contact.frame.transpose() * problem.force(i);
            load += pairs.rows(contact.place).transpose() * force;
        }
        let held = self.held_load();
        if let Some(held) = &held {
            load += held;
        }
        let rigid = self.body.as_ref().map_or_else(Vector6::zeros, |body| {
            body.inverse_inertia_of_motions() * load * (dt * dt)
        });
        let mut energy = EnergyAccount::default();
        self.reports.clear();
        self.reports.resize(proxies.len(), ProxyReport::default());
        let mut memory = std::mem::take(&mut self.scratch.memory);
        let mut places = std::mem::take(&mut self.scratch.places);
        memory.clear();
        places.clear();
        let Scratch { problem, contacts, poses, .. } = &self.scratch;
        for (i, contact) in contacts.iter().enumerate() {
            let after = After { problem, i, contact, dt };
            let number = contact.proxy as usize;
            let (proxy, pose) = (&proxies[number], &poses[number]);
            let point = &self.points.points()[contact.point as usize];
            let shift = pairs.rows(contact.place) * rigid;
            let displacement = after.elastic_displacement(&shift);
            let anchor = self.anchor(contact, proxy, frames);
            let was_sliding = contact.memory.is_some_and(|at| self.memory[at as usize].is_sliding);
            let remembered = after.memory(displacement, &anchor, pose, was_sliding);
            let place = point.rest + displacement + shift;
            let on_shape = pose.inverse_transform_point(&place);
            let world = Placed {
                force: frames.predicted.world_from_object.rotation * remembered.force,
                place: frames.predicted.world_from_object * place,
            };
            energy.work += world.force.dot(&(proxy.to * on_shape - proxy.from * on_shape));
            energy.elastic += after.stored();
            energy.pads += after.stored_in_pad();
            if problem.force(i)[0] > 0.0 {
                let undeformed = pose.inverse_transform_point(&(point.rest + shift));
                let depth = -proxy.shape.gap(&undeformed).distance;
                let report = &mut self.reports[number];
                after.add_to(report, &world, proxy, depth);
                report.normal += frames.predicted.world_from_object.rotation
                    * contact.frame.row(0).transpose()
                    * problem.force(i)[0];
            }
            memory.push(remembered);
            places.push(contact.place);
        }
        for report in &mut self.reports {
            let weight = 1.0 / report.normal_force.max(f64::MIN_POSITIVE);
            report.centre_of_pressure.coords *= weight;
            report.normal = report.normal.try_normalize(0.0).unwrap_or_default();
        }
        // The rigid part of the blocks is motion, not deformation.
        if dt > 0.0 {
            energy.elastic -= 0.5 * load.dot(&rigid);
        }
        let change = |(after, before): (&ContactMemory, &Contact)| {
            (after.displacement - before.displacement).norm()
        };
        let mut drift = memory.iter().zip(&self.scratch.contacts).map(change).fold(0.0, f64::max);
        if held.is_some() {
            let share = self.held_share(frames, &rigid);
            energy.work += share.work;
            energy.elastic += share.elastic;
            drift = drift.max(share.drift);
        }
        std::mem::swap(&mut self.memory, &mut memory);
        std::mem::swap(&mut self.places, &mut places);
        self.scratch.memory = memory;
        self.scratch.places = places;
        self.scratch.near.note_drift(drift);
        self.compliance.held.nodal_forces(&mut self.held_forces);
        self.add_up_forces();
        self.motion = match &self.body {
            Some(body) => body.pushed(&frames.predicted, &load, dt),
            None => frames.predicted,
        };
        if let Some(body) = &self.body {
            energy.kinetic = body.kinetic_energy(&self.motion);
            energy.potential = body.potential_energy(&self.motion, gravity);
        }
        SubstepReport { solve, contacts: self.memory.len() as u32, energy }
    }
}

/// Force and place of a contact in the world.
struct Placed {
    force: Vector3<f64>,
    place: Point3<f64>,
}

/// One contact after the solve.
struct After<'a> {
    problem: &'a ContactProblem,
    i: usize,
    contact: &'a Contact,
    dt: f64,
}

impl After<'_> {
    /// Displacement of the point without the body's rigid motion in this substep.
    fn elastic_displacement(&self, shift: &Vector3<f64>) -> Vector3<f64> {
        let moved = self.problem.displacement_without_pad(self.i) - self.problem.unforced(self.i);
        self.contact.frame.transpose() * moved - shift
    }

    /// Slip across the normal, if the contact is on the edge of its cone.
    fn slip(&self) -> Option<Vector3<f64>> {
        let force = self.problem.force(self.i);
        let is_on_edge = force[1].hypot(force[2]) >= self.problem.side(self.i).mu * force[0] * EDGE;
        let slip = self.problem.displacement(self.i);
        is_on_edge.then(|| Vector3::new(0.0, slip[1], slip[2]))
    }

    fn memory(
        &self,
        displacement: Vector3<f64>,
        anchor: &Point3<f64>,
        pose: &Isometry3<f64>,
        was_sliding: bool,
    ) -> ContactMemory {
        let Contact { proxy, point, frame, .. } = *self.contact;
        let force = self.problem.force(self.i);
        if force[0] <= 0.0 {
            let force = Vector3::zeros();
            return ContactMemory {
                proxy,
                point,
                anchor: None,
                force,
                displacement,
                is_sliding: false,
            };
        }
        let slip = self.slip();
        // Only a slip moves an anchor: the residual of a contact that sticks must not.
        let anchor = anchor + frame.transpose() * slip.unwrap_or_default();
        ContactMemory {
            proxy,
            point,
            anchor: Some(pose.inverse_transform_point(&anchor)),
            force: frame.transpose() * force,
            displacement,
            is_sliding: slides_on(was_sliding, slip.map(|slip| slip.norm()), self.dt),
        }
    }

    /// Elastic energy of the point's own force, in joules: `l (W l) / 2`.
    fn stored(&self) -> f64 {
        let moved = self.problem.displacement_without_pad(self.i) - self.problem.unforced(self.i);
        0.5 * self.problem.force(self.i).dot(&moved)
    }

    fn stored_in_pad(&self) -> f64 {
        let force = self.problem.force(self.i);
        let side = self.problem.side(self.i);
        let bristle = side.pad.tangential / side.area;
        let tangential = force[1] * force[1] + force[2] * force[2];
        side.area * side.pad.energy(force[0] / side.area) + 0.5 * bristle * tangential
    }

    fn add_to(&self, report: &mut ProxyReport, world: &Placed, proxy: &ContactProxy, depth: f64) {
        let force = self.problem.force(self.i);
        let slip = self.slip();
        report.force += world.force;
        let arm = world.place - Point3::from(proxy.to.translation.vector);
        report.moment += arm.cross(&world.force);
        report.centre_of_pressure += world.place.coords * force[0];
        report.area += self.problem.side(self.i).area;
        report.points += 1;
        report.sticking += u32::from(slip.is_none());
        report.normal_force += force[0];
        report.depth = report.depth.max(depth);
        let speed = slip.map_or(0.0, |slip| slip.norm() / self.dt.max(f64::MIN_POSITIVE));
        report.slip_speed = report.slip_speed.max(speed);
    }
}
