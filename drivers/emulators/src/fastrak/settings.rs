//! Settings of the tracker, for each station and for all together.

use super::options::TrackerOptions;
use super::output_item::Item;
use super::record::{Form, Units};

/// Function of the stylus button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StylusMode {
    /// The button is only reported, by items 16 and 66.
    Mouse,
    /// The button sends a record, or stops a stream.
    Point,
}

#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) form: Form,
    pub(super) units: Units,
    pub(super) is_compensated: bool,
    pub(super) stations: [Station; 4],
    /// Sensitivity F, low, high, factor; only stored and read back.
    pub(super) attitude_filter: [f64; 4],
    pub(super) position_filter: [f64; 4],
    pub(super) sync_mode: u8,
    pub(super) id: String,
}

#[derive(Debug, Clone)]
pub(super) struct Station {
    pub(super) is_on: bool,
    pub(super) items: Vec<Item>,
    /// Origin, a point on the x axis, a point on the side of positive y.
    pub(super) alignment_cm: [[f64; 3]; 3],
    pub(super) reference_deg: [f64; 3],
    /// The zenith of the hemisphere; at zero the unit follows the receiver.
    pub(super) hemisphere: [f64; 3],
    pub(super) increment_cm: f64,
    pub(super) tip_offset_cm: [f64; 3],
    /// Upper limits, then lower limits.
    pub(super) position_limits_cm: [[f64; 3]; 2],
    pub(super) angle_limits_deg: [[f64; 3]; 2],
    pub(super) mounting_deg: [f64; 3],
    pub(super) stylus: StylusMode,
}

pub(super) const FACTORY_ALIGNMENT_CM: [[f64; 3]; 3] =
    [[0.0; 3], [200.0, 0.0, 0.0], [0.0, 200.0, 0.0]];
/// Parameters of a filter without effect: a sensitivity of 0, and a low of 1, which follows every
/// change.
pub(super) const NO_FILTER: [f64; 4] = [0.0, 1.0, 0.0, 0.0];

impl Settings {
    pub(super) fn factory(options: &TrackerOptions) -> Self {
        Self {
            form: Form::Ascii,
            units: Units::Inches,
            is_compensated: false,
            stations: options.receivers_cm.map(|receiver| Station::factory(receiver.is_some())),
            attitude_filter: NO_FILTER,
            position_filter: NO_FILTER,
            sync_mode: 0,
            id: options.id.clone(),
        }
    }
}

impl Station {
    fn factory(is_on: bool) -> Self {
        Self {
            is_on,
            items: Item::factory_list(),
            alignment_cm: FACTORY_ALIGNMENT_CM,
            reference_deg: [0.0; 3],
            hemisphere: [1.0, 0.0, 0.0],
            increment_cm: 0.0,
            tip_offset_cm: [0.0; 3],
            position_limits_cm: [[200.0; 3], [-200.0; 3]],
            angle_limits_deg: [[180.0, 90.0, 180.0], [-180.0, -90.0, -180.0]],
            mounting_deg: [0.0; 3],
            stylus: StylusMode::Point,
        }
    }
}
