//! Tests of runs with matter that moves: recorded runs replay bit for bit, and undo, a change of
//! solver and seeks restore the state of the matter.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use calibration::HandPose;
use drivers::Side;
use drivers::recorder::Recorder;
use drivers::recording::{DeviceId, Existing};
use drivers::replay::ReplayClock;
use engine::{Bell, MemoryBudget, SolverLocation, SolverResources};
use interaction::grasp::GraspRules;
use interaction::posture::{Posture, grasping_wrist};
use interaction::shape_history::HistoryStep;
use interaction::tabletop::Order;
use interaction::thing::{NamedMaterial, ThingParts};
use nalgebra::{Isometry3, Translation3, Vector3};
use physics::material::IsotropicElastic;
use physics::{ObjectSpec, SampleId, Snapshot, SolidSpec, SurfaceFrame};
use solver_server::{Limits, ServerThread};
use tests::DampedMass;

use super::journal::{RecordedJournal, RunStart};
use super::{
    ExactReplayError, HandSource, JOURNAL, ProfilesInUse, ReplayReport, Request, Session,
    SessionParts, replay_exactly,
};
use crate::input::{DecodedDevices, HandHistory, PosePlayer, RecordedPose};

const PATIENCE: Duration = Duration::from_secs(60);
/// Duration of the script in which the hand closes and opens round the mass, in seconds.
const LASTS: f64 = 1.5;

/// A mass that hangs well above the table.
fn mass() -> ThingParts {
    let mesh = objects::generate::cube(0.06, 1).unwrap();
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    let spec = ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap());
    let home = Isometry3::translation(0.0, 0.3, 0.0);
    ThingParts { name: "mass".to_owned(), spec: Arc::new(spec), home, colours: None }
}

fn resources() -> Arc<SolverResources> {
    SolverResources::making(Some(1), MemoryBudget::default(), DampedMass::of).unwrap()
}

fn here() -> SolverLocation {
    SolverLocation::Embedded(resources())
}

fn server(port: u16) -> (ServerThread, SolverLocation) {
    let limits = Limits { sessions: 4, nodes: 1000 };
    let server = ServerThread::start(port, resources(), limits).unwrap();
    let url = format!("http://{}", server.address()).parse().unwrap();
    (server, SolverLocation::Remote(url))
}

/// A hand that closes and opens around the mass.
fn poses() -> Vec<RecordedPose> {
    let pose = |n: u32| {
        let seconds = f64::from(n) / 100.0;
        let closed = 0.8 * (1.0 - (4.0 * seconds).cos());
        let world_from_wrist = Translation3::new(0.0, 0.24, 0.0) * grasping_wrist(Side::Right);
        let angles = Posture::grasping().natural_angles(&[closed; 5]);
        let pose = Some(HandPose { angles, world_from_wrist });
        RecordedPose { at: Duration::from_secs_f64(seconds), side: Side::Right, pose, size: None }
    };
    (0..(LASTS * 100.0) as u32).map(pose).collect()
}

fn hands() -> HandSource {
    HandSource::Recorded(PosePlayer::new(poses(), ReplayClock::new(2.0).unwrap()))
}

/// A run that is recorded in `file`.
struct Run {
    session: Session,
    recorder: Option<Recorder>,
}

impl Run {
    fn begin(solvers: SolverLocation, file: Option<&Path>) -> Self {
        Self::begin_in(solvers, file, Vec::new())
    }

    /// Same as `begin`, with things in these states.
    fn begin_in(
        solvers: SolverLocation,
        file: Option<&Path>,
        states: Vec<(usize, Arc<Snapshot>)>,
    ) -> Self {
        let recorder = file.map(|file| Recorder::start(file, "a test", Existing::Replace).unwrap());
        let notes =
            recorder.as_ref().map(|recorder| recorder.notes(DeviceId::new(4).unwrap(), JOURNAL));
        let session = Session::new(SessionParts {
            hands: hands(),
            profiles_in_use: ProfilesInUse::anonymous(),
            rules: GraspRules::default(),
            things: vec![mass()],
            states,
            solvers,
            bell: Arc::new(Bell::default()),
            trace: None,
            headset: None,
            profile_store: None,
            notes,
            emulated: Vec::new(),
        });
        Self { session: session.unwrap(), recorder }
    }

    fn turn_until(&mut self, what: &str, is_so: impl Fn(&Session) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_so(&self.session) {
            assert!(Instant::now() < deadline, "it never comes: {what}");
            self.session.turn().unwrap();
        }
    }

    /// Turns until this time has passed on the table.
    fn turn_for(&mut self, seconds: f64) {
        let end = self.session.clock.now() + seconds;
        self.turn_until("time", |session| session.clock.now() >= end);
    }

    /// Ends the run and replays it.
    fn again(
        self,
        file: &Path,
        solvers: &SolverLocation,
    ) -> Result<ReplayReport, ExactReplayError> {
        drop(self.session);
        self.recorder.unwrap().finish().unwrap();
        let journal = RecordedJournal::read(file).unwrap();
        replay_exactly(&journal.bytes, DecodedDevices::default(), solvers, &mut |_| {})
    }
}

fn shown(session: &Session) -> Option<&Arc<SurfaceFrame>> {
    session.tabletop.things()[0].surface.as_ref().map(|surface| surface.frame())
}

fn displacement(session: &Session) -> Vector3<f64> {
    let Some(frame) = shown(session) else { return Vector3::zeros() };
    let [now, rest] = [frame.positions[0], frame.topology.rest_positions[0]];
    Vector3::from(now.map(f64::from)) - Vector3::from(rest.map(f64::from))
}

fn is_pushed(session: &Session) -> bool {
    shown(session).is_some_and(|frame| !frame.contact_forces.is_empty())
}

#[test]
fn a_run_is_run_again_to_the_same_bits_also_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.palpate");
    let mut run = Run::begin(here(), Some(&file));
    run.turn_until("a push", is_pushed);
    run.turn_until("a frame that overtook others", |session| {
        // A late reader: meanwhile the solver steps all touches that it gets.
        std::thread::park_timeout(Duration::from_millis(25));
        shown(session).is_some_and(|frame| !frame.history.overtaken.is_empty())
    });
    run.turn_for(0.3);
    run.session.apply_order(&Order::History(HistoryStep::Reset)).unwrap();
    run.turn_until("the mass at rest", |session| {
        let restored = shown(session).and_then(|frame| frame.history.restored.clone());
        restored.is_some_and(|snapshot| snapshot.sample == SampleId::default())
    });
    run.turn_for(0.3);
    let again = run.again(&file, &here()).unwrap();
    assert!(again.n_frames > 20 && again.n_orders == 1, "{} frames", again.n_frames);
    // Replay with a server.
    let (_server, there) = server(0);
    let journal = RecordedJournal::read(&file).unwrap();
    replay_exactly(&journal.bytes, DecodedDevices::default(), &there, &mut |_| {}).unwrap();
}

/// The comparison of frames can fail: frames depend on all touches that were stepped before them.
#[test]
fn without_some_of_what_was_stepped_the_frames_are_others() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.palpate");
    let mut run = Run::begin(here(), Some(&file));
    run.turn_until("a push", is_pushed);
    run.turn_for(0.4);
    drop(run.session);
    run.recorder.unwrap().finish().unwrap();
    let text = String::from_utf8(RecordedJournal::read(&file).unwrap().bytes).unwrap();
    let mut n_frames = 0;
    let is_kept = |line: &&str| {
        let is_frame = line.contains(r#""kind":"frame""#);
        n_frames += usize::from(is_frame);
        // Every second frame is left out, after the first few.
        !is_frame || n_frames < 8 || n_frames.is_multiple_of(2)
    };
    let without: String = text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
    let again = |text: &str| {
        replay_exactly(text.as_bytes(), DecodedDevices::default(), &here(), &mut |_| {})
    };
    again(&text).unwrap();
    let error = again(&without).err().map_or_else(String::new, |error| error.to_string());
    assert!(error.contains("the frame differs"), "{error:?}");
}

#[test]
fn a_server_that_returns_goes_on_and_the_run_is_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.palpate");
    let (first, there) = server(0);
    let port = first.address().port();
    let mut run = Run::begin(there, Some(&file));
    run.turn_until("a push", is_pushed);
    run.turn_for(0.1);
    let before = displacement(&run.session);
    assert!(before.norm() > 0.01, "it is far from rest: {before}");
    drop(first);
    run.turn_until("the loss", |session| {
        matches!(session.solvers.states().next(), Some(engine::LinkState::Lost(_)))
    });
    let _second = server(port);
    let n_before = run.session.clock.last_sample().0;
    run.turn_until("the return", |session| {
        shown(session).is_some_and(|frame| frame.sample.0 > n_before)
    });
    let after = displacement(&run.session);
    assert!((after - before).norm() < before.norm(), "from {before} to {after}, not from rest");
    run.turn_for(0.2);
    let again = run.again(&file, &here()).unwrap();
    assert!(again.n_frames > 20, "{} frames", again.n_frames);
}

/// A frame also names the touches whose frames a late reader has missed; a journal with such frames
/// is replayed.
#[test]
fn a_journal_with_overtaken_touches_is_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.palpate");
    let mut run = Run::begin(here(), Some(&file));
    run.turn_until("a push", is_pushed);
    run.turn_for(0.3);
    drop(run.session);
    run.recorder.unwrap().finish().unwrap();
    let text = String::from_utf8(RecordedJournal::read(&file).unwrap().bytes).unwrap();
    let (mut n_frames, mut overtaken, mut merged) = (0, Vec::new(), String::new());
    for line in text.lines() {
        let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
        let is_stepped = value["kind"] == "frame" && value["restored"].is_null();
        if is_stepped && value["sample"] != 0 {
            n_frames += 1;
            let mut before: Vec<u64> = std::mem::take(&mut overtaken);
            let own = value["overtaken"].as_array().into_iter().flatten();
            before.extend(own.filter_map(serde_json::Value::as_u64));
            if n_frames % 3 != 0 {
                before.extend(value["sample"].as_u64());
                overtaken = before;
                continue;
            }
            value["overtaken"] = before.into();
        }
        merged += &format!("{value}\n");
    }
    assert!(n_frames > 20 && merged.contains("overtaken"), "{n_frames} frames");
    replay_exactly(merged.as_bytes(), DecodedDevices::default(), &here(), &mut |_| {}).unwrap();
}

/// A recording of matter that has come to rest elsewhere begins with its state.
#[test]
fn a_recording_begins_in_the_middle_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.palpate");
    let mut run = Run::begin(here(), None);
    run.turn_until("rest", |session| {
        displacement(session).norm() > 0.02 && !session.tabletop.needs_time()
    });
    let recorder = Recorder::start(&file, "a test", Existing::Replace).unwrap();
    let notes = recorder.notes(DeviceId::new(4).unwrap(), JOURNAL);
    run.recorder = Some(recorder);
    let (requests, coming) = std::sync::mpsc::sync_channel(1);
    run.session.listen(coming);
    requests.send(Request::Record(notes)).unwrap();
    run.turn_until("the recording", |session| session.log.has_journal());
    let hanging = displacement(&run.session);
    // Turned over, the mass falls the other way.
    let home = Isometry3::new(Vector3::new(0.0, 0.3, 0.0), Vector3::x() * 3.0);
    run.session.apply_order(&Order::Place { thing: 0, home }).unwrap();
    run.turn_for(0.4);
    // The state at rest is from before the recording.
    run.session.apply_order(&Order::History(HistoryStep::Reset)).unwrap();
    run.turn_until("the mass at rest", |session| {
        shown(session).is_some_and(|frame| frame.is_restored() && frame.sample.0 == 0)
    });
    run.turn_for(0.1);
    let again = run.again(&file, &here()).unwrap();
    assert!(again.n_frames > 20, "{} frames", again.n_frames);
    // Playback begins in the same state as well.
    let start = RunStart::read(&file).unwrap().unwrap();
    assert_eq!(start.states.len(), 1);
    let mut played = Run::begin_in(here(), None, start.states);
    played.turn_until("the beginning", |session| {
        shown(session).is_some_and(|frame| frame.history.restored.is_some())
    });
    let beginning = displacement(&played.session);
    assert!((beginning - hanging).norm() < 1e-6, "{beginning}, expected {hanging}");
}

/// Another shape, and back: matter is as it was left, also in a replay.
#[test]
fn an_undone_shape_is_as_it_was_left() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.palpate");
    let mut run = Run::begin(here(), Some(&file));
    run.turn_until("a push", is_pushed);
    run.turn_for(0.2);
    let material = IsotropicElastic::new(2e4, 0.3).unwrap();
    let other = NamedMaterial {
        name: "other".to_owned(),
        material,
        contact: physics::contact::ContactSettings::default(),
    };
    run.session.apply_order(&Order::Material(other)).unwrap();
    run.turn_until("the other matter", |session| session.tabletop.things()[0].shape().0.0 == 1);
    run.turn_for(0.1);
    run.session.apply_order(&Order::History(HistoryStep::Undo)).unwrap();
    run.turn_until("the first matter", |session| {
        let is_first = session.tabletop.things()[0].shape().0.0 == 0;
        is_first && shown(session).is_some_and(|frame| frame.history.restored.is_some())
    });
    run.turn_for(0.2);
    let again = run.again(&file, &here()).unwrap();
    assert!(again.n_frames > 20 && again.n_orders == 2, "{} frames", again.n_frames);
}

#[test]
fn another_solver_goes_on_where_the_first_one_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.palpate");
    let mut run = Run::begin(here(), Some(&file));
    run.turn_until("a push", is_pushed);
    let (_server, there) = server(0);
    let (requests, coming) = std::sync::mpsc::sync_channel(1);
    run.session.listen(coming);
    requests.send(Request::Solvers(there)).unwrap();
    run.turn_until("the other solver", |session| {
        shown(session).is_some_and(|frame| frame.history.restored.is_some())
    });
    let restored = shown(&run.session).unwrap().history.restored.clone().unwrap();
    assert!(restored.sample > SampleId::default(), "it does not begin at rest");
    assert!(displacement(&run.session).norm() > 0.005);
    run.turn_for(0.2);
    let again = run.again(&file, &here()).unwrap();
    assert!(again.n_frames > 20, "{} frames", again.n_frames);
}

#[test]
fn a_place_in_a_recording_is_the_same_however_one_comes_there() {
    let mut run = Run::begin(here(), None);
    run.turn_until("a push", is_pushed);
    let mut seek = |seconds: f64| {
        let until = Duration::from_secs_f64(seconds);
        let clock = ReplayClock::new(1.0).unwrap().beginning_at(until);
        clock.pause();
        let history = HandHistory::of_poses(&poses(), until);
        let source = HandSource::Recorded(PosePlayer::new(poses(), clock));
        run.session.begin_to_seek(source, history).unwrap();
        run.turn_until("the place", |session| session.seeking.is_none());
        displacement(&run.session)
    };
    let pushed = seek(0.7);
    assert!(pushed.norm() > 0.005);
    seek(1.2);
    let again = seek(0.7);
    // Equal up to rounding: the time on the table differs.
    assert!((again - pushed).norm() < 1e-6, "{again} was {pushed}");
}
