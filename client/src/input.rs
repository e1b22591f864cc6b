//! From serial ports to pairs of samples: one thread per device, then glove and tracker together.

mod feed;
mod pair;
#[cfg(test)]
mod scripted;
mod source;

pub use feed::{DeviceState, Feed, Source};
pub use pair::{Pairing, SamplePair};
pub use source::GloveReading;
