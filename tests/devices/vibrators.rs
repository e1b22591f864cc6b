//! Vibrators of a CyberTouch beside its stream of samples.

use drivers::device::Device;
use drivers::{CyberGlove, GloveOptions};

use crate::harness::{glove, line, next, start, until};

fn options(has_cybertouch: bool) -> emulators::GloveOptions {
    emulators::GloveOptions { has_cybertouch, ..emulators::GloveOptions::default() }
}

#[test]
fn vibrators_follow_without_a_pause_of_the_stream_and_are_off_at_the_end() {
    let emulator = glove(options(true), &line(&[]));
    let mut device: CyberGlove = start(emulator.path(), &GloveOptions::default());
    assert!(device.has_vibrators());
    let strengths = [10, 200, 0, 255, 3, 0];
    let mut n_samples = 0;
    until("the actuators follow", || {
        device.vibrate(strengths).unwrap();
        next(&mut device);
        n_samples += 1;
        emulator.feedback().actuators == strengths
    });
    // A stream that was stopped and started again would take a tenth of a second: ten samples.
    assert!(n_samples < 10, "{n_samples} samples later");
    for i in 0..50 {
        device.vibrate([i; 6]).unwrap();
        next(&mut device);
    }
    // The acknowledgements between records are no damage.
    assert_eq!(Device::counts(&device).dropped_bytes, 0);
    drop(device);
    until("all are off", || emulator.feedback().actuators == [0; 6]);
}

#[test]
fn a_glove_without_vibrators_is_not_asked_to_vibrate() {
    let emulator = glove(options(false), &line(&[]));
    let mut device: CyberGlove = start(emulator.path(), &GloveOptions::default());
    assert!(!device.has_vibrators());
    for _ in 0..10 {
        device.vibrate([255; 6]).unwrap();
        next(&mut device);
    }
    assert_eq!(Device::counts(&device).dropped_bytes, 0);
    assert_eq!(emulator.feedback().actuators, [0; 6]);
}
