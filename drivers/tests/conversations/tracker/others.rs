//! Tests of identifying a tracker, and of the later Polhemus units.

use drivers::polhemus::liberty::Liberty;
use drivers::polhemus::settings::Units;
use drivers::polhemus::{Identity, identify};
use drivers::serial::SerialLine;

use super::*;

fn check_identity(script: Vec<Turn>, is_wanted: impl Fn(Option<Identity>) -> bool) {
    let peer = ScriptedPeer::start(script);
    let mut line = SerialLine::open(&peer.path, 115_200).expect("the peer is there");
    assert!(is_wanted(identify(&mut line).expect("the line holds")));
    peer.finish();
}

#[test]
fn a_tracker_is_known_by_its_status() {
    let is_bench = |found| matches!(found, Some(Identity::Fastrak(status)) if status.id == "bench");
    check_identity(vec![(b"c", record(1.0)), (b"S", status("3F0"))], is_bench);
    // An unfinished line swallows the first question.
    check_identity(vec![(b"cS", Vec::new()), (b"\x11\rcS", status("3F0"))], is_bench);
}

#[test]
fn a_later_unit_is_known_by_its_text() {
    let text = b"Polhemus PATRIOT\r\nversion 1.0\r\n".to_vec();
    let script = vec![(b"cS\x11\rcS".as_slice(), Vec::new()), (b"\x16\r", text)];
    let want = Some(Identity::Later("Polhemus PATRIOT".to_owned()));
    check_identity(script, |found| found == want);
}

#[test]
fn nothing_is_made_of_other_devices() {
    let script = vec![(b"cS".as_slice(), b"e?\0".to_vec()), (b"\x11\rcS\x16\r", b"e?\0".to_vec())];
    check_identity(script, |found| found.is_none());
}

#[test]
fn a_later_unit_is_opened_and_streamed() {
    let frame = |x_in: f32| {
        let mut bytes = b"LY\x01C \x00\x1E\x00".to_vec();
        let numbers = [x_in, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(b"\r\n");
        bytes
    };
    let peer = ScriptedPeer::start(vec![
        (b"P", frame(1.0)[..20].to_vec()),
        (b"F1\rO*,2,7,1\rP", frame(2.0)),
        (b"C\r", frame(10.0)),
        (b"P", Vec::new()),
    ]);
    let mut liberty = Liberty::open(&peer.path, 115_200, Units::Inches).unwrap();
    liberty.start_stream().unwrap();
    let sample = liberty.next_sample(PATIENT).unwrap().expect("the peer sends it");
    assert!((sample.source_from_sensor.translation.x - 0.254).abs() < 1e-12);
    drop(liberty);
    peer.finish();
}
