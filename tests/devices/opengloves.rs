//! Gloves that speak OpenGloves: curls arrive, forces go back, and a lost glove comes back.

use std::time::Instant;

use drivers::Side;
use drivers::opengloves::{HapticPulse, OpenGlove, OpenGloveOptions};
use emulators::{
    Emulator, HandState, LucidGloveEmulator, LucidGloveOptions, LucidKeys, Motion, PlugName,
    ScriptClock, Vibration,
};

use crate::harness::{at_once, keep, line, live, lost, next, start, until};

/// Bits and full bend of each finger's joints, thumb first, from the base outwards.
const JOINTS: [&[(usize, f64)]; 5] = [
    &[(1, 55.0), (2, 80.0)],
    &[(4, 90.0), (5, 100.0), (6, 80.0)],
    &[(8, 90.0), (9, 100.0), (10, 80.0)],
    &[(12, 90.0), (13, 100.0), (14, 80.0)],
    &[(16, 90.0), (17, 100.0), (18, 80.0)],
];
/// How far each finger of the held hand is bent.
const BENT: [f64; 5] = [0.1, 0.9, 0.0, 1.0, 0.4];
/// The glove counts to 4095.
const STEP: f32 = 1.0 / 4095.0;

fn emulator(options: LucidGloveOptions) -> Emulator {
    let mut hand = HandState::FLAT;
    for (joints, bent) in JOINTS.iter().zip(BENT) {
        for (bit, full_deg) in *joints {
            hand.angles_deg[*bit] = bent * full_deg;
        }
    }
    // The index finger stands 17.5 degrees away from the middle one: half of the scale.
    hand.angles_deg[11] = 17.5;
    let clock = ScriptClock::since(Instant::now());
    LucidGloveEmulator::start_on(&line(&[]), options, Motion::held(hand), clock).unwrap()
}

fn open(emulator: &Emulator) -> OpenGlove {
    start(emulator.path(), &OpenGloveOptions::default())
}

fn is_near(got: Option<f32>, want: f64) -> bool {
    got.is_some_and(|got| (got - want as f32).abs() <= STEP)
}

#[test]
fn curls_splays_and_joints_are_those_of_the_hand() {
    let cases = [
        (LucidKeys::Curls, Side::Right),
        (LucidKeys::CurlsAndSplays, Side::Left),
        (LucidKeys::Joints, Side::Right),
    ];
    at_once(&cases, |&(keys, hand)| {
        let is_right_hand = hand == Side::Right;
        // One of them waits to be asked.
        let streams_at_power_up = is_right_hand;
        let emulator = emulator(LucidGloveOptions {
            keys,
            is_right_hand,
            streams_at_power_up,
            ..LucidGloveOptions::default()
        });
        let mut glove = open(&emulator);
        assert_eq!(glove.info().hand, Some(hand));
        for _ in 0..20 {
            let sample = next(&mut glove);
            for (finger, bent) in BENT.into_iter().enumerate() {
                assert!(is_near(sample.curl[finger], bent), "{sample:?}");
                for joint in 0..JOINTS[finger].len() {
                    assert!(is_near(sample.flexion(finger, joint), bent), "{sample:?}");
                }
            }
            let has_joints = sample.joints[1][0].is_some();
            assert_eq!(has_joints, keys == LucidKeys::Joints);
            match keys {
                LucidKeys::Curls => assert_eq!(sample.splay, [None; 5]),
                LucidKeys::CurlsAndSplays | LucidKeys::Joints => {
                    // Twice the step: a splay goes from -1 to 1.
                    let splay = sample.splay[1].unwrap();
                    assert!((splay - 0.5).abs() <= 2.0 * STEP, "{splay}");
                }
            }
        }
        assert!(glove.counts().dropped_records <= 1, "what the board says when it starts");
    });
}

#[test]
fn forces_and_pulses_go_back_and_the_fingers_are_let_go_at_the_end() {
    let emulator = emulator(LucidGloveOptions::default());
    let mut glove = open(&emulator);
    glove.send_forces([0.0, 0.25, 0.5, 0.75, 1.0]).unwrap();
    until("the forces are there", || emulator.last_forces() == Some([0, 250, 500, 750, 1000]));
    let pulse = HapticPulse { frequency_hz: 160.0, duration: 0.25, amplitude: 0.5 };
    glove.send_pulse(pulse).unwrap();
    let want = Vibration { frequency_hz: 160.0, seconds: 0.25, amplitude: 0.5 };
    until("the pulse is there", || emulator.feedback().vibration == Some(want));
    next(&mut glove);
    drop(glove);
    until("the fingers are free", || emulator.last_forces() == Some([0; 5]));
}

#[test]
fn a_glove_that_was_unplugged_is_taken_up_again() {
    let mut emulator = emulator(LucidGloveOptions::default());
    let mut reconnecting = keep::<OpenGlove>(emulator.path(), OpenGloveOptions::default());
    live(&mut reconnecting, 20);
    reconnecting.device().unwrap().send_forces([1.0; 5]).unwrap();
    until("it is held", || emulator.last_forces() == Some([1000; 5]));
    emulator.unplug();
    let reason = lost(&mut reconnecting);
    assert!(reason.contains(emulator.path()), "{reason}");
    emulator.plug_in(PlugName::Same).unwrap();
    live(&mut reconnecting, 20);
    assert_eq!(reconnecting.counts().n_connections, 2);
    // A new connection releases the fingers first: the duration of the hold is unknown.
    until("it is free", || emulator.last_forces() == Some([0; 5]));
    reconnecting.device().unwrap().send_forces([0.5; 5]).unwrap();
    until("it is held again", || emulator.last_forces() == Some([500; 5]));
}
