//! Tests that objects can be grasped from all sides.

use ::objects::generate::{GeneratedKind, generate};
use engine::Stepper;
use interaction::grasp::{GraspRules, GraspState};
use interaction::profiles::Profiles;
use interaction::shape_history::ShapeId;
use interaction::tabletop::{HandEffects, Tabletop};
use interaction::thing::ThingParts;
use physics::material::IsotropicElastic;
use physics::{MemoryLimits, Model, Progress, SampleId, SolidSpec};

use super::*;
use crate::command_line::ContactChoice;
use crate::wiring::on_table;

/// An emulated hand that performs one grasp of a thing, without devices: one sample in 10 ms.
struct Performance {
    motion: Motion,
    profile: Profile,
    tabletop: Tabletop,
    stepper: Stepper,
    effects: HandEffects,
}

impl Performance {
    /// Number of samples of a whole grasp.
    const N_SAMPLES: u32 = 900;

    fn new(name: &str, spec: Arc<ObjectSpec>, home: Isometry3<f64>, how: GraspApproach) -> Self {
        let motion = grasp_motion(&spec, &home, &[how]).unwrap();
        let model = Model::prepare(&spec, MemoryLimits::default(), &Progress::default()).unwrap();
        let stepper = Stepper::new(model.object());
        let thing = ThingParts { name: name.to_owned(), spec, home, colours: None };
        let profile = Profile::uncalibrated(Side::Right);
        let profiles = Profiles { left: Profile::uncalibrated(Side::Left), right: profile.clone() };
        let mut tabletop = Tabletop::new(vec![thing], GraspRules::default(), profiles);
        tabletop.take_frame(0, ShapeId::default(), Arc::new(stepper.rest_frame()));
        Self { motion, profile, tabletop, stepper, effects: HandEffects::default() }
    }

    /// Shows a sample of the hand to the table, and steps the thing. Returns the sample's time.
    fn show(&mut self, number: u32) -> f64 {
        let Self { motion, profile, tabletop, stepper, effects } = self;
        let time = 0.01 * f64::from(number);
        let state = motion.state_at(time);
        let pose = HandPose {
            angles: JointAngles::from_sensors(&state.angles_deg.map(f64::to_radians)),
            world_from_wrist: profile.tracker().world_from_wrist(&source_from_sensor(&state)),
        };
        let sample = SampleId(u64::from(number) + 1);
        tabletop.take_hand(Side::Right, &pose, sample, time, effects);
        for (thing, touch) in effects.touches.drain(..) {
            let frame = stepper.step(&touch);
            tabletop.take_frame(thing, ShapeId::default(), Arc::new(frame));
        }
        time
    }
}

/// Grasps an object once in this way; returns the result and the largest deformation.
fn taken(kind: GeneratedKind, approach: GraspApproach) -> (Vec<GraspState>, f64) {
    let mesh = generate(kind, 300).unwrap().mesh;
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    let spec = Arc::new(ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap()));
    let home = Isometry3::translation(0.0, 0.05, 0.0);
    let mut performance = Performance::new(kind.name(), spec, home, approach);
    let (mut states, mut deepest) = (Vec::new(), 0.0_f64);
    for number in 0..Performance::N_SAMPLES {
        performance.show(number);
        states.extend(performance.effects.events.iter().map(|event| event.transition.to));
        let chosen = performance.tabletop.selected_thing();
        deepest = deepest.max(chosen.map_or(0.0, |chosen| chosen.squeeze));
    }
    (states, deepest)
}

#[test]
fn a_thing_is_taken_from_any_side() {
    use GraspState::{Attached, Deforming, Releasing, Touching};
    let mut n_strawberries = 0;
    for tilt in [0.0, 0.5 * PI, -0.5 * PI, PI] {
        for turn in [0.0, 0.7 * PI] {
            let approach = GraspApproach { turn, tilt, squeeze: 0.0075 };
            let (states, deepest) = taken(GeneratedKind::Sphere, approach);
            let expected = [Touching, Attached, Deforming, Releasing, GraspState::Approach];
            assert_eq!(states, expected, "tilt {tilt}, turn {turn}");
            assert!(deepest > 0.004, "tilt {tilt}, turn {turn}: {deepest} m");
            let (states, deepest) = taken(GeneratedKind::Strawberry, approach);
            println!("strawberry, tilt {tilt}, turn {turn}: {states:?}, {deepest} m");
            assert!(states.contains(&Attached), "tilt {tilt}, turn {turn}: {states:?}");
            assert_eq!(states.last(), Some(&GraspState::Approach), "tilt {tilt}, turn {turn}");
            n_strawberries += usize::from(states.contains(&Deforming) && deepest > 0.004);
        }
    }
    assert_eq!(n_strawberries, 8, "number of strawberries that were squeezed");
}

/// One sample of a grasp by friction.
struct FrictionMoment {
    time: f64,
    state: GraspState,
    /// Forces of the five fingers, in newtons.
    forces: [f64; 5],
    /// Place and turn of the object's frame.
    pose: Isometry3<f64>,
    /// Height of its lowest point above the table.
    height: f64,
}

/// Grasps an object once by friction: with this coefficient, and with a press of `squeeze` more
/// above the table.
fn held_by_friction(kind: GeneratedKind, friction: f64, squeeze: f64) -> Vec<FrictionMoment> {
    let mesh = generate(kind, 300).unwrap().mesh;
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    let spec = ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap());
    let contact = ContactChoice { friction: Some(friction), ..ContactChoice::default() };
    let spec = spec.with_contact_settings(contact.settings()).unwrap();
    let spec = Arc::new(spec.held_by(Grip::Contact).unwrap());
    let home = on_table(&spec, Vector3::zeros());
    let approach = GraspApproach { turn: 0.0, tilt: 0.0, squeeze };
    let mut performance = Performance::new(kind.name(), spec, home, approach);
    let moment = |number: u32| {
        let time = performance.show(number);
        let thing = &performance.tabletop.things()[0];
        let frame = thing.surface.as_ref().unwrap().frame();
        assert_eq!(frame.report.outcome, physics::Outcome::Solved);
        let pose = home * frame.pose;
        let heights = frame.positions.iter().map(|x| (pose * Point3::from(x.map(f64::from))).y);
        FrictionMoment {
            time,
            state: thing.grasp.state(),
            forces: thing.finger_forces(Side::Right),
            pose,
            height: heights.fold(f64::INFINITY, f64::min),
        }
    };
    (0..Performance::N_SAMPLES).map(moment).collect()
}

/// States in the order in which they came.
fn states(moments: &[FrictionMoment]) -> Vec<GraspState> {
    let mut states: Vec<GraspState> = moments.iter().map(|moment| moment.state).collect();
    states.dedup();
    states
}

#[test]
fn friction_lifts_a_cube_and_puts_it_down() {
    use GraspState::{Approach, Lifted, Pushed};
    let moments = held_by_friction(GeneratedKind::Cube, 0.6, 0.004);
    assert_eq!(states(&moments), [Approach, Pushed, Lifted, Pushed, Approach]);
    let at = |time: f64| moments.iter().find(|moment| moment.time >= time).unwrap();
    let highest = moments.iter().map(|moment| moment.height).fold(0.0, f64::max);
    assert!((0.03..0.06).contains(&highest), "the hand rises by 5 cm, the cube by {highest}");
    // The fingertips carry a weight of 2.1 N by friction: each side presses with weight / (2 mu)
    // at least.
    let held = at(3.4);
    assert!(held.forces.iter().sum::<f64>() > 2.1, "{:?}", held.forces);
    // It neither creeps nor trembles while the hand holds still.
    let (early, late) = (at(4.2), at(4.7));
    let way = (late.pose.translation.vector - early.pose.translation.vector).norm();
    assert!(way < 5e-4, "{way} m in half a second");
    let last = moments.last().unwrap();
    assert!(last.height.abs() < 2e-3 && last.forces == [0.0; 5]);
}

#[test]
fn without_enough_friction_a_cube_slides_out_of_the_hand() {
    let moments = held_by_friction(GeneratedKind::Cube, 0.1, 0.004);
    assert!(!states(&moments).contains(&GraspState::Lifted), "{:?}", states(&moments));
    assert!(moments.iter().any(|moment| moment.forces.iter().sum::<f64>() > 1.0), "it is pressed");
}

#[test]
fn friction_lifts_a_strawberry_that_lies_on_its_side() {
    let moments = held_by_friction(GeneratedKind::Strawberry, 0.6, 0.004);
    let before = moments.iter().find(|moment| moment.state != GraspState::Approach).unwrap();
    assert!((0.8..2.5).contains(&before.time), "it lies still until a finger comes");
    assert!(states(&moments).contains(&GraspState::Lifted), "{:?}", states(&moments));
}
