//! The layout of a record: the position of each item of an output list; reads the items.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use super::number::{PackedPlace, decimal, float, packed, trim_blanks};
use super::{PackedAngle, RecordFormat, StylusSwitch, attitude};
use crate::polhemus::condition::Condition;
use crate::polhemus::output::{HEAD, ListError, MatrixRow, OutputItem, OutputList};
use crate::polhemus::settings::Form;

/// Largest distance of a receiver along an axis, in metres, even in a moved frame.
const FARTHEST: f64 = 20.0;
/// Full count of a packed number.
const FULL_COUNT: f64 = 8192.0;
/// Length of a full count in metres; it does not depend on the unit's setting of inches or
/// centimetres.
const PACKED_METRES: f64 = 3.0;

/// The output list of one station, prepared for reading records.
#[derive(Debug)]
pub(super) struct Layout {
    fields: Vec<Field>,
    length: usize,
    form: Form,
    metres_per_unit: f64,
    packed_deg: f64,
}

/// One item and its position in the record.
#[derive(Debug)]
struct Field {
    item: OutputItem,
    begin: usize,
    end: usize,
    /// Position of the first number in its group; only for packed items.
    place: PackedPlace,
}

/// The items of one record from which a pose can be made.
#[derive(Default)]
struct Values {
    position: Option<[f64; 3]>,
    quaternion: Option<[f64; 4]>,
    euler_deg: Option<[f64; 3]>,
    rows: [Option<[f64; 3]>; 3],
    stylus: Option<StylusSwitch>,
}

impl Layout {
    pub(super) fn new(list: &OutputList, format: &RecordFormat) -> Result<Self, ListError> {
        list.check_for_poses()?;
        let mut length = HEAD;
        let mut fields = Vec::with_capacity(list.items().len());
        let mut place = PackedPlace::First;
        for item in list.items() {
            let (begin, end) = (length, length + item.n_bytes(format.form, format.stylus_width));
            fields.push(Field { item: *item, begin, end, place });
            length = end;
            if item.is_packed() {
                place = PackedPlace::FirstOfItem;
            }
        }
        let packed_deg = match format.packed_angle {
            PackedAngle::HalfTurn => 180.0,
            PackedAngle::FullTurn => 360.0,
        };
        let metres_per_unit = format.units.in_metres();
        Ok(Self { fields, length, form: format.form, metres_per_unit, packed_deg })
    }

    /// Number of bytes of a record.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Reads the items after the head of `record`, which has the right length; `None` if any item
    /// is wrong.
    pub(super) fn read(
        &self,
        record: &[u8],
        condition: Condition,
    ) -> Option<(Isometry3<f64>, Option<StylusSwitch>)> {
        // Every list ends with a line end. This is the quickest check.
        if !record.ends_with(b"\r\n") {
            return None;
        }
        let mut values = Values::default();
        for field in &self.fields {
            self.read_field(field, record.get(field.begin..field.end)?, &mut values)?;
        }
        let [x, y, z] = values.position?;
        let is_near = [x, y, z].iter().all(|place| place.abs() <= FARTHEST);
        let rotation = rotation(&values).or_else(|| no_rotation(&values, condition))?;
        let pose = Isometry3::from_parts(Translation3::new(x, y, z), rotation);
        is_near.then_some((pose, values.stylus))
    }

    fn read_field(&self, field: &Field, columns: &[u8], values: &mut Values) -> Option<()> {
        match field.item {
            OutputItem::Blank => return (columns == b" ").then_some(()),
            OutputItem::LineEnd => return (columns == b"\r\n").then_some(()),
            OutputItem::Position(_) => {
                let position = self.numbers(columns)?;
                values.position = Some(position.map(|place| place * self.metres_per_unit));
            }
            OutputItem::RelativeMove(_) => {
                self.numbers::<3>(columns)?;
            }
            OutputItem::Euler(_) => values.euler_deg = Some(self.numbers(columns)?),
            OutputItem::Row(MatrixRow::X, _) => values.rows[0] = Some(self.numbers(columns)?),
            OutputItem::Row(MatrixRow::Y, _) => values.rows[1] = Some(self.numbers(columns)?),
            OutputItem::Row(MatrixRow::Z, _) => values.rows[2] = Some(self.numbers(columns)?),
            OutputItem::Quaternion(_) => values.quaternion = Some(self.numbers(columns)?),
            OutputItem::Stylus => {
                values.stylus = Some(match trim_blanks(columns) {
                    b"0" => StylusSwitch::Released,
                    b"1" => StylusSwitch::Pressed,
                    _ => return None,
                });
            }
            OutputItem::PackedPosition => {
                let shares = packed_shares(columns, field.place)?;
                values.position = Some(shares.map(|share| share * PACKED_METRES));
            }
            OutputItem::PackedEuler => {
                let shares = packed_shares(columns, field.place)?;
                values.euler_deg = Some(shares.map(|share| share * self.packed_deg));
            }
            OutputItem::PackedQuaternion => {
                values.quaternion = Some(packed_shares(columns, field.place)?);
            }
        }
        Some(())
    }

    /// Decodes `N` finite numbers in columns of equal width.
    fn numbers<const N: usize>(&self, columns: &[u8]) -> Option<[f64; N]> {
        let mut numbers = [0.0; N];
        for (number, columns) in numbers.iter_mut().zip(columns.chunks_exact(columns.len() / N)) {
            *number = match self.form {
                Form::Ascii => decimal(columns)?,
                Form::Binary => float(columns)?,
            };
        }
        numbers.iter().all(|number| number.is_finite()).then_some(numbers)
    }
}

/// Decodes packed numbers as shares of their full count.
fn packed_shares<const N: usize>(columns: &[u8], first: PackedPlace) -> Option<[f64; N]> {
    let mut shares = [0.0; N];
    let mut place = first;
    for (share, pair) in shares.iter_mut().zip(columns.chunks_exact(2)) {
        *share = f64::from(packed(pair, place)?) / FULL_COUNT;
        place = PackedPlace::Within;
    }
    Some(shares)
}

/// The attitude; if there is a choice, from an item without singularities.
fn rotation(values: &Values) -> Option<UnitQuaternion<f64>> {
    match (values.quaternion, values.rows, values.euler_deg) {
        (Some(quaternion), _, _) => attitude::from_quaternion(quaternion),
        (None, [Some(x), Some(y), Some(z)], _) => attitude::from_rows([x, y, z]),
        (None, _, Some(euler_deg)) => attitude::from_euler_deg(euler_deg),
        (None, _, None) => None,
    }
}

/// The identity for an attitude of zeros in a record without a valid pose, else `None`.
///
/// A unit without a signal has no attitude to send, but its record reports that the receiver is
/// unplugged. So zeros are accepted, but only if the record's condition is invalid.
fn no_rotation(values: &Values, condition: Condition) -> Option<UnitQuaternion<f64>> {
    let is_empty = match values.quaternion {
        Some(quaternion) => quaternion == [0.0; 4],
        None => values.rows == [Some([0.0; 3]); 3],
    };
    (is_empty && matches!(condition, Condition::Invalid(_))).then(UnitQuaternion::identity)
}
