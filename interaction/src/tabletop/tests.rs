//! Whole runs without devices: the demonstration's hand, cubes, and a solver that answers at once.

use calibration::{JointAngles, Profile};
use emulators::Motion;
use engine::solve::{Algorithm, Question};
use engine::{Budget, Solvers, Stepper, Workshop};
use nalgebra::{Quaternion, Translation3, UnitQuaternion, Vector3};
use physics::material::IsotropicElastic;
use physics::{KnownDisplacement, Loose, MemoryLimits, Model, NodeId, Progress, SolidSpec};

use super::*;
use crate::scene::{FingerContact, HandView};
use crate::shapes::Back;

mod holding;
mod keeping;
mod lost;
mod pushing;
mod smooth;
mod soak;

const DT: f64 = 0.01;

fn cube(cells: usize, place: Vector3<f64>) -> ThingParts {
    let mesh = objects::generate::cube(0.06, cells).unwrap();
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    let spec = ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap());
    let home = Isometry3::from(Translation3::from(place + Vector3::new(0.0, 0.03, 0.0)));
    ThingParts { name: "cube".to_owned(), spec: Arc::new(spec), home, colours: None }
}

/// The demonstration's hand at a moment, carried along by `place`.
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

/// A table with solvers that answer each touch before the next.
struct Desk {
    tabletop: Tabletop,
    steppers: Vec<(ShapeId, Stepper)>,
    solvers: Solvers,
    time: f64,
    n_samples: u64,
    events: Vec<GraspEvent>,
    /// When they were.
    times: Vec<f64>,
    news: HandNews,
    /// The farthest that a point of the first thing went from one frame to the next, in its own frame.
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
        let solvers = Solvers::Embedded(Workshop::new(Some(1), Budget::default()).unwrap());
        let (events, times, news) = (Vec::new(), Vec::new(), HandNews::default());
        let (time, n_samples, largest_jump) = (0.0, 0, 0.0);
        Self { tabletop, steppers, solvers, time, n_samples, events, times, news, largest_jump }
    }

    fn show(&mut self, side: Side, pose: &HandPose) {
        self.n_samples += 1;
        let (sample, mut news) = (SampleId(self.n_samples), std::mem::take(&mut self.news));
        self.tabletop.take_hand(side, pose, sample, self.time, &mut news);
        self.answer(&mut news);
        self.news = news;
    }

    /// The hand is gone.
    fn lose(&mut self, side: Side) {
        self.n_samples += 1;
        let (sample, mut news) = (SampleId(self.n_samples), std::mem::take(&mut self.news));
        self.tabletop.lose_hand(side, "the hand is lost", sample, self.time, &mut news);
        self.answer(&mut news);
        self.news = news;
    }

    /// Time passes, by as much as is needed.
    fn wait(&mut self) {
        while self.tabletop.needs_time() {
            (self.time, self.n_samples) = (self.time + DT, self.n_samples + 1);
            let (sample, mut news) = (SampleId(self.n_samples), std::mem::take(&mut self.news));
            self.tabletop.pass_time(sample, self.time, &mut news);
            self.answer(&mut news);
            self.news = news;
        }
    }

    /// What a solver that answers at once makes of it.
    fn answer(&mut self, news: &mut HandNews) {
        self.times.extend(news.events.iter().map(|_| self.time));
        self.events.append(&mut news.events);
        while let Some((thing, touch)) = news.touches.pop() {
            let before = self.positions(thing);
            let (shape, stepper) = &mut self.steppers[thing];
            let (shape, frame) = (*shape, Arc::new(stepper.step(&touch)));
            news.reuse(touch);
            self.tabletop.take_frame(thing, shape, frame);
            let after = self.positions(thing);
            let jump = before.iter().zip(after.iter()).map(|(a, b)| distance(a, b));
            self.largest_jump = jump.fold(self.largest_jump, f64::max);
        }
    }

    /// Does what takes time, at once.
    fn do_chores(&mut self) {
        for chore in self.tabletop.take_chores() {
            let (thing, shape, spec) = match chore {
                Chore::Prepare { thing, shape, spec, .. } => (thing, shape, spec),
                Chore::Rest { .. } => unreachable!("a solid has not moved"),
                Chore::Start { spec } => {
                    self.steppers.push((ShapeId::default(), stepper(&spec)));
                    (self.steppers.len() - 1, ShapeId::default(), spec)
                }
                Chore::Keep { thing, shape, spec, known } => {
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

    /// The rest shape that the known displacements lead to.
    fn kept(
        &self,
        spec: &ObjectSpec,
        known: Vec<KnownDisplacement>,
    ) -> Result<Arc<ObjectSpec>, String> {
        let question = Question {
            spec: spec.solid().unwrap().clone(),
            known,
            loose: Loose::Refuse,
            algorithm: Algorithm::Factorise,
            wants_stresses: false,
        };
        let answer = self.solvers.answer(&question).map_err(|e| e.to_string())?;
        let kept = spec.with_rest(&answer.solution.displacements).map_err(|e| e.to_string())?;
        Ok(Arc::new(kept.spec))
    }

    /// The demonstration from one second to another.
    fn demonstrate(&mut self, from: f64, to: f64, place: Vector3<f64>) {
        let n = ((to - from) / DT).round() as usize;
        for i in 0..n {
            self.time += DT;
            self.show(Side::Right, &demonstrated(from + i as f64 * DT, place));
        }
    }

    /// The hand keeps away until every shape has come to rest.
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

    /// Hands as they are seen now.
    fn hands(&mut self) -> Vec<HandView> {
        self.tabletop.hand_views(self.time)
    }

    fn states(&self, thing: usize) -> Vec<GraspState> {
        let of_thing = self.events.iter().filter(|event| event.thing == thing);
        of_thing.map(|event| event.transition.to).collect()
    }

    /// The nodes that fingers hold.
    fn held(&self, thing: usize) -> Vec<NodeId> {
        self.tabletop.things()[thing].last_known.iter().map(|known| known.node).collect()
    }

    fn news(&self) -> &str {
        self.tabletop.selected().unwrap().news.as_deref().unwrap_or_default()
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

/// A pose, turned about the place where things stand.
fn turned(pose: &HandPose, turn: UnitQuaternion<f64>) -> HandPose {
    let about = Translation3::new(0.0, 0.03, 0.0);
    let world_from_wrist = about * turn * about.inverse() * pose.world_from_wrist;
    HandPose { world_from_wrist, ..*pose }
}

/// A turn that is as likely as any other.
fn any_turn(state: &mut u64) -> UnitQuaternion<f64> {
    loop {
        let parts = nalgebra::Vector4::from_fn(|_, _| random(state));
        if (0.01..1.0).contains(&parts.norm()) {
            return UnitQuaternion::from_quaternion(Quaternion::from_vector(parts));
        }
    }
}
