//! The Polhemus FASTRAK: where a receiver is and how it is turned, relative to the transmitter.
//!
//! - [`settings`] and [`output`]: what a unit can be told, and what its data records may hold;
//! - [`protocol`]: requests to bytes; [`control`] and [`answer`]: control records to typed answers;
//! - [`record`]: any bytes to samples and control records, with a contract about damage;
//! - [`driver`]: the conversation on a serial line; [`mod@identify`]: a short one, for finding a port;
//! - [`liberty`]: the binary frames of the maker's later units, LIBERTY and PATRIOT.

pub mod answer;
pub mod condition;
pub mod control;
pub mod driver;
pub mod identify;
pub mod liberty;
pub mod output;
pub mod protocol;
pub mod record;
mod scan;
pub mod settings;

pub use condition::Condition;
pub use driver::{Fastrak, FastrakInfo, TrackerError, TrackerOptions};
pub use identify::{Identity, identify};
pub use record::{RecordDecoder, RecordFormat, StylusSwitch, TrackerSample};
