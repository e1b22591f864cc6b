//! Tests with scripted hands around a cube of 6 cm.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use physics::Shape;

use super::*;
use crate::collision::contact::tests::cube_at_rest;
use crate::hand::Palm;

/// Four fingers on the left of the cube and the thumb on its right, all `gap` from its skin.
fn hand(gap: f64, world_from_palm: Isometry3<f64>) -> Hand {
    hand_with([gap; 5], world_from_palm)
}

fn hand_with(gaps: [f64; 5], world_from_palm: Isometry3<f64>) -> Hand {
    const RADIUS: f64 = 0.007;
    let z = [0.0, 0.02, 0.0, -0.01, -0.02];
    let fingertips = std::array::from_fn(|i| {
        let side = if i == 0 { 1.0 } else { -1.0 };
        let centre = Point3::new(side * (0.03 + RADIUS + gaps[i]), 0.0, z[i]);
        Fingertip { centre: world_from_palm * centre, radius: RADIUS }
    });
    let bone = Shape::Cylinder { start: Point3::origin(), end: Point3::origin(), radius: RADIUS };
    Hand {
        segments: [[bone; 3]; 5],
        fingertips,
        palm: Palm { outline: [Point3::origin(); 6], radius: 0.01 },
        world_from_palm,
    }
}

struct Script {
    grasp: Grasp,
    surface: TouchableSurface,
    time: f64,
    states: Vec<GraspState>,
}

impl Script {
    fn new() -> Self {
        Self {
            grasp: Grasp::new(GraspRules::default(), Isometry3::identity()),
            surface: cube_at_rest(),
            time: 0.0,
            states: Vec::new(),
        }
    }

    fn show(&mut self, hand: &Hand) {
        self.time += 0.01;
        if let Some(transition) = self.grasp.update(hand, self.time, &self.surface) {
            assert!(!transition.reason.is_empty());
            self.states.push(transition.to);
        }
    }

    fn known(&self, hand: &Hand) -> Vec<KnownDisplacement> {
        let mut known = Vec::new();
        self.grasp.fill_known_displacements(hand, &mut known);
        known
    }

    fn close_on_it(&mut self) {
        for gap in [0.02, 0.01, 0.001, -0.001, -0.001, -0.001] {
            self.show(&hand(gap, Isometry3::identity()));
        }
    }
}

#[test]
fn closing_takes_and_deforms_opening_releases() {
    use GraspState::*;
    let mut script = Script::new();
    script.close_on_it();
    assert_eq!(script.states, [Touching, Attached, Deforming]);
    for gap in [0.001, 0.004, 0.02] {
        script.show(&hand(gap, Isometry3::identity()));
    }
    assert_eq!(script.states[3..], [Releasing]);
    for _ in 0..60 {
        script.show(&hand(0.02, Isometry3::identity()));
    }
    assert_eq!(script.states[4..], [Approach]);
}

#[test]
fn two_fingers_are_not_enough_to_take_it() {
    let mut script = Script::new();
    for _ in 0..5 {
        script.show(&hand_with([0.02, -0.001, -0.001, 0.02, 0.02], Isometry3::identity()));
    }
    assert_eq!(script.states, [GraspState::Touching]);
    assert_eq!(script.grasp.reason(), "index and middle touch");
    assert!(script.known(&hand(0.0, Isometry3::identity())).is_empty());
}

#[test]
fn pressing_in_is_the_known_displacement() {
    let mut script = Script::new();
    script.close_on_it();
    let pressed = hand(-0.005, Isometry3::identity());
    script.show(&pressed);
    let known = script.known(&pressed);
    assert_eq!(known.len(), 5);
    assert!(known.is_sorted_by_key(|k| k.node));
    for k in known {
        // From a gap of -1 mm to -5 mm, towards the middle of the cube.
        assert!((k.vector().norm() - 0.004).abs() < 1e-12);
        assert!(k.vector().y == 0.0 && k.vector().z == 0.0);
    }
}

#[test]
fn carrying_the_object_adds_no_strain() {
    let mut script = Script::new();
    script.close_on_it();
    for i in 0..20 {
        let turn = Vector3::new(0.02, -0.03, 0.01) * f64::from(i);
        let world_from_palm = Isometry3::new(Vector3::new(0.0, 0.003, 0.001) * f64::from(i), turn);
        let carried = hand(-0.001, world_from_palm);
        script.show(&carried);
        assert_eq!(script.grasp.state(), GraspState::Deforming);
        for k in script.known(&carried) {
            assert!(k.vector().norm() < 1e-12);
        }
        assert!(
            (script.grasp.world_from_object().inverse() * world_from_palm)
                .translation
                .vector
                .norm()
                < 1e-12
        );
    }
}

#[test]
fn a_trembling_finger_does_not_flicker() {
    let mut script = Script::new();
    script.close_on_it();
    let before = script.states.len();
    for i in 0..200 {
        let tremble = if i % 2 == 0 { 0.001 } else { -0.002 };
        script.show(&hand(tremble, Isometry3::identity()));
    }
    assert_eq!(script.states.len(), before);
}

#[test]
fn a_released_object_returns_to_its_place() {
    let mut script = Script::new();
    script.close_on_it();
    let lifted = Isometry3::translation(0.0, 0.05, 0.0);
    script.show(&hand(-0.001, lifted));
    script.show(&hand(0.02, lifted));
    assert_eq!(script.grasp.state(), GraspState::Releasing);
    let mut last_height = f64::INFINITY;
    for _ in 0..60 {
        script.show(&hand(0.02, lifted));
        let height = script.grasp.world_from_object().translation.y;
        assert!(height <= last_height, "it never jumps back up");
        last_height = height;
    }
    assert_eq!(*script.grasp.world_from_object(), Isometry3::identity());
}

#[test]
fn a_finger_that_opens_does_not_take_what_it_pulled_along() {
    let mut script = Script::new();
    script.close_on_it();
    let held = script.known(&hand(0.0, Isometry3::identity())).len();
    // The thumb opens by more than the release gap, but the skin has come along and still touches.
    let opening = hand_with([0.0031, -0.001, -0.001, -0.001, -0.001], Isometry3::identity());
    script.surface = pulled_right(0.004);
    for _ in 0..3 {
        script.show(&opening);
        assert_eq!(script.known(&opening).len(), held - 1);
    }
}

#[test]
fn deforming_again_begins_at_rest() {
    let mut script = Script::new();
    // The pinkie comes late, when the skin under it is already displaced.
    let rules = GraspRules { deform_with: 4, keep_deforming_with: 4, ..GraspRules::default() };
    script.grasp = Grasp::new(rules, Isometry3::identity());
    let late =
        |pinkie: f64| hand_with([-0.001, -0.001, -0.001, -0.001, pinkie], Isometry3::identity());
    for gap in [0.02, 0.001] {
        script.show(&hand(gap, Isometry3::identity()));
    }
    for _ in 0..3 {
        script.show(&late(0.02));
    }
    script.surface = pulled_right(0.002);
    script.show(&late(-0.003));
    assert_eq!(script.known(&late(-0.003)).len(), 5);
    // Two fingers open: too few to deform, enough to hold on. Then they return.
    let opened = hand_with([0.01, -0.001, -0.001, -0.001, -0.003], Isometry3::identity());
    let fewer = hand_with([0.01, 0.01, -0.001, -0.001, -0.003], Isometry3::identity());
    script.surface = cube_at_rest();
    for hand in [&opened, &fewer] {
        script.show(hand);
    }
    assert_eq!(script.grasp.state(), GraspState::Attached);
    for _ in 0..3 {
        script.show(&late(-0.003));
    }
    assert_eq!(script.grasp.state(), GraspState::Deforming);
    for known in script.known(&late(-0.003)) {
        assert!(known.vector().norm() < 1e-12, "{:?} jumps", known.node);
    }
}

#[test]
fn an_object_that_finds_its_own_contacts_is_never_taken() {
    let mut script = Script::new();
    let mut frame = (**script.surface.frame()).clone();
    let mut topology = (*frame.topology).clone();
    topology.grip = Grip::Contact;
    frame.topology = std::sync::Arc::new(topology);
    script.surface = TouchableSurface::new(std::sync::Arc::new(frame));
    script.close_on_it();
    assert!(script.states.is_empty());
    assert!(script.known(&hand(-0.005, Isometry3::identity())).is_empty());
}

/// The cube's surface, moved to the right as a whole.
fn pulled_right(distance: f32) -> TouchableSurface {
    let mut surface = cube_at_rest();
    let mut frame = (**surface.frame()).clone();
    for x in Arc::make_mut(&mut frame.positions) {
        x[0] += distance;
    }
    surface.update(std::sync::Arc::new(frame));
    surface
}

/// The same hand with fingers bent by `degrees` from the palm to their tips.
fn bent(gap: f64, degrees: f64) -> Hand {
    let mut hand = hand(gap, Isometry3::identity());
    let along = Vector3::new(degrees.to_radians().sin(), 0.0, -degrees.to_radians().cos());
    for segments in &mut hand.segments[1..] {
        let (start, radius) = (Point3::origin(), 0.007);
        segments[2] = Shape::Cylinder { start, end: start + along * 0.02, radius };
    }
    hand
}

/// Fingers that took the object while they were open never get farther outside of where they
/// touched.
#[test]
fn a_hand_that_closed_and_is_as_open_again_lets_go() {
    let mut script = Script::new();
    (0..4).for_each(|_| script.show(&bent(-0.001, 70.0)));
    assert_eq!(script.grasp.state(), GraspState::Deforming);
    // Closing a little and opening again is squeezing.
    for degrees in [85.0, 70.0, 100.0, 73.0] {
        script.show(&bent(-0.001, degrees));
        assert_eq!(script.grasp.state(), GraspState::Deforming, "at {degrees} degrees");
    }
    script.show(&bent(-0.001, 70.0));
    assert_eq!(script.states.last(), Some(&GraspState::Releasing));
}

#[test]
fn the_reason_for_not_deforming_is_given() {
    let mut script = Script::new();
    for _ in 0..4 {
        script.show(&hand_with([0.02, -0.001, -0.001, -0.001, 0.02], Isometry3::identity()));
    }
    assert_eq!(script.grasp.state(), GraspState::Attached);
    assert_eq!(script.grasp.reason(), "3 of 5 fingertips hold on, without thumb and pinkie");
}
