//! Tests of the emulated glove with transcripts from the manual, without a terminal.

use std::time::Duration;

use super::*;
use crate::motion::HandState;

/// The raw counts of the manual's example record, 22 values in wire order.
const EXAMPLE: [u8; 22] = [
    0x01, 0x4C, 0x5D, 0x71, 0x59, 0x2A, 0x14, 0x4D, 0x62, 0x6A, 0x75, 0x51, 0x3E, 0x17, 0x34, 0x3C,
    0x22, 0x44, 0x39, 0xFE, 0x5C, 0x1A,
];

/// A hand whose emulated sensors show [`EXAMPLE`], from the suggested default calibration: degrees
/// per count and count at zero, in wire order.
fn example_hand() -> HandState {
    let finger = [(1.4, 100.0), (0.8, 60.0), (1.4, 65.0)];
    let mut models = vec![(1.0, 120.0), (1.0, 120.0), (1.0, 120.0), (0.5, 140.0)];
    models.extend(finger);
    for _ in 0..3 {
        models.extend(finger);
        models.push((0.5, 140.0));
    }
    models.extend([(0.5, 90.0), (0.7, 100.0), (0.3, 100.0)]);
    let mut hand = HandState::FLAT;
    let bits = (0..23).filter(|bit| *bit != 7);
    for ((bit, count), (gain, zero)) in bits.zip(EXAMPLE).zip(models) {
        hand.angles_deg[bit] = gain * (f64::from(count) - zero);
    }
    hand
}

fn glove(options: GloveOptions) -> (Glove, Instant) {
    let now = Instant::now();
    (Glove::new(options, Motion::held(example_hand()), ScriptClock::since(now)), now)
}

/// Checks a transcript, which has one `host | glove` per line, in hexadecimal.
fn check(options: GloveOptions, transcript: &str) {
    let (mut glove, now) = glove(options);
    for line in transcript.lines().filter(|line| !line.trim().is_empty()) {
        let (host, want) = line.split_once('|').expect("every line has both sides");
        let mut out = SendQueue::ideal();
        glove.receive(&hex(host), now, &mut out);
        assert_eq!(out.waiting(), hex(want), "answer to {host}");
    }
}

fn hex(text: &str) -> Vec<u8> {
    let byte = |word| u8::from_str_radix(word, 16).expect("two hexadecimal digits");
    text.split_ascii_whitespace().map(byte).collect()
}

#[test]
fn start_up_and_one_record_of_a_22_sensor_glove() {
    check(
        GloveOptions::default(),
        "03             | 03 00
         3F 47          | 3F 47 03 00
         3F 53          | 3F 53 16 00
         3F 4B          | 3F 4B 7F FF 7F 00
         3F 52          | 3F 52 01 00
         3F 50          | 3F 50 81 D8 00 00
         4E 16          | 4E 00
         55 01          | 55 00
         4A 00          | 4A 00
         4C 01          | 4C 00
         54 04 80 00 01 | 54 00
         3F 54          | 3F 54 04 80 00 01 00
         47             | 47 01 4C 5D 71 59 2A 14 4D 62 6A 75 51 3E 17 34 3C 22 44 39 FE 5C 1A 85 00",
    );
}

#[test]
fn an_18_sensor_glove_leaves_the_end_joints_out() {
    check(
        GloveOptions { sensors: SensorSet::Glove18, ..GloveOptions::default() },
        "3F 53 | 3F 53 12 00
         3F 4B | 3F 4B 3F BB 7B 00
         47    | 47 01 4C 5D 71 59 2A 4D 62 75 51 3E 34 3C 22 39 FE 5C 1A 00",
    );
}

#[test]
fn a_left_glove_reports_its_side() {
    let left = GloveOptions { is_right_hand: false, ..GloveOptions::default() };
    check(left, "3F 52 | 3F 52 00 00 \n 3F 50 | 3F 50 81 98 00 00");
}

#[test]
fn an_unplugged_glove_adds_an_error_pair() {
    let unplugged = GloveOptions { is_plugged_in: false, ..GloveOptions::default() };
    check(
        unplugged,
        "3F 47 | 3F 47 01 00
         47    | 47 01 4C 5D 71 59 2A 14 4D 62 6A 75 51 3E 17 34 3C 22 44 39 FE 5C 1A 65 67 00",
    );
}

#[test]
fn mask_and_count_both_shorten_a_record() {
    check(
        GloveOptions::default(),
        "4D 0F 00 00 | 4D 00
         47          | 47 01 4C 5D 71 00
         4E 02       | 4E 00
         3F 4E       | 3F 4E 02 00
         47          | 47 01 4C 00",
    );
}

#[test]
fn unknown_commands_are_refused_and_the_ascii_form_is_understood() {
    check(
        GloveOptions::default(),
        "5A                         | 65 3F 00
         3F 5A                      | 65 3F 00
         3F 67 0D                   | 3F 67 20 65 3F 0D 0A 00
         74 20 31 31 35 32 20 31 0D | 74 20 31 31 35 32 20 31 0D 0A 00
         3F 54                      | 3F 54 04 80 00 01 00
         74 20 31 20 32 20 33 0D    | 74 20 31 20 32 20 33 20 65 6E 0D 0A 00
         4E 19                      | 65 6E 00
         6E 20 32 0D                | 6E 20 32 0D 0A 00
         67 0D                      | 67 20 31 20 37 36 0D 0A 00",
    );
}

#[test]
fn a_text_record_has_decimal_numbers() {
    let (mut glove, now) = glove(GloveOptions::default());
    let mut out = SendQueue::ideal();
    glove.receive(b"g\r", now, &mut out);
    let want = "g 1 76 93 113 89 42 20 77 98 106 117 81 62 23 52 60 34 68 57 254 92 26\r\n\0";
    assert_eq!(out.waiting(), want.as_bytes());
}

#[test]
fn offsets_and_gains_are_stored_through_a_restart() {
    let n_values = 4;
    let (mut glove, now) = glove(GloveOptions::default());
    let mut out = SendQueue::ideal();
    glove.receive(&[b'N', n_values], now, &mut out);
    // The wearer's own values: the thumb's 1.0/120 three times, then the abduction's 0.5/140.
    glove.receive(b"?C", now, &mut out);
    assert_eq!(out.take(), b"N\0?C\x78\x78\x78\x8C\x64\x64\x64\x32\0");
    glove.receive(
        b"CA\x01\x02\x03\x00\x05\x06\x07\x08CO\x03\x09CG\x00\x0ACO\x04\x01",
        now,
        &mut out,
    );
    assert_eq!(out.take(), b"CA\0CO\0CG\0e?\0");
    glove.receive(&[0x12], now, &mut out);
    let end = glove.next_due().expect("the restart ends");
    glove.emit(end, &mut out);
    glove.receive(&[b'N', n_values, b'?', b'C'], end, &mut out);
    let want = b"\x12\r\n\0N\0?C\x01\x02\x03\x09\x0A\x06\x07\x08\0";
    assert_eq!(out.take(), want);
}

#[test]
fn actuators_are_set_one_by_one_or_all_at_once() {
    let with_touch = GloveOptions { has_cybertouch: true, ..GloveOptions::default() };
    check(
        with_touch,
        "3F 50                   | 3F 50 81 D8 02 00
         41 01 01 80             | 41 00
         3F 41                   | 3F 41 00 80 00 00 00 00 00
         41 02 00 11 05 22       | 41 00
         3F 41                   | 3F 41 11 80 00 00 00 22 00
         41 01 06 01             | 65 3F 00
         41 07                   | 65 6E 00
         41 FF 00 00 00 00 00 00 | 41 00
         3F 41                   | 3F 41 00 00 00 00 00 00 00",
    );
    check(GloveOptions::default(), "41 01 01 80 | 65 3F 00 \n 3F 41 | 65 3F 00");
}

#[test]
fn sync_pulses_emit_records_only_when_asked_for() {
    let (mut glove, start) = glove(GloveOptions::default());
    let mut out = SendQueue::ideal();
    glove.happen(DeviceEvent::SyncPulse, start, &mut out);
    assert!(out.take().is_empty());
    glove.receive(b"N\x02Y\x01?Y?P", start, &mut out);
    assert_eq!(out.take(), b"N\0Y\0?Y\x01\0?P\x81\xD9\0\0");
    assert_eq!(glove.next_due(), None, "nothing comes without a pulse");
    for (milliseconds, want) in
        [(10, b"Y\x01\x4C\0".as_slice()), (12, b"ey\0"), (30, b"Y\x01\x4C\0")]
    {
        let now = start + Duration::from_millis(milliseconds);
        glove.happen(DeviceEvent::SyncPulse, now, &mut out);
        assert_eq!(out.take(), want);
    }
    glove.receive(b"Y\x00y 1\r", start, &mut out);
    assert_eq!(out.take(), b"Y\0y 1\r\n\0");
    glove.happen(DeviceEvent::SyncPulse, start + Duration::from_secs(1), &mut out);
    assert_eq!(out.take(), b"y 1 76\r\n\0");
}

#[test]
fn the_wrist_switch_drives_the_light_until_a_command_changes_that() {
    let (mut glove, now) = glove(GloveOptions::default());
    let mut out = SendQueue::ideal();
    glove.happen(DeviceEvent::WristSwitch, now, &mut out);
    assert!(glove.feedback().is_light_on);
    glove.receive(b"?P?W?L", now, &mut out);
    assert_eq!(out.take(), b"?P\x87\xD8\0\0?W\x01\0?L\x01\0");
    glove.receive(b"L\x00?J", now, &mut out);
    glove.happen(DeviceEvent::WristSwitch, now, &mut out);
    glove.happen(DeviceEvent::WristSwitch, now, &mut out);
    glove.receive(b"?L", now, &mut out);
    assert_eq!(out.take(), b"L\0?J\0\0?L\0\0");
    assert!(!glove.feedback().is_light_on);
}

#[test]
fn other_settings_are_read_back() {
    check(
        GloveOptions::default(),
        "42 FF       | 42 00
         3F 42       | 3F 42 37 00
         46 00       | 46 00
         3F 46       | 3F 46 00 00
         51 01       | 51 00
         3F 51       | 3F 51 01 00
         50 80 34 00 | 50 00
         3F 50       | 3F 50 81 F4 00 00
         3F 55       | 3F 55 01 00
         3F 44       | 3F 44 01 00
         3F 56       | 3F 56 01 01 01 02 00
         09          | 09 0D 0A 00",
    );
    let chatty = GloveOptions { extra_acknowledgement: Some(0x0D), ..GloveOptions::default() };
    check(chatty, "55 01 | 55 0D 00");
}

#[test]
fn too_short_a_period_adds_an_error_pair() {
    let (mut glove, start) = glove(GloveOptions::default());
    let mut out = SendQueue::ideal();
    // 200 Hz: 576 ticks.
    glove.receive(b"N\x01T\x02\x40\x00\x01S", start, &mut out);
    glove.emit(start, &mut out);
    assert_eq!(out.take(), b"N\0T\0S\x01es\0");
    let step = glove.next_due().expect("it streams") - start;
    assert!((step.as_secs_f64() - 1.0 / 120.0).abs() < 1e-6, "as fast as it can");
}

#[test]
fn a_stuck_sensor_keeps_its_count_and_a_pulled_glove_is_reported() {
    let start = Instant::now();
    let motion = Motion::named("fist").expect("there is a fist");
    let mut glove = Glove::new(GloveOptions::default(), motion, ScriptClock::since(start));
    let mut out = SendQueue::ideal();
    glove.happen(DeviceEvent::SensorStuck { bit: 4 }, start, &mut out);
    glove.receive(b"M\x30\x00\x00", start, &mut out);
    out.take();
    glove.happen(DeviceEvent::PulledOff { station: 1 }, start, &mut out);
    glove.receive(b"G", start + Duration::from_millis(2250), &mut out);
    // Index MPJ still flat, PIJ bent by 100 degrees: 60 + 125.
    assert_eq!(out.take(), b"G\x64\xB9eg\0");
    glove.happen(DeviceEvent::PutBack { station: 1 }, start, &mut out);
    glove.receive(b"G", start, &mut out);
    assert_eq!(out.take(), b"G\x64\x3C\0");
}

#[test]
fn a_power_cycle_is_not_announced() {
    let (mut glove, start) = glove(GloveOptions::default());
    let mut out = SendQueue::ideal();
    glove.receive(b"N\x04S", start, &mut out);
    out.take();
    glove.happen(DeviceEvent::PowerCycle, start, &mut out);
    glove.receive(b"?N", start, &mut out);
    let end = glove.next_due().expect("the restart ends");
    glove.emit(end, &mut out);
    assert_eq!((out.take(), glove.next_due()), (Vec::new(), None));
}

#[test]
fn a_third_glove_streams_in_high_resolution() {
    let third = GloveOptions { model: GloveModel::Third, ..GloveOptions::default() };
    let (mut glove, start) = glove(third);
    let mut out = SendQueue::ideal();
    glove.receive(b"1eu1m\x021S", start, &mut out);
    assert_eq!(out.take(), b"1eu\x001m\x02\x001S\0");
    let later = start + Duration::from_secs(3725);
    glove.emit(later, &mut out);
    let record = out.take();
    assert_eq!(record.len(), 61);
    assert_eq!(&record[..14], b"01:02:05:00:0S");
    // 16 times the counts; the first one, thumb roll, is 1.
    assert_eq!(record[14..18], [0x00, 0x10, 0x04, 0xC0]);
    assert_eq!(&record[58..], b"\r\n\0");
    check(GloveOptions::default(), "31 | 65 3F 00");
}

#[test]
fn a_third_glove_takes_the_commands_of_a_public_client() {
    let third = GloveOptions { model: GloveModel::Third, ..GloveOptions::default() };
    let (mut glove, start) = glove(third);
    let mut out = SendQueue::ideal();
    glove.receive(b"1E4010111\x001S\x00", start, &mut out);
    assert_eq!(out.take(), b"1E4010111\x001S\0", "each is echoed, then NUL; no complaint");
    glove.emit(start, &mut out);
    assert_eq!(out.take().len(), 61);
}

#[test]
fn any_bytes_are_survived() {
    proptest::proptest!(|(bytes: Vec<u8>)| {
        let third = GloveOptions {
            model: GloveModel::Third,
            has_cybertouch: true,
            ..GloveOptions::default()
        };
        let (mut glove, now) = glove(third);
        let mut out = SendQueue::ideal();
        glove.receive(&bytes, now, &mut out);
        if let Some(due) = glove.next_due() {
            glove.emit(due, &mut out);
        }
        // After an abort, or a commanded restart, the glove answers again. A long command may still
        // wait for parameters, at most those of all sensors.
        glove.receive(&[3; 64], now + Duration::from_secs(2), &mut out);
        out.take();
        if glove.next_due().is_none() {
            glove.receive(b"?S", now + Duration::from_secs(2), &mut out);
            proptest::prop_assert_eq!(out.take(), b"?S\x16\0");
        }
    });
}

#[test]
fn a_command_may_come_in_pieces() {
    check(GloveOptions::default(), "3F | \n 47 | 3F 47 03 00 \n 4E | \n 03 | 4E 00");
}

#[test]
fn a_stream_keeps_its_rate_until_it_is_aborted() {
    let (mut glove, start) = glove(GloveOptions::default());
    let mut out = SendQueue::ideal();
    glove.receive(b"S", start, &mut out);
    for n_record in 0..100 {
        let due = glove.next_due().expect("it streams");
        let want = start + Duration::from_millis(10 * n_record);
        assert!(due.max(want) - due.min(want) < Duration::from_micros(1));
        // Each record is sent late, but the schedule does not slip.
        glove.emit(due + Duration::from_millis(3), &mut out);
    }
    assert_eq!(out.waiting().len(), 100 * 24);
    assert_eq!(out.waiting()[0], b'S');
    glove.receive(&[0x03], start, &mut out);
    assert_eq!(glove.next_due(), None);
}

#[test]
fn a_restart_is_silent_and_forgets_settings() {
    let (mut glove, start) = glove(GloveOptions::default());
    let mut out = SendQueue::ideal();
    glove.receive(&[b'N', 4, 0x12, b'G'], start, &mut out);
    assert_eq!(out.waiting(), [b'N', 0]);
    let due = glove.next_due().expect("the restart ends");
    assert_eq!(due, start + Duration::from_millis(1750));
    glove.emit(due, &mut out);
    glove.receive(b"?N", due, &mut out);
    assert_eq!(out.waiting(), b"N\0\x12\r\n\0?N\x16\0");
}
