//! Tests that profiles survive writing and reading, and that broken files are refused.

use drivers::{Sensor, SensorCounts, Side};
use nalgebra::{Isometry3, Vector3};
use proptest::prelude::*;

use super::*;
use crate::fit::{ErrorInterval, GainSource};
use crate::glove_model::{Bend, EndJointRule, GloveModel, Leak};
use crate::joint_limits::JointLimits;
use crate::skeleton::HandSize;
use crate::tracker::TrackerTransforms;

/// A profile that uses all fields.
fn rich() -> SavedProfile {
    let mut glove = GloveModel::uncalibrated();
    glove.end_joints = EndJointRule::TwoThirds;
    let sensor = glove.sensor_mut(Sensor::RingMiddleAbduction);
    sensor.map.gain = -0.0123;
    sensor.bend = Bend { linear: 8.5, quadratic: 3.25 };
    sensor.leaks =
        [Some(Leak { from: Sensor::PinkieRingAbduction, share: 0.1, around: 133.5 }), None];
    let mut size = HandSize::scaled(0.17, 0.08);
    size.segments[3][1] = Some(0.029);
    let isometry = |x: f64| Isometry3::new(Vector3::new(x, 0.2, -0.1), Vector3::new(0.3, x, 0.1));
    let tracker =
        TrackerTransforms { world_from_source: isometry(0.5), sensor_from_wrist: isometry(-0.01) };
    let mut quality = [None; Sensor::ALL.len()];
    quality[Sensor::ThumbIj.bit()] = Some(SensorFit {
        n_captures: 9,
        residual: 0.03,
        error: Some(ErrorInterval { low: 0.02, estimate: 0.035, high: 0.06 }),
        gain: GainSource::Clamped,
    });
    SavedProfile {
        about: About {
            person: "Ann \"the hand\"".into(),
            date: "2026-05-04 10:00".into(),
            device: Device {
                kind: "CyberGlove".into(),
                mask: SensorMask::GLOVE_18,
                firmware: Some("1.1".into()),
            },
        },
        profile: Profile::uncalibrated(Side::Left)
            .with_glove(glove)
            .with_limits(JointLimits::Soft)
            .with_size(size)
            .with_tracker(tracker),
        quality,
    }
}

#[test]
fn what_was_written_is_read_again() {
    let (saved, text) = (rich(), rich().to_text());
    let again = SavedProfile::from_bytes(text.as_bytes()).unwrap();
    assert_eq!(again.about, saved.about);
    assert_eq!(again.profile.limits(), JointLimits::Soft);
    assert_eq!(again.profile.hand(), Side::Left);
    assert_eq!(again.profile.glove().end_joints, EndJointRule::TwoThirds);
    for sensor in SensorMask::GLOVE_18.sensors() {
        let pair = [saved.profile.glove(), again.profile.glove()].map(|glove| glove.sensor(sensor));
        let numbers = pair.map(|model| {
            let leak = model.leaks[0].map_or([0.0; 2], |leak| [leak.share, leak.around]);
            let bend = model.bend;
            [model.map.gain, model.map.offset, bend.linear, bend.quadratic, leak[0], leak[1]]
        });
        for (a, b) in numbers[0].iter().zip(numbers[1]) {
            assert!((a - b).abs() < 2e-3 * a.abs().min(1.0) + 1e-7, "{sensor:?}: {numbers:?}");
        }
    }
    let (a, b) = (saved.profile.tracker(), again.profile.tracker());
    assert!((a.world_from_source.to_matrix() - b.world_from_source.to_matrix()).amax() < 1e-8);
    assert!((a.sensor_from_wrist.to_matrix() - b.sensor_from_wrist.to_matrix()).amax() < 1e-8);
    assert!((again.profile.size().segments[3][1].unwrap() - 0.029).abs() < 1e-9);
    let fit = again.quality[Sensor::ThumbIj.bit()].unwrap();
    assert_eq!((fit.n_captures, fit.gain), (9, GainSource::Clamped));
    assert!((fit.error.unwrap().high - 0.06).abs() < 1e-7);
    // Writing again gives the same text.
    assert_eq!(again.to_text(), text);
}

/// Error message of a valid file in which one piece is replaced.
fn broken(from: &str, to: &str) -> String {
    let text = rich().to_text();
    assert!(text.contains(from), "{text}");
    let changed = text.replacen(from, to, 1);
    SavedProfile::from_bytes(changed.as_bytes()).unwrap_err().to_string()
}

#[test]
fn errors_name_the_place_and_what_was_expected() {
    let check = |from: &str, to: &str, want: &str| {
        let got = broken(from, to);
        assert!(got.contains(want), "{to}: {got}");
    };
    check("format = 1", "format = 2", "unknown format 2, expected 1");
    check("format = 1", "format = 2\nfuture = true", "unknown format 2");
    check("format = 1", "", "missing field `format`");
    check("format = 1", "format = = 1", "line 3, column 10");
    check("hand = \"left\"", "hand = \"both\"", "line 5");
    check("kind = ", "sort = ", "unknown field `sort`");
    check("gain = 1.0", "gain = nan", "sensor \"thumb roll\" size of gain: got NaN, expected 0.29");
    check("gain = 1.0", "gain = 0.01", "size of gain: got 0.01");
    check("gain = 1.0", "gain = -7.0", "size of gain: got 7");
    check("offset = 120.0", "offset = inf", "offset: got inf, expected -300 to 600");
    check("name = \"thumb MPJ\"", "name = \"thumb roll\"", "each sensor of the mask, once");
    check("0x7BBB3F", "0x7FFF7F", "one for the index DIJ");
    check("0x7BBB3F", "0x+BBB3F", "six hexadecimal digits");
    check("angle = \"degree\"", "angle = \"radian\"", "units: got others");
    check("length = 170.0", "length = 17.0", "hand_size.length: got 17, expected 80 to 300");
    check("length = 170.0", "length = 120.0", "120 mm long and 80 mm broad");
    check("segment = 2", "segment = 0", "expected 1 to 3");
    check("turn = [", "turn = [9.0, 0.0, 0.0, 0.0]\nold = [", "unknown field `old`");
    check("from = \"pinkie-ring abduction\"", "from = \"palm arch\"", "a neighbouring sensor");
}

#[test]
fn a_profile_of_another_glove_is_refused_with_the_reason() {
    let saved = rich();
    let check = |mask: SensorMask, hand: Side, want: &str| {
        let got =
            saved.fits(mask, hand).map_or_else(|mismatch| mismatch.to_string(), |()| "fits".into());
        assert!(got.contains(want), "{got}");
    };
    check(SensorMask::GLOVE_18, Side::Left, "fits");
    check(SensorMask::GLOVE_18, Side::Right, "of a left hand, the glove of a right one");
    check(
        SensorMask::GLOVE_22,
        Side::Left,
        "18 sensors, this one has 22; the first that differs is the index DIJ",
    );
    let mut slots = [0; Sensor::ALL.len()];
    slots[Sensor::IndexMpj.bit()] = 150;
    assert_eq!(saved.fits_counts(&SensorCounts::from_slots(slots)), Ok(()));
    slots[Sensor::IndexMpj.bit()] = 255;
    let mismatch = saved.fits_counts(&SensorCounts::from_slots(slots)).unwrap_err();
    assert!(mismatch.to_string().contains("index MPJ would be at 217 degrees"), "{mismatch}");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let check = |bytes: &[u8], want: FileError| {
        assert_eq!(SavedProfile::from_bytes(bytes), Err(want));
    };
    check(b"format = 1\n\xff", FileError::NotText(11));
    check(&vec![b'#'; MAX_BYTES + 1], FileError::TooLong(MAX_BYTES + 1));
}

proptest! {
    #[test]
    fn any_bytes_give_a_profile_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = SavedProfile::from_bytes(&bytes);
    }

    /// A damaged file gives a valid profile or an error.
    #[test]
    fn a_damaged_file_gives_a_sound_profile_or_an_error(
        place in 0..8000_usize, byte in any::<u8>(), cut in 0..20_000_usize,
    ) {
        let mut bytes = rich().to_text().into_bytes();
        let place = place % bytes.len();
        bytes[place] = byte;
        bytes.truncate(cut);
        if let Ok(saved) = SavedProfile::from_bytes(&bytes) {
            // Reading normalises a quaternion, which may change its last digit.
            let but_turns = |saved: SavedProfile| -> Vec<String> {
                let text = saved.to_text();
                text.lines().filter(|l| !l.starts_with("turn = [")).map(str::to_owned).collect()
            };
            let again = SavedProfile::from_bytes(saved.to_text().as_bytes());
            prop_assert_eq!(again.map(but_turns), Ok(but_turns(saved)));
        }
    }
}
