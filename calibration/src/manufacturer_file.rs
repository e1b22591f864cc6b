//! The glove manufacturer's calibration files: VirtualHand 2.x `.cal`, and the export of its later
//! tools.
//!
//! Both have six blocks of four rows, one per joint: number, offset in counts, gain in radians per
//! count, and an unused number. Blocks 0 to 4 are thumb to pinkie, with the abduction in the fourth
//! row; block 5 is palm arch, wrist pitch and wrist yaw. Three peculiarities:
//!
//! - The sensor between index and middle finger has its gain in the index's fourth row and its
//!   offset in the middle finger's. The gain there is a share by which the manufacturer's program
//!   moves the middle finger; here the middle finger stays in line, so this gain is written as 0
//!   and ignored when read.
//! - Flexions are negative in the manufacturer's frames, and some files carry that sign: the sign
//!   of a flexion's gain is ignored. Sideways, the sign in a file depends on the hand ([`Signs`]).
//! - Offsets are whole counts, gains have five decimals, and there are no cross terms: a written
//!   file is coarser than the profile.

mod read;
#[cfg(test)]
mod tests;
mod write;

use drivers::{Sensor, SensorMask, Side};

pub use read::{ManufacturerError, read};
pub use write::write;

/// Format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManufacturerFormat {
    /// VirtualHand 2.x, with a version line, a title and comments.
    VirtualHand,
    /// 31 lines: a title, then for each block a title and four rows.
    Export,
}

/// Information that a file does not contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ManufacturerOptions {
    pub hand: Side,
    /// Sensors of the glove; rows of others hold placeholders and are ignored.
    pub mask: SensorMask,
    pub signs: Signs,
    pub gain_slot: GainSlot,
    pub offsets: OffsetUnit,
}

/// Meaning of the sign of a sideways gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Signs {
    /// The manufacturer's convention: on a right hand, a sensor whose count rises as the fingers
    /// spread has a negative gain; on a left hand, where its frames are mirrored, a positive one.
    #[default]
    Maker,
    /// No meaning: counts rise as fingers spread and as the wrist turns towards the thumb.
    Magnitude,
}

/// Row that holds the gain of the sensor between index and middle finger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GainSlot {
    #[default]
    Index,
    /// The row with its offset, as other programs write it.
    Middle,
}

/// Unit of the offsets in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OffsetUnit {
    /// Counts, unless all offsets are so small that they can only be angles: then reading returns
    /// an error.
    #[default]
    Ask,
    Counts,
    /// Radians: `angle = gain * count - offset`.
    Radians,
}

impl ManufacturerOptions {
    /// Options for a file that follows the manufacturer's conventions.
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

/// Sensor of a row. Blocks and rows are in the order of the mask's bits; the index's own abduction
/// sensor is never fitted.
fn sensor_at(block: usize, row: usize) -> Sensor {
    Sensor::ALL[4 * block + row]
}

/// Factor that converts a sideways gain from the manufacturer's sign to ours, and back.
fn sideways_sign(hand: Side) -> f64 {
    match hand {
        Side::Right => -1.0,
        Side::Left => 1.0,
    }
}

const N_BLOCKS: usize = 6;
const N_ROWS: usize = 4;
