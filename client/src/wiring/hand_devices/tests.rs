//! Compares the samples before a moment of a recording with the recording itself.

use std::path::PathBuf;
use std::time::Instant;

use drivers::Side;
use drivers::recording::{EventKind, RecordingWriter};

use super::*;
use crate::command_line::DeviceSource;
use crate::input::{HistoryEvent, HistoryMoment};

/// Two emulated hands for two seconds.
fn recorded_hands(folder: &Path) -> PathBuf {
    let file = folder.join("run.palpate");
    let emulated = || Some(DeviceSource::Emulated);
    let devices =
        DeviceOptions { glove: emulated(), tracker: emulated(), ..DeviceOptions::default() };
    let second = SecondHand { second_glove: emulated(), second_tracker: None };
    let record = Some((file.as_path(), Existing::Keep));
    let motion = Motion::grasp_and_squeeze();
    let mut hands = live_hands(&devices, &second, record, &motion, &Arc::default()).unwrap();
    let recorder = hands.recorder.take().unwrap();
    let begun = Instant::now();
    let all_spoke = || hands.second.as_ref().unwrap().tracker.n_samples() > 0;
    while !all_spoke() || begun.elapsed() < Duration::from_secs(2) {
        assert!(begun.elapsed() < Duration::from_secs(60), "the devices are silent");
        std::thread::park_timeout(Duration::from_millis(10));
    }
    drop(hands);
    recorder.finish().unwrap();
    file
}

/// Returns the same recording without the first hand's tracker after `from`.
fn without_tracker(file: &Path, from: Duration) -> PathBuf {
    let without = file.with_file_name("without.palpate");
    let began = Instant::now();
    let events = RecordingReader::open(file).unwrap();
    let header = events.header().clone();
    let mut writer = RecordingWriter::create(&without, &header, began, Existing::Keep).unwrap();
    for event in events.map(Result::unwrap) {
        let at = began + event.at;
        let is_left_out = event.what.device() == Some(DeviceRole::Tracker.id()) && event.at >= from;
        match event.what {
            _ if is_left_out => {}
            EventKind::Opened { device, kind, name, settings } => {
                writer.opened(at, device, &kind, &name, &settings).unwrap();
            }
            EventKind::Received { device, bytes } => writer.received(at, device, &bytes).unwrap(),
            EventKind::Sent { .. }
            | EventKind::Lost { .. }
            | EventKind::Mark { .. }
            | EventKind::Ended => {}
        }
    }
    writer.finish(began + Duration::from_secs(10)).unwrap();
    without
}

fn past(file: &Path, until: Duration) -> Vec<HistoryMoment> {
    let clock = ReplayClock::new(1.0).unwrap().beginning_at(until);
    let RecordingContents::Devices { mut past, length, .. } =
        recorded(file, &clock, &Arc::default()).unwrap()
    else {
        panic!("there are devices in it");
    };
    assert!(length >= Duration::from_secs(1) && past.until() == until);
    std::iter::from_fn(|| past.next_moment()).collect()
}

/// Times of each hand's samples: left, right.
fn times(moments: &[HistoryMoment]) -> [Vec<Duration>; 2] {
    let of = |side: Side| {
        let is_it = |moment: &&HistoryMoment| match &moment.event {
            HistoryEvent::Devices { pair, .. } => pair.hand == side,
            HistoryEvent::Pose(_) => panic!("devices tell of it"),
        };
        moments.iter().filter(is_it).map(|moment| moment.at).collect()
    };
    [of(Side::Left), of(Side::Right)]
}

#[test]
fn the_history_holds_the_samples_of_both_hands_before_the_position_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let file = recorded_hands(folder.path());
    assert!(past(&file, Duration::ZERO).is_empty());
    let until = Duration::from_millis(1500);
    let moments = past(&file, until);
    assert!(moments.is_sorted_by_key(|moment| moment.at));
    assert!(moments.iter().all(|moment| moment.at < until));
    // Each record of a glove that has a tracker's beside it, though its bytes come in pieces.
    let events = RecordingReader::open(&file).unwrap().map(Result::unwrap);
    let received: Vec<_> = events
        .filter(|event| matches!(event.what, EventKind::Received { .. }) && event.at < until)
        .filter_map(|event| Some((event.what.device()?, event.at)))
        .collect();
    let [left, right] = times(&moments);
    let gloves = [DeviceRole::Glove, DeviceRole::SecondGlove].map(|slot| slot.id());
    for (glove, said) in gloves.into_iter().zip([&right, &left]) {
        let n_received = received.iter().filter(|(device, _)| *device == glove).count();
        assert!(said.len() * 6 > n_received && said.len() > 20, "{} of {n_received}", said.len());
        let is_received = |at: &Duration| received.contains(&(glove, *at));
        assert!(said.iter().all(is_received), "each has the time of its bytes");
    }
}

#[test]
fn a_hand_ends_with_its_tracker_and_its_history_does_not_wait() {
    let folder = tempfile::tempdir().unwrap();
    let whole = recorded_hands(folder.path());
    let lost = Duration::from_millis(800);
    let file = without_tracker(&whole, lost);
    let begun = Instant::now();
    let moments = past(&file, Duration::from_secs(2));
    // The second hand's station is of the same tracker.
    for said in times(&moments) {
        let last = said.last().copied().unwrap();
        assert!(last > lost / 2 && last < lost + Duration::from_millis(260), "{last:?}");
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "it waits for what has ended");
}
