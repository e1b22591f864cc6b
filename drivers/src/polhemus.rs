//! The Polhemus FASTRAK: where a receiver is and how it is turned, relative to the transmitter.

pub mod driver;
pub mod protocol;
pub mod record;

pub use driver::{Fastrak, FastrakInfo};
pub use record::{Condition, RecordDecoder, TrackerSample};
