//! The loop against a finger with mass and damping, moved exactly under forces that are held:
//! where theory says that it becomes unstable, and that it is stable at the coupling it chooses.

#![allow(clippy::print_stdout, reason = "the values beside the references")]

use std::collections::VecDeque;

use haptics::{CouplingRule, FingerLoop, ForceLimits, LinearContact, LoopSettings, Position};
use nalgebra::{Matrix3, Point3, Vector3};

const T: f64 = 1e-3;
const MASS: f64 = 0.1;
const DAMPING: f64 = 0.5;

/// Finger on an axis, pushed by a constant force of the person.
struct Finger {
    place: f64,
    velocity: f64,
    push: f64,
    /// Forces on their way to the finger, oldest first.
    delayed: VecDeque<f64>,
}

impl Finger {
    fn new(delay: usize, push: f64) -> Self {
        Self { place: 0.0, velocity: 0.0, push, delayed: vec![0.0; delay].into() }
    }

    /// Holds the force that arrives now for a period; exact for `m x'' + b x' = f`.
    fn advance(&mut self, sent: f64) {
        self.delayed.push_back(sent);
        let force = self.push + self.delayed.pop_front().expect("just put in");
        let decay = (-DAMPING * T / MASS).exp();
        let last = force / DAMPING;
        self.place += last * T + (self.velocity - last) * (1.0 - decay) * MASS / DAMPING;
        self.velocity = last + (self.velocity - last) * decay;
    }
}

/// Growth of a small oscillation on a spring in `n` periods, per period.
fn growth(stiffness: f64, delay: usize, n: usize) -> f64 {
    let mut finger = Finger::new(delay, 0.0);
    finger.velocity = 1e-3;
    let mut amplitudes = [0.0_f64; 2];
    for step in 0..n {
        let sent = -stiffness * finger.place;
        finger.advance(sent);
        let late = step >= n - n / 4;
        let early = step >= n / 4 && step < n / 2;
        let amplitude = finger.place.abs().max(finger.velocity.abs() * T);
        if late || early {
            let which = &mut amplitudes[usize::from(late)];
            *which = which.max(amplitude);
        }
        if amplitude > 1e6 {
            return 2.0;
        }
    }
    (amplitudes[1] / amplitudes[0]).powf(2.0 / n as f64)
}

/// Stiffness at which an oscillation neither grows nor dies away.
fn limit(delay: usize) -> f64 {
    let (mut stable, mut unstable) = (1.0, 2000.0);
    for _ in 0..60 {
        let middle = 0.5 * (stable + unstable);
        if growth(middle, delay, 60_000) < 1.0 {
            stable = middle;
        } else {
            unstable = middle;
        }
    }
    stable
}

#[test]
fn a_sampled_spring_becomes_unstable_just_beyond_the_rule() {
    for (delay, expected) in [(0, 1000.83), (1, 333.80), (5, 91.33), (10, 48.03)] {
        let limit = limit(delay);
        let rule = CouplingRule {
            damping: DAMPING,
            rendered_damping: 0.0,
            period: T,
            delay: delay as f64 * T,
        };
        let bound = rule.largest_stiffness();
        println!("delay {delay}: unstable above {limit:.2} N/m ({expected}), rule {bound:.2}");
        assert!((limit / expected - 1.0).abs() < 1e-4, "{delay}: {limit}");
        assert!(bound < limit && bound > 0.99 * limit, "{delay}: {bound} of {limit}");
    }
}

fn settings(delay: usize) -> LoopSettings {
    LoopSettings {
        period: T,
        delay: delay as f64 * T,
        damping: DAMPING,
        mass: MASS,
        limits: ForceLimits { force: 50.0, slew: 1e6 },
        coupling: 0.0,
    }
    .coupled()
}

/// A wall that is nearly rigid: only the coupling gives way.
fn wall() -> LinearContact {
    LinearContact {
        place: Point3::origin(),
        force: Vector3::zeros(),
        normal: Vector3::x(),
        friction: 0.5,
        stiffness: Matrix3::identity() * 1e6,
    }
}

/// Runs a finger that is pressed against the wall with a force. Returns the way of the finger in
/// the second half, its last place, and whether the loop found itself active.
fn press(settings: LoopSettings, delay: usize, force: f64, n: usize) -> (f64, f64, bool) {
    let mut finger = Finger::new(delay, -force);
    let mut device = FingerLoop::new(settings);
    device.take(&wall());
    let (mut low, mut high, mut was_active) = (f64::INFINITY, f64::NEG_INFINITY, false);
    for step in 0..n {
        let place = Point3::new(finger.place, 0.0, 0.0);
        let position = Position::at(place);
        let output = device.step(Some(&position), 0.0);
        was_active |= output.is_active;
        finger.advance(output.force.x);
        if step > n / 2 {
            (low, high) = (low.min(finger.place), high.max(finger.place));
        }
    }
    (high - low, finger.place, was_active)
}

#[test]
fn a_finger_comes_to_rest_at_a_wall_with_the_coupling_that_the_loop_chooses() {
    for delay in [0, 1, 5, 10] {
        let settings = settings(delay);
        let (way, place, was_active) = press(settings, delay, 0.5, 20_000);
        assert!(!was_active, "{delay}: it rests without the net");
        let expected = -0.5 / settings.coupling;
        println!("delay {delay}: rests at {:.3} mm, +-{:.1e} mm", 1e3 * place, 1e3 * way);
        assert!(way < 0.05 * expected.abs(), "{delay}: {way}");
        assert!((place / expected - 1.0).abs() < 1e-3, "{delay}: {place}, {expected}");
    }
}

#[test]
fn beyond_the_bound_a_finger_rings_and_the_net_makes_the_ringing_smaller() {
    let delay = 0;
    // More than twice what the damping allows.
    let stiff = LoopSettings { coupling: 2.2 * 1000.83, ..settings(delay) };
    let (way, _, was_active) = press(stiff, delay, 3.0, 20_000);
    assert!(was_active);
    // Without the net: a device of which the loop believes that it takes all energy.
    let blind = LoopSettings { damping: 1e6, ..stiff };
    let (wild, _, was_seen) = press(blind, delay, 3.0, 20_000);
    println!("rings over {:.1} mm, without the net {:.1} mm", 1e3 * way, 1e3 * wild);
    assert!(!was_seen && wild > 2.0 * way, "{wild} {way}");
}
