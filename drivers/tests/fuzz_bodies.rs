//! Runs the bodies of the fuzz targets with random bytes, for machines without a fuzzer.

use proptest::collection::vec;
use proptest::prelude::*;

#[path = "../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "the fuzzer uses this file as a library")]
mod bodies;

/// Mostly bytes with a meaning in one of the decoders, so that random bytes contain records.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let meaningful = prop::sample::select(&b"\0GS?KRMNDUe0112 \r\nABCZ()\xAC\x80"[..]);
    prop_oneof![
        vec(any::<u8>(), 0..300),
        vec(prop_oneof![3 => meaningful.clone(), 1 => any::<u8>()], 0..300),
        vec(meaningful, 0..60),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn cyberglove_records(bytes in bytes()) {
        bodies::cyberglove_records(&bytes);
    }

    #[test]
    fn cyberglove_replies(bytes in bytes()) {
        bodies::cyberglove_replies(&bytes);
    }

    #[test]
    fn high_resolution_records(bytes in bytes()) {
        bodies::high_resolution_records(&bytes);
    }

    #[test]
    fn liberty_frames(bytes in bytes()) {
        bodies::liberty_frames(&bytes);
    }

    #[test]
    fn fastrak_records(bytes in bytes()) {
        bodies::fastrak_records(&bytes);
    }

    #[test]
    fn opengloves_lines(bytes in bytes()) {
        bodies::opengloves_lines(&bytes);
    }

    #[test]
    fn recording(bytes in bytes()) {
        bodies::recording(&bytes);
    }
}
