//! Measures the drivers: their decoding speed, compared with the line, and the age of samples when
//! they leave the driver.

mod decoding;
mod latency;
/// The streams of the drivers' own tests.
#[path = "../../drivers/tests/throughput/streams.rs"]
mod streams;

use crate::Arguments;

pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    decoding::measure(arguments)?;
    latency::measure(arguments)
}

/// Result of a target, as text.
fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "MISSED" }
}
