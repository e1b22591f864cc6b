//! Tests with records that were worked out by hand from the manual.

use super::sample_stream::output_list;
use super::*;
use crate::transcript::hex;

/// 12.34, -5.6, 0.07 cm; not turned.
const EXAMPLE: &str = "30 31 20 A4 70 45 41 33 33 B3 C0 29 5C 8F 3D 00 00 80 3F \
                       00 00 00 00 00 00 00 00 00 00 00 00 0D 0A";

fn decode(format: &RecordFormat, bytes: &[u8]) -> (Vec<Incoming>, RecordDecoder) {
    let mut decoder = RecordDecoder::new(format).expect("the lists hold poses");
    let mut incoming = Vec::new();
    decoder.push(bytes, Instant::now(), &mut |item| incoming.push(item));
    (incoming, decoder)
}

fn samples(format: &RecordFormat, bytes: &[u8]) -> Vec<TrackerSample> {
    decode(format, bytes).0.into_iter().filter_map(Incoming::into_sample).collect()
}

fn format(form: Form, items: &[u8]) -> RecordFormat {
    RecordFormat::new(form, &output_list(items).expect("a list that a unit accepts"))
}

/// Checks that `record` is one record with this position in metres, whose attitude turns the x axis
/// to `x_axis`.
fn check(format: &RecordFormat, record: &[u8], place: [f64; 3], x_axis: [f64; 3]) -> TrackerSample {
    let samples = samples(format, record);
    assert_eq!(samples.len(), 1, "{}", record.escape_ascii());
    let pose = samples[0].source_from_sensor;
    let turned = pose.rotation * nalgebra::Vector3::x();
    let got = pose.translation.vector.iter().chain(turned.iter());
    for (got, want) in got.zip(place.iter().chain(&x_axis)) {
        assert!((got - want).abs() < 1e-4, "{got} is not {want}");
    }
    assert!((pose.rotation.norm() - 1.0).abs() < 1e-12);
    samples[0]
}

const AHEAD: [f64; 3] = [1.0, 0.0, 0.0];
const TO_THE_RIGHT: [f64; 3] = [0.0, 1.0, 0.0];

#[test]
fn the_manuals_binary_record_is_read() {
    let sample = check(&RecordFormat::default(), &hex(EXAMPLE), [0.1234, -0.056, 0.0007], AHEAD);
    assert_eq!((sample.station, sample.condition), (1, Condition::Good));
    assert_eq!(sample.stylus, None);
}

#[test]
fn the_manuals_text_record_is_read() {
    let record = b"01   12.34  -5.60   0.07  90.00 -12.50 179.99\r\n";
    let (sin, cos) = (-12.5_f64).to_radians().sin_cos();
    check(&format(Form::Ascii, &[2, 4, 1]), record, [0.1234, -0.056, 0.0007], [0.0, cos, -sin]);
}

#[test]
fn text_fields_may_touch() {
    let record = b"02x-112.34-115.60-100.07-90.00   0.00-179.99\r\n";
    let touching = b"02x-112.34-115.60-100.07 -90.00   0.00-179.99\r\n";
    let format = format(Form::Ascii, &[2, 4, 1]);
    assert_eq!(samples(&format, record), []);
    let sample = check(&format, touching, [-1.1234, -1.156, -1.0007], [0.0, -1.0, 0.0]);
    assert_eq!((sample.station, sample.condition), (2, Condition::Degraded('x')));
}

#[test]
fn extended_precision_is_read() {
    let record = b"01  1.23456E+01 -5.60000E+00  7.00000E-02  \
                   7.07107E-01  0.00000E+00  0.00000E+00  7.07107E-01 \r\n";
    let format = format(Form::Ascii, &[52, 61, 51]);
    let sample = check(&format, record, [0.123456, -0.056, 0.0007], TO_THE_RIGHT);
    assert!((sample.source_from_sensor.translation.x - 0.123456).abs() < 1e-15);
}

#[test]
fn matrix_rows_are_read_in_any_order() {
    // A quarter turn about z: rows 0 -1 0, 1 0 0, 0 0 1.
    let record = b"01  0.0000 0.0000 1.0000 0.0000-1.0000 0.0000 1.0000 0.0000 0.0000\
                   \x20 12.00   0.00   0.00\r\n";
    check(&format(Form::Ascii, &[7, 5, 6, 2, 1]), record, [0.12, 0.0, 0.0], TO_THE_RIGHT);
    let mut mirrored = record.to_vec();
    mirrored[17] = b'-';
    assert_eq!(samples(&format(Form::Ascii, &[7, 5, 6, 2, 1]), &mirrored), []);
}

#[test]
fn packed_records_are_read_in_either_form() {
    // 819, -410, 137 of 8192 are 29.99, -15.01 and 5.02 cm; 4096 and -2048 are 90 and -45 degrees.
    let record = hex("30 31 20 B3 06 66 7C 09 01 00 20 00 70 00 00 0D 0A");
    let (place, slope) = ([0.2999, -0.1501, 0.0502], 0.5_f64.sqrt());
    for form in [Form::Ascii, Form::Binary] {
        check(&format(form, &[18, 19, 1]), &record, place, [0.0, slope, slope]);
    }
    // One driver doubles the angles: 180 and -90 degrees.
    let doubled =
        RecordFormat { packed_angle: PackedAngle::FullTurn, ..format(Form::Binary, &[18, 19, 1]) };
    check(&doubled, &record, place, [0.0, 0.0, 1.0]);
    // 5793 of 8192 is the square root of 1/2.
    let record = hex("30 31 20 B3 06 66 7C 09 01 21 2D 00 00 00 00 21 2D 0D 0A");
    check(&format(Form::Binary, &[18, 20, 1]), &record, place, TO_THE_RIGHT);
    let mut unmarked = record.clone();
    unmarked[3] = 0x33;
    assert_eq!(samples(&format(Form::Binary, &[18, 20, 1]), &unmarked), []);
    let mut twice_marked = record;
    twice_marked[5] |= 0x80;
    assert_eq!(samples(&format(Form::Binary, &[18, 20, 1]), &twice_marked), []);
}

#[test]
fn the_stylus_is_read_at_each_width() {
    let text = |stylus: &str| format!("01   12.00   0.00   0.00   0.00   0.00   0.00{stylus}\r\n");
    let check = |width, stylus: &str, want| {
        let format = RecordFormat { stylus_width: width, ..format(Form::Ascii, &[2, 4, 16, 1]) };
        let samples = samples(&format, text(stylus).as_bytes());
        assert_eq!(samples.first().map(|sample| sample.stylus), want, "{stylus:?}");
    };
    check(StylusWidth::One, "1", Some(Some(StylusSwitch::Pressed)));
    check(StylusWidth::Two, " 0", Some(Some(StylusSwitch::Released)));
    check(StylusWidth::Two, " 1", Some(Some(StylusSwitch::Pressed)));
    check(StylusWidth::Three, "  1", Some(Some(StylusSwitch::Pressed)));
    check(StylusWidth::Three, " 1 ", Some(Some(StylusSwitch::Pressed)));
    check(StylusWidth::Two, " 2", None);
    check(StylusWidth::Two, "1", None);
}

#[test]
fn inches_become_metres() {
    let format = RecordFormat { units: Units::Inches, ..format(Form::Ascii, &[2, 4, 1]) };
    let record = b"01   10.00   1.00  -2.00   0.00   0.00   0.00\r\n";
    check(&format, record, [0.254, 0.0254, -0.0508], AHEAD);
}

fn binary(station: u8, error: u8, numbers: [f32; 7]) -> Vec<u8> {
    let mut bytes = vec![b'0', b'0' + station, error];
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(b"\r\n");
    bytes
}

const TURNED: [f32; 7] = [100.0, -50.0, 25.0, 0.5, -0.5, 0.5, 0.5];

#[test]
fn what_only_looks_like_a_record_is_dropped() {
    let check = |bytes: Vec<u8>| {
        let (items, decoder) = decode(&RecordFormat::default(), &bytes);
        assert_eq!(items, [], "{}", bytes.escape_ascii());
        assert!(decoder.counts().dropped_bytes > 0);
        assert_eq!(decoder.counts().dropped_records, 1);
    };
    check(binary(5, b' ', TURNED));
    check(binary(1, b'!', TURNED));
    let mut numbers = TURNED;
    for impossible in [f32::NAN, f32::INFINITY, 2001.0] {
        numbers[0] = impossible;
        check(binary(1, b' ', numbers));
    }
    check(binary(1, b' ', [1.0, 2.0, 3.0, 0.5, 0.5, 0.5, 0.6]));
    check(binary(1, b' ', [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0]));
    check(b"01   12.34  -5.60   0.07  90.00 -12.50 179.99\r\n".to_vec());
    let mut without_line_end = binary(1, b' ', TURNED);
    without_line_end[31] = b'\n';
    check(without_line_end);
}

#[test]
fn an_unplugged_receiver_is_reported_even_without_an_attitude() {
    let zeros = samples(&RecordFormat::default(), &binary(1, b'l', [0.0; 7]));
    assert_eq!(zeros.len(), 1);
    assert_eq!(zeros[0].condition, Condition::Invalid('l'));
    assert_eq!(zeros[0].source_from_sensor, Isometry3::identity());
    assert_eq!(samples(&RecordFormat::default(), &binary(1, b'k', [0.0; 7])), []);
}

#[test]
fn each_station_has_its_own_list() {
    let mut format = format(Form::Ascii, &[2, 4, 1]);
    format.lists[1] = output_list(&[2, 11, 16, 1]);
    format.lists[2] = None;
    let one = "01   12.00   0.00   0.00   0.00   0.00   0.00\r\n";
    let two = "02   24.00   0.00   0.00 1.0000 0.0000 0.0000 0.0000 1\r\n";
    let three = one.replacen("01", "03", 1);
    let stream = [one, two, &three, one, two].concat();
    let (items, decoder) = decode(&format, stream.as_bytes());
    let samples: Vec<_> = items.into_iter().filter_map(Incoming::into_sample).collect();
    let got: Vec<_> = samples.iter().map(|sample| (sample.station, sample.stylus)).collect();
    let pressed = Some(StylusSwitch::Pressed);
    assert_eq!(got, [(1, None), (2, pressed), (1, None), (2, pressed)]);
    let want = DecodeCounts { records: 4, dropped_records: 1, dropped_bytes: three.len() as u64 };
    assert_eq!(decoder.counts(), want);
}

#[test]
fn control_records_are_told_from_data() {
    let status = format!("21S3F3    F31  {:6}{:32}\r\n", "1.23", "bench");
    let refusal = "2 E*ERROR*Z9*ERROR* EC-99*PS0*FL0*ST0\r\n";
    let data = binary(1, b' ', TURNED);
    let stream = [&data, status.as_bytes(), &data, refusal.as_bytes(), &data].concat();
    let (items, decoder) = decode(&RecordFormat::default(), &stream);
    let letters: Vec<_> =
        items.into_iter().map(|item| item.into_control().map(|control| control.letter)).collect();
    assert_eq!(letters, [None, Some('S'), None, Some('E'), None]);
    let want = DecodeCounts { records: 3, dropped_records: 0, dropped_bytes: 0 };
    assert_eq!(decoder.counts(), want);
}

#[test]
fn what_is_no_control_record_does_not_hold_up_data() {
    let data = binary(1, b' ', TURNED);
    for garbage in ["2 E*ERR", "21l10", "2 y", "21Q", "2 z", "25S", "2"] {
        let stream = [garbage.as_bytes(), &data].concat();
        assert_eq!(samples(&RecordFormat::default(), &stream).len(), 1, "{garbage}");
    }
}

#[test]
fn each_damaged_stretch_is_counted_once() {
    let data = binary(1, b' ', TURNED);
    let stream = [b"noise", data.as_slice(), b"more noise", &data, &data, b"end"].concat();
    let (items, decoder) = decode(&RecordFormat::default(), &stream);
    assert_eq!(items.len(), 3);
    let want = DecodeCounts { records: 3, dropped_records: 3, dropped_bytes: 5 + 10 + 3 };
    assert_eq!(decoder.counts(), want);
}

#[test]
fn a_short_record_is_not_found_inside_a_long_damaged_one() {
    let mut format = format(Form::Ascii, &[2, 52, 54, 1]);
    format.lists[1] = output_list(&[52, 54, 1]);
    let numbers = "  1.00000E+00   2.00000E+00   3.00000E+00 ".repeat(2);
    let tail = numbers.replace("   ", "  ");
    let long = format!("01    1.00   2.00   3E-02 {}\r\n", &tail[1..]);
    let inner = format!("02 {}\r\n", &tail[1..]);
    assert_eq!(samples(&format, inner.as_bytes()).len(), 1);
    // The long record is damaged at its head; the text after its first exponent looks like a
    // record.
    let damaged = format!("\r\nX{}", &long[1..]);
    assert!(damaged.ends_with(&inner));
    assert_eq!(samples(&format, damaged.as_bytes()), []);
}

#[test]
fn lists_without_poses_make_no_decoder() {
    let check = |items: &[u8], want| {
        let made = RecordDecoder::new(&format(Form::Binary, items));
        assert_eq!(made.err(), Some(want), "{items:?}");
    };
    check(&[4, 1], ListError::NoPosition);
    check(&[2, 1], ListError::NoAttitude);
    check(&[2, 11], ListError::NoLineEnd);
}
