//! Whole runs without devices: the demonstration's hand, cubes, and a solver that answers at once.

use calibration::{JointAngles, Profile};
use emulators::Motion;
use engine::{Budget, Solvers, Stepper, Workshop};
use nalgebra::{Quaternion, Translation3, UnitQuaternion, Vector3};
use physics::material::IsotropicElastic;
use physics::{MemoryLimits, Model, Progress, SolidSpec};

use super::*;
use crate::session::links::kept;

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
fn a_hand_that_is_lost_lets_go_and_begins_anew_when_it_is_back() {
    use GraspState::*;
    for rules in [&[][..], &["release=keeps"]] {
        let mut desk = Desk::new(vec![cube(3, Vector3::zeros())], rules);
        let home = *desk.tabletop.things()[0].grasp.world_from_object();
        let original = desk.positions(0);
        desk.demonstrate(0.0, 4.4, Vector3::zeros());
        assert_eq!(desk.states(0), [Touching, Attached, Deforming]);
        assert!(!desk.tabletop.needs_time(), "the hand brings the time along");
        desk.lose(Side::Right);
        assert_eq!(desk.events.last().unwrap().transition.reason, "the hand is lost");
        assert_eq!(desk.tabletop.hand_views().len(), 0, "nobody knows where it is");
        desk.wait();
        desk.do_chores();
        assert_eq!(desk.states(0)[3..], [Releasing, Approach]);
        assert_eq!(*desk.tabletop.things()[0].grasp.world_from_object(), home);
        let stays = farthest(&original, &desk.positions(0));
        assert_eq!(stays > 0.005, rules.contains(&"release=keeps"), "{stays} m");
        // When it is back it takes the thing anew, from where that stands, as far as the dents let it.
        desk.events.clear();
        desk.demonstrate(0.0, 9.0, Vector3::zeros());
        assert_eq!(desk.states(0)[..2], [Touching, Attached]);
        assert_eq!(desk.states(0).last(), Some(&Approach));
    }
}

#[test]
fn a_hand_that_is_lost_while_it_touches_leaves_nothing_behind() {
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros())], &["deform-with=5"]);
    let mut seconds = 0.0;
    while desk.tabletop.things()[0].grasp.state() != GraspState::Touching {
        desk.demonstrate(seconds, seconds + DT, Vector3::zeros());
        seconds += DT;
    }
    desk.lose(Side::Right);
    assert_eq!(desk.tabletop.things()[0].grasp.state(), GraspState::Approach);
    assert!(!desk.tabletop.needs_time());
    // The other hand may have it.
    for step in 0..440 {
        desk.time += DT;
        desk.show(Side::Left, &demonstrated(f64::from(step) * DT, Vector3::zeros()));
    }
    assert_eq!(desk.tabletop.things()[0].hand, Some(Side::Left));
    assert_eq!(desk.tabletop.things()[0].grasp.state(), GraspState::Deforming);
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

#[test]
fn a_trembling_hand_at_the_edge_changes_state_at_most_once_in_a_second() {
    let mut seed = 7;
    // Around the moment at which the fingers come to the skin.
    for moment in [2.15, 2.2, 2.25, 2.3, 2.35] {
        let mut desk = Desk::new(vec![cube(3, Vector3::zeros())], &[]);
        desk.demonstrate(0.0, moment, Vector3::zeros());
        let start = desk.time;
        let mut times = Vec::new();
        let phases: [f64; 5] = std::array::from_fn(|_| 3.0 * random(&mut seed));
        for _ in 0..2000 {
            desk.time += DT;
            let mut pose = demonstrated(moment, Vector3::zeros());
            // About a millimetre at the fingertips, each finger for itself, at 8 to 12 Hz.
            let tremble = |i: usize, time: f64| {
                let omega = std::f64::consts::TAU * (8.0 + i as f64);
                0.012 * (omega * time + phases[i]).sin()
            };
            pose.angles.thumb.ij += 2.0 * tremble(0, desk.time);
            for (i, finger) in pose.angles.fingers.iter_mut().enumerate() {
                finger.mpj += tremble(i + 1, desk.time);
            }
            let n_before = desk.events.len();
            desk.show(Side::Right, &pose);
            // The way into the grasp may take several steps at once.
            if desk.events.len() > n_before && desk.time > start + 1.0 {
                times.push(desk.time);
            }
        }
        let quickest = times.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        assert!(quickest >= 1.0, "at {moment} s: changes {quickest} s apart, {:?}", desk.states(0));
    }
}

/// A hand that wanders about, opens and closes, jumps, and once in a while is somewhere else at once.
fn soak(seed: u64, n_frames: u32, rules: &[&str]) {
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros()), cube(2, Vector3::x() * 0.1)], rules);
    let mut state = seed;
    let (mut seconds, mut speed, mut place) = (0.0, 1.0, Vector3::zeros());
    let mut since_idle = 0;
    let mut longest_busy = 0;
    for frame in 0..n_frames {
        desk.time += DT;
        if frame % 97 == 0 {
            speed = 3.0 * random(&mut state);
        }
        if frame % 701 == 0 {
            seconds = 9.0 * random(&mut state).abs();
            // Often where it can take the thing, now and then in the middle of it.
            let reach = if random(&mut state) < 0.5 { 0.01 } else { 0.06 };
            place = Vector3::from_fn(|_, _| reach * random(&mut state));
        }
        seconds = (seconds + speed * DT).rem_euclid(9.0);
        let mut pose = demonstrated(seconds, place);
        for finger in &mut pose.angles.fingers {
            finger.mpj += 0.1 * random(&mut state);
        }
        // The hands leave for good every so often; then everything must come to rest.
        if frame % 2000 > 1600 {
            let mut open = demonstrated(0.0, Vector3::y() * 0.5);
            open.angles = JointAngles::default();
            desk.show(Side::Right, &open);
            desk.show(Side::Left, &open);
        } else {
            desk.show(if frame % 5000 < 4000 { Side::Right } else { Side::Left }, &pose);
        }
        match frame % 1009 {
            500 => desk.tabletop.obey(&Order::KeepShape),
            700 => desk.tabletop.obey(&Order::Back(Back::Undo)),
            1000 => desk.tabletop.obey(&Order::Back(Back::Reset)),
            _ => {}
        }
        if frame % 13 == 0 {
            desk.do_chores();
        }
        if frame % 101 == 0 {
            for view in desk.tabletop.hand_views() {
                assert!(view.fingertips.iter().all(|tip| tip.centre.iter().all(|x| x.is_finite())));
            }
            for view in desk.tabletop.object_views() {
                assert!(view.frame.positions.iter().flatten().all(|x| x.is_finite()));
                assert!(view.world_from_object.to_matrix().iter().all(|x| x.is_finite()));
            }
        }
        let is_idle = |t: &Thing| t.grasp.state() == GraspState::Approach;
        since_idle = if desk.tabletop.things().iter().all(is_idle) { 0 } else { since_idle + 1 };
        longest_busy = since_idle.max(longest_busy);
    }
    assert!(longest_busy < 2 * 2000, "a state without exit: busy for {longest_busy} frames");
    let seen = |state| desk.events.iter().any(|event| event.transition.to == state);
    for state in [GraspState::Attached, GraspState::Deforming, GraspState::Releasing] {
        assert!(seen(state), "{state:?} never came");
    }
}

#[test]
fn a_random_hand_finds_no_way_to_break_it() {
    let all: [(u64, &[&str]); 4] = [
        (1, &[]),
        (2, &["patch=disc"]),
        (3, &["release=keeps", "palm=stop"]),
        (4, &["deform-with=3", "attach-fingers=thumb+index", "hold-on-with=1", "fingers=pass"]),
    ];
    std::thread::scope(|scope| {
        for (seed, rules) in all {
            scope.spawn(move || soak(seed, 25_000, rules));
        }
    });
}
