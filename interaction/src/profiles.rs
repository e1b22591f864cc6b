//! Calibration profiles of both hands of a person.

use calibration::{HandSize, Profile};
use drivers::Side;

/// The person's calibration profile for each hand.
#[derive(Debug, Clone)]
pub struct Profiles {
    pub left: Profile,
    pub right: Profile,
}

impl Profiles {
    /// Profile of one hand.
    pub fn of(&self, hand: Side) -> &Profile {
        match hand {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// Sets the size of one hand.
    pub(super) fn resize(&mut self, hand: Side, size: &HandSize) {
        let profile = match hand {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        };
        *profile = profile.clone().with_size(*size);
    }
}
