//! Transcripts from the manual, and what any bytes at all may do to the decoder.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::cyberglove::Sensor;
use crate::transcript::hex;

fn decode(mask: SensorMask, pieces: &[&[u8]]) -> (Vec<GloveSample>, RecordDecoder) {
    let mut decoder = RecordDecoder::new(mask);
    let (mut samples, arrival) = (Vec::new(), Instant::now());
    for piece in pieces {
        decoder.push(piece, arrival, &mut |sample| samples.push(sample));
    }
    (samples, decoder)
}

/// The counts of each record in `bytes`, in wire order.
fn check(mask: SensorMask, bytes: &str, want: &[&str]) {
    let (samples, decoder) = decode(mask, &[&hex(bytes)]);
    let got: Vec<Vec<u8>> = samples
        .iter()
        .map(|sample| sample.counts.iter().map(|(_, count)| count).collect())
        .collect();
    assert_eq!(got, want.iter().map(|values| hex(values)).collect::<Vec<_>>());
    assert_eq!(decoder.counts().records, want.len() as u64);
}

const POSE_22: &str = "01 4C 5D 71 59 2A 14 4D 62 6A 75 51 3E 17 34 3C 22 44 39 FE 5C 1A";
const POSE_18: &str = "01 4C 5D 71 59 2A 4D 62 75 51 3E 34 3C 22 39 FE 5C 1A";

#[test]
fn the_manuals_records_are_read() {
    check(SensorMask::GLOVE_22, &format!("47 {POSE_22} 00"), &[POSE_22]);
    check(SensorMask::GLOVE_18, &format!("53 {POSE_18} 00"), &[POSE_18]);
}

#[test]
fn values_go_to_their_sensors() {
    let record = hex(&format!("47 {POSE_18} 00"));
    let (samples, _) = decode(SensorMask::GLOVE_18, &[&record]);
    let counts = samples[0].counts;
    assert_eq!(counts.get(Sensor::ThumbRoll), Some(0x01));
    assert_eq!(counts.get(Sensor::IndexPij), Some(0x2A));
    assert_eq!(counts.get(Sensor::IndexDij), None);
    assert_eq!(counts.get(Sensor::MiddleMpj), Some(0x4D));
    assert_eq!(counts.get(Sensor::WristYaw), Some(0x1A));
}

#[test]
fn error_pairs_are_known_by_length() {
    let check = |pairs: &str, want: Option<Conditions>| {
        let record = hex(&format!("47 {POSE_22} {pairs} 00"));
        let (samples, _) = decode(SensorMask::GLOVE_22, &[&record]);
        assert_eq!(samples.first().map(|sample| sample.conditions), want, "{pairs}");
    };
    check("", Some(Conditions { is_plugged_in: true, is_too_fast: false }));
    check("65 67", Some(Conditions { is_plugged_in: false, is_too_fast: false }));
    check("65 73", Some(Conditions { is_plugged_in: true, is_too_fast: true }));
    check("65 73 65 67", Some(Conditions { is_plugged_in: false, is_too_fast: true }));
    check("65 74", None);
    check("65", None);
}

#[test]
fn header_and_error_letters_are_legal_values() {
    for value in ["47", "53", "65", "67", "73", "3F"] {
        let values = [value; 22].join(" ");
        check(SensorMask::GLOVE_22, &format!("53 {values} 00 53 {values} 00"), &[&values, &values]);
    }
}

#[test]
fn a_lost_byte_costs_one_record_and_a_lost_nul_two() {
    let record = format!("53 {POSE_18} 00");
    let short = format!("53 {} 00", &POSE_18[3..]);
    check(SensorMask::GLOVE_18, &format!("{record} {short} {record}"), &[POSE_18, POSE_18]);
    let merged = format!("53 {POSE_18} {record} {record}");
    check(SensorMask::GLOVE_18, &merged, &[POSE_18]);
}

#[test]
fn what_is_dropped_is_counted() {
    let bytes = hex(&format!("01 02 03 00 53 {POSE_18} 00 00"));
    let (_, decoder) = decode(SensorMask::GLOVE_18, &[&bytes]);
    let want = DecodeCounts { records: 1, dropped_records: 2, dropped_bytes: 5 };
    assert_eq!(decoder.counts(), want);
}

fn values() -> impl Strategy<Value = Vec<u8>> {
    vec(1..=255_u8, 22)
}

fn record(values: &[u8]) -> Vec<u8> {
    [b"S", values, &[0]].concat()
}

proptest! {
    #[test]
    fn any_bytes_are_decoded_in_bounded_memory(bytes in vec(any::<u8>(), 0..4000)) {
        let (samples, decoder) = decode(SensorMask::GLOVE_22, &[&bytes]);
        prop_assert!(decoder.unfinished.capacity() <= 2 * MAX_RECORD);
        let counts = decoder.counts();
        prop_assert_eq!(counts.records, samples.len() as u64);
        prop_assert!(counts.dropped_bytes + 24 * counts.records <= bytes.len() as u64);
    }

    /// Only the first record after garbage may be lost, and only if the garbage does not end in NUL.
    #[test]
    fn records_after_any_garbage_are_found(
        garbage in vec(any::<u8>(), 0..200),
        first in values(),
        second in values(),
    ) {
        let (samples, _) =
            decode(SensorMask::GLOVE_22, &[&garbage, &record(&first), &record(&second)]);
        let got: Vec<_> = samples.iter().map(|sample| sample.counts).collect();
        let [first, second] =
            [first, second].map(|values| SensorCounts::from_values(SensorMask::GLOVE_22, &values));
        prop_assert_eq!(got.last(), Some(&second));
        if garbage.last().is_none_or(|last| *last == 0) {
            prop_assert!(got.ends_with(&[first, second]));
        }
    }

    #[test]
    fn it_does_not_matter_how_bytes_arrive(bytes in vec(0..=3_u8, 0..300), n_piece in 1..40_usize) {
        // Few sensors and few byte values, so that records do occur by chance.
        let mask = SensorMask::from_wire([1, 0, 0]);
        let bytes: Vec<u8> = bytes.iter().map(|byte| b"\0GSe"[usize::from(*byte)]).collect();
        let pieces: Vec<&[u8]> = bytes.chunks(n_piece).collect();
        let (whole, whole_decoder) = decode(mask, &[&bytes]);
        let (split, split_decoder) = decode(mask, &pieces);
        let counts = |samples: &[GloveSample]| -> Vec<_> {
            samples.iter().map(|sample| (sample.counts, sample.conditions)).collect()
        };
        prop_assert_eq!(counts(&whole), counts(&split));
        prop_assert_eq!(whole_decoder.counts(), split_decoder.counts());
    }
}
