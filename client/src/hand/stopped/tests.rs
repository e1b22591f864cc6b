//! Hands at a cube of 6 cm.

use drivers::Hand as Side;
use emulators::Motion;
use nalgebra::{Quaternion, Translation3, UnitQuaternion};

use super::*;
use crate::collision::contact::tests::cube_at_rest;

fn profile() -> Profile {
    Profile::uncalibrated(Side::Right)
}

/// The demonstration's hand when it is at the object, with the fingers bent by `share` of what they are then
/// and as much again.
fn pose(share: f64) -> HandPose {
    let state = Motion::grasp_and_squeeze().state_at(4.0);
    let [w, i, j, k] = state.receiver_quaternion;
    let source_from_sensor = Isometry3::from_parts(
        Translation3::from(Vector3::from(state.receiver_position_cm) * 0.01),
        UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k)),
    );
    let mut angles = JointAngles::from_sensors(&state.angles_deg.map(f64::to_radians));
    for finger in &mut angles.fingers {
        (finger.mpj, finger.pij) = (share * finger.mpj, share * finger.pij);
    }
    angles.thumb.ij *= share;
    HandPose { angles, world_from_wrist: profile().tracker().world_from_wrist(&source_from_sensor) }
}

/// The deepest that any finger is in the cube, which is lifted as in the demonstration.
fn deepest(hand: &Hand, surface: &TouchableSurface, world_from_object: &Isometry3<f64>) -> f64 {
    let in_object = |shape: Shape| moved(&shape, &world_from_object.inverse());
    hand.shapes().map(|shape| surface.segment_depth(&in_object(shape))).fold(0.0, f64::max)
}

fn lifted() -> Isometry3<f64> {
    Isometry3::translation(0.0, 0.08, 0.0)
}

fn shown(pose: &HandPose, world_from_object: &Isometry3<f64>, rules: &[&str]) -> (Hand, f64) {
    let surface = cube_at_rest();
    let obstacles = [Obstacle { surface: &surface, world_from_object }];
    let rules = GraspRules::with(rules).unwrap();
    let hand = stopped(&profile(), pose, &rules, &obstacles);
    let depth = deepest(&hand, &surface, world_from_object);
    (hand, depth)
}

#[test]
fn fingers_stop_at_the_skin() {
    for share in [1.0, 1.2, 1.5] {
        let (free, before) = shown(&pose(share), &lifted(), &["fingers=pass"]);
        let (held, after) = shown(&pose(share), &lifted(), &[]);
        assert!(before > 0.003, "only {before} m deep: the test says nothing");
        assert!(after < 2.0 * SKIN, "{share}: still {after} m deep");
        assert_eq!(free.world_from_palm, held.world_from_palm);
        // They are at the skin, not far from it.
        let surface = cube_at_rest();
        for tip in &held.fingertips[1..4] {
            let in_object = lifted().inverse() * tip.centre;
            let gap = surface.nearest(&in_object, 0.05).map(|skin| skin.distance - tip.radius);
            assert!(gap.is_some_and(|gap| gap.abs() < 0.002), "{gap:?}");
        }
    }
}

#[test]
fn a_hand_in_the_air_is_shown_as_it_is() {
    let far = Isometry3::translation(0.5, 0.0, 0.0);
    let (hand, _) = shown(&pose(1.2), &far, &["palm=stop"]);
    let expected = Hand::new(&profile(), &pose(1.2));
    assert_eq!(hand.segments, expected.segments);
}

#[test]
fn joints_beyond_the_one_that_is_stopped_go_on() {
    // A block under the first segments of the four fingers alone.
    let open = HandPose { angles: JointAngles::default(), ..pose(1.0) };
    let mut bent = open;
    for finger in &mut bent.angles.fingers {
        (finger.mpj, finger.pij, finger.dij) = (0.8, 0.9, 0.5);
    }
    let straight = Hand::new(&profile(), &open);
    let Shape::Cylinder { start, end, radius } = straight.segments[2][0] else { panic!() };
    // The palm's own y points out of its back, so the block lies below the middle finger's first segment.
    let under = open.world_from_wrist.rotation * (-Vector3::y() * (radius + 0.03 + 0.004));
    let middle = nalgebra::center(&start, &end) + under;
    let world_from_object =
        Isometry3::from_parts(Translation3::from(middle.coords), open.world_from_wrist.rotation);
    let (held, depth) = shown(&bent, &world_from_object, &[]);
    let free = Hand::new(&profile(), &bent);
    assert!(depth < 2.0 * SKIN, "{depth} m deep");
    let bend = |hand: &Hand, segment: usize| {
        let Shape::Cylinder { start, end, .. } = hand.segments[2][segment] else { panic!() };
        let Shape::Cylinder { start: s, end: e, .. } = hand.segments[2][segment - 1] else {
            panic!()
        };
        (end - start).angle(&(e - s))
    };
    assert!(held.segments[2][0] != free.segments[2][0], "the first segment is stopped");
    assert!(bend(&held, 2) > 0.4, "the last joint goes on: {}", bend(&held, 2));
}

#[test]
fn a_palm_stops_only_if_it_is_told_to() {
    let flat = HandPose { angles: JointAngles::default(), ..pose(1.0) };
    let hand = Hand::new(&profile(), &flat);
    let n = hand.palm.outline.len() as f64;
    let middle = hand.palm.outline.iter().map(|p| p.coords).sum::<Vector3<f64>>() / n;
    // The cube's upper face is a centimetre above the middle of the palm.
    let into = Isometry3::translation(middle.x, middle.y - 0.02, middle.z);
    let (passing, _) = shown(&flat, &into, &[]);
    assert_eq!(passing.world_from_palm, hand.world_from_palm);
    let (stopped, _) = shown(&flat, &into, &["palm=stop"]);
    let surface = cube_at_rest();
    for corner in stopped.palm.outline {
        let skin = surface.nearest(&(into.inverse() * corner), 0.1);
        let gap = skin.map_or(0.1, |skin| skin.distance) - stopped.palm.radius;
        assert!(gap > -3.0 * SKIN, "a corner is {gap} m deep");
    }
}
