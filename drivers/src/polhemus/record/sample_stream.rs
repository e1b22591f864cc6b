//! Streams of random records for tests, from an encoder that shares no code with the decoder.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::polhemus::output::OutputItem;

/// Contents of a record before it is encoded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pose {
    pub(super) station: u8,
    pub(super) error: u8,
    pub(super) place_cm: [f64; 3],
    /// Scalar first.
    pub(super) quaternion: [f64; 4],
    pub(super) is_pressed: bool,
}

/// Encodes a record with the manual's item numbers.
pub(super) fn encode(pose: &Pose, items: &[u8], form: Form, stylus: StylusWidth) -> Vec<u8> {
    let mut bytes = vec![b'0', b'0' + pose.station, pose.error];
    let [x_row, y_row, z_row] = rows(pose.quaternion);
    let mut is_first_packed = true;
    for item in items {
        match item {
            0 | 50 => bytes.push(b' '),
            1 | 51 => bytes.extend(b"\r\n"),
            2 | 52 => put(&mut bytes, form, *item, 2, &pose.place_cm),
            3 | 53 => put(&mut bytes, form, *item, 2, &[0.01, -0.02, 1.5]),
            4 | 54 => put(&mut bytes, form, *item, 2, &euler_deg(pose.quaternion)),
            5 | 55 => put(&mut bytes, form, *item, 4, &x_row),
            6 | 56 => put(&mut bytes, form, *item, 4, &y_row),
            7 | 57 => put(&mut bytes, form, *item, 4, &z_row),
            11 | 61 => put(&mut bytes, form, *item, 4, &pose.quaternion),
            16 | 66 => {
                let blanks: &[u8] = match stylus {
                    StylusWidth::One => b"",
                    StylusWidth::Two => b" ",
                    StylusWidth::Three => b"  ",
                };
                bytes.extend(blanks);
                bytes.push(if pose.is_pressed { b'1' } else { b'0' });
            }
            18 => put_packed(&mut bytes, &mut is_first_packed, &pose.place_cm, 300.0),
            19 => put_packed(&mut bytes, &mut is_first_packed, &euler_deg(pose.quaternion), 180.0),
            20 => put_packed(&mut bytes, &mut is_first_packed, &pose.quaternion, 1.0),
            other => panic!("no item {other}"),
        }
    }
    bytes
}

fn put(bytes: &mut Vec<u8>, form: Form, item: u8, n_decimals: usize, numbers: &[f64]) {
    for number in numbers {
        match form {
            Form::Binary => bytes.extend((*number as f32).to_le_bytes()),
            Form::Ascii if item < 50 => bytes.extend(format!("{number:7.n_decimals$}").bytes()),
            Form::Ascii => {
                // Rust writes the exponent without sign and leading zero.
                let text = format!("{number:.5E}");
                let (digits, exponent) = text.split_once('E').expect("it has an exponent");
                let exponent: i32 = exponent.parse().expect("it is a number");
                let sign = if exponent < 0 { '-' } else { '+' };
                let exponent = exponent.abs().min(99);
                bytes.extend(format!("{digits:>8}E{sign}{exponent:02} ").bytes());
            }
        }
    }
}

fn put_packed(bytes: &mut Vec<u8>, is_first: &mut bool, numbers: &[f64], full_scale: f64) {
    for number in numbers {
        let count = (number / full_scale * 8192.0).round().clamp(-8192.0, 8191.0) as i16;
        let [low, high] = [(count & 0x7F) as u8, ((count >> 7) & 0x7F) as u8];
        bytes.extend([if *is_first { low | 0x80 } else { low }, high]);
        *is_first = false;
    }
}

fn rows([w, x, y, z]: [f64; 4]) -> [[f64; 3]; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

fn euler_deg(quaternion: [f64; 4]) -> [f64; 3] {
    let [x, y, z] = rows(quaternion);
    let angles = [y[0].atan2(x[0]), (-z[0]).clamp(-1.0, 1.0).asin(), z[1].atan2(z[2])];
    angles.map(f64::to_degrees)
}

pub(super) fn pose() -> impl Strategy<Value = Pose> {
    let place = || -290.0..290.0_f64;
    let turn = || -1.0..1.0_f64;
    let error = prop_oneof![4 => Just(b' '), 1 => prop::sample::select(b"sjkxylTA".as_slice())];
    let quaternion = [turn(), turn(), turn(), turn()].prop_filter_map("too short", |numbers| {
        let norm = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
        (norm > 0.1).then(|| numbers.map(|number| number / norm))
    });
    (1..=4_u8, error, [place(), place(), place()], quaternion, any::<bool>()).prop_map(
        |(station, error, place_cm, quaternion, is_pressed)| Pose {
            station,
            error,
            place_cm,
            quaternion,
            is_pressed,
        },
    )
}

/// Item numbers of a list that a unit accepts and whose records hold poses.
pub(super) fn list() -> impl Strategy<Value = Vec<u8>> {
    let place = prop::sample::select(vec![2, 52]);
    let attitudes = [vec![4], vec![54], vec![11], vec![61], vec![5, 6, 7], vec![55, 56, 57]];
    let attitude = prop::sample::select(attitudes.to_vec());
    let others = vec(prop::sample::select(vec![0, 50, 1, 3, 53, 16, 66]), 0..3);
    let plain = (place, attitude, others)
        .prop_map(|(place, attitude, others)| [vec![place], attitude, others].concat());
    let packed = prop::sample::select(vec![19, 20]).prop_map(|attitude| vec![18, attitude]);
    let items = prop_oneof![5 => plain, 1 => packed].prop_shuffle();
    (items, prop::sample::select(vec![1, 51])).prop_filter_map("too long", |(mut items, end)| {
        items.push(end);
        output_list(&items).map(|_| items)
    })
}

pub(super) fn output_list(items: &[u8]) -> Option<OutputList> {
    let item = |number: &u8| OutputItem::from_number(*number).expect("an item of the manual");
    OutputList::new(items.iter().map(item).collect()).ok()
}

/// Form of a unit's records, and the item numbers of its stations.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    pub(super) form: Form,
    pub(super) stylus: StylusWidth,
    pub(super) items: [Vec<u8>; 4],
}

impl Writer {
    pub(super) fn format(&self) -> RecordFormat {
        RecordFormat {
            form: self.form,
            units: Units::Centimetres,
            stylus_width: self.stylus,
            packed_angle: PackedAngle::HalfTurn,
            lists: self.items.each_ref().map(|items| output_list(items)),
        }
    }

    pub(super) fn encode(&self, pose: &Pose) -> Vec<u8> {
        encode(pose, &self.items[usize::from(pose.station) - 1], self.form, self.stylus)
    }
}

/// A writer with one list for all stations, or with a list for each.
pub(super) fn writer() -> impl Strategy<Value = Writer> {
    let same = list().prop_map(|items| [items.clone(), items.clone(), items.clone(), items]);
    let own = [list(), list(), list(), list()];
    let form = prop::sample::select(vec![Form::Ascii, Form::Binary]);
    let widths = vec![StylusWidth::One, StylusWidth::Two, StylusWidth::Three];
    (form, prop::sample::select(widths), prop_oneof![same, own])
        .prop_map(|(form, stylus, items)| Writer { form, stylus, items })
}

/// Lines of text that a unit may send between data records.
pub(super) fn control() -> impl Strategy<Value = Vec<u8>> {
    let status = format!("21S3F3    F31  {:6}{:32}\r\n", "1.23", "left bench");
    let lines = [
        status,
        "21l1100\r\n".to_owned(),
        "21O 211 1\r\n".to_owned(),
        "22H   0.00  -0.50   1.00\r\n".to_owned(),
        "2 v  0.200  0.200  0.800  0.950\r\n".to_owned(),
        "2 E*ERROR*O1,2,11,99*ERROR* EC-3*PS0*FL3*ST0\r\n".to_owned(),
        "2 T107 Low Signal\r\n".to_owned(),
    ];
    prop::sample::select(lines.map(String::into_bytes).to_vec())
}

/// A unit and its stream: data records with some control records between them.
pub(super) fn stream() -> impl Strategy<Value = (Writer, Vec<Vec<u8>>)> {
    (writer(), vec((pose(), proptest::option::weighted(0.1, control())), 1..8)).prop_map(
        |(writer, poses)| {
            let piece = |(pose, control): (Pose, Option<Vec<u8>>)| {
                control.unwrap_or_else(|| writer.encode(&pose))
            };
            let pieces = poses.into_iter().map(piece).collect();
            (writer, pieces)
        },
    )
}
