//! Writes the manufacturer's files.

use std::fmt::Write;

use drivers::{Sensor, Side};

use super::{ManufacturerFormat, N_BLOCKS, N_ROWS, sensor_at, sideways_sign};
use crate::glove_model::GloveModel;
use crate::sensor_map::is_sideways;

/// A glove as the manufacturer's programs read it, with their signs and rows.
pub fn write(model: &GloveModel, hand: Side, format: ManufacturerFormat) -> String {
    let mut text = String::from(match format {
        ManufacturerFormat::VirtualHand => {
            "VHv2.0\n! joint, offset, gain in radians per count, gesture\nGLOVE CALIBRATION\n"
        }
        ManufacturerFormat::Export => "GLOVE CALIBRATION\n",
    });
    for block in 0..N_BLOCKS {
        writeln!(text, "FINGER {block}:").expect("a string takes any text");
        for row in 0..N_ROWS {
            let (offset, gain) = slot(model, sensor_at(block, row), hand);
            writeln!(text, "{row} {offset:.0} {gain:.5} 0").expect("a string takes any text");
        }
    }
    text
}

fn slot(model: &GloveModel, sensor: Sensor, hand: Side) -> (f64, f64) {
    let (of_offset, of_gain) = match sensor {
        // This sensor is never fitted: its row holds the gain of the next one.
        Sensor::IndexAbduction => {
            (Sensor::MiddleIndexAbduction, Some(Sensor::MiddleIndexAbduction))
        }
        Sensor::MiddleIndexAbduction => (sensor, None),
        sensor => (sensor, Some(sensor)),
    };
    let gain = of_gain.map_or(0.0, |of_gain| {
        let gain = model.sensor(of_gain).map.gain;
        if is_sideways(of_gain) { gain * sideways_sign(hand) } else { gain }
    });
    (model.sensor(of_offset).map.offset, gain)
}
