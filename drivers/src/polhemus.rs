//! The Polhemus FASTRAK and its successors: position and attitude of a receiver relative to the
//! transmitter.
//!
//! - [`settings`]: values of the unit's settings; [`output`]: items of its data records;
//! - [`protocol`]: requests to bytes; [`control`] and [`answer`]: control records to typed answers;
//! - [`record`]: any bytes to samples and control records, with a guarantee about damage;
//! - [`driver`]: the conversation on a serial line; [`mod@identify`]: a short one that identifies
//!   the unit on a port;
//! - [`liberty`]: the binary frames of the later units, LIBERTY and PATRIOT.

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
pub(crate) use identify::identify_within;
pub use identify::{Identity, identify};
pub use record::{RecordDecoder, RecordFormat, StylusSwitch, TrackerSample};
