//! Transcripts from the manual, and what any bytes at all may do to the decoder.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::polhemus::protocol::{Status, active_stations};
use crate::transcript::hex;

/// 12.34, -5.6, 0.07 cm; not turned.
const EXAMPLE: &str = "30 31 20 A4 70 45 41 33 33 B3 C0 29 5C 8F 3D 00 00 80 3F \
                       00 00 00 00 00 00 00 00 00 00 00 00 0D 0A";

fn decode(pieces: &[&[u8]]) -> (Vec<Incoming>, RecordDecoder) {
    let mut decoder = RecordDecoder::new();
    let (mut incoming, arrival) = (Vec::new(), Instant::now());
    for piece in pieces {
        decoder.push(piece, arrival, &mut |item| incoming.push(item));
    }
    (incoming, decoder)
}

fn samples(bytes: &[u8]) -> Vec<TrackerSample> {
    decode(&[bytes]).0.into_iter().filter_map(Incoming::into_sample).collect()
}

fn controls(bytes: &[u8]) -> Vec<ControlRecord> {
    decode(&[bytes]).0.into_iter().filter_map(Incoming::into_control).collect()
}

fn record(station: u8, error: u8, numbers: [f32; 7]) -> Vec<u8> {
    let mut bytes = vec![b'0', b'0' + station, error];
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(b"\r\n");
    bytes
}

const TURNED: [f32; 7] = [100.0, -50.0, 25.0, 0.5, -0.5, 0.5, 0.5];

#[test]
fn the_manuals_record_is_read_in_metres() {
    let samples = samples(&hex(EXAMPLE));
    assert_eq!(samples.len(), 1);
    let place = samples[0].source_from_sensor.translation.vector;
    for (got, want) in place.iter().zip([0.1234, -0.056, 0.0007]) {
        assert!((got - want).abs() < 1e-8, "{got} is not {want}");
    }
    assert!(samples[0].source_from_sensor.rotation.angle() < 1e-12);
    assert_eq!((samples[0].station, samples[0].condition), (1, Condition::Good));
}

#[test]
fn the_quaternion_is_scalar_first() {
    let pose = samples(&record(3, b' ', TURNED))[0].source_from_sensor;
    let quaternion = pose.rotation.quaternion();
    assert_eq!([quaternion.w, quaternion.i, quaternion.j, quaternion.k], [0.5, -0.5, 0.5, 0.5]);
}

#[test]
fn error_characters_say_how_far_to_trust() {
    let check = |error, want| assert_eq!(samples(&record(1, error, TURNED))[0].condition, want);
    check(b's', Condition::Warning('s'));
    check(b'u', Condition::Warning('u'));
    check(b'j', Condition::Degraded('j'));
    check(b'x', Condition::Degraded('x'));
    check(b'l', Condition::Invalid('l'));
    check(b'T', Condition::Invalid('T'));
}

#[test]
fn what_only_looks_like_a_record_is_dropped() {
    let check = |bytes: Vec<u8>| assert_eq!(samples(&bytes), [], "{}", bytes.escape_ascii());
    check(record(5, b' ', TURNED));
    check(record(1, b'!', TURNED));
    let mut numbers = TURNED;
    numbers[0] = f32::NAN;
    check(record(1, b' ', numbers));
    numbers[0] = f32::INFINITY;
    check(record(1, b' ', numbers));
    check(record(1, b' ', [1.0, 2.0, 3.0, 0.5, 0.5, 0.5, 0.6]));
    check(record(1, b' ', [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0]));
    check(b"01   12.34  -5.60   0.07  90.00 -12.50 179.99\r\n".to_vec());
}

#[test]
fn a_lost_byte_costs_one_record() {
    let good = record(1, b' ', TURNED);
    for n_lost in 0..good.len() {
        let mut damaged = good.clone();
        damaged.remove(n_lost);
        let stream = [good.as_slice(), &damaged, &good, &good].concat();
        assert_eq!(samples(&stream).len(), 3, "without byte {n_lost}");
    }
}

#[test]
fn control_records_are_told_from_data() {
    let status = format!("21S3F3    F31  {:6}{:32}\r\n", "1.23", "bench");
    assert_eq!(status.len(), 55);
    let stream = [&record(1, b' ', TURNED), status.as_bytes(), &record(1, b' ', TURNED)].concat();
    assert_eq!(samples(&stream).len(), 2);
    let want = Status {
        is_binary: true,
        is_in_centimetres: true,
        is_continuous: false,
        version: "1.23".to_owned(),
        id: "bench".to_owned(),
    };
    assert_eq!(Status::from_record(&controls(&stream)[0]), Some(want));

    let stations = controls(&hex("32 31 6C 31 30 30 30 0D 0A"));
    assert_eq!(active_stations(&stations[0]), Some([true, false, false, false]));

    let refusal = controls(b"2 E*ERROR*Z9*ERROR* EC-99*PS0*FL0*ST0\r\n");
    assert!(refusal[0].is_complaint());
}

fn good_record() -> impl Strategy<Value = Vec<u8>> {
    let place = -300.0..300.0_f32;
    let turn = [-1.0..1.0_f32, -1.0..1.0, -1.0..1.0, 0.1..1.0];
    (1..=4_u8, [place.clone(), place.clone(), place], turn).prop_map(|(station, place, turn)| {
        let [x, y, z] = place;
        let length = turn.iter().map(|number| number * number).sum::<f32>().sqrt();
        let [a, b, c, d] = turn.map(|number| number / length);
        record(station, b' ', [x, y, z, a, b, c, d])
    })
}

proptest! {
    #[test]
    fn any_bytes_are_decoded_in_bounded_memory(bytes in vec(any::<u8>(), 0..4000)) {
        let (_, decoder) = decode(&[&bytes]);
        prop_assert!(decoder.window.len() <= MAX_CONTROL + 2);
        prop_assert!(decoder.counts().dropped_bytes <= bytes.len() as u64);
    }

    #[test]
    fn any_text_is_decoded_in_bounded_memory(text in "[02][1-4 ][ -~]{0,600}") {
        let (_, decoder) = decode(&[text.as_bytes()]);
        prop_assert!(decoder.window.len() <= MAX_CONTROL + 2);
    }

    /// Only the first record after garbage may be lost, if the garbage forms a record with its
    /// beginning; the second is found in any case.
    #[test]
    fn records_after_any_garbage_are_found(
        garbage in vec(prop_oneof![any::<u8>(), Just(b'0'), Just(b'1'), Just(b'2'), Just(b' ')], 0..200),
        first in good_record(),
        second in good_record(),
    ) {
        let want = samples(&second)[0];
        let got = samples(&[garbage, first, second].concat());
        let last = got.last().expect("the second record is found");
        prop_assert_eq!(last.source_from_sensor, want.source_from_sensor);
        prop_assert_eq!(last.station, want.station);
    }

    #[test]
    fn it_does_not_matter_how_bytes_arrive(
        records in vec(good_record(), 0..4),
        damage in any::<prop::sample::Index>(),
        n_piece in 1..40_usize,
    ) {
        let mut bytes = records.concat();
        if !bytes.is_empty() {
            bytes.remove(damage.index(bytes.len()));
        }
        let pieces: Vec<&[u8]> = bytes.chunks(n_piece).collect();
        let (whole, whole_decoder) = decode(&[&bytes]);
        let (split, split_decoder) = decode(&pieces);
        prop_assert_eq!(whole.len(), split.len());
        prop_assert_eq!(whole_decoder.counts(), split_decoder.counts());
    }
}
