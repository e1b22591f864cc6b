//! Reads either format of the manufacturer's files.

use drivers::Sensor;

use super::{
    GainSlot, ManufacturerFormat, ManufacturerOptions, N_BLOCKS, N_ROWS, OffsetUnit, Signs,
    sensor_at, sideways_sign,
};
use crate::glove_model::{GloveModel, SensorModel};
use crate::sensor_map::{SensorMap, gain_range_deg, is_sideways};

/// Error of reading a manufacturer's file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ManufacturerError {
    #[error("{0} bytes, expected at most {MAX_BYTES}")]
    TooLong(usize),
    #[error("ends before {0}")]
    Ends(&'static str),
    #[error("line {line}: expected {want}")]
    Line { line: usize, want: &'static str },
    #[error("line {line}: finger {got}, expected {want}")]
    Order { line: usize, got: usize, want: usize },
    #[error("{}: {what} of {got}, expected {want}", .sensor.name())]
    Value { sensor: Sensor, what: &'static str, got: f64, want: &'static str },
    #[error("all offsets are below {SMALL_OFFSET}: counts or radians? say which")]
    OffsetUnit,
}

const MAX_BYTES: usize = 64 * 1024;
/// Limit that separates the units: with offsets in counts at least one sensor is above it, an
/// offset in radians never is.
const SMALL_OFFSET: f64 = 7.0;

/// Offset and gain of each row.
type Slots = [[(f64, f64); N_ROWS]; N_BLOCKS];

/// Reads the glove of a file. Any bytes give a glove or an error.
pub fn read(bytes: &[u8], options: &ManufacturerOptions) -> Result<GloveModel, ManufacturerError> {
    if bytes.len() > MAX_BYTES {
        return Err(ManufacturerError::TooLong(bytes.len()));
    }
    // Comments may have any encoding; numbers are ASCII.
    let text = String::from_utf8_lossy(bytes);
    to_model(&slots(&text)?, options)
}

fn slots(text: &str) -> Result<Slots, ManufacturerError> {
    let is_content = |line: &str| !line.is_empty() && !line.starts_with('!');
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(n, line)| (n + 1, line.trim()))
        .filter(|(_, line)| is_content(line))
        .peekable();
    let (_, first) = lines.next().ok_or(ManufacturerError::Ends("its first line"))?;
    let format = if first.starts_with("VHv") {
        ManufacturerFormat::VirtualHand
    } else {
        ManufacturerFormat::Export
    };
    if format == ManufacturerFormat::VirtualHand {
        lines
            .find(|(_, line)| line.starts_with("GLOVE CALIBRATION"))
            .ok_or(ManufacturerError::Ends("GLOVE CALIBRATION"))?;
    }
    let mut slots = [[(0.0, 0.0); N_ROWS]; N_BLOCKS];
    for (block, rows) in slots.iter_mut().enumerate() {
        let (line, title) = lines.next().ok_or(ManufacturerError::Ends("the title of a finger"))?;
        check_title(line, title, block, format)?;
        for (row, slot) in rows.iter_mut().enumerate() {
            let (line, text) =
                lines.next().ok_or(ManufacturerError::Ends("the fourth joint of a finger"))?;
            let want = "joint number, offset and gain";
            *slot = parse_row(text, row).ok_or(ManufacturerError::Line { line, want })?;
        }
    }
    // The geometry that may follow is only for the manufacturer's picture of a hand.
    Ok(slots)
}

/// Checks the title of a block. VirtualHand writes `FINGER 2:`; in the other format titles may
/// differ.
fn check_title(
    line: usize,
    title: &str,
    want: usize,
    format: ManufacturerFormat,
) -> Result<(), ManufacturerError> {
    let number = title
        .strip_prefix("FINGER")
        .and_then(|rest| rest.trim().trim_end_matches(':').trim_end().parse::<usize>().ok());
    match (format, number) {
        (_, Some(got)) if got == want => Ok(()),
        (_, Some(got)) => Err(ManufacturerError::Order { line, got, want }),
        (ManufacturerFormat::VirtualHand, None) => {
            Err(ManufacturerError::Line { line, want: "FINGER and a digit" })
        }
        (ManufacturerFormat::Export, None) if title.starts_with(|c: char| c.is_alphabetic()) => {
            Ok(())
        }
        (ManufacturerFormat::Export, None) => {
            Err(ManufacturerError::Line { line, want: "the title of a finger" })
        }
    }
}

fn parse_row(text: &str, row: usize) -> Option<(f64, f64)> {
    let mut words = text.split_whitespace();
    let number: usize = words.next()?.parse().ok()?;
    let offset: f64 = words.next()?.parse().ok()?;
    let gain: f64 = words.next()?.parse().ok()?;
    (number == row && offset.is_finite() && gain.is_finite()).then_some((offset, gain))
}

fn to_model(slots: &Slots, options: &ManufacturerOptions) -> Result<GloveModel, ManufacturerError> {
    let mut model = GloveModel::uncalibrated();
    let mut maps = Vec::new();
    for (block, rows) in slots.iter().enumerate() {
        for (row, (offset, gain)) in rows.iter().enumerate() {
            let sensor = sensor_at(block, row);
            let moved =
                sensor == Sensor::MiddleIndexAbduction && options.gain_slot == GainSlot::Index;
            let gain = if moved { slots[block - 1][row].1 } else { *gain };
            if options.mask.contains(sensor) {
                maps.push((sensor, *offset, our_gain(sensor, gain, options)?));
            }
        }
    }
    let all_small = maps.iter().all(|(_, offset, _)| offset.abs() < SMALL_OFFSET);
    let is_angle = match options.offsets {
        OffsetUnit::Ask if all_small => return Err(ManufacturerError::OffsetUnit),
        OffsetUnit::Ask | OffsetUnit::Counts => false,
        OffsetUnit::Radians => true,
    };
    for (sensor, offset, gain) in maps {
        let offset = if is_angle { offset / gain.abs() } else { offset };
        if !(-300.0..=600.0).contains(&offset) {
            let want = "about 0 to 255 counts";
            return Err(ManufacturerError::Value { sensor, what: "offset", got: offset, want });
        }
        *model.sensor_mut(sensor) = SensorModel::linear(SensorMap { gain, offset });
    }
    Ok(model)
}

fn our_gain(
    sensor: Sensor,
    gain: f64,
    options: &ManufacturerOptions,
) -> Result<f64, ManufacturerError> {
    // Gains have five decimals, so a gain at the end of the range may have been rounded beyond it.
    let rounding = 1e-5_f64.to_degrees();
    let range = gain_range_deg(sensor);
    let size_deg = gain.abs().to_degrees();
    if size_deg < range.start() - rounding || size_deg > range.end() + rounding {
        let want = "a size of about 0.005 to 0.052 radians per count";
        return Err(ManufacturerError::Value { sensor, what: "gain", got: gain, want });
    }
    let size = size_deg.clamp(*range.start(), *range.end()).to_radians();
    Ok(match options.signs {
        Signs::Maker if is_sideways(sensor) => size.copysign(gain * sideways_sign(options.hand)),
        Signs::Maker | Signs::Magnitude => size,
    })
}
