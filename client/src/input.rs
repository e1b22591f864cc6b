//! From serial ports to pairs of samples: one thread per device, then glove and tracker together.

mod decoded;
mod driven;
mod feed;
mod pair;
mod past;
mod played;
mod reel;
#[cfg(test)]
mod scripted;
mod seen;
mod source;

pub use decoded::{DecodedDevices, DecodedError};
pub use driven::{DrivenHand, Fingers, Steering};
pub use feed::{DeviceState, Feed, Numbered, Source};
pub use pair::{DeviceRecord, PairedRecords, Pairing, SamplePair};
pub use past::{Doing, PastDevices, PastHands, PastMoment};
pub use played::{PlayedHands, PlayedPose};
pub use seen::SeenHands;
pub use source::GloveReading;
