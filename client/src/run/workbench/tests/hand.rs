//! How another source of the hand takes over, or does not.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use emulators::{
    GloveEmulator, GloveOptions, Motion, ScriptClock, TrackerEmulator, TrackerOptions,
};

use super::super::filing::Reading;
use super::super::objects::Place;
use super::*;
use crate::command_line::{Devices, SecondHand, Source};
use crate::session::HandSource;
use crate::wiring::{Expected, open_hands};

/// Hears the clerk until this is so.
fn wait_until(bench: &mut Bench<'_>, is_so: impl Fn(&Bench<'_>) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so(bench) {
        assert!(Instant::now() < deadline, "the clerk has not answered");
        bench.hear_clerk();
        std::thread::yield_now();
    }
}

#[test]
fn a_folder_in_place_of_a_file_leaves_the_way_free() {
    let folder = tempfile::tempdir().unwrap();
    let (mut bench, _scenes, _requests) = listened_to(HandChoice::Mouse(Side::Right));
    bench.files.reading = Some(Reading { progress: Arc::default(), place: Place::Instead });
    let ways: [fn(&mut Bench<'static>, PathBuf); 2] = [Bench::play, Bench::perform];
    for way in ways {
        way(&mut bench, folder.path().to_owned());
        assert!(bench.hand.opening().is_some());
        wait_until(&mut bench, |bench| bench.hand.opening().is_none());
    }
    assert!(bench.files.reading.is_some(), "a file is still being read");
    // What is wished for meanwhile is not forgotten.
    bench.play(folder.path().to_owned());
    let left = HandChoice::Mouse(Side::Left);
    bench.open_hand(left.clone());
    wait_until(&mut bench, |bench| *bench.hand.choice() == left);
}

#[test]
fn what_the_session_does_not_take_changes_nothing() {
    let now = HandChoice::Mouse(Side::Right);
    let (mut bench, _scenes, requests) = listened_to(now.clone());
    // The queue is full.
    assert!(bench.request(Request::StopRecording));
    bench.open_hand(HandChoice::Mouse(Side::Left));
    wait_until(&mut bench, |bench| bench.hand.opening().is_none());
    assert_eq!((bench.hand.choice(), &bench.kept.settings().hand), (&now, &None));
    let other = SolverChoice { threads: Some(1), ..SolverChoice::default() };
    bench.take_solvers(other.clone(), Ok(bench.solving.solvers.clone()));
    assert_eq!(bench.solving.choice, SolverChoice::default());
    drop(requests.recv());
    bench.take_solvers(other.clone(), Ok(bench.solving.solvers.clone()));
    assert_eq!(bench.solving.choice, other);
}

fn at(glove: &str, tracker: &str) -> HandChoice {
    let port = |path: &str| Some(Source::Port(path.to_owned()));
    let devices = Devices { glove: port(glove), tracker: port(tracker), ..Devices::default() };
    HandChoice::Ports { devices, second: SecondHand::default() }
}

/// The next hands that the session is given.
fn given(bench: &mut Bench<'_>, requests: &Receiver<Request>) -> HandSource {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        bench.hear_clerk();
        match requests.recv_timeout(Duration::from_millis(5)) {
            Ok(Request::Hands(source)) => return *source,
            Ok(_) => panic!("nothing else was asked for"),
            Err(_) => assert!(Instant::now() < deadline, "no hand has come"),
        }
    }
}

fn n_hands(source: &HandSource) -> usize {
    let HandSource::Devices(devices) = source else { panic!("these are no devices") };
    devices.hands.len()
}

#[test]
fn a_hand_whose_port_is_needed_lets_go_and_is_fetched_back_if_that_was_in_vain() {
    let clock = ScriptClock::since(Instant::now());
    let motion = Motion::grasp_and_squeeze;
    let tracker = || TrackerEmulator::start(TrackerOptions::default(), motion(), clock).unwrap();
    let glove = GloveEmulator::start(GloveOptions::default(), motion(), clock).unwrap();
    let (tracker, other) = (tracker(), tracker());
    let first = at(glove.path(), tracker.path());
    let (mut bench, _scenes, requests) = listened_to(first.clone());
    let doors = bench.hand.doors();
    let opened = open_hands(&first, None, doors, Expected::Now, &AtomicBool::new(false)).unwrap();

    // Another tracker, the same glove.
    let second = at(glove.path(), other.path());
    bench.open_hand(second.clone());
    assert_eq!(n_hands(&given(&mut bench, &requests)), 0, "the ports are let go");
    drop(opened);
    let source = given(&mut bench, &requests);
    assert_eq!((n_hands(&source), bench.hand.choice()), (1, &second));

    // Two devices cannot be on one port.
    bench.open_hand(at(glove.path(), glove.path()));
    assert_eq!(n_hands(&given(&mut bench, &requests)), 0);
    drop(source);
    assert_eq!(n_hands(&given(&mut bench, &requests)), 1, "fetched back");
    wait_until(&mut bench, |bench| bench.hand.opening().is_none());
    assert_eq!(bench.hand.choice(), &second);
}
