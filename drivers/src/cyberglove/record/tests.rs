//! Tests with transcripts from the manual; tests with damage are in `faults`.

mod faults;

use super::*;
use crate::cyberglove::protocol::Switch;
use crate::cyberglove::{Sensor, SensorMask};
use crate::transcript::hex;

const POSE_22: &str = "01 4C 5D 71 59 2A 14 4D 62 6A 75 51 3E 17 34 3C 22 44 39 FE 5C 1A";
const POSE_18: &str = "01 4C 5D 71 59 2A 4D 62 75 51 3E 34 3C 22 39 FE 5C 1A";
const PLAIN_22: RecordShape = RecordShape::plain(SensorMask::GLOVE_22);
const PLAIN_18: RecordShape = RecordShape::plain(SensorMask::GLOVE_18);

fn decode(shape: RecordShape, pieces: &[&[u8]]) -> (Vec<GloveSample>, RecordDecoder) {
    let mut decoder = RecordDecoder::new(shape, JumpRule::Keep);
    let (mut samples, arrival) = (Vec::new(), Instant::now());
    for piece in pieces {
        decoder.push(piece, arrival, &mut |sample| samples.push(sample));
    }
    (samples, decoder)
}

/// The counts of each record in `bytes`, in wire order.
fn check(shape: RecordShape, bytes: &str, want: &[&str]) {
    let (samples, decoder) = decode(shape, &[&hex(bytes)]);
    let got: Vec<Vec<u8>> = samples
        .iter()
        .map(|sample| sample.counts.iter().map(|(_, count)| count).collect())
        .collect();
    assert_eq!(got, want.iter().map(|values| hex(values)).collect::<Vec<_>>());
    assert_eq!(decoder.counts().records, want.len() as u64);
}

#[test]
fn the_manuals_records_are_read() {
    check(PLAIN_22, &format!("47 {POSE_22} 00"), &[POSE_22]);
    check(PLAIN_18, &format!("53 {POSE_18} 00"), &[POSE_18]);
    check(PLAIN_18, &format!("59 {POSE_18} 00"), &[POSE_18]);
    check(PLAIN_18, &format!("54 {POSE_18} 00"), &[]);
}

#[test]
fn values_go_to_their_sensors() {
    let record = hex(&format!("47 {POSE_18} 00"));
    let (samples, _) = decode(PLAIN_18, &[&record]);
    let counts = samples[0].counts;
    assert_eq!(counts.get(Sensor::ThumbRoll), Some(0x01));
    assert_eq!(counts.get(Sensor::IndexPij), Some(0x2A));
    assert_eq!(counts.get(Sensor::IndexDij), None);
    assert_eq!(counts.get(Sensor::MiddleMpj), Some(0x4D));
    assert_eq!(counts.get(Sensor::WristYaw), Some(0x1A));
}

#[test]
fn a_status_byte_follows_the_values() {
    let shape = RecordShape { status_byte: Switch::On, ..PLAIN_22 };
    let check = |status: &str, want: Option<(u8, bool)>| {
        let (samples, _) = decode(shape, &[&hex(&format!("47 {POSE_22} {status} 00"))]);
        let got = samples.first().map(|sample| {
            assert_eq!(sample.ticks, None);
            (sample.status, sample.conditions.is_plugged_in)
        });
        assert_eq!(got, want.map(|(byte, is_in)| (Some(Status::from_wire(byte)), is_in)));
    };
    check("85", Some((0x85, true)));
    check("84", Some((0x84, false)));
    check("85 65 67", Some((0x85, false)));
    check("", None);
}

#[test]
fn a_time_stamp_marks_its_zero_bytes() {
    let shape = RecordShape { time_stamp: Switch::On, ..PLAIN_22 };
    let check = |stamp: &str, want| {
        let (samples, _) = decode(shape, &[&hex(&format!("53 {POSE_22} {stamp} 00"))]);
        assert_eq!(samples.first().and_then(|sample| sample.ticks), Some(want), "{stamp}");
    };
    check("89 01 2C 01 01", 0x0001_2C00);
    check("80 01 02 03 04", 0x0403_0201);
    check("8F 01 01 01 01", 0);
    check("82 FF 01 FF FF", 0xFFFF_00FF);
}

#[test]
fn a_record_may_have_everything() {
    let shape = RecordShape { time_stamp: Switch::On, status_byte: Switch::On, ..PLAIN_18 };
    let record = hex(&format!("53 {POSE_18} 89 01 2C 01 01 83 65 73 65 67 00"));
    let (samples, decoder) = decode(shape, &[&record]);
    let sample = samples[0];
    assert_eq!(sample.counts.get(Sensor::WristYaw), Some(0x1A));
    assert_eq!(sample.ticks, Some(0x0001_2C00));
    assert_eq!(sample.status, Some(Status::from_wire(0x83)));
    assert_eq!(sample.conditions, Conditions { is_plugged_in: false, is_too_fast: true });
    assert_eq!(decoder.counts().dropped_bytes, 0);
}

#[test]
fn error_pairs_are_known_by_length() {
    let check = |pairs: &str, want: Option<Conditions>| {
        let record = hex(&format!("47 {POSE_22} {pairs} 00"));
        let (samples, _) = decode(PLAIN_22, &[&record]);
        assert_eq!(samples.first().map(|sample| sample.conditions), want, "{pairs}");
    };
    check("", Some(Conditions { is_plugged_in: true, is_too_fast: false }));
    check("65 67", Some(Conditions { is_plugged_in: false, is_too_fast: false }));
    check("65 73", Some(Conditions { is_plugged_in: true, is_too_fast: true }));
    check("65 73 65 67", Some(Conditions { is_plugged_in: false, is_too_fast: true }));
    check("65 67 65 73", Some(Conditions { is_plugged_in: false, is_too_fast: true }));
    check("65 74", None);
    check("65", None);
    check("65 67 65 67", None);
    check("65 67 65 73 65 67", None);
}

#[test]
fn header_and_error_letters_are_legal_values() {
    for value in ["47", "53", "59", "65", "67", "73", "3F"] {
        let values = [value; 22].join(" ");
        check(PLAIN_22, &format!("53 {values} 00 53 {values} 00"), &[&values, &values]);
    }
}

#[test]
fn a_lost_byte_costs_one_record_and_a_lost_nul_none() {
    let record = format!("53 {POSE_18} 00");
    let short = format!("53 {} 00", &POSE_18[3..]);
    check(PLAIN_18, &format!("{record} {short} {record}"), &[POSE_18, POSE_18]);
    let merged = format!("53 {POSE_18} {record} {record}");
    check(PLAIN_18, &merged, &[POSE_18, POSE_18, POSE_18]);
    let with_pairs = format!("53 {POSE_18} 65 73 53 {POSE_18} 65 67 00 {record}");
    check(PLAIN_18, &with_pairs, &[POSE_18, POSE_18, POSE_18]);
}

#[test]
fn a_damaged_nul_costs_the_record_that_it_ends() {
    for byte in ["01", "53", "65", "FF"] {
        let merged = hex(&format!("53 {POSE_18} 65 73 {byte} 53 {POSE_18} 00"));
        let (samples, decoder) = decode(PLAIN_18, &[&merged]);
        assert_eq!(samples.len(), 1);
        assert!(!samples[0].conditions.is_too_fast);
        let want = DecodeCounts { records: 1, dropped_records: 1, dropped_bytes: 22 };
        assert_eq!(decoder.counts(), want);
    }
}

#[test]
fn a_byte_too_many_before_error_pairs_makes_no_second_record() {
    let four_values = RecordShape::plain(SensorMask::GLOVE_22.first(4));
    check(four_values, "53 01 02 03 04 65 73 65 67 00", &["01 02 03 04"]);
    check(four_values, "53 01 02 03 04 53 65 73 65 67 00", &[]);
}

#[test]
fn what_is_dropped_is_counted() {
    let bytes = hex(&format!("01 02 03 00 53 {POSE_18} 00 00"));
    let (_, decoder) = decode(PLAIN_18, &[&bytes]);
    let want = DecodeCounts { records: 1, dropped_records: 2, dropped_bytes: 5 };
    assert_eq!(decoder.counts(), want);
}

#[test]
fn a_new_shape_is_used_at_once() {
    let mut decoder = RecordDecoder::new(PLAIN_18, JumpRule::Keep);
    let (mut n_samples, arrival) = (0, Instant::now());
    decoder.push(&hex("53 01 02"), arrival, &mut |_| n_samples += 1);
    decoder.set_shape(PLAIN_22);
    decoder.push(&hex(&format!("53 {POSE_22} 00")), arrival, &mut |_| n_samples += 1);
    assert_eq!(n_samples, 1);
}

#[test]
fn a_record_that_jumps_is_dropped_only_if_asked_for() {
    let far = ["FF"; 18].join(" ");
    let near = ["60"; 18].join(" ");
    let bytes = hex(&format!("53 {near} 00 53 {far} 00 53 {near} 00"));
    for (rule, want) in [(JumpRule::Keep, (3, 0)), (JumpRule::DropOnce, (2, 20))] {
        let mut decoder = RecordDecoder::new(PLAIN_18, rule);
        decoder.push(&bytes, Instant::now(), &mut |_| {});
        assert_eq!((decoder.counts().records, decoder.counts().dropped_bytes), want);
    }
}
