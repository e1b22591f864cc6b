//! Encodes a station's solution as a data record, in text or binary.

use super::output_item::{Content, Item, Precision};
use super::rotation;
use super::solution::Solution;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Ascii,
    Binary,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Units {
    Inches,
    Centimetres,
}

impl Units {
    /// Length of the unit in centimetres.
    pub(super) fn in_cm(self) -> f64 {
        match self {
            Self::Inches => 2.54,
            Self::Centimetres => 1.0,
        }
    }
}

/// Form of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) form: Form,
    pub(super) units: Units,
    pub(super) stylus_columns: usize,
}

/// Bytes of the header: record type, station, error.
pub(super) const N_HEADER: usize = 3;

pub(super) fn data_record(
    station: usize,
    solution: &Solution,
    items: &[Item],
    style: Style,
) -> Vec<u8> {
    let mut bytes = vec![b'0', b'1' + station as u8, solution.error.unwrap_or(b' ')];
    let scale = 1.0 / style.units.in_cm();
    let mut packing = Packing::First;
    for item in items {
        let put = &mut |numbers: &[f64], n_decimals, full_scale| match item.precision {
            Precision::Standard => standard(&mut bytes, style.form, n_decimals, numbers),
            Precision::Extended => extended(&mut bytes, style.form, numbers),
            Precision::Packed => packed(&mut bytes, &mut packing, full_scale, numbers),
        };
        // Packed positions are always in centimetres.
        let length_scale = if item.precision == Precision::Packed { 1.0 } else { scale };
        match item.content {
            Content::Position => {
                put(&solution.position_cm.map(|place| place * length_scale), 2, 300.0);
            }
            Content::RelativePosition => {
                put(&solution.moved_cm.map(|place| place * length_scale), 2, 300.0);
            }
            Content::Euler => put(&rotation::euler_deg(solution.quaternion), 2, 180.0),
            Content::MatrixRow(row) => put(&rotation::matrix(solution.quaternion)[row], 4, 1.0),
            Content::Quaternion => put(&solution.quaternion, 4, 1.0),
            Content::Blank => bytes.push(b' '),
            Content::LineEnd => bytes.extend(b"\r\n"),
            Content::Stylus => {
                let (digit, width) = (u8::from(solution.is_stylus_down), style.stylus_columns);
                bytes.extend(format!("{digit:width$}").bytes());
            }
        }
    }
    bytes
}

/// Formats a number in fixed columns, with a sign or a blank first. A number that does not fit
/// becomes the largest.
pub(super) fn columns(number: f64, width: usize, n_decimals: usize) -> String {
    // Sign and point take two of the columns.
    let n_digits = (width - 2 - n_decimals) as i32;
    let steps_per_unit = 10_f64.powi(n_decimals as i32);
    let largest = 10_f64.powi(n_digits) - 1.0 / steps_per_unit;
    let rounded = (number * steps_per_unit).round() / steps_per_unit;
    // Adding zero changes a negative zero to a positive one.
    let number = rounded.clamp(-largest, largest) + 0.0;
    format!("{number:width$.n_decimals$}")
}

/// Appends numbers of standard precision: seven columns each in text; four bytes each in binary,
/// least significant first.
fn standard(bytes: &mut Vec<u8>, form: Form, n_decimals: usize, numbers: &[f64]) {
    for number in numbers {
        match form {
            Form::Ascii => bytes.extend(columns(*number, 7, n_decimals).bytes()),
            Form::Binary => bytes.extend((*number as f32).to_le_bytes()),
        }
    }
}

/// Appends numbers of extended precision. In text they have 13 columns: a sign, six digits, an
/// exponent of two digits and a blank.
fn extended(bytes: &mut Vec<u8>, form: Form, numbers: &[f64]) {
    for number in numbers {
        match form {
            Form::Ascii => {
                // Rust writes 1.23400e1 where the tracker writes 1.23400E+01.
                let text = format!("{:.5e}", number + 0.0);
                let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                let exponent: i32 = exponent.parse().unwrap_or_default();
                bytes.extend(format!("{digits:>8}E{:+03} ", exponent.clamp(-99, 99)).bytes());
            }
            Form::Binary => bytes.extend((*number as f32).to_le_bytes()),
        }
    }
}

/// Position of the next number in its packed group. Only the first byte of a group has its top bit
/// set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    First,
    Later,
}

/// Appends packed numbers: 14-bit two's complement in two bytes of seven bits, low bits first.
fn packed(bytes: &mut Vec<u8>, packing: &mut Packing, full_scale: f64, numbers: &[f64]) {
    for number in numbers {
        let steps = (number / full_scale * 8192.0).round().clamp(-8192.0, 8191.0) as i16;
        let bits = steps as u16 & 0x3FFF;
        let mark =
            if std::mem::replace(packing, Packing::Later) == Packing::First { 0x80 } else { 0 };
        bytes.push((bits & 0x7F) as u8 | mark);
        bytes.push((bits >> 7) as u8);
    }
}
