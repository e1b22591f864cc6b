//! Tests of changes of the hand's source.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use emulators::{
    GloveEmulator, GloveOptions, Motion, ScriptClock, TrackerEmulator, TrackerOptions,
};

use super::super::file_actions::FileBeingRead;
use super::super::things_panel::ThingPlace;
use super::*;
use crate::command_line::{DeviceOptions, DeviceSource, SecondHand};
use crate::session::HandSource;
use crate::wiring::{DevicesExpected, open_hands};

/// Takes the results of jobs until the condition holds.
fn wait_until(workbench: &mut Workbench<'_>, is_so: impl Fn(&Workbench<'_>) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so(workbench) {
        assert!(Instant::now() < deadline, "no job has the expected result");
        workbench.take_job_results();
        std::thread::yield_now();
    }
}

#[test]
fn a_folder_in_place_of_a_file_leaves_the_way_free() {
    let folder = tempfile::tempdir().unwrap();
    let (mut workbench, _scenes, _requests) =
        workbench_with_requests(HandChoice::Mouse(Side::Right));
    workbench.files.reading =
        Some(FileBeingRead { progress: Arc::default(), place: ThingPlace::Instead });
    let ways: [fn(&mut Workbench<'static>, PathBuf); 2] = [Workbench::play, Workbench::perform];
    for way in ways {
        way(&mut workbench, folder.path().to_owned());
        assert!(workbench.hand.opening().is_some());
        wait_until(&mut workbench, |workbench| workbench.hand.opening().is_none());
    }
    assert!(workbench.files.reading.is_some(), "a file is still being read");
    // A source that is chosen meanwhile is opened afterwards.
    workbench.play(folder.path().to_owned());
    let left = HandChoice::Mouse(Side::Left);
    workbench.open_hand(left.clone());
    wait_until(&mut workbench, |workbench| *workbench.hand.choice() == left);
}

#[test]
fn a_request_that_the_session_cannot_take_changes_nothing() {
    let now = HandChoice::Mouse(Side::Right);
    let (mut workbench, _scenes, requests) = workbench_with_requests(now.clone());
    // The queue is full.
    assert!(workbench.request(Request::StopRecording));
    workbench.open_hand(HandChoice::Mouse(Side::Left));
    wait_until(&mut workbench, |workbench| workbench.hand.opening().is_none());
    assert_eq!((workbench.hand.choice(), &workbench.settings.current().hand), (&now, &None));
    let other = SolverChoice { threads: Some(1), ..SolverChoice::default() };
    workbench.take_solvers(other.clone(), Ok(workbench.solver.solvers.clone()));
    assert_eq!(workbench.solver.choice, SolverChoice::default());
    drop(requests.recv());
    workbench.take_solvers(other.clone(), Ok(workbench.solver.solvers.clone()));
    assert_eq!(workbench.solver.choice, other);
}

fn at(glove: &str, tracker: &str) -> HandChoice {
    let port = |path: &str| Some(DeviceSource::Port(path.to_owned()));
    let devices =
        DeviceOptions { glove: port(glove), tracker: port(tracker), ..DeviceOptions::default() };
    HandChoice::Ports { devices, second: SecondHand::default() }
}

/// The next source of hands that the session receives.
fn given(workbench: &mut Workbench<'_>, requests: &Receiver<Request>) -> HandSource {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        workbench.take_job_results();
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
fn a_hand_releases_its_port_and_is_opened_again_if_the_new_one_fails() {
    let clock = ScriptClock::since(Instant::now());
    let motion = Motion::grasp_and_squeeze;
    let tracker = || TrackerEmulator::start(TrackerOptions::default(), motion(), clock).unwrap();
    let glove = GloveEmulator::start(GloveOptions::default(), motion(), clock).unwrap();
    let (tracker, other) = (tracker(), tracker());
    let first = at(glove.path(), tracker.path());
    let (mut workbench, _scenes, requests) = workbench_with_requests(first.clone());
    let hand_context = workbench.hand.hand_context();
    let opened =
        open_hands(&first, None, hand_context, DevicesExpected::Now, &AtomicBool::new(false))
            .unwrap();

    // Another tracker, the same glove.
    let second = at(glove.path(), other.path());
    workbench.open_hand(second.clone());
    assert_eq!(n_hands(&given(&mut workbench, &requests)), 0, "the ports are let go");
    drop(opened);
    let source = given(&mut workbench, &requests);
    assert_eq!((n_hands(&source), workbench.hand.choice()), (1, &second));

    // Two devices cannot be on one port.
    workbench.open_hand(at(glove.path(), glove.path()));
    assert_eq!(n_hands(&given(&mut workbench, &requests)), 0);
    drop(source);
    assert_eq!(n_hands(&given(&mut workbench, &requests)), 1, "fetched back");
    wait_until(&mut workbench, |workbench| workbench.hand.opening().is_none());
    assert_eq!(workbench.hand.choice(), &second);
}
