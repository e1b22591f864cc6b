//! Whole runs without devices: the demonstration's hand, cubes, and a solver that answers at once.

use calibration::{JointAngles, Profile};
use emulators::Motion;
use engine::{Budget, Solvers, Stepper, Workshop};
use nalgebra::{Quaternion, Translation3, UnitQuaternion, Vector3};
use physics::material::IsotropicElastic;
use physics::{MemoryLimits, Model, Progress, SolidSpec};

use super::*;
use crate::session::links::kept;

mod lost;
mod smooth;
mod soak;

const DT: f64 = 0.01;

fn cube(cells: usize, place: Vector3<f64>) -> ThingParts {
    let mesh = objects::generate::cube(0.06, cells).unwrap();
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    let spec = ObjectSpec::Solid(SolidSpec::new(mesh, material, Vec::new()).unwrap());
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
        let (events, news) = (Vec::new(), HandNews::default());
        let (time, n_samples, largest_jump) = (0.0, 0, 0.0);
        Self { tabletop, steppers, solvers, time, n_samples, events, news, largest_jump }
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
                Chore::Prepare { thing, shape, spec } => (thing, shape, spec),
                Chore::Start { spec } => {
                    self.steppers.push((ShapeId::default(), stepper(&spec)));
                    (self.steppers.len() - 1, ShapeId::default(), spec)
                }
                Chore::Keep { thing, shape, spec, known } => {
                    let found = kept(&self.solvers, &spec, known);
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

    fn states(&self, thing: usize) -> Vec<GraspState> {
        let of_thing = self.events.iter().filter(|event| event.thing == thing);
        of_thing.map(|event| event.transition.to).collect()
    }

    fn news(&self) -> &str {
        self.tabletop.selected().unwrap().news.as_deref().unwrap_or_default()
    }
}

fn stepper(spec: &ObjectSpec) -> Stepper {
    let model = Model::prepare(spec, MemoryLimits::default(), &Progress::default()).unwrap();
    Stepper::new(&model)
}

fn distance(a: &[f32; 3], b: &[f32; 3]) -> f64 {
    let apart = (0..3).map(|i| f64::from(a[i] - b[i]).powi(2));
    apart.sum::<f64>().sqrt()
}

fn farthest(a: &[[f32; 3]], b: &[[f32; 3]]) -> f64 {
    a.iter().zip(b).map(|(a, b)| distance(a, b)).fold(0.0, f64::max)
}

#[test]
fn a_kept_shape_stays_and_can_be_undone() {
    use GraspState::*;
    let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], &[]);
    let original = desk.positions(0);
    desk.tabletop.obey(&Order::KeepShape);
    assert!(desk.news().contains("squeeze first"), "{}", desk.news());
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    assert_eq!(desk.states(0), [Touching, Attached, Deforming]);
    let squeezed = desk.positions(0);
    assert!(farthest(&original, &squeezed) > 0.005);
    let jump_before = desk.largest_jump;

    desk.tabletop.obey(&Order::KeepShape);
    // It goes on while the shape is prepared, and goes on from there without a jump.
    desk.demonstrate(4.4, 4.6, Vector3::zeros());
    desk.do_chores();
    assert!(farthest(&squeezed, &desk.positions(0)) < 1e-6, "the rest shape is what was squeezed");
    desk.demonstrate(4.6, 8.6, Vector3::zeros());
    assert!(desk.largest_jump < jump_before.max(0.002), "{} m", desk.largest_jump);
    assert_eq!(desk.states(0)[3..], [Releasing, Approach]);
    let kept_shape = desk.positions(0);
    assert!(farthest(&squeezed, &kept_shape) < 1e-6, "it springs back to what was kept");

    for (order, expected) in [
        (Back::Undo, &original),
        (Back::Redo, &kept_shape),
        (Back::Reset, &original),
        (Back::Redo, &kept_shape),
    ] {
        desk.tabletop.obey(&Order::Back(order));
        desk.do_chores();
        desk.rest();
        assert!(farthest(expected, &desk.positions(0)) < 1e-9, "{order:?}: {}", desk.news());
    }
    desk.tabletop.obey(&Order::Back(Back::Redo));
    assert_eq!(desk.news(), "there is nothing to redo");
}

#[test]
fn other_matter_answers_with_other_forces_and_can_be_undone() {
    let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], &[]);
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    let force = |desk: &mut Desk| -> f64 {
        desk.do_chores();
        // Held still, so that only the matter makes a difference.
        desk.time += DT;
        desk.show(Side::Right, &demonstrated(4.4, Vector3::zeros()));
        desk.tabletop.chosen().unwrap().forces.iter().map(|force| force.norm()).sum()
    };
    let before = force(&mut desk);
    let ObjectSpec::Solid(solid) = (*desk.tabletop.chosen().unwrap().spec).clone();
    let (young, poisson) = (solid.material().young(), solid.material().poisson());
    let material = IsotropicElastic::new(2.0 * young, poisson).unwrap();
    let order = Order::Material(Matter { name: "rubber".to_owned(), material });
    desk.tabletop.obey(&order);
    assert_eq!(desk.news(), "rubber is being prepared ...");
    let after = force(&mut desk);
    assert!(before > 0.1 && (after / before - 2.0).abs() < 1e-3, "{before} N, then {after} N");
    assert_eq!(desk.news(), "it is of the other material now");
    desk.tabletop.obey(&order);
    assert_eq!(desk.news(), "it is rubber already");
    desk.tabletop.obey(&Order::Back(Back::Undo));
    let undone = force(&mut desk);
    assert!((undone / before - 1.0).abs() < 1e-3, "{before} N, then {undone} N");
}

#[test]
fn clay_stays_as_it_was_pressed_without_a_jump() {
    let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], &["release=keeps"]);
    let original = desk.positions(0);
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    let squeezed = desk.positions(0);
    let jump = desk.largest_jump;
    desk.demonstrate(4.4, 9.0, Vector3::zeros());
    assert!(
        farthest(&squeezed, &desk.positions(0)) < 0.002,
        "fingers that leave pull nothing back"
    );
    desk.do_chores();
    desk.demonstrate(0.0, 1.0, Vector3::zeros());
    assert!(farthest(&original, &desk.positions(0)) > 0.005, "the dents stay");
    assert!(farthest(&squeezed, &desk.positions(0)) < 0.002);
    assert!(desk.largest_jump < jump.max(0.001), "{} m", desk.largest_jump);
    assert_eq!(desk.tabletop.things()[0].grasp.state(), GraspState::Approach);
}

#[test]
fn a_shape_that_cannot_be_kept_leaves_all_as_it_was() {
    let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], &[]);
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    desk.tabletop.obey(&Order::KeepShape);
    let Some(Chore::Keep { thing, shape, .. }) = desk.tabletop.take_chores().pop() else {
        panic!("nothing to do")
    };
    desk.tabletop.obey(&Order::Back(Back::Undo));
    assert!(desk.news().contains("one after the other"), "{}", desk.news());
    desk.tabletop.shape_made(thing, shape, Err("element 3 would turn inside out".to_owned()));
    assert!(desk.news().contains("element 3"), "{}", desk.news());
    desk.demonstrate(4.4, 9.0, Vector3::zeros());
    assert_eq!(desk.tabletop.shape(0), ShapeId::default());
    assert_eq!(desk.tabletop.things()[0].grasp.state(), GraspState::Approach);
}

#[test]
fn another_thing_takes_the_place_when_it_is_ready_and_never_if_it_cannot_be() {
    let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], &[]);
    let large = desk.positions(0).len();
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    let small = ThingParts { name: "small".to_owned(), ..cube(2, Vector3::zeros()) };
    let order = Order::Replace(Box::new(small));
    desk.tabletop.obey(&order);
    let Some(Chore::Prepare { thing, shape, .. }) = desk.tabletop.take_chores().pop() else {
        panic!("nothing to do")
    };
    desk.tabletop.shape_made(thing, shape, Err("too large".to_owned()));
    assert!(desk.news().contains("stays as it was: too large"), "{}", desk.news());
    assert!(desk.tabletop.chosen().unwrap().forces.iter().any(|force| force.norm() > 0.01));

    desk.tabletop.obey(&order);
    desk.demonstrate(4.4, 4.6, Vector3::zeros());
    assert_eq!(desk.positions(0).len(), large, "the old one stays in the hand meanwhile");
    desk.do_chores();
    assert!(desk.positions(0).len() < large);
    let chosen = desk.tabletop.chosen().unwrap();
    assert_eq!((chosen.name.as_str(), chosen.n_kept, chosen.squeeze), ("small", 0, 0.0));
    // It is taken, kept and undone like the first.
    desk.demonstrate(4.6, 9.0, Vector3::zeros());
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    desk.tabletop.obey(&Order::KeepShape);
    desk.do_chores();
    assert_eq!(desk.tabletop.chosen().unwrap().n_kept, 1, "{}", desk.news());
    desk.tabletop.obey(&Order::Back(Back::Undo));
    desk.do_chores();
    let chosen = desk.tabletop.chosen().unwrap();
    assert_eq!((desk.news(), chosen.n_kept, chosen.n_undone), ("undone", 0, 1));
}

#[test]
fn a_hand_holds_one_thing_at_a_time() {
    // The second cube stands where the fingers come to as well.
    let beside = Vector3::new(0.0, 0.0, 0.045);
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros()), cube(3, beside)], &[]);
    let mut n_both = 0;
    for _ in 0..2 {
        for step in 0..900 {
            desk.time += DT;
            desk.show(Side::Right, &demonstrated(f64::from(step) * DT, Vector3::zeros()));
            let n_held = desk.tabletop.things().iter().filter(|t| t.grasp.is_held()).count();
            n_both += usize::from(n_held > 1);
        }
    }
    assert_eq!(n_both, 0);
    let taken = |thing| desk.states(thing).contains(&GraspState::Attached);
    assert!(taken(0) || taken(1));
}

#[test]
fn a_hand_that_goes_lets_go_and_a_thing_that_is_placed_elsewhere_is_taken_there() {
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros())], &[]);
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    let elsewhere = Vector3::new(0.1, 0.0, -0.05);
    let home = cube(3, elsewhere).home;
    desk.tabletop.obey(&Order::Place { thing: 0, home });
    assert!(desk.news().contains("it is in the hand"), "{}", desk.news());
    let (id, mut news) = (SampleId(desk.n_samples + 1), HandNews::default());
    desk.tabletop.lose_hand(Side::Right, "it went", id, desk.time, &mut news);
    assert!(!desk.tabletop.things()[0].grasp.is_held() && desk.tabletop.hand_views().is_empty());
    // What was squeezed springs back with the next sample, and can be taken anew.
    desk.tabletop.obey(&Order::Place { thing: 0, home });
    desk.demonstrate(0.0, 0.5, elsewhere);
    assert_eq!(desk.tabletop.chosen().unwrap().squeeze, 0.0);
    desk.demonstrate(0.5, 4.4, elsewhere);
    assert_eq!(desk.tabletop.things()[0].grasp.state(), GraspState::Deforming);
}

#[test]
fn one_more_thing_comes_and_is_the_one_that_orders_are_about() {
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros())], &[]);
    desk.demonstrate(0.0, 0.2, Vector3::zeros());
    let beside = Vector3::new(0.2, 0.0, 0.0);
    let ball = ThingParts { name: "ball".to_owned(), ..cube(2, beside) };
    desk.tabletop.obey(&Order::Add(Box::new(ball)));
    assert_eq!(desk.tabletop.chosen().unwrap().name, "cube");
    desk.demonstrate(0.2, 0.3, Vector3::zeros());
    desk.do_chores();
    desk.tabletop.obey(&Order::Select(1));
    assert_eq!(desk.tabletop.chosen().unwrap().name, "ball");
    desk.tabletop.obey(&Order::Select(7));
    assert_eq!(desk.tabletop.chosen().unwrap().name, "ball", "there is no eighth");
    desk.demonstrate(0.0, 4.4, beside);
    assert_eq!(desk.tabletop.things()[1].grasp.state(), GraspState::Deforming);
}

#[test]
fn each_hand_holds_its_own_thing() {
    let place = Vector3::new(-0.25, 0.0, 0.1);
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros()), cube(3, place)], &[]);
    for step in 0..440 {
        desk.time += DT;
        let seconds = f64::from(step) * DT;
        desk.show(Side::Right, &demonstrated(seconds, Vector3::zeros()));
        desk.show(Side::Left, &demonstrated(seconds, place));
    }
    let things = desk.tabletop.things();
    assert_eq!(things[0].hand, Some(Side::Right));
    assert_eq!(things[1].hand, Some(Side::Left));
    for (thing, side) in [(0, Side::Right), (1, Side::Left)] {
        assert_eq!(things[thing].grasp.state(), GraspState::Deforming);
        let forces = desk.tabletop.finger_forces(side, |_| true);
        assert!(forces.iter().all(|force| *force > 0.05), "{forces:?}");
        // That another thing is not solved is no reason to feel nothing of this one.
        assert_eq!(desk.tabletop.finger_forces(side, |solved| solved == thing), forces);
        assert_eq!(desk.tabletop.finger_forces(side, |solved| solved != thing), [0.0; 5]);
    }
    assert_eq!(desk.tabletop.hand_views().len(), 2);
}

#[test]
fn carrying_adds_no_strain() {
    let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], &[]);
    desk.demonstrate(0.0, 2.41, Vector3::zeros());
    let held = demonstrated(2.41, Vector3::zeros());
    let before = desk.positions(0);
    for i in 0..100 {
        desk.time += DT;
        let i = f64::from(i);
        let carry = Isometry3::new(
            Vector3::new(0.001, 0.002, -0.001) * i,
            Vector3::new(0.01, -0.02, 0.015) * i,
        );
        let pose = HandPose { world_from_wrist: carry * held.world_from_wrist, ..held };
        desk.show(Side::Right, &pose);
    }
    assert_eq!(desk.tabletop.things()[0].grasp.state(), GraspState::Deforming);
    assert!(farthest(&before, &desk.positions(0)) < 1e-6);
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
