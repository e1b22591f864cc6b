//! The drivers: how fast they decode, beside what a line delivers, and how old samples are when they come out.

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

/// Whether a target was met, in words.
fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "MISSED" }
}
