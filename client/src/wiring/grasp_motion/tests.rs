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

/// Grasps an object once in this way; returns the result and the largest deformation.
fn taken(kind: GeneratedKind, approach: GraspApproach) -> (Vec<GraspState>, f64) {
    let mesh = generate(kind, 300).unwrap().mesh;
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    let spec = Arc::new(ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap()));
    let home = Isometry3::translation(0.0, 0.05, 0.0);
    let motion = grasp_motion(&spec, &home, &[approach]).unwrap();
    let model = Model::prepare(&spec, MemoryLimits::default(), &Progress::default()).unwrap();
    let mut stepper = Stepper::new(model.object());
    let thing = ThingParts { name: kind.name().to_owned(), spec, home, colours: None };
    let profile = Profile::uncalibrated(Side::Right);
    let profiles = Profiles { left: Profile::uncalibrated(Side::Left), right: profile.clone() };
    let mut tabletop = Tabletop::new(vec![thing], GraspRules::default(), profiles);
    let shape = ShapeId::default();
    tabletop.take_frame(0, shape, Arc::new(stepper.rest_frame()));
    let (mut states, mut deepest, mut effects) = (Vec::new(), 0.0_f64, HandEffects::default());
    for step in 0..900_u32 {
        let time = 0.01 * f64::from(step);
        let state = motion.state_at(time);
        let world_from_wrist = profile.tracker().world_from_wrist(&source_from_sensor(&state));
        let pose = HandPose {
            angles: JointAngles::from_sensors(&state.angles_deg.map(f64::to_radians)),
            world_from_wrist,
        };
        let sample = SampleId(u64::from(step) + 1);
        tabletop.take_hand(Side::Right, &pose, sample, time, &mut effects);
        states.extend(effects.events.iter().map(|event| event.transition.to));
        for (thing, touch) in effects.touches.drain(..) {
            tabletop.take_frame(thing, shape, Arc::new(stepper.step(&touch)));
        }
        deepest = deepest.max(tabletop.selected_thing().map_or(0.0, |chosen| chosen.squeeze));
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
