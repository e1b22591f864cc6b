//! From serial ports to pairs of samples: one thread per device, then glove and tracker together.

mod decoded;
mod feed;
mod pair;
#[cfg(test)]
mod scripted;
mod source;

pub use decoded::{DecodedDevices, DecodedError};
pub use feed::{DeviceState, Feed, Numbered, Source};
pub use pair::{DeviceRecord, PairedRecords, Pairing, SamplePair};
pub use source::GloveReading;
