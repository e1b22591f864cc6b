//! Transcripts from the manual against the emulated tracker, without a terminal.

use super::*;
use crate::motion::HandState;

const EXAMPLE: HandState =
    HandState { receiver_position_cm: [12.34, -5.6, 0.07], ..HandState::FLAT };

/// The attitude with these angles: about z, then y, then x.
fn turned(azimuth_deg: f64, elevation_deg: f64, roll_deg: f64) -> [f64; 4] {
    let (sa, ca) = (azimuth_deg.to_radians() / 2.0).sin_cos();
    let (se, ce) = (elevation_deg.to_radians() / 2.0).sin_cos();
    let (sr, cr) = (roll_deg.to_radians() / 2.0).sin_cos();
    [
        ca * ce * cr + sa * se * sr,
        ca * ce * sr - sa * se * cr,
        ca * se * cr + sa * ce * sr,
        sa * ce * cr - ca * se * sr,
    ]
}

/// What a tracker at `state` answers to `host`.
fn answer(state: HandState, host: &[u8]) -> Vec<u8> {
    let now = Instant::now();
    let mut tracker =
        Tracker::new(TrackerOptions::default(), Motion::held(state), ScriptClock::since(now));
    let mut out = Outbox::default();
    tracker.receive(host, now, &mut out);
    out.waiting().to_vec()
}

fn check(state: HandState, host: &str, want: &str) {
    assert_eq!(answer(state, host.as_bytes()).escape_ascii().to_string(), want);
}

#[test]
fn text_records_have_the_manuals_columns() {
    let state = HandState { receiver_quaternion: turned(90.0, -12.5, 179.99), ..EXAMPLE };
    let want = r"01   12.34  -5.60   0.07  90.00 -12.50 179.99\r\n";
    check(state, "uP", want);
}

#[test]
fn binary_records_have_the_manuals_bytes() {
    let want = "30 31 20 A4 70 45 41 33 33 B3 C0 29 5C 8F 3D 00 00 80 3F \
                00 00 00 00 00 00 00 00 00 00 00 00 0D 0A";
    let want: Vec<u8> = want.split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
    assert_eq!(answer(EXAMPLE, b"uO1,2,11,1\rfP"), want);
}

#[test]
fn record_lengths_are_the_manuals() {
    for (commands, length) in [
        ("O1,2,4,1\rP", 47),
        ("O1,2,4,1\rfP", 29),
        ("O1,2,11,1\rP", 54),
        ("O1,2,11,1\rfP", 33),
        ("O1,2,11,0\rfP", 32),
        ("O1,5,6,7,1\rP", 3 + 63 + 2),
    ] {
        assert_eq!(answer(EXAMPLE, commands.as_bytes()).len(), length, "{commands}");
    }
}

#[test]
fn positions_are_in_inches_until_told_otherwise() {
    let state = HandState { receiver_position_cm: [25.4, 2.54, -5.08], ..HandState::FLAT };
    check(state, "O1,2,1\rP", r"01   10.00   1.00  -2.00\r\n");
}

#[test]
fn matrix_rows_hold_components_of_the_receivers_axes() {
    // Turned a quarter about z, the receiver's x axis points along y: the first column is 0, 1, 0.
    let state = HandState { receiver_quaternion: turned(90.0, 0.0, 0.0), ..HandState::FLAT };
    check(state, "O1,6,1\rP", r"01  1.0000 0.0000 0.0000\r\n");
}

#[test]
fn a_status_record_has_55_columns_and_the_flags() {
    let before = answer(EXAMPLE, b"S");
    assert_eq!(before.len(), 55);
    assert_eq!(&before[..6], b"21S3F0");
    assert_eq!(&before[10..13], b"F31");
    assert_eq!(&before[53..], b"\r\n");
    assert_eq!(&answer(EXAMPLE, b"ufS")[..6], b"21S3F3");
    assert_eq!(&answer(EXAMPLE, b"CS")[..6], b"21S3F8");
}

#[test]
fn settings_are_read_back() {
    check(EXAMPLE, "l1\r", r"21l1000\r\n");
    check(EXAMPLE, "l1,0\rl1\rP", r"21l0000\r\n");
    check(EXAMPLE, "O1,2,11,1\rO1\r", r"21O 211 1\r\n");
    check(EXAMPLE, "H1,0,0,1\rH1\r", r"21H   0.00   0.00   1.00\r\n");
    check(EXAMPLE, "v2\rx2\rv,1\re1,0\r\r", "");
}

#[test]
fn bad_commands_are_refused() {
    check(EXAMPLE, "Z9\r", r"2 E*ERROR*Z9*ERROR* EC-99*PS0*FL0*ST0\r\n");
    check(EXAMPLE, "O1,99\r", r"2 E*ERROR*O1,99*ERROR* EC-3*PS0*FL1*ST0\r\n");
    check(EXAMPLE, "l1,a\r", r"2 E*ERROR*l1,a*ERROR* EC-2*PS0*FL1*ST0\r\n");
}

#[test]
fn a_receiver_outside_the_envelope_is_marked() {
    let state = HandState { receiver_position_cm: [250.0, 0.0, 0.0], ..HandState::FLAT };
    assert_eq!(answer(state, b"P")[2], b'x');
}

#[test]
fn a_stream_runs_at_120_records_a_second_until_it_is_stopped() {
    let start = Instant::now();
    let clock = ScriptClock::since(start);
    let mut tracker = Tracker::new(TrackerOptions::default(), Motion::held(EXAMPLE), clock);
    let mut out = Outbox::default();
    tracker.receive(b"fC", start, &mut out);
    let mut now = start;
    while let Some(due) = tracker.next_due().filter(|due| *due < start + Duration::from_secs(1)) {
        now = due;
        tracker.emit(now, &mut out);
    }
    assert_eq!(out.n_sent(), 120);
    tracker.receive(b"c", now, &mut out);
    assert_eq!(tracker.next_due(), None);
}
