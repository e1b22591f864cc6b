//! A one-axis device on a pseudo-terminal: a finger with mass and damping, a motor that holds its
//! force and is late, and the loop of force feedback at the other end of the line.
//!
//! The device passes a period as each force arrives, so the numbers are the same on every machine.

use std::time::{Duration, Instant};

use drivers::{KinaestheticDevice, OneAxis};
use emulators::{
    Emulator, OneAxisEmulator, OneAxisOptions, OneAxisPace, PlugName, Push, ScriptClock,
};
use haptics::{
    CouplingRule, DeviceAxes, DeviceLoop, DevicePlacement, FingerFelt, HandFelt, LinearContact,
    LoopSettings,
};
use nalgebra::{Matrix3, Point3, UnitQuaternion, Vector3};

use crate::harness::{DEADLINE, at_once, line, until};

const PERIOD: Duration = Duration::from_millis(1);

fn emulator(options: OneAxisOptions) -> Emulator {
    let clock = ScriptClock::since(Instant::now());
    OneAxisEmulator::start_on(&line(&[]), options, clock).unwrap()
}

/// A finger that a person presses with 0.5 N, in lockstep.
fn pressed(n_delayed: usize) -> OneAxisOptions {
    let push = Push { steady: -0.5, swing: 0.0, hz: 0.0 };
    OneAxisOptions { n_delayed, push, pace: OneAxisPace::Lockstep, ..OneAxisOptions::default() }
}

fn placement() -> DevicePlacement {
    DevicePlacement { finger: 1, axes: DeviceAxes::Fixed(UnitQuaternion::identity()) }
}

/// A wall at x = 0 that is nearly rigid: only the coupling gives way.
fn wall() -> LinearContact {
    LinearContact {
        place: Point3::origin(),
        force: Vector3::zeros(),
        normal: Vector3::x(),
        friction: 0.5,
        stiffness: Matrix3::identity() * 1e6,
    }
}

/// What a run shows: the way of the finger in its second and in its last quarter, its last place,
/// and whether the loop found itself active.
#[derive(Debug)]
struct Run {
    ways: [f64; 2],
    place: f64,
    was_active: bool,
}

/// Presses the finger against the wall for some periods. A hand and a solver with 100 samples a
/// second tell the loop where the finger is, and of the wall.
fn run(looped: &mut DeviceLoop<OneAxis>, n: usize) -> Run {
    let start = Instant::now();
    let mut felt = None;
    let mut ranges = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    let mut was_active = false;
    for step in 0..n {
        let now = start + PERIOD * step as u32;
        let (sampled, tip) = looped.newest().unwrap_or((now, Point3::origin()));
        let place = tip.x;
        if step.is_multiple_of(10) {
            let finger = FingerFelt { tip, model: wall(), framed: Some(now), ..FingerFelt::NONE };
            felt = Some(HandFelt { fingers: [finger; 5], sampled });
        }
        was_active |= looped.turn(felt.as_ref(), now, DEADLINE).unwrap().is_active;
        let quarter = [n / 4..n / 2, 3 * n / 4..n].iter().position(|q| q.contains(&step));
        if let Some([low, high]) = quarter.map(|at| &mut ranges[at]) {
            (*low, *high) = (low.min(place), high.max(place));
        }
    }
    let place = looped.newest().unwrap().1.x;
    Run { ways: ranges.map(|[low, high]| high - low), place, was_active }
}

#[test]
fn a_finger_rests_at_a_wall_as_stiff_as_the_device_allows() {
    at_once(&[0, 1, 5, 10], |&n_delayed| {
        let emulator = emulator(pressed(n_delayed));
        let mut device = DeviceLoop::new(OneAxis::open(emulator.path()).unwrap(), placement());
        let device = device.as_mut().unwrap();
        let rule = CouplingRule {
            damping: 0.5,
            rendered_damping: 0.0,
            period: 1e-3,
            delay: 1e-3 * n_delayed as f64,
        };
        let coupling = device.finger().settings().coupling;
        assert!((coupling / (0.8 * rule.largest_stiffness()) - 1.0).abs() < 1e-9);
        let run = run(device, 12_000);
        println!("delay {n_delayed}: {coupling:.1} N/m, {run:?}");
        let expected = -0.5 / coupling;
        // A fifth of the damping is left: the ringing of the first touch dies away within seconds.
        assert!(run.ways[1] < 0.3 * run.ways[0] && !run.was_active, "{n_delayed}: {run:?}");
        assert!((run.place / expected - 1.0).abs() < 0.02, "{n_delayed}: {run:?}");
    });
}

#[test]
fn beyond_the_bound_it_rings_and_within_it_the_ringing_dies_away() {
    // Limits of 1000.83 and 91.33 N/m, by the exact motion of the finger.
    at_once(&[(0, 1000.83), (5, 91.33)], |&(n_delayed, limit)| {
        let ways = [0.75, 1.5].map(|share| {
            let emulator = emulator(pressed(n_delayed));
            let device = OneAxis::open(emulator.path()).unwrap();
            // The loop must believe that the device takes all energy, or its net would help.
            let settings = LoopSettings {
                coupling: share * limit,
                damping: 1e6,
                ..LoopSettings::from(device.profile())
            };
            let mut looped = DeviceLoop::with(device, placement(), settings).unwrap();
            run(&mut looped, 8000).ways
        });
        println!("delay {n_delayed}: {ways:?}");
        let [within, beyond] = ways;
        assert!(within[1] < 0.1 * within[0], "{n_delayed}: {within:?}");
        assert!(beyond[1] > 0.5 * beyond[0] && beyond[1] > 10.0 * within[1], "{beyond:?}");
    });
}

#[test]
fn the_net_bounds_the_ringing_of_a_device_that_claims_too_much_damping() {
    let of = |claimed_damping: f64, has_net: bool| {
        let push = Push { steady: -3.0, swing: 0.0, hz: 0.0 };
        let emulator = emulator(OneAxisOptions { claimed_damping, push, ..pressed(0) });
        let device = OneAxis::open(emulator.path()).unwrap();
        let mut settings = LoopSettings::from(device.profile());
        // What the net counts with: the device's true damping, or more than it can have.
        settings.damping = if has_net { 0.5 } else { 1e6 };
        let mut looped = DeviceLoop::with(device, placement(), settings).unwrap();
        run(&mut looped, 8000)
    };
    // 2.2 times what the finger's damping allows.
    let claimed = 0.5 * 2.2 / CouplingRule::SHARE;
    let [bare, caught] = [of(claimed, false), of(claimed, true)];
    println!("without the net {bare:?}, with it {caught:?}");
    assert!(!bare.was_active && caught.was_active);
    assert!(caught.ways[1] < 0.5 * bare.ways[1], "{caught:?} {bare:?}");
}

#[test]
fn the_force_ends_with_the_driver_and_a_device_that_is_gone_is_an_error() {
    let mut emulator = emulator(pressed(0));
    let mut looped = DeviceLoop::new(OneAxis::open(emulator.path()).unwrap(), placement()).unwrap();
    until("the finger feels the wall", || {
        run(&mut looped, 50);
        emulator.feedback().one_axis.force > 0.1
    });
    drop(looped);
    until("the finger is free", || emulator.feedback().one_axis.force == 0.0);
    let mut looped = DeviceLoop::new(OneAxis::open(emulator.path()).unwrap(), placement()).unwrap();
    run(&mut looped, 10);
    emulator.unplug();
    let now = Instant::now();
    until("the loss shows", || looped.turn(None, now, Duration::ZERO).is_err());
    drop(looped);
    emulator.plug_in(PlugName::Same).unwrap();
    assert_eq!(OneAxis::open(emulator.path()).unwrap().profile().mass, 0.1);
}

#[test]
fn a_device_with_a_clock_of_its_own_sends_a_place_in_every_period() {
    let emulator = emulator(OneAxisOptions { pace: OneAxisPace::OwnClock, ..pressed(0) });
    let mut device = OneAxis::open(emulator.path()).unwrap();
    let force = Vector3::new(0.7, 0.0, 0.0);
    until("the finger feels the force", || {
        device.push(&force).unwrap();
        device.newest_place(PERIOD).unwrap();
        emulator.feedback().one_axis.force == 0.7
    });
    assert!(device.newest_place(DEADLINE).unwrap().is_some());
    assert_eq!(device.counts().dropped_bytes, 0);
}
