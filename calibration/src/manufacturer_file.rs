//! The maker's own calibration files: VirtualHand 2.x `.cal`, and the export of its later tools.
//!
//! Both have six blocks of four rows, one per joint: number, offset in counts, gain in radians per count, and
//! a number that nobody uses. Blocks 0 to 4 are thumb to pinkie, with the abduction in the fourth row; block 5
//! is palm arch, wrist pitch and wrist yaw. Three peculiarities:
//!
//! - The sensor between index and middle finger has its gain in the index's fourth row and its offset in
//!   the middle finger's. The gain there is a share by which the maker's program moves the middle finger;
//!   our middle finger stays in line, so it is 0 when written and ignored when read.
//! - The maker's flexions are negative in its own frames, and some files carry that sign: a flexion's gain
//!   is taken without it. Sideways, the sign in a file depends on the hand ([`Signs`]).
//! - Offsets are whole counts and gains have five decimals, and there are no cross terms: what is written is
//!   coarser than the profile.

mod read;
#[cfg(test)]
mod tests;
mod write;

use drivers::{Sensor, SensorMask, Side};

pub use read::{ManufacturerError, read};
pub use write::write;

/// Which program's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManufacturerFormat {
    /// VirtualHand 2.x, with a version line, a title and comments.
    VirtualHand,
    /// 31 lines: a title, then for each block a title and four rows.
    Export,
}

/// What a file does not say itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ManufacturerOptions {
    pub hand: Side,
    /// The sensors of the glove; rows of others hold placeholders and are passed over.
    pub mask: SensorMask,
    pub signs: Signs,
    pub gain_slot: GainSlot,
    pub offsets: OffsetUnit,
}

/// What the sign of a sideways gain means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Signs {
    /// As the maker has it: on a right hand, a sensor whose count rises as the fingers spread has a negative
    /// gain; on a left hand, where its frames are mirrored, a positive one.
    #[default]
    Maker,
    /// Nothing: counts rise as fingers spread and as the wrist turns to the thumb.
    Magnitude,
}

/// Where the gain of the sensor between index and middle finger is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GainSlot {
    #[default]
    Index,
    /// With its offset, as other programs write it.
    Middle,
}

/// What the offsets of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OffsetUnit {
    /// Counts, unless all are so small that they can only be angles: then somebody has to say.
    #[default]
    Ask,
    Counts,
    /// Radians: `angle = gain * count - offset`.
    Radians,
}

impl ManufacturerOptions {
    /// The maker's own rules.
    pub fn new(hand: Side, mask: SensorMask) -> Self {
        Self {
            hand,
            mask,
            signs: Signs::default(),
            gain_slot: GainSlot::default(),
            offsets: OffsetUnit::default(),
        }
    }
}

/// The sensor of a row. Blocks and rows are in the order of the mask's bits, and the index's own abduction
/// sensor is never fitted.
fn sensor_at(block: usize, row: usize) -> Sensor {
    Sensor::ALL[4 * block + row]
}

/// The sign that turns a sideways gain of the maker into ours, and back.
fn sideways_sign(hand: Side) -> f64 {
    match hand {
        Side::Right => -1.0,
        Side::Left => 1.0,
    }
}

const N_BLOCKS: usize = 6;
const N_ROWS: usize = 4;
