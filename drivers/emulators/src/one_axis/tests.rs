//! The device without a terminal: its bytes, and the motion of its finger.

use super::*;

const LOCKSTEP: OneAxisOptions = OneAxisOptions {
    mass: 0.1,
    damping: 0.5,
    period: 1e-3,
    n_delayed: 2,
    claimed_damping: 0.5,
    most_force: 5.0,
    push: Push { steady: 0.0, swing: 0.0, hz: 0.0 },
    pace: OneAxisPace::Lockstep,
};

fn device(options: OneAxisOptions) -> (OneAxis, Instant) {
    let now = Instant::now();
    (OneAxis::new(options, ScriptClock::since(now), now), now)
}

/// 1.5 N: 1 500 000 uN.
const FORCE: [u8; 6] = [0x46, 0x60, 0xE3, 0x16, 0x00, 0x9F];

fn answer(device: &mut OneAxis, now: Instant, bytes: &[u8]) -> Vec<u8> {
    let mut out = SendQueue::ideal();
    device.receive(bytes, now, &mut out);
    out.sendable().to_vec()
}

#[test]
fn a_question_has_a_line_as_its_answer() {
    let (mut device, now) = device(LOCKSTEP);
    let expected = "one-axis 1 mass=0.1 damping=0.5 period=0.001 delay=0.002 force=5 slew=1000\n";
    assert_eq!(answer(&mut device, now, b"?"), expected.as_bytes());
}

#[test]
fn a_force_arrives_after_its_delay_and_moves_the_finger() {
    let (mut device, now) = device(LOCKSTEP);
    for period in 1..=3_u8 {
        let bytes = answer(&mut device, now, &FORCE);
        assert_eq!((bytes.len(), bytes[0], bytes[1]), (8, b'P', period));
        let force = if period > 2 { 1.5 } else { 0.0 };
        assert_eq!(device.feedback().one_axis.force, force);
    }
    // After one period under 1.5 N: nearly f t² / 2m.
    let state = device.feedback().one_axis;
    assert!((state.place / 7.5e-6 - 1.0).abs() < 2e-3, "{state:?}");
    assert!((state.velocity / 0.015 - 1.0).abs() < 3e-3, "{state:?}");
    // It ends at f / b: 3 m/s, but for the end of the axis.
    for _ in 0..1000 {
        answer(&mut device, now, &FORCE);
    }
    assert_eq!(device.feedback().one_axis.place, 0.1);
}

#[test]
fn a_damaged_force_does_nothing_and_the_next_one_counts() {
    let (mut device, now) = device(LOCKSTEP);
    let mut damaged = FORCE;
    damaged[3] ^= 4;
    assert_eq!(answer(&mut device, now, &damaged), []);
    assert_eq!(answer(&mut device, now, &[b"noise".as_slice(), &FORCE].concat()).len(), 8);
}

#[test]
fn by_its_own_clock_a_place_is_due_in_every_period_and_the_motor_lets_go_of_a_silent_host() {
    let pace = OneAxisPace::OwnClock;
    let (mut device, now) = device(OneAxisOptions { pace, n_delayed: 0, ..LOCKSTEP });
    assert_eq!(answer(&mut device, now, &FORCE), []);
    let mut out = SendQueue::ideal();
    let mut held = 0;
    for _ in 0..200 {
        let due = device.next_due().expect("always");
        device.emit(due, &mut out);
        held += usize::from(device.feedback().one_axis.force > 0.0);
    }
    assert_eq!((device.feedback().one_axis.n_periods, held), (200, PATIENCE as usize));
    // A thread that ran late lets the finger go on.
    let due = device.next_due().expect("always");
    device.emit(due + std::time::Duration::from_millis(10), &mut out);
    assert_eq!(device.feedback().one_axis.n_periods, 211);
}
