//! Pictures without a window: a snapshot at a chosen moment, and films of recordings.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use drivers::recording::{EventKind, RecordingReader};
use tests::png_frames::{Frame, frames, picture};

use crate::program::{Program, ours};

fn run_palpate(arguments: &[&str], files: &[(&str, &Path)]) -> (bool, String) {
    let mut command = ours("palpate");
    command.args(arguments);
    for (flag, file) in files {
        if !flag.is_empty() {
            command.arg(flag);
        }
        command.arg(file);
    }
    let (status, said) = Program::start("palpate", &mut command).wait();
    (status.success(), said)
}

/// What is coloured in a picture: not grey, as ground, shadow and panels are.
fn n_coloured(picture: &Frame) -> usize {
    picture.count(|[r, g, b, _]| r.max(g).max(b) - r.min(g).min(b) > 60)
}

#[test]
fn a_squeeze_is_photographed_and_filmed_at_its_own_pace() {
    let room = tempfile::tempdir().unwrap();
    let file = |name: &str| room.path().join(name);
    let (recording, snapshot) = (file("run.palpate"), file("now.png"));
    let squeeze =
        ["squeeze", "--headless", "--frames", "330", "--size", "480x270", "--colours", "stress"];
    let files =
        [("--record", &*recording), ("--snapshot", &*snapshot), ("--pictures", &*file("pictures"))];
    let (is_well, words) = run_palpate(&squeeze, &files);
    assert!(is_well, "{words}");
    assert!(words.contains(&format!("snapshot  {}", snapshot.display())), "{words}");
    let seen = picture(&snapshot);
    assert_eq!(seen.size, [480, 270]);
    // The cube in violet to yellow, the glove, and the ramp of the legend.
    assert!(n_coloured(&seen) > 2500, "only {} pixels", n_coloured(&seen));

    // As long as it took: 330 frames at some 100 a second.
    let span = span(&recording);
    let folder = file("pictures of it");
    let film = ["film", "--fps", "10", "--size", "160x90", "--colours", "stress"];
    let (is_well, words) = run_palpate(&film, &[("", &*recording), ("--out", &*folder)]);
    assert!(is_well, "{words}");
    assert!(words.contains("run again to the same bits"), "{words}");
    let pictures: Vec<Frame> = (1..)
        .map(|i| folder.join(format!("{i:05}.png")))
        .take_while(|file| file.exists())
        .map(|file| picture(&file))
        .collect();
    let expected = (span * 10.0).floor() as usize + 1;
    assert!(pictures.len().abs_diff(expected) <= 1, "{} pictures of {span} s", pictures.len());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), pictures.len());
    // The hand comes and takes hold: no two pictures of the way are the same.
    let n_changes = pictures.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(n_changes * 3 > pictures.len() * 2, "{n_changes} changes in {}", pictures.len());

    // Half as fast is twice as long; an animation holds the same pictures.
    let animated = file("film.png");
    let slow = ["film", "--fps", "10", "--size", "160x90", "--colours", "stress", "--speed", "0.5"];
    let (is_well, words) = run_palpate(&slow, &[("", &*recording), ("--out", &*animated)]);
    assert!(is_well, "{words}");
    let frames = frames(&fs::read(&animated).unwrap());
    assert!(frames.len().abs_diff(2 * pictures.len() - 1) <= 1, "{} frames", frames.len());
    for (picture, frame) in pictures.iter().zip(frames.iter().step_by(2)) {
        assert!(picture.pixels == frame.pixels, "the animation shows something else");
    }

    // An existing film is kept without --replace.
    let (is_well, words) = run_palpate(&film, &[("", &*recording), ("--out", &*animated)]);
    assert!(!is_well && words.contains("exists already; --replace overwrites it"), "{words}");
}

/// Seconds from the first to the last pose, as the journal has them.
fn span(recording: &Path) -> f64 {
    let bytes = fs::read(recording).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let times: Vec<f64> = text
        .split("\"kind\":\"hand\"")
        .skip(1)
        .filter_map(|line| line.split("\"time\":").nth(1)?.split([',', '}']).next()?.parse().ok())
        .collect();
    assert!(times.len() > 100, "only {} poses", times.len());
    times.last().unwrap() - times[0]
}

/// Seconds from the moment when all devices were ready to their last sample.
fn devices_span(recording: &Path) -> f64 {
    let (mut ready, mut last) = (BTreeMap::new(), Duration::ZERO);
    for event in RecordingReader::open(recording).unwrap().map(Result::unwrap) {
        match event.what {
            EventKind::Opened { device, .. } => drop(ready.entry(device).or_insert(event.at)),
            EventKind::Received { .. } => last = event.at,
            EventKind::Sent { .. }
            | EventKind::Lost { .. }
            | EventKind::Mark { .. }
            | EventKind::Ended => {}
        }
    }
    assert_eq!(ready.len(), 2, "glove and tracker");
    (last - *ready.values().max().unwrap()).as_secs_f64()
}

/// A recording of devices only: it is played through the drivers, because it holds no journal.
#[test]
fn a_recording_of_devices_alone_is_filmed_as_it_plays() {
    let room = tempfile::tempdir().unwrap();
    let file = |name: &str| room.path().join(name);
    let recording = file("bytes.palpate");
    let (is_well, words) = run_palpate(&["record", "--seconds", "5"], &[("", &*recording)]);
    assert!(is_well, "{words}");
    // Displacements have a scale: it is played once to find it, and once more to be drawn.
    let film =
        ["film", "--fps", "5", "--size", "160x90", "--cells", "3", "--colours", "displacement"];
    let animated = file("film.png");
    let (is_well, words) = run_palpate(&film, &[("", &*recording), ("--out", &*animated)]);
    assert!(is_well, "{words}");
    assert!(words.contains("the devices' bytes, played through the drivers"), "{words}");
    let frames = frames(&fs::read(&animated).unwrap());
    assert!(words.contains(&format!("{} pictures", frames.len())), "{words}");
    // A busy machine shows the first hand later and notices the end later, by less than a second.
    let expected = 5.0 * devices_span(&recording);
    let off = frames.len() as f64 - expected;
    assert!(off.abs() <= 5.0, "{} pictures, expected {expected:.0}", frames.len());
    let n_changes = frames.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(n_changes * 2 > frames.len(), "{n_changes} changes in {}", frames.len());
    assert!(frames.iter().all(|frame| n_coloured(frame) > 100), "hand and cube are in all of them");
}

#[test]
fn recordings_that_cannot_be_filmed_are_refused_with_the_reason() {
    let room = tempfile::tempdir().unwrap();
    let nothing = room.path().join("nothing.palpate");
    let out = room.path().join("film.png");
    let (is_well, words) = run_palpate(&["film"], &[("", &*nothing), ("--out", &*out)]);
    assert!(!is_well && words.contains("nothing.palpate"), "{words}");
    let text = room.path().join("letter.txt");
    fs::write(&text, "dear recording").unwrap();
    let (is_well, words) = run_palpate(&["film"], &[("", &*text), ("--out", &*out)]);
    assert!(!is_well && words.contains("letter.txt"), "{words}");
    let (is_well, words) =
        run_palpate(&["film", "--from", "3", "--to", "2"], &[("", &*text), ("--out", &*out)]);
    assert!(!is_well && words.contains("has no length"), "{words}");
    let (is_well, words) =
        run_palpate(&["film", "--size", "0x9"], &[("", &*text), ("--out", &*out)]);
    assert!(!is_well && words.contains("such as 1280x720"), "{words}");
    assert!(!out.exists());
    let left = fs::read_dir(room.path()).unwrap().count();
    assert_eq!(left, 1, "something is left behind");
}
