//! Time: fixed substeps, shapes that move within them, and pauses that are counted.

use engine::SolverLocation;
use nalgebra::{Isometry3, Vector3};
use physics::{KnownDisplacement, NodeId, Outcome, Proxy, ProxyId, Shape, SurfaceFrame, Touch};

use crate::solver_links::{
    Solved, bits, displacement, fingertip, resources, script, server, stepper, touch, url,
};

#[test]
fn the_same_time_in_other_strides_gives_the_same_motion() {
    let free = |i: u64, time: f64| Touch { proxies: Vec::new(), ..touch(i, time) };
    let (mut quick, mut slow) = (stepper(), stepper());
    let mut frames: Vec<SurfaceFrame> = Vec::new();
    for i in 0..=100 {
        // A quarter of a substep early or late, as touches of real devices come.
        let jitter = if i % 10 == 0 { 0.0 } else { 0.25e-3 * f64::from(i % 3) - 0.25e-3 };
        frames.push(quick.step(&free(2 * i as u64, 0.005 * f64::from(i) + jitter)));
    }
    for i in 0..=10 {
        let frame = slow.step(&free(20 * i, 0.05 * i as f64));
        assert_eq!(bits(&frame), bits(&frames[10 * i as usize]), "at {} s", 0.05 * i as f64);
    }
    let last = frames.last().unwrap();
    assert!(displacement(last).y < -0.01, "gravity has pulled it down: {}", displacement(last));
}

#[test]
fn shapes_move_within_a_stride() {
    // Seldom touches of a moving fingertip push nearly as often ones do.
    let run = |n: u64, dt: f64| {
        let mut stepper = stepper();
        (0..=n).map(|i| stepper.step(&touch(i + 1, dt * i as f64))).last().unwrap()
    };
    let often = displacement(&run(560, 1e-3));
    let seldom = displacement(&run(28, 20e-3));
    assert!(often.x < -2e-3, "it is pushed aside: {often}");
    assert!((seldom - often).norm() < 0.01 * often.norm(), "{seldom} is not {often}");
}

#[test]
fn long_pauses_are_counted_and_not_made_up_for() {
    let touches = script(20);
    let mut stepper = stepper();
    assert!(touches.iter().all(|touch| stepper.step(touch).history.n_shortened == 0));
    let before = stepper.snapshot();
    let late = Touch { time: 60.0, ..touch(21, 0.21) };
    let frame = stepper.step(&late);
    assert_eq!(frame.history.n_shortened, 1);
    let after = stepper.snapshot();
    let n_steps = after.matter.integers[0] - before.matter.integers[0];
    assert!((99..=101).contains(&n_steps), "{n_steps} substeps in a tenth of a second");
    let reached = after.origin.unwrap() + 1e-3 * after.n_substeps as f64;
    assert!((reached - 60.0).abs() < 2e-3, "{reached} s");
    assert_eq!(stepper.step(&Touch { time: 60.01, ..touch(22, 0.0) }).history.n_shortened, 1);
}

#[test]
fn matter_at_rest_misses_no_time() {
    let mut stepper = stepper();
    let free = |i: u64, time: f64| Touch { proxies: Vec::new(), ..touch(i, time) };
    // Long after the last swing.
    let n = 1500;
    let still = (1..=n).map(|i| stepper.step(&free(i, 0.01 * i as f64))).last().unwrap();
    assert!(!still.report.is_moving);
    let later = stepper.step(&free(n + 1, 0.01 * n as f64 + 5.0));
    assert_eq!((later.history.n_shortened, later.report.is_moving), (0, false));
    // Neither does a touch within a substep make it move.
    let soon = stepper.step(&free(n + 2, 0.01 * n as f64 + 5.0001));
    assert!(!soon.report.is_moving);
    // Turned over after a pause, it begins to fall: it has not been falling all the while.
    let end = 0.01 * n as f64 + 60.0;
    let turn = Isometry3::rotation(Vector3::x() * std::f64::consts::PI);
    let turned = stepper.step(&Touch { world_from_object: turn, ..free(n + 3, end) });
    let moved = displacement(&turned) - displacement(&still);
    assert!(turned.report.is_moving && (1e-6..1e-4).contains(&moved.norm()), "{moved}");
}

#[test]
fn fields_of_resting_matter_come_when_they_are_asked_for() {
    let mut stepper = stepper();
    let free =
        |i: u64, time: f64| Touch { proxies: Vec::new(), wants_fields: false, ..touch(i, time) };
    let n = 1500;
    let still = (1..=n).map(|i| stepper.step(&free(i, 0.01 * i as f64))).last().unwrap();
    let before = stepper.snapshot();
    let asked = Touch { wants_fields: true, ..free(n, 0.01 * n as f64) };
    let frame = stepper.step(&asked);
    assert!(frame.field("speed").is_some());
    assert_eq!((frame.positions, stepper.snapshot()), (still.positions, before));
}

#[test]
fn a_refused_touch_does_not_stop_time() {
    let mut stepper = stepper();
    stepper.step(&touch(1, 0.0));
    stepper.step(&touch(2, 0.01));
    let known = vec![KnownDisplacement::whole(NodeId(0), Vector3::zeros())];
    let refused = stepper.step(&Touch { known, ..touch(3, 0.02) });
    assert!(matches!(refused.report.outcome, Outcome::Refused(_)) && refused.report.is_moving);
    let mut other = super::solver_links::stepper();
    let expected = [1, 2, 4].map(|i| other.step(&touch(i, 0.01 * (i - 1) as f64)));
    assert_eq!(bits(&stepper.step(&touch(4, 0.03))), bits(&expected[2]));
}

#[test]
fn matter_reports_when_it_has_come_to_rest() {
    let mut stepper = stepper();
    let free = |i: u64| Touch { proxies: Vec::new(), ..touch(i, 0.01 * i as f64) };
    let n = (1..2000).find(|&i| !stepper.step(&free(i)).report.is_moving).unwrap();
    assert!((100..1000).contains(&n), "after {n} touches");
    // It hangs where the spring holds its weight.
    let frame = stepper.step(&free(n + 1));
    assert!((displacement(&frame).y + 0.2 * 9.806_65 / 60.0).abs() < 1e-5);
}

/// A fingertip of the left hand, from the other side.
fn left(time: f64) -> Proxy {
    let mut proxy = fingertip(time);
    proxy.id = ProxyId { hand: 0, ..proxy.id };
    if let Shape::Sphere { centre, .. } = &mut proxy.shape {
        centre.x = -centre.x;
    }
    proxy
}

/// No hand, a hand that rests against it, two hands that move: time passes alike behind every link.
#[test]
fn time_passes_alike_whatever_hands_do_embedded_and_remote() {
    let server = server(0);
    let solvers = [SolverLocation::Embedded(resources()), SolverLocation::Remote(url(&server))];
    let hands: [fn(f64) -> Vec<Proxy>; 3] =
        [|_| Vec::new(), |_| vec![fingertip(0.5)], |time| vec![fingertip(time), left(time + 0.2)]];
    for hands in hands {
        let touches: Vec<Touch> = (1..=80)
            .map(|i| Touch { proxies: hands(0.01 * i as f64), ..touch(i, 0.01 * i as f64) })
            .collect();
        let mut here = stepper();
        let expected: Vec<_> = touches.iter().map(|touch| here.step(touch)).collect();
        let farthest = expected.iter().map(|frame| displacement(frame).norm()).fold(0.0, f64::max);
        assert!(farthest > 0.01, "it moves: {farthest} m");
        for solvers in &solvers {
            let mut solved = Solved::by(solvers);
            for (touch, expected) in touches.iter().zip(&expected) {
                let frame = solved.step(touch);
                assert_eq!(bits(&frame), bits(expected), "{:?}", touch.sample);
                assert_eq!(frame.report, expected.report);
            }
        }
    }
}
