//! The simplest matter that moves: a rigid body on a damped spring, pushed by hands.
//!
//! `m a = m g - k u - c v + f`, by semi-implicit Euler with a fixed step. All points move by the
//! same displacement `u`. Its next frame depends on all touches before, so it shows whether time,
//! states and forces are carried as they should be.

use std::borrow::Cow;
use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use physics::{
    ContactForce, Deformable, FieldKind, FieldValues, Grip, Model, Outcome, Reaction, Shape, State,
    StateError, StepReport, Surface, Touch,
};

/// In kg.
const MASS: f64 = 0.2;
/// In N/m.
const SPRING: f64 = 60.0;
/// In N s/m.
const DAMPING: f64 = 2.0;
/// Of contact, in N/m.
const CONTACT: f64 = 800.0;
/// In seconds.
const SUBSTEP: f64 = 1e-3;
/// What is slower and less pulled than this rests, in m/s and N.
const STILL: f64 = 1e-5;

const FAMILY: &str = "damped mass";
const VERSION: u32 = 1;

/// The field that it offers: how fast each point is.
pub const SPEED: FieldKind = FieldKind { name: Cow::Borrowed("speed"), unit: Cow::Borrowed("m/s") };

/// A body on a spring.
pub struct DampedMass {
    surface: Surface,
    /// Middle of the body at rest, and the radius of the ball that hands and table meet.
    middle: Point3<f64>,
    radius: f64,
    n_nodes: usize,
    displacement: Vector3<f64>,
    velocity: Vector3<f64>,
    /// Substeps so far.
    n_steps: u64,
    forces: Vec<ContactForce>,
}

impl DampedMass {
    /// A body with the surface of `model`, which says nothing else about it.
    pub fn of(model: &Model) -> Box<dyn Deformable> {
        let mut surface = model.object().surface().clone();
        let topology = Arc::make_mut(&mut surface.topology);
        (topology.grip, topology.fields) = (Grip::Contact, vec![SPEED]);
        let points = topology.rest_positions.iter().map(|x| Vector3::from(x.map(f64::from)));
        let middle = points.clone().sum::<Vector3<f64>>() / topology.rest_positions.len() as f64;
        let radius = points.map(|x| (x - middle).amax()).fold(0.0, f64::max);
        let n_nodes = topology.nodes.iter().map(|node| node.index() + 1).max().unwrap_or(0);
        let zero = Vector3::zeros();
        Box::new(Self {
            surface,
            middle: Point3::from(middle),
            radius,
            n_nodes,
            displacement: zero,
            velocity: zero,
            n_steps: 0,
            forces: Vec::new(),
        })
    }

    /// The force on the body, in its own frame.
    fn force(&mut self, touch: &Touch) -> Vector3<f64> {
        let to_object = touch.world_from_object.rotation.inverse();
        let centre = self.middle + self.displacement;
        let mut force = to_object * touch.surroundings.gravity * MASS
            - self.displacement * SPRING
            - self.velocity * DAMPING;
        if let Some(table) = touch.surroundings.table {
            let height =
                table.normal.dot(&(touch.world_from_object * centre).coords) - table.offset;
            force += to_object * table.normal * (CONTACT * (self.radius - height).max(0.0));
        }
        self.forces.clear();
        for proxy in &touch.proxies {
            let (point, radius) = match proxy.shape {
                Shape::Sphere { centre, radius } => (centre, radius),
                // Fingertips are enough.
                Shape::Cylinder { .. } => continue,
            };
            let apart = centre - point;
            let depth = self.radius + radius - apart.norm();
            if depth > 0.0 {
                let push = apart.try_normalize(1e-9).unwrap_or_else(Vector3::y) * CONTACT * depth;
                self.forces.push(ContactForce { proxy: proxy.id, force: push });
                force += push;
            }
        }
        force
    }

    fn show(&mut self, wants_fields: bool) {
        let rest = &self.surface.topology.rest_positions;
        let u: [f64; 3] = self.displacement.into();
        let moved = |x: &[f32; 3]| std::array::from_fn(|i| (f64::from(x[i]) + u[i]) as f32);
        self.surface.positions = Arc::new(rest.iter().map(moved).collect());
        let speed = self.velocity.norm() as f32;
        self.surface.fields.clear();
        if wants_fields {
            self.surface.fields.push(FieldValues::from_zero(vec![speed; rest.len()], 0.01));
        }
    }
}

impl Deformable for DampedMass {
    fn surface(&self) -> &Surface {
        &self.surface
    }

    fn reactions(&self) -> &[Reaction] {
        &[]
    }

    fn displacements(&self) -> Vec<[f64; 3]> {
        vec![self.displacement.into(); self.n_nodes]
    }

    fn contact_forces(&self) -> &[ContactForce] {
        &self.forces
    }

    fn substep(&self) -> Option<f64> {
        Some(SUBSTEP)
    }

    fn state(&self) -> State {
        let reals = self.displacement.iter().chain(&self.velocity).copied().collect();
        State { family: FAMILY.to_owned(), version: VERSION, reals, integers: vec![self.n_steps] }
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        state.check(FAMILY, VERSION, [6, 1])?;
        self.displacement = Vector3::from_column_slice(&state.reals[..3]);
        self.velocity = Vector3::from_column_slice(&state.reals[3..]);
        self.n_steps = state.integers[0];
        self.forces.clear();
        self.show(false);
        Ok(())
    }

    fn step(&mut self, touch: &Touch, dt: f64) -> StepReport {
        if !touch.known.is_empty() {
            let why = "its nodes cannot be held, expected hands that push".to_owned();
            return StepReport::without_solve(Outcome::Refused(why));
        }
        if dt == 0.0 {
            self.show(touch.wants_fields);
            return StepReport::without_solve(Outcome::Solved);
        }
        let force = self.force(touch);
        self.velocity += force * (dt / MASS);
        self.displacement += self.velocity * dt;
        self.n_steps += 1;
        self.show(touch.wants_fields);
        let is_moving = self.velocity.norm() > STILL || force.norm() > STILL;
        StepReport { is_moving, ..StepReport::solved(Outcome::Solved, 0.0) }
    }
}
