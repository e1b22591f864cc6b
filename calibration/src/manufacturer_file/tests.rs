//! Writes and reads the manufacturer's files, and checks which are refused.

use proptest::prelude::*;

use super::*;
use crate::glove_model::GloveModel;

const TEXT: &str = "VHv2.1\n\
    ! made by hand\n\
    GLOVE CALIBRATION for a test\n\
    FINGER 0:\n0 132 0.02269 0\n1 134 0.00977 0\n2 118 0.01379 0\n3 202 -0.00785 0\n\
    FINGER 1:\n0 110 0.02758 0\n1 47 0.01309 0\n2 48 0.02182 0\n3 7 -0.04363 0\n\
    FINGER 2:\n0 107 -0.02915 0\n1 69 0.01920 0\n2 1 0.01920 0\n3 120 0.50000 0\n\
    FINGER 3:\n0 83 0.02496 0\n1 62 0.01641 0\n2 46 0.02915 0\n3 156 -0.01047 0\n\
    FINGER 4:\n0 91 0.02618 0\n1 40 0.01379 0\n2 82 0.02374 0\n3 132 -0.01117 0\n\
    FINGER 5:\n0 92 0.00942 0\n1 91 0.01030 0\n2 105 -0.00401 0\n3 0 0.40000 0\n\
    3D HAND GEOMETRY\nR\n";

fn options(hand: Side) -> ManufacturerOptions {
    ManufacturerOptions::new(hand, SensorMask::GLOVE_22)
}

#[test]
fn a_virtual_hand_file_is_read_with_its_peculiarities() {
    let check = |options: ManufacturerOptions, sensor: Sensor, gain: f64, offset: f64| {
        let map = read(TEXT.as_bytes(), &options).unwrap().sensor(sensor).map;
        assert!((map.gain - gain).abs() < 1e-9 && map.offset == offset, "{sensor:?} {map:?}");
    };
    check(options(Side::Right), Sensor::ThumbRoll, 0.02269, 132.0);
    // The sign of a flexion is ignored.
    check(options(Side::Right), Sensor::MiddleMpj, 0.02915, 107.0);
    // Gain from the index's row, offset from the middle finger's.
    check(options(Side::Right), Sensor::MiddleIndexAbduction, 0.04363, 120.0);
    check(options(Side::Right), Sensor::WristYaw, 0.00401, 105.0);
    check(options(Side::Left), Sensor::PinkieRingAbduction, -0.01117, 132.0);
    let magnitude = ManufacturerOptions { signs: Signs::Magnitude, ..options(Side::Left) };
    check(magnitude, Sensor::PinkieRingAbduction, 0.01117, 132.0);
    let moved = TEXT.replace("3 120 0.50000", "3 120 -0.02000");
    let middle = ManufacturerOptions { gain_slot: GainSlot::Middle, ..options(Side::Right) };
    let model = read(moved.as_bytes(), &middle).unwrap();
    assert!((model.sensor(Sensor::MiddleIndexAbduction).map.gain - 0.02).abs() < 1e-9);
}

#[test]
fn what_was_written_is_read_again() {
    for hand in [Side::Left, Side::Right] {
        for format in [ManufacturerFormat::VirtualHand, ManufacturerFormat::Export] {
            let mut model = GloveModel::uncalibrated();
            model.sensor_mut(Sensor::RingPij).map.offset = 77.4;
            model.sensor_mut(Sensor::MiddleIndexAbduction).map.gain = 0.0123;
            let text = write(&model, hand, format);
            assert!(text.lines().all(|line| line.len() <= 80));
            let again = read(text.as_bytes(), &options(hand)).unwrap();
            for sensor in SensorMask::GLOVE_22.sensors() {
                let (a, b) = (model.sensor(sensor).map, again.sensor(sensor).map);
                assert!((a.gain - b.gain).abs() < 0.6e-5, "{sensor:?} {a:?} {b:?}");
                assert!((a.offset - b.offset).abs() <= 0.5, "{sensor:?} {a:?} {b:?}");
            }
            // Writing again gives the same text.
            assert_eq!(write(&again, hand, format), text);
        }
    }
    assert_eq!(
        write(&GloveModel::uncalibrated(), Side::Left, ManufacturerFormat::Export).lines().count(),
        31
    );
}

#[test]
fn the_gain_between_index_and_middle_is_written_into_the_indexs_row() {
    let check = |hand: Side, want: [&str; 2]| {
        let text = write(&GloveModel::uncalibrated(), hand, ManufacturerFormat::Export);
        let rows: Vec<_> = text.lines().filter(|line| line.starts_with("3 ")).collect();
        assert_eq!(rows[1..3], want);
    };
    check(Side::Right, ["3 140 -0.00873 0", "3 140 0.00000 0"]);
    check(Side::Left, ["3 140 0.00873 0", "3 140 0.00000 0"]);
}

#[test]
fn an_export_may_have_tabs_and_other_titles() {
    let text = write(&GloveModel::uncalibrated(), Side::Right, ManufacturerFormat::Export)
        .replace(' ', "\t")
        .replace("FINGER\t1:", "Index finger");
    let model = read(text.as_bytes(), &options(Side::Right)).unwrap();
    assert_eq!(model.sensor(Sensor::IndexMpj).map.offset, 100.0);
}

#[test]
fn offsets_that_can_only_be_angles_are_asked_about() {
    let text = write(&GloveModel::uncalibrated(), Side::Right, ManufacturerFormat::Export);
    let small: String = text
        .lines()
        .map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
            [row, _, gain, zero] => format!("{row} 1.2 {gain} {zero}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let ask = options(Side::Right);
    assert_eq!(read(small.as_bytes(), &ask), Err(ManufacturerError::OffsetUnit));
    let counts = ManufacturerOptions { offsets: OffsetUnit::Counts, ..ask };
    assert_eq!(read(small.as_bytes(), &counts).unwrap().sensor(Sensor::IndexMpj).map.offset, 1.2);
    let radians = ManufacturerOptions { offsets: OffsetUnit::Radians, ..ask };
    let map = read(small.as_bytes(), &radians).unwrap().sensor(Sensor::IndexMpj).map;
    assert!((map.offset - 1.2 / 0.02443).abs() < 1e-9);
}

#[test]
fn errors_name_the_line_or_the_sensor() {
    let check = |from: &str, to: &str, want: &str| {
        let text = TEXT.replacen(from, to, 1);
        let got = read(text.as_bytes(), &options(Side::Right)).unwrap_err().to_string();
        assert!(got.contains(want), "{got}");
    };
    check("FINGER 3", "FINGER 4", "line 19: finger 4, expected 3");
    check("1 134", "2 134", "line 6: expected joint number, offset and gain");
    check("0 110 0.02758", "0 110 nan", "line 10: expected joint number");
    check("0 110 0.02758", "0 110 0.4", "index MPJ: gain of 0.4");
    check("0 110 0.02758", "0 -9999 0.02758", "index MPJ: offset of -9999");
    check("GLOVE CALIBRATION", "GLOVES", "ends before GLOVE CALIBRATION");
    assert!(read(b"", &options(Side::Left)).unwrap_err().to_string().contains("first line"));
    // The rows of sensors that the glove lacks hold placeholders.
    let placeholder = TEXT.replace("2 46 0.02915", "2 50 0.40000");
    let without = ManufacturerOptions::new(Side::Right, SensorMask::GLOVE_18);
    assert!(read(placeholder.as_bytes(), &without).is_ok());
    assert!(read(placeholder.as_bytes(), &options(Side::Right)).is_err());
}

proptest! {
    #[test]
    fn any_bytes_give_a_glove_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes, &options(Side::Right));
    }

    #[test]
    fn a_damaged_file_gives_finite_numbers_or_an_error(
        place in 0..TEXT.len(), byte in any::<u8>(), cut in 0..2000_usize,
    ) {
        let mut bytes = TEXT.as_bytes().to_vec();
        bytes[place] = byte;
        bytes.truncate(cut);
        if let Ok(model) = read(&bytes, &options(Side::Right)) {
            for sensor in Sensor::ALL {
                let map = model.sensor(sensor).map;
                prop_assert!(map.gain.abs().to_degrees() <= 3.0 + 1e-9);
                prop_assert!(map.gain != 0.0 && map.offset.is_finite());
            }
        }
    }
}
