//! Recordings replay the bytes as received, at any speed and up to any cut.

use std::path::Path;
use std::time::Duration;

use drivers::device::Device;
use drivers::line_source::SystemLines;
use drivers::reconnect::{Presence, ReconnectingDevice};
use drivers::recorder::Recorder;
use drivers::recording::{DeviceId, Ending, EventKind, Existing, RecordingReader};
use drivers::replay::{ReplayClock, ReplayLines};
use drivers::{CyberGlove, Fastrak, GloveSample, TrackerOptions, TrackerSample};
use emulators::{Emulator, PlugName};
use tempfile::TempDir;

use crate::harness::{
    glove, keep_on, keep_until, line, live, live_until_lost, quick_tracker, take_rest_kept, tracker,
};
use crate::sample_accounting::{Judged, account, judged_glove};

const GLOVE: u8 = 0;
const TRACKER: u8 = 1;
const SPEED: f64 = 20.0;
/// Some of the glove's records and some of the tracker's are damaged: a replay drops them too.
const FAULTS: [&str; 2] = ["drop:0.02", "insert:0.02"];

/// A recording, and what was received while it was made.
struct Recorded {
    folder: TempDir,
    glove: Vec<GloveSample>,
    tracker: Vec<TrackerSample>,
}

impl Recorded {
    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("session.plpr")
    }
}

fn device(number: u8) -> DeviceId {
    DeviceId::new(number).unwrap()
}

/// Keeps one device over a hang-up.
fn keep_over_a_loss<D: Judged>(
    emulator: &mut Emulator,
    mut reconnecting: ReconnectingDevice<D>,
) -> Vec<D::Sample> {
    let mut before = live(&mut reconnecting, 60);
    emulator.unplug();
    // On a busy machine many come at once, and not all of them were taken yet.
    before.extend(live_until_lost(&mut reconnecting));
    emulator.plug_in(PlugName::Same).unwrap();
    let mut after = live(&mut reconnecting, 60);
    after.extend(take_rest_kept(emulator, &mut reconnecting));
    let connections = [before, after];
    account::<D>(emulator, &connections);
    connections.concat()
}

/// Records both devices over a hang-up of each.
fn record() -> Recorded {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.plpr");
    let recorder = Recorder::start(&path, "tests", Existing::Keep).unwrap();
    let (mut glove, mut tracker) =
        (glove(Default::default(), &line(&FAULTS)), tracker(quick_tracker(), &line(&FAULTS)));
    let lines = |number| recorder.listen(device(number), Box::new(SystemLines));
    let kept_glove = keep_on::<CyberGlove>(glove.path(), judged_glove(), lines(GLOVE));
    let kept_tracker =
        keep_on::<Fastrak>(tracker.path(), TrackerOptions::default(), lines(TRACKER));
    let (glove, tracker) = std::thread::scope(|scope| {
        let glove = scope.spawn(|| keep_over_a_loss(&mut glove, kept_glove));
        let tracker = keep_over_a_loss(&mut tracker, kept_tracker);
        (glove.join().unwrap(), tracker)
    });
    recorder.mark("the end is near");
    recorder.finish().unwrap();
    Recorded { folder, glove, tracker }
}

/// All that a replay of one device gives until it ends.
fn replay<D: Device>(path: &Path, number: u8, options: D::Options) -> Vec<D::Sample> {
    let clock = ReplayClock::new(SPEED).unwrap();
    clock.start();
    let lines = ReplayLines::open(path, device(number), clock).unwrap();
    let mut reconnecting = keep_on::<D>("replay", options, Box::new(lines));
    let samples = keep_until(&mut reconnecting, "ended", |reconnecting| {
        *reconnecting.presence() == Presence::Ended
    });
    assert_eq!(reconnecting.counts().n_wakes, 0, "a recording is not woken");
    assert_eq!(reconnecting.counts().decoded.records, samples.len() as u64);
    samples
}

fn check_same<D: Judged>(got: &[D::Sample], want: &[D::Sample]) {
    let place = got.iter().zip(want).position(|(got, want)| !D::are_same(got, want));
    assert_eq!(place, None, "the first sample that differs");
}

#[test]
fn a_replay_gives_what_was_received_and_a_cut_one_gives_it_up_to_the_cut() {
    let recorded = record();
    let path = recorded.path();
    let summary = RecordingReader::open(&path).unwrap().summary().unwrap();
    assert_eq!((summary.ending, summary.n_damaged_places), (Ending::Clean, 0));
    let openings: Vec<_> = summary.devices.iter().map(|device| device.n_openings).collect();
    assert_eq!(openings, [2, 2]);

    let glove = replay::<CyberGlove>(&path, GLOVE, judged_glove());
    let tracker = replay::<Fastrak>(&path, TRACKER, TrackerOptions::default());
    assert_eq!(glove.len(), recorded.glove.len());
    assert_eq!(tracker.len(), recorded.tracker.len());
    check_same::<CyberGlove>(&glove, &recorded.glove);
    check_same::<Fastrak>(&tracker, &recorded.tracker);

    // The program died, or the disk was full.
    let bytes = std::fs::read(&path).unwrap();
    let cut = recorded.folder.path().join("cut.plpr");
    for share in [0.3, 0.9] {
        let n_bytes = (bytes.len() as f64 * share) as usize;
        std::fs::write(&cut, &bytes[..n_bytes]).unwrap();
        let summary = RecordingReader::open(&cut).unwrap().summary().unwrap();
        assert!(matches!(summary.ending, Ending::Cut { .. }), "{:?}", summary.ending);
        let glove = replay::<CyberGlove>(&cut, GLOVE, judged_glove());
        let tracker = replay::<Fastrak>(&cut, TRACKER, TrackerOptions::default());
        // One of them may have said its last before the cut.
        let (n_samples, n_recorded) =
            (glove.len() + tracker.len(), recorded.glove.len() + recorded.tracker.len());
        assert!(!glove.is_empty() && !tracker.is_empty() && n_samples < n_recorded, "{n_samples}");
        check_same::<CyberGlove>(&glove, &recorded.glove);
        check_same::<Fastrak>(&tracker, &recorded.tracker);
    }
}

/// A replay that begins in the middle gives the same samples from there on.
#[test]
fn a_replay_begins_where_it_is_asked_to() {
    let recorded = record();
    let path = recorded.path();
    let said: Vec<Duration> = RecordingReader::open(&path)
        .unwrap()
        .filter_map(|event| event.ok())
        .filter(
            |event| matches!(event.what, EventKind::Received { device: d, .. } if d == device(GLOVE)),
        )
        .map(|event| event.at)
        .collect();
    for share in [0.5, 0.9] {
        let first = said[(said.len() as f64 * share) as usize];
        let clock = ReplayClock::new(SPEED).unwrap().beginning_at(first);
        clock.start();
        let lines = ReplayLines::open(&path, device(GLOVE), clock).unwrap();
        let mut reconnecting = keep_on::<CyberGlove>("replay", judged_glove(), Box::new(lines));
        let glove = keep_until(&mut reconnecting, "ended", |reconnecting| {
            *reconnecting.presence() == Presence::Ended
        });
        let (n, n_all) = (glove.len(), recorded.glove.len());
        assert!(n > 0 && n < n_all, "{n} of {n_all} samples from {share} on");
        check_same::<CyberGlove>(&glove, &recorded.glove[n_all - n..]);
    }
}
