//! A linear solid that touches shapes: what is constant, and what the next substep depends on.

use std::sync::Arc;

use nalgebra::{Isometry3, Matrix6, Point3, Vector3, Vector6};

use super::anchors::{ContactMemory, ContactState};
use super::candidates::{Contact, LimbChoice};
use super::free_body::{FreeBody, Motion};
use super::gauss_seidel::ContactProblem;
use super::held::{HeldNodes, SubstepError};
use super::local_compliance::LocalCompliance;
use super::nearby::Nearby;
use super::node_compliance::{NodeCompliance, rest_position};
use super::pair_compliance::{Compliances, PairCompliance};
use super::points::SkinPoints;
use super::report::ProxyReport;
use super::settings::{ContactError, ContactSettings};
use super::shape::ContactProxy;
use crate::family::solid::SolidModel;
use crate::linear::{Rigid, RigidShare, displace};
use crate::surface_frame::Reaction;

/// Solid in contact: one body, free or supported. Shapes and gravity reach it through
/// [`substep`](Self::substep).
pub struct ContactSolid {
    pub(super) model: Arc<SolidModel>,
    pub(super) settings: ContactSettings,
    pub(super) points: SkinPoints,
    /// `None`: the body is supported.
    pub(super) body: Option<FreeBody>,
    /// Largest distance of a node from the origin of the object's frame.
    pub(super) reach: f64,
    pub(super) motion: Motion,
    /// Memory of contacts, ascending by shape and point, and the place of the blocks of each.
    pub(super) memory: Vec<ContactMemory>,
    pub(super) places: Vec<u32>,
    /// Forces on the nodes that were held in the last substep, ascending by surface point.
    pub(super) held_forces: Vec<(u32, Vector3<f64>)>,
    pub(super) compliance: Compliance,
    pub(super) scratch: Scratch,
    pub(super) reports: Vec<ProxyReport>,
    pub(super) reactions: Vec<Reaction>,
}

/// Compliances that are gathered as contacts need them.
pub(super) struct Compliance {
    pub(super) nodes: NodeCompliance,
    pub(super) local: Option<LocalCompliance>,
    pub(super) pairs: PairCompliance,
    /// Nodes whose share is taken out of `pairs`.
    pub(super) held: HeldNodes,
    /// Substep for which the rigid part of the blocks was computed.
    pub(super) dt: f64,
}

/// Working memory, kept from substep to substep so that a substep allocates nothing.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) near: Nearby,
    pub(super) poses: Vec<Isometry3<f64>>,
    pub(super) corners: Vec<u32>,
    pub(super) contacts: Vec<Contact>,
    pub(super) choices: Vec<LimbChoice>,
    pub(super) problem: ContactProblem,
    /// Forces on surface points in the last substep, ascending.
    pub(super) forces: Vec<(u32, Vector3<f64>)>,
    pub(super) force_at: Vec<Vector3<f64>>,
    pub(super) memory: Vec<ContactMemory>,
    pub(super) places: Vec<u32>,
    pub(super) surface: Vec<[f32; 3]>,
}

impl ContactSolid {
    /// Prepares a model for contact. The body is at rest, its frame in the world's origin.
    pub fn new(model: Arc<SolidModel>, settings: ContactSettings) -> Result<Self, ContactError> {
        settings.check(model.mesh())?;
        let topology = Arc::clone(&model.rest_surface().topology);
        let n_surface = topology.nodes.len();
        let body = model.supports().is_empty().then(|| FreeBody::of(&model));
        let local = settings.has_local_compliance.then(|| LocalCompliance::of(&model));
        let distances = (0..n_surface as u32).map(|at| rest_position(&model, at).coords.norm());
        Ok(Self {
            points: SkinPoints::of(model.mesh(), &topology, settings.spacing),
            reach: distances.fold(0.0, f64::max),
            body,
            motion: Motion::default(),
            memory: Vec::new(),
            places: Vec::new(),
            held_forces: Vec::new(),
            compliance: Compliance {
                nodes: NodeCompliance::new(n_surface),
                local,
                pairs: PairCompliance::new(),
                held: HeldNodes::default(),
                dt: 0.0,
            },
            scratch: Scratch {
                force_at: vec![Vector3::zeros(); n_surface],
                surface: vec![[0.0; 3]; n_surface],
                ..Scratch::default()
            },
            reports: Vec::new(),
            reactions: Vec::new(),
            settings,
            model,
        })
    }

    /// Constant part of the solid.
    pub fn model(&self) -> &Arc<SolidModel> {
        &self.model
    }

    /// Points of the skin.
    pub fn points(&self) -> &SkinPoints {
        &self.points
    }

    /// Mass and inertia; `None` for a supported body.
    pub fn body(&self) -> Option<&FreeBody> {
        self.body.as_ref()
    }

    /// Place and motion of the body.
    pub fn motion(&self) -> &Motion {
        &self.motion
    }

    /// Settings of contact.
    pub fn settings(&self) -> &ContactSettings {
        &self.settings
    }

    /// What each shape felt in the last substep, in the order of the shapes.
    pub fn reports(&self) -> &[ProxyReport] {
        &self.reports
    }

    /// Contacts after the last substep.
    pub fn contacts(&self) -> &[ContactMemory] {
        &self.memory
    }

    /// Compliance in the floating frame between two surface points, gathered from the columns: the
    /// displacement of `moved` by a force on `pushed`. For tests and comparisons.
    pub fn floating_compliance(&mut self, moved: u32, pushed: u32) -> nalgebra::Matrix3<f64> {
        let mut wanted = vec![moved, pushed];
        wanted.sort_unstable();
        wanted.dedup();
        self.compliance.nodes.hold(&wanted, &self.model, self.body.as_ref());
        *self.compliance.nodes.block(moved, pushed)
    }

    /// Problem of the last substep, with its solution.
    pub fn problem(&self) -> &ContactProblem {
        &self.scratch.problem
    }

    /// State: with it, the model and the settings, the same shapes give the same bits.
    pub fn state(&self) -> ContactState {
        let (contacts, held) = (self.memory.clone(), self.held_forces.clone());
        ContactState { motion: self.motion, contacts, held }
    }

    /// Writes the state into `state`, whose memory is used again.
    pub(super) fn write_state(&self, state: &mut ContactState) {
        state.motion = self.motion;
        state.contacts.clone_from(&self.memory);
        state.held.clone_from(&self.held_forces);
    }

    /// Restores a state of this solid or of an equal one.
    pub fn restore(&mut self, state: &ContactState) -> Result<(), ContactError> {
        let n_points = self.points.len();
        if let Some(wrong) = state.contacts.iter().find(|c| c.point as usize >= n_points) {
            return Err(ContactError::NoSuchPoint { point: wrong.point, n_points });
        }
        let n_nodes = self.model.rest_surface().topology.nodes.len();
        if let Some((point, _)) = state.held.iter().find(|(at, _)| *at as usize >= n_nodes) {
            return Err(ContactError::NoSuchPoint { point: *point, n_points: n_nodes });
        }
        self.motion = state.motion;
        self.memory.clone_from(&state.contacts);
        self.held_forces.clone_from(&state.held);
        self.add_up_forces();
        self.forget_places();
        Ok(())
    }

    /// Places the body and sets it in motion, without contacts. A supported body takes the pose
    /// only.
    pub fn place(&mut self, motion: Motion) {
        let still = Motion { world_from_object: motion.world_from_object, ..Motion::default() };
        self.motion = if self.body.is_some() { motion } else { still };
        self.memory.clear();
        self.held_forces.clear();
        self.add_up_forces();
        self.forget_places();
    }

    /// Multiplies the body's spin by a factor.
    pub(super) fn slow_spin(&mut self, factor: f64) {
        self.motion.spin *= factor;
    }

    /// Changes the numbers of the shapes, which must keep their order. Contacts of shapes without a
    /// new number are gone; the body keeps the shape that they gave it until the next substep.
    pub(super) fn renumber(&mut self, new: impl Fn(u32) -> Option<u32>) {
        self.memory.retain_mut(|memory| match new(memory.proxy) {
            Some(proxy) => {
                memory.proxy = proxy;
                true
            }
            None => false,
        });
        self.forget_places();
    }

    /// Gives new places to the blocks of all contacts.
    pub(super) fn forget_places(&mut self) {
        self.compliance.dt = 0.0;
        self.places.clear();
        self.scratch.near.make_stale();
    }

    /// Gives places to the remembered contacts for substeps of `dt` with the present held nodes,
    /// unless they have them.
    pub(super) fn prepare_places(
        &mut self,
        proxies: &[ContactProxy],
        dt: f64,
    ) -> Result<(), SubstepError> {
        let is_prepared = self.compliance.held.is_prepared();
        if is_prepared && self.compliance.dt == dt && self.places.len() == self.memory.len() {
            return Ok(());
        }
        self.compliance.dt = dt;
        self.places.clear();
        let corners = &mut self.scratch.corners;
        corners.clear();
        let points = self.points.points();
        self.memory.iter().for_each(|m| corners.extend(points[m.point as usize].corners));
        corners.extend(self.compliance.held.corners());
        corners.sort_unstable();
        corners.dedup();
        self.compliance.nodes.hold(corners, &self.model, self.body.as_ref());
        self.compliance.hold(&self.model, self.body.as_ref())?;
        for memory in &self.memory {
            let point = &self.points.points()[memory.point as usize];
            // The contact of a shape that is gone has its place until the substep drops it.
            let point = match proxies.get(memory.proxy as usize) {
                Some(proxy) => point.met_by(proxy),
                None => *point,
            };
            let place = self.compliance.add(memory.proxy, &point, &self.model, self.body.as_ref());
            self.places.push(place);
        }
        Ok(())
    }

    /// Longest way of a point of the body towards a shape within `dt`, if nothing stops it.
    pub(super) fn approach(&self, proxy: &ContactProxy, dt: f64) -> f64 {
        let Some(body) = &self.body else { return 0.0 };
        let shift = proxy.to.translation.vector - proxy.from.translation.vector;
        let reach = self.reach + body.centre.coords.norm();
        (shift - self.motion.velocity * dt).norm() + self.motion.spin.norm() * dt * reach
    }

    /// Adds up the remembered forces at the corners of their points.
    pub(super) fn add_up_forces(&mut self) {
        let Scratch { forces, force_at, .. } = &mut self.scratch;
        forces.clear();
        for memory in self.memory.iter().filter(|memory| memory.force != Vector3::zeros()) {
            let point = &self.points.points()[memory.point as usize];
            for (corner, weight) in point.corners.iter().zip(point.weights) {
                if weight != 0.0 {
                    // A corner may be listed several times; its sum is taken once.
                    force_at[*corner as usize] += memory.force * weight;
                    forces.push((*corner, Vector3::zeros()));
                }
            }
        }
        for (corner, force) in &self.held_forces {
            force_at[*corner as usize] += force;
            forces.push((*corner, Vector3::zeros()));
        }
        forces.sort_unstable_by_key(|(corner, _)| *corner);
        forces.dedup_by_key(|(corner, _)| *corner);
        for (corner, force) in forces {
            *force = std::mem::take(&mut force_at[*corner as usize]);
        }
    }

    /// Computes the surface's positions in the object's frame, rounded to `f32`.
    pub fn surface_positions(&mut self, positions: &mut Vec<[f32; 3]>) {
        let rest = &self.model.rest_surface().topology.rest_positions;
        positions.resize(rest.len(), [0.0; 3]);
        self.displaced_surface(positions);
    }

    /// Computes the displacements of all nodes in the object's frame, without its rigid motion. One
    /// solve.
    pub fn displacements(&self) -> Vec<[f64; 3]> {
        let (mesh, topology) = (self.model.mesh(), &self.model.rest_surface().topology);
        let mut forces = vec![0.0; 3 * mesh.n_nodes()];
        for (corner, force) in &self.scratch.forces {
            let first = 3 * topology.nodes[*corner as usize].index();
            (0..3).for_each(|axis| forces[first + axis] += force[axis]);
        }
        let u = match &self.body {
            Some(body) => body.elastic_displacements(&self.model, &mut forces),
            None => self.model.compliance().factor().displacements(&forces),
        };
        u.as_chunks().0.to_vec()
    }

    /// Computes positions by the columns of the nodes that carry force and by the inertia's relief.
    pub(super) fn displaced_surface(&mut self, positions: &mut [[f32; 3]]) {
        let corners = &mut self.scratch.corners;
        corners.clear();
        corners.extend(self.scratch.forces.iter().map(|(corner, _)| *corner));
        self.compliance.nodes.hold(corners, &self.model, self.body.as_ref());
        let rest = &self.model.rest_surface().topology.rest_positions;
        let forces = &self.scratch.forces;
        let unscale = 1.0 / self.model.compliance().stiffness_scale();
        let still = |_: usize| RigidShare::<f32>::default();
        let share = |i: usize| {
            let (corner, force) = &forces[i / 3];
            let columns = self.compliance.nodes.columns(*corner);
            (columns.streamed(i % 3), (force[i % 3] * unscale) as f32)
        };
        let arms = self.model.arms();
        displace(positions, rest, arms, &Rigid::ByPoint(&still), 3 * forces.len(), share);
        let Some(body) = &self.body else { return };
        // -R_i (sum T_j^T f_j) - T_i (sum R_j^T f_j)
        let (mut by_relief, mut by_rows) = (Vector6::zeros(), Vector6::zeros());
        for (corner, force) in forces {
            by_relief += body.relief_rows(*corner as usize).transpose() * force;
            by_rows += body.rows(&rest_position(&self.model, *corner)).transpose() * force;
        }
        for (at, x) in positions.iter_mut().enumerate() {
            let rigid = body.rows(&rest_position(&self.model, at as u32)) * by_relief;
            let shift = rigid + body.relief_rows(at) * by_rows;
            (0..3).for_each(|axis| x[axis] -= shift[axis] as f32);
        }
    }

    /// Smallest distance of the skin at rest from a shape at the end of its step, and whether the
    /// shape's origin lies inside the body. A table is compared with the nodes only.
    pub fn clearance(&self, proxy: &ContactProxy) -> (f64, bool) {
        let pose = self.motion.world_from_object.inverse() * proxy.to;
        let points = self.points.points().iter();
        let touched = points.filter(|point| point.is_node || !proxy.touches_nodes_only);
        let gap = |x: &Point3<f64>| proxy.shape.gap(&pose.inverse_transform_point(x)).distance;
        let smallest = touched.map(|point| gap(&point.rest)).fold(f64::INFINITY, f64::min);
        let is_bounded = proxy.shape.reach().is_finite();
        (smallest, is_bounded && self.surrounds(&pose.translation.vector.into()))
    }

    /// True if a place is inside the skin at rest: the skin fills the whole sight from there.
    fn surrounds(&self, place: &Point3<f64>) -> bool {
        let solid_angle = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|at| rest_position(&self.model, at) - place);
            let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
            let top = a.dot(&b.cross(&c));
            let bottom = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
            2.0 * top.atan2(bottom)
        };
        let triangles = &self.model.rest_surface().topology.triangles;
        let all: f64 = triangles.iter().map(solid_angle).sum();
        all > 2.0 * std::f64::consts::PI
    }
}

impl Compliance {
    /// Gives a place to a contact whose corners have places.
    pub(super) fn add(
        &mut self,
        proxy: u32,
        point: &super::SkinPoint,
        model: &SolidModel,
        body: Option<&FreeBody>,
    ) -> u32 {
        let rigid = self.rigid(body);
        let Self { nodes, local, pairs, held, .. } = self;
        let local = local.as_mut();
        pairs.add(proxy, point, &mut Compliances { model, body, nodes, local, rigid }, held)
    }

    /// Forgets all places, and prepares those of contacts beside the held nodes.
    fn hold(&mut self, model: &SolidModel, body: Option<&FreeBody>) -> Result<(), SubstepError> {
        let rigid = self.rigid(body);
        let Self { nodes, pairs, held, .. } = self;
        held.prepare(&Compliances { model, body, nodes, local: None, rigid })?;
        pairs.clear(held);
        Ok(())
    }

    fn rigid(&self, body: Option<&FreeBody>) -> Matrix6<f64> {
        let squared = self.dt * self.dt;
        body.map_or_else(Matrix6::zeros, |body| body.inverse_inertia_of_motions() * squared)
    }
}
