//! The calibration of both hands of a person.

use calibration::{HandSize, Profile};
use drivers::Hand as Side;

/// The person's calibration, for whichever hand the glove is on.
#[derive(Debug, Clone)]
pub struct Profiles {
    pub left: Profile,
    pub right: Profile,
}

impl Profiles {
    /// That of one hand.
    pub fn of(&self, hand: Side) -> &Profile {
        match hand {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// A hand is of this size from now on.
    pub(super) fn resize(&mut self, hand: Side, size: &HandSize) {
        let profile = match hand {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        };
        *profile = profile.clone().with_size(*size);
    }
}
