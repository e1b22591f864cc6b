//! Tests of whole runs without devices: the demonstration's hand, cubes, and a solver that answers
//! at once.

use calibration::{JointAngles, Profile};
use emulators::Motion;
use engine::single_solve::{Algorithm, SolveQuestion};
use engine::{MemoryBudget, SolverLocation, SolverResources, Stepper};
use nalgebra::{Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use physics::material::IsotropicElastic;
use physics::{
    KnownDisplacement, MemoryLimits, Model, NodeId, Progress, SolidSpec, WhenUnderdetermined,
};

use super::*;
use crate::scene::{FingerContact, HandView};
use crate::shape_history::HistoryStep;

mod holding;
mod keeping;
mod lost_hand;
mod no_jumps;
mod pushing;
mod soak;

const DT: f64 = 0.01;

fn cube(cells: usize, place: Vector3<f64>) -> ThingParts {
    let mesh = objects::generate::cube(0.06, cells).unwrap();
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    let spec = ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap());
    let home = Isometry3::from(Translation3::from(place + Vector3::new(0.0, 0.03, 0.0)));
    ThingParts { name: "cube".to_owned(), spec: Arc::new(spec), home, colours: None }
}

/// The demonstration's hand at `seconds`, moved by `place`.
fn demonstrated(seconds: f64, place: Vector3<f64>) -> HandPose {
    let state = Motion::grasp_and_squeeze().state_at(seconds);
    let [w, i, j, k] = state.receiver_quaternion;
    let source_from_sensor = Isometry3::from_parts(
        Translation3::from(Vector3::from(state.receiver_position_cm) * 0.01),
        UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k)),
    );
    let tracker = *Profile::uncalibrated(Side::Right).tracker();
    HandPose {
        angles: JointAngles::from_sensors(&state.angles_deg.map(f64::to_radians)),
        world_from_wrist: Translation3::from(place) * tracker.world_from_wrist(&source_from_sensor),
    }
}

/// A table with solvers that answer each touch before the next one.
struct Desk {
    tabletop: Tabletop,
    steppers: Vec<(ShapeId, Stepper)>,
    solvers: SolverLocation,
    time: f64,
    n_samples: u64,
    events: Vec<GraspEvent>,
    /// Times of the events.
    times: Vec<f64>,
    effects: HandEffects,
    /// Largest motion of a point of the first thing between two frames, in the thing's frame.
    largest_jump: f64,
}

impl Desk {
    fn new(things: Vec<ThingParts>, rules: &[&str]) -> Self {
        let steppers: Vec<_> =
            things.iter().map(|thing| (ShapeId::default(), stepper(&thing.spec))).collect();
        // Both hands are right ones, so that one demonstration does for both.
        let profile = Profile::uncalibrated(Side::Right);
        let profiles = Profiles { left: profile.clone(), right: profile };
        let mut tabletop = Tabletop::new(things, GraspRules::with(rules).unwrap(), profiles);
        for (i, (shape, stepper)) in steppers.iter().enumerate() {
            tabletop.take_frame(i, *shape, Arc::new(stepper.rest_frame()));
        }
        let solvers = SolverLocation::Embedded(
            SolverResources::new(Some(1), MemoryBudget::default()).unwrap(),
        );
        let (events, times, effects) = (Vec::new(), Vec::new(), HandEffects::default());
        let (time, n_samples, largest_jump) = (0.0, 0, 0.0);
        Self { tabletop, steppers, solvers, time, n_samples, events, times, effects, largest_jump }
    }

    fn show(&mut self, side: Side, pose: &HandPose) {
        self.n_samples += 1;
        let (sample, mut effects) = (SampleId(self.n_samples), std::mem::take(&mut self.effects));
        self.tabletop.take_hand(side, pose, sample, self.time, &mut effects);
        self.answer(&mut effects);
        self.effects = effects;
    }

    /// The hand is lost.
    fn lose(&mut self, side: Side) {
        self.n_samples += 1;
        let (sample, mut effects) = (SampleId(self.n_samples), std::mem::take(&mut self.effects));
        self.tabletop.lose_hand(side, "the hand is lost", sample, self.time, &mut effects);
        self.answer(&mut effects);
        self.effects = effects;
    }

    /// Lets time pass until nothing needs it.
    fn wait(&mut self) {
        while self.tabletop.needs_time() {
            (self.time, self.n_samples) = (self.time + DT, self.n_samples + 1);
            let (sample, mut effects) =
                (SampleId(self.n_samples), std::mem::take(&mut self.effects));
            self.tabletop.pass_time(sample, self.time, &mut effects);
            self.answer(&mut effects);
            self.effects = effects;
        }
    }

    /// Solves all touches at once.
    fn answer(&mut self, effects: &mut HandEffects) {
        self.times.extend(effects.events.iter().map(|_| self.time));
        self.events.append(&mut effects.events);
        while let Some((thing, touch)) = effects.touches.pop() {
            let before = self.positions(thing);
            let (shape, stepper) = &mut self.steppers[thing];
            let (shape, frame) = (*shape, Arc::new(stepper.step(&touch)));
            effects.reuse(touch);
            self.tabletop.take_frame(thing, shape, frame);
            let after = self.positions(thing);
            let jump = before.iter().zip(after.iter()).map(|(a, b)| distance(a, b));
            self.largest_jump = jump.fold(self.largest_jump, f64::max);
        }
    }

    /// Does all solver tasks at once.
    fn run_solver_tasks(&mut self) {
        for task in self.tabletop.take_solver_tasks() {
            let (thing, shape, spec) = match task {
                SolverTask::PrepareShape { thing, shape, spec, .. } => (thing, shape, spec),
                SolverTask::ReturnToRest { .. } => unreachable!("a solid has not moved"),
                SolverTask::StartThing { spec } => {
                    self.steppers.push((ShapeId::default(), stepper(&spec)));
                    (self.steppers.len() - 1, ShapeId::default(), spec)
                }
                SolverTask::KeepShape { thing, shape, spec, known } => {
                    let found = self.kept(&spec, known);
                    self.tabletop.shape_made(thing, shape, found.clone());
                    let Ok(spec) = found else { continue };
                    (thing, shape, spec)
                }
            };
            let stepper = stepper(&spec);
            let frame = Arc::new(stepper.rest_frame());
            self.steppers[thing] = (shape, stepper);
            self.tabletop.take_frame(thing, shape, frame);
        }
    }

    /// The rest shape that follows from the known displacements.
    fn kept(
        &self,
        spec: &ObjectSpec,
        known: Vec<KnownDisplacement>,
    ) -> Result<Arc<ObjectSpec>, String> {
        let question = SolveQuestion {
            spec: spec.solid().unwrap().clone(),
            known,
            when_underdetermined: WhenUnderdetermined::Refuse,
            algorithm: Algorithm::Factorise,
            wants_stresses: false,
        };
        let answer = self.solvers.answer(&question).map_err(|e| e.to_string())?;
        let kept = spec.with_rest(&answer.solution.displacements).map_err(|e| e.to_string())?;
        Ok(Arc::new(kept.spec))
    }

    /// Shows the demonstration from one time to another, in seconds.
    fn demonstrate(&mut self, from: f64, to: f64, place: Vector3<f64>) {
        let n = ((to - from) / DT).round() as usize;
        for i in 0..n {
            self.time += DT;
            self.show(Side::Right, &demonstrated(from + i as f64 * DT, place));
        }
    }

    /// Keeps the hand away until every shape has come to rest.
    fn rest(&mut self) {
        for _ in 0..20 {
            self.time += DT;
            self.show(Side::Right, &demonstrated(0.0, Vector3::zeros()));
        }
    }

    fn positions(&self, thing: usize) -> Arc<Vec<[f32; 3]>> {
        let surface = self.tabletop.things()[thing].surface.as_ref().unwrap();
        Arc::clone(&surface.frame().positions)
    }

    /// The drawn hands.
    fn hands(&mut self) -> Vec<HandView> {
        self.tabletop.hand_views(self.time)
    }

    fn states(&self, thing: usize) -> Vec<GraspState> {
        let of_thing = self.events.iter().filter(|event| event.thing == thing);
        of_thing.map(|event| event.transition.to).collect()
    }

    /// Nodes that fingers hold.
    fn held(&self, thing: usize) -> Vec<NodeId> {
        self.tabletop.things()[thing].last_displacements.iter().map(|known| known.node).collect()
    }

    fn message(&self) -> &str {
        self.tabletop.selected().unwrap().message.as_deref().unwrap_or_default()
    }
}

fn stepper(spec: &ObjectSpec) -> Stepper {
    let model = Model::prepare(spec, MemoryLimits::default(), &Progress::default()).unwrap();
    Stepper::new(model.object())
}

fn distance(a: &[f32; 3], b: &[f32; 3]) -> f64 {
    let apart = (0..3).map(|i| f64::from(a[i] - b[i]).powi(2));
    apart.sum::<f64>().sqrt()
}

fn farthest(a: &[[f32; 3]], b: &[[f32; 3]]) -> f64 {
    a.iter().zip(b).map(|(a, b)| distance(a, b)).fold(0.0, f64::max)
}

/// A pseudo-random number from -1 to 1, the same in every run.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// A pose, turned about the place of the things.
fn turned(pose: &HandPose, turn: UnitQuaternion<f64>) -> HandPose {
    let about = Translation3::new(0.0, 0.03, 0.0);
    let world_from_wrist = about * turn * about.inverse() * pose.world_from_wrist;
    HandPose { world_from_wrist, ..*pose }
}

/// A random turn; all turns are equally likely.
fn any_turn(state: &mut u64) -> UnitQuaternion<f64> {
    loop {
        let parts = nalgebra::Vector4::from_fn(|_, _| random(state));
        if (0.01..1.0).contains(&parts.norm()) {
            return UnitQuaternion::from_quaternion(Quaternion::from_vector(parts));
        }
    }
}
