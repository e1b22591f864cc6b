//! The items of a data record, by the manual's item numbers.

use super::options::Firmware;

/// One entry of an output list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item {
    /// Number of the item, as the host wrote it.
    pub(super) number: u8,
    pub(super) content: Content,
    pub(super) precision: Precision,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Blank,
    LineEnd,
    Position,
    /// Movement since the last record of this station.
    RelativePosition,
    /// Azimuth, elevation and roll in degrees.
    Euler,
    /// One row of the attitude matrix, 0 to 2.
    MatrixRow(usize),
    /// Quaternion, scalar first.
    Quaternion,
    Stylus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    Standard,
    /// More digits in text; the same as standard in binary.
    Extended,
    /// 14 bits in two bytes, also in text records.
    Packed,
}

impl Item {
    pub(super) fn from_number(number: f64, firmware: Firmware) -> Option<Self> {
        let (content, precision) = match number {
            0.0 | 50.0 => (Content::Blank, Precision::Standard),
            1.0 | 51.0 => (Content::LineEnd, Precision::Standard),
            2.0 => (Content::Position, Precision::Standard),
            3.0 => (Content::RelativePosition, Precision::Standard),
            4.0 => (Content::Euler, Precision::Standard),
            5.0 => (Content::MatrixRow(0), Precision::Standard),
            6.0 => (Content::MatrixRow(1), Precision::Standard),
            7.0 => (Content::MatrixRow(2), Precision::Standard),
            11.0 => (Content::Quaternion, Precision::Standard),
            16.0 | 66.0 => (Content::Stylus, Precision::Standard),
            52.0 => (Content::Position, Precision::Extended),
            53.0 => (Content::RelativePosition, Precision::Extended),
            54.0 => (Content::Euler, Precision::Extended),
            55.0 => (Content::MatrixRow(0), Precision::Extended),
            56.0 => (Content::MatrixRow(1), Precision::Extended),
            57.0 => (Content::MatrixRow(2), Precision::Extended),
            61.0 => (Content::Quaternion, Precision::Extended),
            18.0 => (Content::Position, Precision::Packed),
            19.0 => (Content::Euler, Precision::Packed),
            20.0 => (Content::Quaternion, Precision::Packed),
            _ => return None,
        };
        let is_known = precision != Precision::Packed || firmware == Firmware::Legacy;
        // Every number above fits into a byte.
        is_known.then_some(Self { number: number as u8, content, precision })
    }

    /// The factory's list: position, angles, line end.
    pub(super) fn factory_list() -> Vec<Self> {
        let numbers = [2.0, 4.0, 1.0].into_iter();
        numbers.filter_map(|number| Self::from_number(number, Firmware::Current)).collect()
    }

    /// Number of bytes in a text record, which is never smaller than in a binary record.
    pub(super) fn n_columns(self, stylus_columns: usize) -> usize {
        let n_numbers = match self.content {
            Content::Blank => return 1,
            Content::LineEnd => return 2,
            Content::Stylus => return stylus_columns,
            Content::Position
            | Content::RelativePosition
            | Content::Euler
            | Content::MatrixRow(_) => 3,
            Content::Quaternion => 4,
        };
        n_numbers
            * match self.precision {
                Precision::Standard => 7,
                Precision::Extended => 13,
                Precision::Packed => 2,
            }
    }
}
