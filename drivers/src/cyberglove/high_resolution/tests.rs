//! Tests with records that were worked out by hand, and with damaged ones.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::cyberglove::Sensor;
use crate::transcript::hex;

fn decode(pieces: &[&[u8]]) -> (Vec<HighResolutionSample>, HighResolutionDecoder) {
    let (mut decoder, mut samples) = (HighResolutionDecoder::default(), Vec::new());
    let arrival = Instant::now();
    for piece in pieces {
        decoder.push(piece, arrival, &mut |sample| samples.push(sample));
    }
    (samples, decoder)
}

/// 12:34:56, frame 07, part 2; values that hold NUL, CR LF NUL, and both ends of their range.
const RECORD_TEXT: &str = "31 32 3A 33 34 3A 35 36 3A 30 37 3A 32 53 \
    00 01 0F FE 0D 0A 00 53 08 00 01 00 00 10 00 18 00 17 0F F7 0F F8 03 E8 \
    03 E8 03 E8 03 E8 03 E8 03 E8 03 E8 03 E8 03 E8 03 E8 0D 0A \
    0D 0A 00";

fn record(values: &[u16]) -> Vec<u8> {
    let values = values.iter().flat_map(|value| value.to_be_bytes());
    b"01:02:03:04:5S".iter().copied().chain(values).chain(*b"\r\n\0").collect()
}

#[test]
fn a_record_is_read() {
    let (samples, decoder) = decode(&[&hex(RECORD_TEXT)]);
    assert_eq!(samples.len(), 1);
    let sample = samples[0];
    let time = TimeCode { hours: 12, minutes: 34, seconds: 56, frame: 7, part: 2 };
    assert_eq!(sample.time, time);
    let first = [1, 4094, 3338, 83, 2048, 256, 16, 24, 23, 4087, 4088, 1000];
    assert_eq!(sample.values[..12], first);
    assert_eq!(sample.values[21], 3338);
    let want = DecodeCounts { records: 1, ..DecodeCounts::default() };
    assert_eq!(decoder.counts(), want);
}

#[test]
fn values_become_counts() {
    let counts = decode(&[&hex(RECORD_TEXT)]).0[0].counts();
    let check = |sensor, want| assert_eq!(counts.get(sensor), Some(want), "{sensor:?}");
    check(Sensor::ThumbRoll, 1); // 1
    check(Sensor::ThumbMpj, 255); // 4094
    check(Sensor::ThumbIj, 209); // 3338 / 16 = 208.6
    check(Sensor::IndexMpj, 128); // 2048
    check(Sensor::IndexDij, 1); // 16
    check(Sensor::MiddleMpj, 2); // 24 / 16 = 1.5
    check(Sensor::MiddlePij, 1); // 23 / 16 = 1.4
    check(Sensor::MiddleDij, 255); // 4087 / 16 = 255.4
    check(Sensor::MiddleIndexAbduction, 255); // 4088 / 16 = 255.5
    check(Sensor::WristYaw, 209);
    assert_eq!(counts.get(Sensor::IndexAbduction), None);
}

#[test]
fn what_lies_between_records_is_skipped() {
    let check = |bytes: String, n_records, n_dropped| {
        let (samples, decoder) = decode(&[&hex(&bytes)]);
        assert_eq!(samples.len(), n_records);
        assert_eq!(decoder.counts().dropped_bytes, n_dropped);
    };
    // The echo of the request, and the extra bytes after a record, of which the first may vary.
    check(format!("31 53 00 {RECORD_TEXT}"), 1, 3);
    check(format!("{RECORD_TEXT} 6E 53 {RECORD_TEXT}"), 2, 2);
    check(format!("{RECORD_TEXT} 32 53 {RECORD_TEXT}"), 2, 2);
    // The end of a record whose beginning was not received.
    check(format!("{} {RECORD_TEXT}", &RECORD_TEXT[30..]), 1, 51);
}

#[test]
fn values_out_of_range_are_damage() {
    for value in [0, 4095, 0x1000] {
        let mut values = [1000; 22];
        values[5] = value;
        let (samples, decoder) = decode(&[&record(&values)]);
        assert_eq!(samples, []);
        let want = DecodeCounts { records: 0, dropped_records: 1, dropped_bytes: 61 };
        assert_eq!(decoder.counts(), want);
    }
}

fn values() -> impl Strategy<Value = Vec<u16>> {
    // Values that look like the end of a record are made more frequent.
    vec(prop_oneof![1..=4094_u16, Just(0x0D0A), Just(0x000D), Just(0x0A00), Just(0x0053)], 22)
}

proptest! {
    #[test]
    fn one_fault_costs_at_most_one_record(
        poses in vec(values(), 1..5),
        place in any::<Index>(),
        replacement in vec(any::<u8>(), 0..=2),
        n_chunk in 1..200_usize,
    ) {
        let mut bytes: Vec<u8> = poses.iter().flat_map(|pose| record(pose)).collect();
        let place = place.index(bytes.len());
        // Zero bytes instead of one are a loss, two are an insertion.
        bytes.splice(place..=place, replacement);
        let chunks: Vec<&[u8]> = bytes.chunks(n_chunk).collect();
        let (samples, decoder) = decode(&chunks);
        let got: Vec<Vec<u16>> = samples.iter().map(|sample| sample.values.to_vec()).collect();
        let damaged = place / RECORD;
        prop_assert_eq!(&got[..damaged], &poses[..damaged]);
        let n_after = poses.len() - damaged - 1;
        prop_assert!(got.ends_with(&poses[damaged + 1..]));
        prop_assert!(got.len() >= damaged + n_after && got.len() <= poses.len());
        let n_known = RECORD as u64 * decoder.counts().records + decoder.counts().dropped_bytes;
        prop_assert_eq!(n_known + decoder.unfinished.len() as u64, bytes.len() as u64);
    }

    #[test]
    fn any_bytes_are_decoded_in_bounded_memory(bytes in vec(any::<u8>(), 0..4000)) {
        let (samples, decoder) = decode(&[&bytes]);
        prop_assert_eq!(decoder.counts().records, samples.len() as u64);
        prop_assert!(decoder.unfinished.len() < RECORD);
        prop_assert!(decoder.unfinished.capacity() <= 4 * BATCH);
    }
}
