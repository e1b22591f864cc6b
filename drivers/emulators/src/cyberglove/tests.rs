//! Transcripts from the manual against the emulated glove, without a terminal.

use super::*;
use crate::motion::HandState;

/// The raw counts of the manual's example record, 22 values in wire order.
const EXAMPLE: [u8; 22] = [
    0x01, 0x4C, 0x5D, 0x71, 0x59, 0x2A, 0x14, 0x4D, 0x62, 0x6A, 0x75, 0x51, 0x3E, 0x17, 0x34, 0x3C,
    0x22, 0x44, 0x39, 0xFE, 0x5C, 0x1A,
];

/// A hand at which the emulated sensors show [`EXAMPLE`], from the suggested default calibration:
/// degrees per count and count at zero, in wire order.
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

/// `transcript` has one `host | glove` per line, in hexadecimal.
fn check(options: GloveOptions, transcript: &str) {
    let (mut glove, now) = glove(options);
    for line in transcript.lines().filter(|line| !line.trim().is_empty()) {
        let (host, want) = line.split_once('|').expect("every line has both sides");
        let mut out = Outbox::default();
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
fn a_left_glove_says_so() {
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
         3F 7A                      | 65 3F 00
         74 20 31 31 35 32 20 31 0D | 74 20 31 31 35 32 20 31 0D 0A 00
         3F 54                      | 3F 54 04 80 00 01 00",
    );
}

#[test]
fn a_command_may_come_in_pieces() {
    check(GloveOptions::default(), "3F | \n 47 | 3F 47 03 00 \n 4E | \n 03 | 4E 00");
}

#[test]
fn a_stream_keeps_its_rate_until_it_is_aborted() {
    let (mut glove, start) = glove(GloveOptions::default());
    let mut out = Outbox::default();
    glove.receive(b"S", start, &mut out);
    for n_record in 0..100 {
        let due = glove.next_due().expect("it streams");
        let want = start + Duration::from_millis(10 * n_record);
        assert!(due.max(want) - due.min(want) < Duration::from_micros(1));
        // Served late each time, and still on time at the end.
        glove.emit(due + Duration::from_millis(3), &mut out);
    }
    assert_eq!(out.n_sent(), 100);
    assert_eq!(out.waiting()[0], b'S');
    glove.receive(&[0x03], start, &mut out);
    assert_eq!(glove.next_due(), None);
}

#[test]
fn a_restart_is_silent_and_forgets_settings() {
    let (mut glove, start) = glove(GloveOptions::default());
    let mut out = Outbox::default();
    glove.receive(&[b'N', 4, 0x12, b'G'], start, &mut out);
    assert_eq!(out.waiting(), [b'N', 0]);
    let due = glove.next_due().expect("the restart ends");
    assert_eq!(due, start + RESTART);
    glove.emit(due, &mut out);
    glove.receive(b"?N", due, &mut out);
    assert_eq!(out.waiting(), b"N\0\x12\r\n\0?N\x16\0");
}
