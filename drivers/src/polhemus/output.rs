//! The contents of a data record: output items, their sizes, and lists of them.

use super::settings::Form;

/// Number of digits of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Seven columns of text.
    Standard,
    /// Thirteen columns of text with an exponent; in binary the same as standard.
    Extended,
}

/// A row of the attitude matrix: one component of each of the receiver's three axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixRow {
    X,
    Y,
    Z,
}

/// One entry of an output list.
///
/// Blank, line end and stylus have two numbers each in the manual; requests use the smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputItem {
    Blank,
    LineEnd,
    Position(Precision),
    /// Movement of the receiver since the last record; it gives no position.
    RelativeMove(Precision),
    /// Azimuth, elevation and roll in degrees.
    Euler(Precision),
    Row(MatrixRow, Precision),
    /// Quaternion, scalar first.
    Quaternion(Precision),
    Stylus,
    /// Position with two bytes per number, in text and binary; not in newer firmware.
    PackedPosition,
    /// Euler angles, packed like [`Self::PackedPosition`].
    PackedEuler,
    /// Quaternion, packed like [`Self::PackedPosition`].
    PackedQuaternion,
}

impl OutputItem {
    pub fn from_number(number: u8) -> Option<Self> {
        let precision = if number < 50 { Precision::Standard } else { Precision::Extended };
        match number {
            0 | 50 => Some(Self::Blank),
            1 | 51 => Some(Self::LineEnd),
            2 | 52 => Some(Self::Position(precision)),
            3 | 53 => Some(Self::RelativeMove(precision)),
            4 | 54 => Some(Self::Euler(precision)),
            5 | 55 => Some(Self::Row(MatrixRow::X, precision)),
            6 | 56 => Some(Self::Row(MatrixRow::Y, precision)),
            7 | 57 => Some(Self::Row(MatrixRow::Z, precision)),
            11 | 61 => Some(Self::Quaternion(precision)),
            16 | 66 => Some(Self::Stylus),
            18 => Some(Self::PackedPosition),
            19 => Some(Self::PackedEuler),
            20 => Some(Self::PackedQuaternion),
            _ => None,
        }
    }

    pub fn number(self) -> u8 {
        let at = |standard, precision| match precision {
            Precision::Standard => standard,
            Precision::Extended => standard + 50,
        };
        match self {
            Self::Blank => 0,
            Self::LineEnd => 1,
            Self::Position(precision) => at(2, precision),
            Self::RelativeMove(precision) => at(3, precision),
            Self::Euler(precision) => at(4, precision),
            Self::Row(MatrixRow::X, precision) => at(5, precision),
            Self::Row(MatrixRow::Y, precision) => at(6, precision),
            Self::Row(MatrixRow::Z, precision) => at(7, precision),
            Self::Quaternion(precision) => at(11, precision),
            Self::Stylus => 16,
            Self::PackedPosition => 18,
            Self::PackedEuler => 19,
            Self::PackedQuaternion => 20,
        }
    }

    /// Number of bytes of this item in a record.
    pub fn n_bytes(self, form: Form, stylus: StylusWidth) -> usize {
        let each = |precision| match (form, precision) {
            (Form::Binary, Precision::Standard | Precision::Extended) => 4,
            (Form::Ascii, Precision::Standard) => 7,
            (Form::Ascii, Precision::Extended) => 13,
        };
        match self {
            Self::Blank => 1,
            Self::LineEnd => 2,
            Self::Position(precision)
            | Self::RelativeMove(precision)
            | Self::Euler(precision)
            | Self::Row(_, precision) => 3 * each(precision),
            Self::Quaternion(precision) => 4 * each(precision),
            Self::Stylus => stylus.n_bytes(),
            Self::PackedPosition | Self::PackedEuler => 3 * 2,
            Self::PackedQuaternion => 4 * 2,
        }
    }

    pub(super) fn is_packed(self) -> bool {
        matches!(self, Self::PackedPosition | Self::PackedEuler | Self::PackedQuaternion)
    }

    fn is_filler(self) -> bool {
        matches!(self, Self::Blank | Self::LineEnd | Self::Stylus)
    }
}

/// Number of columns of the stylus item, on which the sources differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StylusWidth {
    One,
    #[default]
    Two,
    Three,
}

impl StylusWidth {
    fn n_bytes(self) -> usize {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Three => 3,
        }
    }
}

/// Reason why an output list cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    #[error("output list has {0} items, expected 1 to {MAX_ITEMS}")]
    Items(usize),
    #[error("output list makes records of {0} bytes, expected at most {MAX_BYTES}")]
    Bytes(usize),
    #[error("output list has no position, expected item 2, 52 or 18")]
    NoPosition,
    #[error("output list has no attitude, expected Euler angles, a quaternion or all matrix rows")]
    NoAttitude,
    #[error("output list does not end with a line end, expected item 1 or 51 last")]
    NoLineEnd,
    #[error("output list mixes packed numbers with others")]
    PackedMixed,
}

const MAX_ITEMS: usize = 32;
/// Largest record that a unit accepts, in bytes.
pub(super) const MAX_BYTES: usize = 254;
/// Bytes of a record's head: `0`, station digit, error character.
pub(super) const HEAD: usize = 3;

/// A list that a unit accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputList {
    items: Vec<OutputItem>,
}

impl OutputList {
    /// Checks `items` against the unit's limits.
    ///
    /// The length is checked for text with the usual stylus item. A list that fits as text also
    /// fits in binary, and a unit may check the list when it gets it, in either form.
    pub fn new(items: Vec<OutputItem>) -> Result<Self, ListError> {
        if !(1..=MAX_ITEMS).contains(&items.len()) {
            return Err(ListError::Items(items.len()));
        }
        let list = Self { items };
        match list.record_length(Form::Ascii, StylusWidth::default()) {
            0..=MAX_BYTES => Ok(list),
            length => Err(ListError::Bytes(length)),
        }
    }

    /// Position, quaternion, line end: 33 bytes in binary.
    pub fn position_and_quaternion() -> Self {
        let number = Precision::Standard;
        let items = [OutputItem::Position(number), OutputItem::Quaternion(number)];
        Self { items: items.into_iter().chain([OutputItem::LineEnd]).collect() }
    }

    pub fn items(&self) -> &[OutputItem] {
        &self.items
    }

    /// Number of bytes of a whole record.
    pub fn record_length(&self, form: Form, stylus: StylusWidth) -> usize {
        HEAD + self.items.iter().map(|item| item.n_bytes(form, stylus)).sum::<usize>()
    }

    /// Returns an error unless records with this list hold a whole pose and can be separated.
    ///
    /// The line end at the end is a requirement of this driver, not of the unit. Without it, a
    /// record that has lost a byte of its last number takes the first byte of the next record
    /// instead and still looks valid, so that one fault costs two records.
    pub fn check_for_poses(&self) -> Result<(), ListError> {
        let has = |wanted: &dyn Fn(&OutputItem) -> bool| self.items.iter().any(wanted);
        let has_row = |row| has(&|item| matches!(item, OutputItem::Row(got, _) if *got == row));
        if !has(&|item| matches!(item, OutputItem::Position(_) | OutputItem::PackedPosition)) {
            return Err(ListError::NoPosition);
        }
        let has_angles = has(&|item| {
            matches!(
                item,
                OutputItem::Euler(_)
                    | OutputItem::Quaternion(_)
                    | OutputItem::PackedEuler
                    | OutputItem::PackedQuaternion
            )
        });
        if !has_angles && ![MatrixRow::X, MatrixRow::Y, MatrixRow::Z].into_iter().all(has_row) {
            return Err(ListError::NoAttitude);
        }
        if has(&|item| item.is_packed()) && has(&|item| !item.is_packed() && !item.is_filler()) {
            return Err(ListError::PackedMixed);
        }
        match self.items.last() {
            Some(OutputItem::LineEnd) => Ok(()),
            Some(_) | None => Err(ListError::NoLineEnd),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(numbers: &[u8]) -> Result<OutputList, ListError> {
        let item = |number: &u8| OutputItem::from_number(*number).expect("an item of the manual");
        OutputList::new(numbers.iter().map(item).collect())
    }

    #[test]
    fn items_keep_their_numbers() {
        let check = |number, want: Option<u8>| {
            assert_eq!(OutputItem::from_number(number).map(OutputItem::number), want, "{number}");
        };
        for number in [0, 1, 2, 3, 4, 5, 6, 7, 11, 16, 18, 19, 20, 52, 53, 54, 55, 56, 57, 61] {
            check(number, Some(number));
        }
        for (number, written) in [(50, 0), (51, 1), (66, 16)] {
            check(number, Some(written));
        }
        for number in [8, 10, 12, 17, 21, 58, 60, 62, 67, 255] {
            check(number, None);
        }
    }

    #[test]
    fn records_have_the_manuals_lengths() {
        let check = |numbers: &[u8], text, binary| {
            let list = list(numbers).unwrap();
            assert_eq!(list.record_length(Form::Ascii, StylusWidth::Two), text, "{numbers:?}");
            assert_eq!(list.record_length(Form::Binary, StylusWidth::Two), binary, "{numbers:?}");
        };
        check(&[2, 4, 1], 47, 29);
        check(&[2, 11, 1], 54, 33);
        check(&[2, 11, 0], 53, 32);
        check(&[52, 61, 51], 3 + 39 + 52 + 2, 33);
        check(&[2, 16, 1], 28, 19);
        check(&[18, 1], 11, 11);
    }

    #[test]
    fn the_units_limits_hold() {
        assert_eq!(list(&[]), Err(ListError::Items(0)));
        assert!(list(&[0; 32]).is_ok());
        assert_eq!(list(&[0; 33]), Err(ListError::Items(33)));
        // 11 times 21 columns and the head are 234; 12 times give 255.
        assert!(list(&[2; 11]).is_ok());
        assert_eq!(list(&[2; 12]), Err(ListError::Bytes(255)));
    }

    #[test]
    fn poses_need_a_place_an_attitude_and_a_line_end() {
        let check = |numbers: &[u8], want| {
            assert_eq!(list(numbers).unwrap().check_for_poses(), want, "{numbers:?}");
        };
        check(&[2, 4, 1], Ok(()));
        check(&[61, 52, 51], Ok(()));
        check(&[2, 5, 6, 57, 16, 1], Ok(()));
        check(&[18, 19, 1], Ok(()));
        check(&[18, 20, 16, 1], Ok(()));
        check(&[3, 4, 1], Err(ListError::NoPosition));
        check(&[2, 5, 6, 1], Err(ListError::NoAttitude));
        check(&[18, 1], Err(ListError::NoAttitude));
        check(&[18, 11, 1], Err(ListError::PackedMixed));
        check(&[2, 11], Err(ListError::NoLineEnd));
        check(&[2, 1, 11, 0], Err(ListError::NoLineEnd));
    }
}
