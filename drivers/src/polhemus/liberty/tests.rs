//! Tests with frames that were worked out by hand, and with damaged ones.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::transcript::hex;

/// Station 2, continuous, no fault: 10, -5 and 2.5 inches; a quarter turn about z.
const EXAMPLE: &str = "4C 59 02 43 20 00 1E 00 00 00 20 41 00 00 A0 C0 00 00 20 40 \
                       F3 04 35 3F 00 00 00 00 00 00 00 00 F3 04 35 3F 0D 0A";

fn decode(bytes: &[u8]) -> (Vec<TrackerSample>, FrameDecoder) {
    let mut decoder = FrameDecoder::new(Units::Inches);
    let mut samples = Vec::new();
    // One arrival for all, so that samples can be compared.
    let arrival = *START.get_or_init(Instant::now);
    decoder.push(bytes, arrival, &mut |sample| samples.push(sample));
    (samples, decoder)
}

static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();

#[test]
fn a_frame_is_read_in_metres() {
    let samples = decode(&hex(EXAMPLE)).0;
    assert_eq!(samples.len(), 1);
    assert_eq!((samples[0].station, samples[0].condition), (2, Condition::Good));
    let place = samples[0].source_from_sensor.translation.vector;
    for (got, want) in place.iter().zip([0.254, -0.127, 0.0635]) {
        assert!((got - want).abs() < 1e-12, "{got} is not {want}");
    }
    let (axis, angle) = samples[0].source_from_sensor.rotation.axis_angle().expect("it is turned");
    assert!((angle - std::f64::consts::FRAC_PI_2).abs() < 1e-6 && (axis.z - 1.0).abs() < 1e-6);
}

#[test]
fn every_part_of_a_frame_is_checked() {
    let check = |place: usize, byte: u8, n_samples: usize| {
        let mut frame = hex(EXAMPLE);
        frame[place] = byte;
        assert_eq!(decode(&frame).0.len(), n_samples, "byte {place} is {byte:#04x}");
    };
    check(0, b'P', 0);
    check(1, b'U', 1);
    check(2, 0, 0);
    check(2, 16, 1);
    check(2, 17, 0);
    check(3, b'P', 1);
    check(3, b'O', 0);
    check(4, 0, 1);
    check(4, b'l', 1);
    check(4, b'!', 0);
    check(6, 0x1A, 0);
    check(7, 1, 0);
    check(11, 0x7F, 0);
    check(23, 0x40, 0);
    check(36, b' ', 0);
    check(37, b' ', 0);
}

#[test]
fn requests_are_the_manuals() {
    let check = |request: LibertyRequest, want: &str| {
        assert_eq!(request.encode().escape_ascii().to_string(), want);
    };
    check(LibertyRequest::OneFrame, "P");
    check(LibertyRequest::Continuous, r"C\r");
    check(LibertyRequest::Binary, r"F1\r");
    check(LibertyRequest::Poses, r"O*,2,7,1\r");
    check(LibertyRequest::Identity, r"\x16\r");
    check(LibertyRequest::ZeroTime, r"Q0\r");
    check(LibertyRequest::Reset, r"\x19\r");
}

fn frame(station: u8, place: [f32; 3]) -> Vec<u8> {
    let mut bytes = vec![b'L', b'Y', station, b'C', b' ', 0, 30, 0];
    let numbers = [place[0], place[1], place[2], 0.5, -0.5, 0.5, 0.5];
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(b"\r\n");
    bytes
}

proptest! {
    #[test]
    fn a_lost_or_inserted_byte_costs_one_frame(
        frames in vec((1..=16_u8, [-100.0..100.0_f32, -100.0..100.0, -100.0..100.0]), 1..6),
        place in any::<prop::sample::Index>(),
        inserted in proptest::option::of(any::<u8>()),
    ) {
        let frames: Vec<_> = frames.into_iter().map(|(station, at)| frame(station, at)).collect();
        let want = decode(&frames.concat()).0;
        prop_assert_eq!(want.len(), frames.len());
        let mut bytes = frames.concat();
        let place = place.index(bytes.len());
        match inserted {
            Some(byte) => bytes.insert(place, byte),
            None => drop(bytes.remove(place)),
        }
        let (got, decoder) = decode(&bytes);
        let hit = place / FRAME;
        prop_assert!(got.len() >= want.len() - 1);
        prop_assert_eq!(&got[..hit], &want[..hit]);
        prop_assert_eq!(&got[got.len() - (want.len() - 1 - hit)..], &want[hit + 1..]);
        let counts = decoder.counts();
        prop_assert_eq!(counts.records, got.len() as u64);
        let n_dropped = counts.dropped_bytes as usize;
        prop_assert_eq!(got.len() * FRAME + n_dropped + decoder.n_unfinished(), bytes.len());
    }

    #[test]
    fn any_bytes_are_decoded_in_bounded_memory(bytes in vec(any::<u8>(), 0..2000)) {
        let (_, decoder) = decode(&bytes);
        prop_assert!(decoder.n_unfinished() < FRAME);
    }
}
