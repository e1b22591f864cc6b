//! A receiver's pose to the bytes of a data record, in text or binary.

use crate::motion::HandState;

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

/// What a data record can hold, by the manual's item numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    Blank,
    LineEnd,
    Position,
    /// Azimuth, elevation and roll in degrees.
    Euler,
    /// One row of the attitude matrix, 0 to 2.
    MatrixRow(u8),
    /// Scalar first.
    Quaternion,
}

impl Item {
    pub(super) fn from_number(number: f64) -> Option<Self> {
        Some(match number {
            0.0 | 50.0 => Self::Blank,
            1.0 | 51.0 => Self::LineEnd,
            2.0 => Self::Position,
            4.0 => Self::Euler,
            5.0 => Self::MatrixRow(0),
            6.0 => Self::MatrixRow(1),
            7.0 => Self::MatrixRow(2),
            11.0 => Self::Quaternion,
            _ => return None,
        })
    }

    pub(super) fn number(self) -> u8 {
        match self {
            Self::Blank => 0,
            Self::LineEnd => 1,
            Self::Position => 2,
            Self::Euler => 4,
            Self::MatrixRow(row) => 5 + row,
            Self::Quaternion => 11,
        }
    }
}

/// Positions farther from the transmitter than this, along any axis, are outside the envelope.
const ENVELOPE_CM: f64 = 200.0;
const CM_PER_INCH: f64 = 2.54;

/// The record of station 1.
pub(super) fn data_record(state: &HandState, items: &[Item], form: Form, units: Units) -> Vec<u8> {
    let position_cm = state.receiver_position_cm;
    let is_outside = position_cm.iter().any(|place| place.abs() > ENVELOPE_CM);
    let mut bytes = vec![b'0', b'1', if is_outside { b'x' } else { b' ' }];
    for item in items {
        match item {
            Item::Blank => bytes.push(b' '),
            Item::LineEnd => bytes.extend(b"\r\n"),
            Item::Position => {
                let scale = match units {
                    Units::Inches => 1.0 / CM_PER_INCH,
                    Units::Centimetres => 1.0,
                };
                put(&mut bytes, form, 2, &position_cm.map(|place| place * scale));
            }
            Item::Euler => put(&mut bytes, form, 2, &euler_deg(state.receiver_quaternion)),
            Item::MatrixRow(row) => {
                put(&mut bytes, form, 4, &matrix(state.receiver_quaternion)[usize::from(*row)]);
            }
            Item::Quaternion => put(&mut bytes, form, 4, &state.receiver_quaternion),
        }
    }
    bytes
}

/// Appends numbers: seven columns each in text, four bytes each, least significant first, in binary.
fn put(bytes: &mut Vec<u8>, form: Form, n_decimals: usize, numbers: &[f64]) {
    // Sign and point take two of the seven columns.
    let largest = 10_f64.powi(5 - n_decimals as i32) - 10_f64.powi(-(n_decimals as i32));
    for number in numbers {
        match form {
            Form::Ascii => {
                let number = number.clamp(-largest, largest);
                bytes.extend(format!("{number:7.n_decimals$}").bytes());
            }
            Form::Binary => bytes.extend((*number as f32).to_le_bytes()),
        }
    }
}

/// The rotation matrix of a unit quaternion; it turns receiver vectors into the transmitter's frame.
fn matrix([w, x, y, z]: [f64; 4]) -> [[f64; 3]; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// Azimuth about z, then elevation about y, then roll about x.
fn euler_deg(quaternion: [f64; 4]) -> [f64; 3] {
    let rows = matrix(quaternion);
    let azimuth = rows[1][0].atan2(rows[0][0]);
    let elevation = (-rows[2][0]).clamp(-1.0, 1.0).asin();
    let roll = rows[2][1].atan2(rows[2][2]);
    [azimuth, elevation, roll].map(f64::to_degrees)
}
