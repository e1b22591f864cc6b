//! From serial ports to pairs of samples: one thread per device, then glove and tracker together.

mod feed;
mod pair;

pub use feed::{DeviceState, Feed, GloveReading, Port};
pub use pair::{Pairing, SamplePair};
