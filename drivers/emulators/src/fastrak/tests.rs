//! Tests of the emulated tracker with transcripts from the manual, without a terminal.

mod two_hands;

use std::time::Duration;

use super::*;
use crate::motion::HandState;

const EXAMPLE: HandState =
    HandState { receiver_position_cm: [12.34, -5.6, 0.07], ..HandState::FLAT };

/// A hand within reach of the tracker, not rotated.
const AHEAD: HandState = HandState { receiver_position_cm: [30.0, 0.0, 0.0], ..HandState::FLAT };

/// The attitude with these Euler angles: about z, then y, then x.
fn turned(azimuth_deg: f64, elevation_deg: f64, roll_deg: f64) -> [f64; 4] {
    rotation::from_euler_deg([azimuth_deg, elevation_deg, roll_deg])
}

fn tracker(state: HandState, options: TrackerOptions) -> (Tracker, Instant) {
    let now = Instant::now();
    (Tracker::new(options, Motion::held(state), ScriptClock::since(now)), now)
}

/// Answer of a tracker with its receiver at `state` to the bytes `host`.
fn answer(state: HandState, host: &[u8]) -> Vec<u8> {
    answer_of(TrackerOptions::default(), state, host)
}

fn answer_of(options: TrackerOptions, state: HandState, host: &[u8]) -> Vec<u8> {
    let (mut tracker, now) = tracker(state, options);
    let mut out = SendQueue::ideal();
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
fn positions_are_in_inches_until_a_command_changes_that() {
    let state = HandState { receiver_position_cm: [25.4, 2.54, -5.08], ..HandState::FLAT };
    check(state, "O1,2,1\rP", r"01   10.00   1.00  -2.00\r\n");
}

#[test]
fn matrix_rows_hold_components_of_the_receivers_axes() {
    // After a quarter turn about z the receiver's x axis points along y: the first column is 0, 1,
    // 0.
    let state = HandState { receiver_quaternion: turned(90.0, 0.0, 0.0), ..AHEAD };
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
    check(EXAMPLE, "Z9\r", r"2 E*ERROR*Z9*ERROR* EC-99*PS1*FL0*ST0\r\n");
    check(EXAMPLE, "O1,99\r", r"2 E*ERROR*O1,99*ERROR* EC-3*PS3*FL1*ST0\r\n");
    check(EXAMPLE, "l1,a\r", r"2 E*ERROR*l1,a*ERROR* EC-2*PS3*FL1*ST0\r\n");
    check(EXAMPLE, "H3,0,b\r", r"2 E*ERROR*H3,0,b*ERROR* EC-2*PS5*FL2*ST2\r\n");
    check(EXAMPLE, "O5\r", r"2 E*ERROR*O5*ERROR* EC-3*PS1*FL0*ST0\r\n");
    check(EXAMPLE, "l\r", r"2 E*ERROR*l*ERROR* EC-1*PS1*FL0*ST0\r\n");
    check(EXAMPLE, "O1,18\r", r"2 E*ERROR*O1,18*ERROR* EC-3*PS3*FL1*ST0\r\n");
}

#[test]
fn packed_records_have_the_manuals_bytes() {
    let legacy = TrackerOptions { firmware: Firmware::Legacy, ..TrackerOptions::default() };
    let position_cm = [819.0, -410.0, 137.0].map(|steps: f64| steps * 300.0 / 8192.0);
    let state = HandState { receiver_position_cm: position_cm, ..HandState::FLAT };
    let want = [0x30, 0x31, 0x20, 0xB3, 0x06, 0x66, 0x7C, 0x09, 0x01, 0x0D, 0x0A];
    assert_eq!(answer_of(legacy.clone(), state, b"O1,18,1\rP"), want);
    // A quarter turn is half of the full scale of angles: 4096 steps. Only the first byte has the
    // mark.
    let state = HandState { receiver_quaternion: turned(90.0, 0.0, 0.0), ..AHEAD };
    let record = answer_of(legacy.clone(), state, b"O1,18,19\rP");
    assert_eq!(record[9..11], [0x00, 0x20]);
    assert_eq!(record.iter().filter(|byte| **byte >= 0x80).count(), 1);
    assert_eq!(&answer_of(legacy, AHEAD, b"S")[9..15], b"      ");
}

#[test]
fn extended_items_have_13_columns_or_4_bytes() {
    check(EXAMPLE, "uO1,52,1\rP", r"01  1.23400E+01 -5.60000E+00  7.00000E-02 \r\n");
    assert_eq!(answer(EXAMPLE, b"uO1,52,51\rfP"), answer(EXAMPLE, b"uO1,2,1\rfP"));
    assert_eq!(answer(EXAMPLE, b"O1,54,55,61,50\rP").len(), 3 + 13 * 10 + 1);
}

#[test]
fn numbers_are_read_back_in_the_manuals_columns() {
    let check_length = |commands: &str, start: &str, length: usize| {
        let got = String::from_utf8(answer(EXAMPLE, commands.as_bytes())).unwrap();
        assert!(got.starts_with(start) && got.len() == length, "{commands}: {got:?}");
    };
    check_length("A1\r", "21A", 68);
    check_length("uA2,1,2,3,101,2,3,1,50,3\rA2\r", "22A   1.00   2.00   3.00 101.00", 68);
    check_length("G1,10,,30\rG1\r", "21G  10.00   0.00  30.00\r\n", 26);
    check_length("N1,1,2,3\rN1\r", "21N   1.00   2.00   3.00\r\n", 26);
    check_length("V1\r", "21V   78.74   78.74   78.74  -78.74", 53);
    check_length("uV1,10\rV1\r", "21V   10.00  200.00", 53);
    check_length("Q1\r", "21Q 180.00  90.00 180.00-180.00", 47);
    check_length("uI1,2.5\rUI1\r", "21I   0.98\r\n", 12);
    check_length("r1,90\rr1\r", "21r  90.00", 26);
    check_length("v\r", "2 v  0.000  1.000  0.000  0.000\r\n", 33);
    check_length("v4\rx\r", "2 x  0.200  0.200  0.800  0.950\r\n", 33);
    check_length("x0.1,0.2,0.8,0.8\rv\r", "2 v  0.000", 33);
    check_length("y2\ry\r", "2 y2\r\n", 6);
    check_length("Xa name\rX\r", "2 Xa name ", 37);
    check_length("e1,0\re1\r", "21e0\r\n", 6);
}

#[test]
fn errors_follow_distance_and_envelopes() {
    let check_error = |position_cm, commands: &str, want| {
        let state = HandState { receiver_position_cm: position_cm, ..HandState::FLAT };
        let record = answer(state, format!("{commands}P").as_bytes());
        assert_eq!(char::from(record[2]), want, "{position_cm:?} {commands}");
    };
    check_error([30.0, 0.0, 0.0], "", ' ');
    check_error([1.0, 1.0, 0.0], "", 'j');
    check_error([250.0, 0.0, 0.0], "", 'x');
    check_error([310.0, 0.0, 0.0], "", 'k');
    check_error([30.0, 0.0, 0.0], "uV1,20,20,20\r", 'x');
    check_error([30.0, 0.0, 0.0], "Q1,180,90,180,10,-90,-180\r", 'y');
    check_error([30.0, 0.0, 0.0], "l1,0\rl2,1\r", 'l');
}

#[test]
fn errors_have_numbers_and_may_latch() {
    let latched =
        TrackerOptions { error_report: ErrorReport::Latched, ..TrackerOptions::default() };
    let (mut tracker, now) = tracker(AHEAD, latched);
    let mut out = SendQueue::ideal();
    tracker.receive(b"O1,0\rT\r", now, &mut out);
    assert_eq!(out.take(), b"2 T000 NO ERRORS\r\n");
    tracker.happen(DeviceEvent::PulledOff { station: 1 }, now, &mut out);
    tracker.receive(b"P", now, &mut out);
    tracker.happen(DeviceEvent::PutBack { station: 1 }, now, &mut out);
    tracker.receive(b"PT\r", now, &mut out);
    assert_eq!(out.take(), b"01l 01l 2 T108 NO SIGNAL\r\n");
    tracker.receive(b"S", now, &mut out);
    assert_eq!(out.take()[6..9], *b"108");
    tracker.receive(b"T0,0\rP", now, &mut out);
    assert_eq!(out.take(), b"01  ");
}

#[test]
fn the_wrong_hemisphere_flips_the_position() {
    let behind = HandState { receiver_position_cm: [-30.0, 10.0, -5.0], ..HandState::FLAT };
    check(behind, "uO1,2\rP", "01   30.00 -10.00   5.00");
    check(behind, "uO1,2\rH1,-1,0,0\rP", "01  -30.00  10.00  -5.00");
    // A unit that follows the receiver keeps its side: here the wrong one, then the right one.
    check(behind, "uO1,2\rP\rH1,0,0,0\rP", "01   30.00 -10.00   5.0001   30.00 -10.00   5.00");
    check(behind, "uO1,2\rH1,0,0,0\rP", "01  -30.00  10.00  -5.00");
}

#[test]
fn alignment_moves_and_turns_the_frame() {
    // Origin at 10, 0, 0; x along the old y, y along the old -x.
    let state = HandState { receiver_position_cm: [10.0, 20.0, 5.0], ..HandState::FLAT };
    let align = "uO1,2,4\rA1,10,0,0,10,1,0,9,0,0\rP";
    check(state, align, "01   20.00   0.00   5.00 -90.00   0.00   0.00");
    check(state, "uO1,2\rA1,10,0,0,10,1,0,9,0,0\rR1\rP", "01   10.00  20.00   5.00");
    check(
        state,
        "A1,0,0,0,1,0,0,2,0,0\r",
        r"2 E*ERROR*A1,0,0,0,1,0,0,2,0,0*ERROR* EC-3*PS9*FL4*ST0\r\n",
    );
}

#[test]
fn an_alignment_by_pointing_takes_three_points_and_no_records() {
    let start = Instant::now();
    let points = [[10.0, 0.0, 0.0], [10.0, 30.0, 0.0], [5.0, 0.0, 0.0], [10.0, 20.0, 5.0]];
    let keyframes = points.iter().zip(0..).map(|(place, second)| crate::motion::Keyframe {
        seconds: f64::from(second),
        state: HandState { receiver_position_cm: *place, ..HandState::FLAT },
        name: "point".into(),
    });
    let motion = Motion::new(keyframes.collect(), 4.0).unwrap();
    let mut tracker = Tracker::new(TrackerOptions::default(), motion, ScriptClock::since(start));
    let mut out = SendQueue::ideal();
    tracker.receive(b"uO1,2\rA0\r", start, &mut out);
    for second in 0..3 {
        tracker.receive(b"P", start + Duration::from_secs(second), &mut out);
        assert!(out.take().is_empty());
    }
    tracker.receive(b"P", start + Duration::from_secs(3), &mut out);
    assert_eq!(out.take(), b"01   20.00   0.00   5.00");
}

#[test]
fn boresight_turns_the_present_attitude_into_the_reference() {
    let state = HandState { receiver_quaternion: turned(30.0, 20.0, 10.0), ..AHEAD };
    check(state, "O1,4\rB1\rP", "01    0.00   0.00   0.00");
    check(state, "O1,4\rG1,90,0,45\rB1\rP", "01   90.00   0.00  45.00");
    check(state, "O1,4\rB1\rb1\rP", "01   30.00  20.00  10.00");
    // The position does not change.
    check(state, "uO1,2\rB1\rP", "01   30.00   0.00   0.00");
}

#[test]
fn a_stylus_tip_and_a_mounting_frame_move_the_output() {
    let state = HandState { receiver_quaternion: turned(90.0, 0.0, 0.0), ..AHEAD };
    check(state, "uO1,2\rN1,5,0,0\rP", "01   30.00   5.00   0.00");
    check(state, "uO1,2,4\rr1,90,0,0\rP", "01    0.00 -30.00   0.00   0.00   0.00   0.00");
}

#[test]
fn metal_bends_positions_until_it_is_compensated() {
    let metal = TrackerOptions { metal_cm_at_1_m: 8.0, ..TrackerOptions::default() };
    let state = HandState { receiver_position_cm: [50.0, 0.0, 0.0], ..HandState::FLAT };
    assert_eq!(answer_of(metal.clone(), state, b"uO1,2\rP"), b"01   50.00   0.00   1.00");
    assert_eq!(answer_of(metal, state, b"uO1,2\rDP"), b"01   50.00   0.00   0.00");
}

#[test]
fn settings_come_back_from_memory_only_if_they_were_saved() {
    let (mut tracker, start) = tracker(AHEAD, TrackerOptions::default());
    let mut out = SendQueue::ideal();
    tracker.receive(b"u\x0B", start, &mut out);
    let saved = start + Duration::from_secs(2);
    tracker.receive(b"fB1\rC\x19S", saved, &mut out);
    assert_eq!(tracker.next_due(), None);
    tracker.receive(b"S", saved + Duration::from_millis(9999), &mut out);
    assert!(out.take().is_empty(), "it starts");
    tracker.receive(b"S", saved + Duration::from_secs(10), &mut out);
    assert_eq!(out.take()[..6], *b"21S3F2");
}

#[test]
fn the_line_follows_the_port_settings() {
    let (mut tracker, start) = tracker(AHEAD, TrackerOptions::default());
    let mut out = SendQueue::new(&crate::line_options::LineOptions::default(), start);
    tracker.receive(b"o96,N,8,0\r", start, &mut out);
    assert_eq!(out.baud(), Some(9600));
    tracker.receive(b"o97\r", start, &mut out);
    assert_eq!(out.waiting(), b"2 E*ERROR*o97*ERROR* EC-3*PS1*FL0*ST0\r\n");
}

#[test]
fn suspended_output_resumes() {
    check(AHEAD, "O1,0\r\x13P\x11P", "01  ");
}

#[test]
fn the_stylus_button_points_stops_or_reports() {
    let (mut tracker, now) = tracker(AHEAD, TrackerOptions::default());
    let mut out = SendQueue::ideal();
    tracker.receive(b"O1,16\r", now, &mut out);
    tracker.happen(DeviceEvent::StylusPressed, now, &mut out);
    assert_eq!(out.take(), b"01  0");
    tracker.receive(b"C", now, &mut out);
    tracker.happen(DeviceEvent::StylusPressed, now, &mut out);
    assert_eq!(tracker.next_due(), None);
    tracker.receive(b"e1,0\rCP", now, &mut out);
    tracker.happen(DeviceEvent::StylusReleased, now, &mut out);
    tracker.receive(b"P", now, &mut out);
    assert_eq!(out.take(), b"01  101  0");
    assert!(tracker.next_due().is_some());
}

/// Three receivers: on station 1; 10 cm to its right on station 2; 10 cm below it on station 4.
fn three_receivers() -> TrackerOptions {
    let receivers_cm = [Some([0.0; 3]), Some([0.0, 10.0, 0.0]), None, Some([0.0, 0.0, 10.0])];
    TrackerOptions { receivers_cm, ..TrackerOptions::default() }
}

#[test]
fn a_poll_reads_all_active_stations_in_order() {
    let state = HandState { receiver_quaternion: turned(90.0, 0.0, 0.0), ..AHEAD };
    let got = answer_of(three_receivers(), state, b"uO1,2\rO2,2\rO4,2\rPl1\rS");
    let want = "01   30.00   0.00   0.0002   20.00   0.00   0.0004   30.00   0.00  10.00\
                21l1101\r\n24S3F2    F3B";
    assert!(got.starts_with(want.as_bytes()), "{}", got.escape_ascii());
}

/// Streams for a second on a line; returns the stations in order of their records, and the number
/// of records that the slow line withheld.
fn stations_of_a_second(baud: Option<u32>) -> (Vec<u8>, u64) {
    let (mut tracker, start) = tracker(AHEAD, three_receivers());
    let options =
        crate::line_options::LineOptions { baud, ..crate::line_options::LineOptions::default() };
    let mut out = SendQueue::new(&options, start);
    let mut bytes = Vec::new();
    tracker.receive(b"fO1,2,11,1\rO2,2,11,1\rO4,2,11,1\rC", start, &mut out);
    let end = start + Duration::from_secs(1);
    while let Some(due) = tracker.next_due().into_iter().chain(out.next_due()).min() {
        if due >= end {
            break;
        }
        out.begin(due);
        if tracker.next_due().is_some_and(|next| next <= due) {
            tracker.emit(due, &mut out);
        }
        bytes.extend(out.take());
    }
    let withheld = out.log().report.records_withheld.slow_line;
    (bytes.chunks_exact(33).map(|record| record[1]).collect(), withheld)
}

#[test]
fn a_stream_shares_120_solutions_a_second_in_order() {
    let (stations, withheld) = stations_of_a_second(None);
    assert_eq!((stations.len(), withheld), (120, 0));
    assert!(stations.chunks_exact(3).all(|three| three == b"124"));
}

#[test]
fn a_slow_line_drops_whole_solutions_but_keeps_the_order() {
    let (stations, withheld) = stations_of_a_second(Some(9600));
    // 960 bytes per second are 29 records of 33 bytes.
    assert_eq!(stations.len(), 29);
    assert!((88..=91).contains(&withheld), "{withheld}");
    assert!(stations.chunks_exact(3).all(|three| three == b"124"));
}

#[test]
fn a_stream_runs_until_it_is_stopped_and_waits_for_movement_if_told() {
    let (mut tracker, start) = tracker(AHEAD, TrackerOptions::default());
    let mut out = SendQueue::ideal();
    tracker.receive(b"fI1,1\rC", start, &mut out);
    for _ in 0..10 {
        let due = tracker.next_due().expect("it streams");
        tracker.emit(due, &mut out);
    }
    assert_eq!(out.take().len(), 29, "the hand does not move: one record only");
    tracker.receive(b"c", start, &mut out);
    assert_eq!(tracker.next_due(), None);
}

#[test]
fn any_bytes_are_survived() {
    proptest::proptest!(|(bytes in proptest::collection::vec(
        proptest::prop_oneof![
            proptest::prelude::any::<u8>(),
            proptest::sample::select(b"OlAHVvxTX0125,.-\r".to_vec()),
        ],
        0..64,
    ))| {
        let (mut tracker, now) = tracker(AHEAD, three_receivers());
        let mut out = SendQueue::ideal();
        tracker.receive(&bytes, now, &mut out);
        if let Some(due) = tracker.next_due() {
            tracker.emit(due, &mut out);
        }
        let later = now + Duration::from_secs(12);
        out.begin(later);
        tracker.receive(b"\rcW", later, &mut out);
        out.take();
        tracker.receive(b"l1\r", later, &mut out);
        proptest::prop_assert_eq!(out.take(), b"21l1101\r\n");
    });
}
