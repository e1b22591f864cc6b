//! Tests of the emulated glove with lines of the alpha encoding, without a terminal.

use std::time::Duration;

use super::*;
use crate::device_event::Vibration;

fn glove(options: LucidGloveOptions, hand: HandState) -> (LucidGlove, Instant) {
    let now = Instant::now();
    (LucidGlove::new(options, Motion::held(hand), ScriptClock::since(now), now), now)
}

const QUIET: LucidGloveOptions = LucidGloveOptions {
    keys: LucidKeys::Curls,
    is_right_hand: true,
    full_scale: 4095,
    stream_hz: 100.0,
    streams_at_power_up: false,
};

fn hand(angles_deg: &[(usize, f64)]) -> HandState {
    let mut hand = HandState::FLAT;
    for (bit, angle_deg) in angles_deg {
        hand.angles_deg[*bit] = *angle_deg;
    }
    hand
}

fn check(keys: LucidKeys, hand: HandState, want: &str) {
    let (glove, _) = glove(LucidGloveOptions { keys, ..QUIET }, hand);
    assert_eq!(glove.line(&hand), want);
}

#[test]
fn lines_have_the_keys_of_the_encoding() {
    check(LucidKeys::Curls, HandState::FLAT, "A0B0C0D0E0F2047G2047\n");
    // A finger with all joints fully bent is at full scale; with all half bent, at half scale.
    let bent = hand(&[(4, 90.0), (5, 100.0), (6, 80.0), (16, 45.0), (17, 50.0), (18, 40.0)]);
    check(LucidKeys::Curls, bent, "A0B4095C0D0E2048F2047G2047\n");
    let spread = hand(&[(11, 17.5), (15, -35.0)]);
    check(
        LucidKeys::CurlsAndSplays,
        spread,
        "A0B0C0D0E0(AB)2048(BB)3071(CB)2048(DB)0(EB)0F2047G2047\n",
    );
    let joint = hand(&[(5, 50.0)]);
    let line = glove(LucidGloveOptions { keys: LucidKeys::Joints, ..QUIET }, joint).0.line(&joint);
    assert!(line.contains("(BAA)0(BAB)2048(BAC)0(CAA)0"), "{line}");
}

#[test]
fn a_fist_grabs_and_two_fingers_pinch() {
    let motion = |name| Motion::named(name).unwrap().state_at(2.25);
    let (glove, _) = glove(QUIET, HandState::FLAT);
    assert!(glove.line(&motion("fist")).ends_with("L\n"));
    assert!(glove.line(&motion("pinch")).ends_with("M\n"));
    assert!(glove.line(&motion("flat")).ends_with("G2047\n"));
}

#[test]
fn the_stream_starts_and_stops_by_command() {
    let (mut glove, start) = glove(QUIET, HandState::FLAT);
    let mut out = SendQueue::ideal();
    glove.emit(start, &mut out);
    assert_eq!(out.take(), GREETING);
    assert_eq!(glove.next_due(), None);
    glove.receive(b"(ZA)\n", start, &mut out);
    glove.emit(start, &mut out);
    assert_eq!(out.take(), b"A0B0C0D0E0F2047G2047\n");
    let due = glove.next_due().expect("it streams");
    assert_eq!(due, start + Duration::from_millis(10));
    glove.receive(b"(ZZ)", start, &mut out);
    assert_eq!(glove.next_due(), None);
    glove.receive(b"Z\n", start, &mut out);
    assert_eq!(out.take(), b"Z(ZV)1(ZG)1(ZH)1\n");
}

#[test]
fn it_streams_from_the_start_and_greets_first() {
    let (mut glove, start) = glove(LucidGloveOptions::default(), HandState::FLAT);
    let mut out = SendQueue::ideal();
    assert_eq!(glove.next_due(), Some(start));
    glove.emit(start, &mut out);
    let said = out.take();
    assert!(said.starts_with(GREETING) && said.ends_with(b"G2047\n"));
    glove.happen(DeviceEvent::PowerCycle, start + Duration::from_secs(1), &mut out);
    glove.emit(start + Duration::from_secs(1), &mut out);
    assert!(out.take().starts_with(GREETING));
}

#[test]
fn forces_and_vibrations_are_remembered() {
    let (mut glove, now) = glove(QUIET, HandState::FLAT);
    let mut out = SendQueue::ideal();
    glove.receive(b"A0B100C20", now, &mut out);
    assert_eq!(glove.feedback().forces, None, "the line has not ended");
    glove.receive(b"0D999E1000\n", now, &mut out);
    assert_eq!(glove.feedback().forces, Some([0, 100, 200, 999, 1000]));
    glove.receive(b"B7A70000\n", now, &mut out);
    assert_eq!(glove.feedback().forces, Some([65_535, 7, 0, 0, 0]));
    glove.receive(b"F150.00G0.25H0.80\n", now, &mut out);
    let vibration = Vibration { frequency_hz: 150.0, seconds: 0.25, amplitude: 0.8 };
    assert_eq!(glove.feedback().vibration, Some(vibration));
    assert!(out.take().is_empty());
}

#[test]
fn any_bytes_are_survived() {
    proptest::proptest!(|(bytes: Vec<u8>)| {
        let (mut glove, now) = glove(QUIET, HandState::FLAT);
        let mut out = SendQueue::ideal();
        glove.receive(&bytes, now, &mut out);
        glove.receive(b"\nA1B2C3D4E5\n", now, &mut out);
        proptest::prop_assert_eq!(glove.feedback().forces, Some([1, 2, 3, 4, 5]));
    });
}
