//! Tests of drawn hands at a cube of 6 cm.

use drivers::Side;
use emulators::Motion;
use nalgebra::{Quaternion, Translation3, UnitQuaternion};
use physics::Shape;

use super::*;
use crate::collision::contact::tests::{cube_at_rest, open_square};
use crate::hand::moved;

fn profile() -> Profile {
    Profile::uncalibrated(Side::Right)
}

/// The demonstration's hand at the object, with finger angles multiplied by `share`.
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

/// Depth of the deepest finger in the cube, which is lifted as in the demonstration.
fn deepest(hand: &Hand, surface: &TouchableSurface, world_from_object: &Isometry3<f64>) -> f64 {
    let in_object = |shape: Shape| moved(&shape, &world_from_object.inverse());
    hand.shapes().map(|shape| surface.segment_depth(&in_object(shape))).fold(0.0, f64::max)
}

fn lifted() -> Isometry3<f64> {
    Isometry3::translation(0.0, 0.08, 0.0)
}

fn shown(pose: &HandPose, world_from_object: &Isometry3<f64>, rules: &[&str]) -> (Hand, f64) {
    let surface = cube_at_rest();
    let obstacles = [Obstacle { surface: &surface, world_from_object: *world_from_object }];
    let rules = GraspRules::with(rules).unwrap();
    let hand = ShownHand::default().show(&profile(), pose, &rules, &obstacles, 0.0);
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
        // The fingertips are at the skin, not far from it.
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
    // The palm's own y points out of its back, so the block lies below the middle finger's first
    // segment.
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
fn a_palm_stops_only_if_the_rule_says_so() {
    let flat = HandPose { angles: JointAngles::default(), ..pose(1.0) };
    let hand = Hand::new(&profile(), &flat);
    let n = hand.palm.outline.len() as f64;
    let middle = hand.palm.outline.iter().map(|p| p.coords).sum::<Vector3<f64>>() / n;
    // The cube's upper face is a centimetre above the middle of the palm.
    let into = Isometry3::translation(middle.x, middle.y - 0.02, middle.z);
    let (passing, _) = shown(&flat, &into, &["fingers=pass"]);
    assert_eq!(passing.world_from_palm, hand.world_from_palm);
    let (stopped, _) = shown(&flat, &into, &["fingers=pass", "palm=stop"]);
    let surface = cube_at_rest();
    for corner in stopped.palm.outline {
        let skin = surface.nearest(&(into.inverse() * corner), 0.1);
        let gap = skin.map_or(0.1, |skin| skin.distance) - stopped.palm.radius;
        assert!(gap > -3.0 * SKIN, "a corner is {gap} m deep");
    }
}

/// A flat, level hand, and a cube into which it reaches by `deep`; the cube's middle is below the
/// place `along` the middle finger, from knuckle (0) to tip (1).
fn pressed_flat(deep: f64, along: f64) -> (HandPose, Isometry3<f64>) {
    let world_from_wrist = Isometry3::translation(0.0, 0.1, 0.0);
    let flat = HandPose { angles: JointAngles::default(), world_from_wrist };
    let hand = Hand::new(&profile(), &flat);
    let Shape::Cylinder { start, radius, .. } = hand.segments[2][0] else { panic!() };
    let at = start + (hand.fingertips[2].centre - start) * along;
    (flat, Isometry3::translation(at.x, at.y - radius - 0.03 + deep, at.z))
}

#[test]
fn a_straight_finger_that_is_in_the_way_is_bent_back_or_the_hand_stays_outside() {
    for along in [0.0, 0.3, 0.6, 1.0] {
        for deep in [0.001, 0.005, 0.01, 0.02, 0.03] {
            let (flat, world_from_object) = pressed_flat(deep, along);
            let (real, before) = shown(&flat, &world_from_object, &["fingers=pass"]);
            assert!(before > 0.0001, "only {before} m deep: the test says nothing");
            let (hand, after) = shown(&flat, &world_from_object, &[]);
            assert!(after < 0.002, "{along}, {deep} m: still {after} m deep");
            let place = |hand: &Hand| hand.world_from_palm.translation.vector;
            let way = (place(&hand) - place(&real)).norm();
            assert!(way < deep + 0.005, "{along}, {deep} m: the hand is {way} m away");
        }
    }
}

#[test]
fn a_finger_that_can_be_bent_back_leaves_the_hand_where_it_is() {
    let (flat, world_from_object) = pressed_flat(0.01, 1.0);
    let (hand, _) = shown(&flat, &world_from_object, &[]);
    assert_eq!(hand.world_from_palm, Hand::new(&profile(), &flat).world_from_palm);
}

/// Largest distance of a fingertip from one hand to the other.
fn way(a: &Hand, b: &Hand) -> f64 {
    let tips = a.fingertips.iter().zip(&b.fingertips);
    tips.map(|(a, b)| (a.centre - b.centre).norm()).fold(0.0, f64::max)
}

#[test]
fn small_ways_of_the_hand_are_small_ways_of_its_picture() {
    const DT: f64 = 0.01;
    let (surface, world_from_object) = (cube_at_rest(), lifted());
    let obstacles = [Obstacle { surface: &surface, world_from_object }];
    let rules = GraspRules::with(&["palm=stop"]).unwrap();
    let (mut worst, mut n_stopped, mut n_inside, mut n_looks) = (0.0_f64, 0, 0, 0);
    for seed in 0..5 {
        let phase = |i: usize| 1.7 * f64::from(seed) + 2.3 * i as f64;
        let mut shown_hand = ShownHand::default();
        let mut before: Option<(Hand, Hand)> = None;
        for step in 0..400 {
            let time = f64::from(step) * DT;
            let wave = |i: usize, per_second: f64| (per_second * time + phase(i)).sin();
            // Through the cube and out again, closing and opening, turning.
            let mut now = pose(0.6 + 0.6 * wave(0, 1.0));
            let place = Vector3::new(wave(1, 0.8), wave(2, 1.1), wave(3, 0.6)) * 0.05;
            let turn = Vector3::new(wave(4, 0.5), wave(5, 0.4), wave(6, 0.3)) * 0.8;
            let about = lifted().translation;
            let turn = about * UnitQuaternion::from_scaled_axis(turn) * about.inverse();
            now.world_from_wrist = Translation3::from(place) * turn * now.world_from_wrist;
            let real = Hand::new(&profile(), &now);
            let shown = shown_hand.show(&profile(), &now, &rules, &obstacles, time);
            n_looks += 1;
            n_stopped += usize::from(shown.segments != real.segments);
            n_inside += usize::from(deepest(&shown, &surface, &world_from_object) > 0.002);
            let by_itself = before
                .as_ref()
                .map(|(real_before, shown_before)| {
                    way(shown_before, &shown) - way(real_before, &real)
                })
                .unwrap_or_default();
            worst = worst.max(by_itself);
            before = Some((real, shown));
        }
    }
    println!("{n_looks} looks, {n_stopped} stopped, {n_inside} in the skin, {worst} m");
    assert!(n_stopped > 300, "only {n_stopped} of {n_looks} were stopped: the test says nothing");
    assert!(worst < 0.004, "a fingertip moved {worst} m farther than the hand did, in one sample");
    assert_eq!(n_inside, 0, "of {n_looks} pictures have a finger in the skin");
}

#[test]
fn a_hand_that_has_left_is_shown_as_it_is() {
    let (surface, world_from_object) = (cube_at_rest(), lifted());
    let rules = GraspRules::default();
    let mut shown_hand = ShownHand::default();
    let near = [Obstacle { surface: &surface, world_from_object }];
    let mut last = shown_hand.show(&profile(), &pose(1.5), &rules, &near, 0.0);
    let real = Hand::new(&profile(), &pose(1.5));
    assert_ne!(last.segments, real.segments);
    // The thing disappears at once: the fingers close at their own speed, and completely.
    for step in 1..100 {
        let shown = shown_hand.show(&profile(), &pose(1.5), &rules, &[], 0.01 * f64::from(step));
        assert!(way(&last, &shown) < 0.003, "{} m in one sample", way(&last, &shown));
        last = shown;
    }
    assert_eq!(last.segments, real.segments);
}

/// A flat, level hand at this height.
fn level(height: f64) -> HandPose {
    let world_from_wrist = Isometry3::translation(0.0, height, 0.0);
    HandPose { angles: JointAngles::default(), world_from_wrist }
}

/// A level page at height 0, wider than a hand, that faces upwards or downwards.
fn page(faces: f64) -> Isometry3<f64> {
    Isometry3::rotation(Vector3::x() * (-faces * std::f64::consts::FRAC_PI_2))
}

/// The lowest part of a hand: centres of fingertips, joints and corners of the palm.
fn lowest(hand: &Hand) -> f64 {
    let joints = hand.segments.iter().flatten().map(|segment| match *segment {
        Shape::Cylinder { start, end, .. } => start.y.min(end.y),
        Shape::Sphere { centre, .. } => centre.y,
    });
    let tips = hand.fingertips.iter().map(|tip| tip.centre.y);
    let palm = hand.palm.outline.iter().map(|corner| corner.y);
    joints.chain(tips).chain(palm).fold(f64::INFINITY, f64::min)
}

/// The height of a level hand whose middle finger is `deep` below the ground.
fn sunk(deep: f64) -> f64 {
    let hand = Hand::new(&profile(), &level(0.0));
    let Shape::Cylinder { start, radius, .. } = hand.segments[2][0] else { panic!() };
    radius - deep - start.y
}

#[test]
fn a_hand_at_a_page_is_shown_on_its_own_side_whichever_way_the_page_faces() {
    let surface = open_square(0.5);
    for faces in [1.0, -1.0] {
        let world_from_object = page(faces);
        let obstacles = [Obstacle { surface: &surface, world_from_object }];
        let rules = GraspRules::with(&["palm=stop"]).unwrap();
        let pose = level(sunk(0.003));
        let real = Hand::new(&profile(), &pose);
        assert!(deepest(&real, &surface, &world_from_object) > 0.002, "the test says nothing");
        let hand = ShownHand::default().show(&profile(), &pose, &rules, &obstacles, 0.0);
        let depth = deepest(&hand, &surface, &world_from_object);
        assert!(depth < 0.002, "{faces}: still {depth} m deep");
        let way = hand.world_from_palm.translation.y - real.world_from_palm.translation.y;
        assert!((0.0..0.03).contains(&way), "{faces}: it is shown {way} m higher");
        assert!(lowest(&hand) > 0.0, "{faces}: a part is below the page");
    }
}

#[test]
fn a_hand_that_is_pressed_through_a_page_stays_on_its_own_side() {
    const DT: f64 = 0.01;
    let surface = open_square(0.5);
    for faces in [1.0, -1.0] {
        let world_from_object = page(faces);
        let obstacles = [Obstacle { surface: &surface, world_from_object }];
        let rules = GraspRules::with(&["palm=stop"]).unwrap();
        let mut shown_hand = ShownHand::default();
        for step in 0..50 {
            // The hand comes from two centimetres above, and ends two centimetres below.
            let deep = (0.001 * f64::from(step) - 0.02).min(0.02);
            let pose = level(sunk(deep));
            let time = DT * f64::from(step);
            let hand = shown_hand.show(&profile(), &pose, &rules, &obstacles, time);
            let height = lowest(&hand);
            assert!(height > 0.0, "{faces}: {deep} m deep, a part is at {height} m");
        }
    }
}
