//! Wire format of the solver: generated messages, and conversions to and from `physics` types.
//!
//! - [`v1`]: the messages, generated from `solver/v1/solver.proto` and committed, so that a build
//!   needs no generator; `tests/generated.rs` generates them again and compares;
//! - `object`: descriptions of objects;
//! - `touch`, `known_displacements`: the input of a step;
//! - `surface_frame`: the output of a step: topologies and frames;
//! - `state`: states and snapshots of objects;
//! - `solve`: questions and answers of single solves;
//! - `array`: arrays as little-endian bytes, and the errors of reading messages.
//!
//! The conversions check everything that is received: lengths, finite numbers, indices. A
//! [`WireError`] says what was expected.

mod array;
mod known_displacements;
mod object;
mod solve;
mod state;
mod surface_frame;
mod touch;

pub use array::WireError;
pub use object::ClaimedSize;
pub use surface_frame::FrameAssembler;

#[allow(clippy::all, clippy::print_stdout, unreachable_pub, reason = "generated code")]
#[rustfmt::skip]
pub mod v1;

/// Size of the largest message that both sides accept, in bytes: an object of some hundred thousand
/// nodes.
pub const MAX_MESSAGE_BYTES: usize = 64 << 20;
