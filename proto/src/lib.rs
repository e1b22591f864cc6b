//! The solver's wire format: generated code and conversions to and from `physics` types.
//!
//! - [`v1`]: the messages, generated from `solver/v1/solver.proto` and committed, so that a build
//!   needs no generator; `tests/generated.rs` makes them anew and compares;
//! - `object`: descriptions; `touch` and `known`: what goes into a step; `frame`: topologies and
//!   frames, which come out; `state`: what is inside in between;
//! - `solve`: questions and answers of scripts;
//! - `array`: arrays as little-endian bytes, and what can be wrong with them.
//!
//! Wire types stop here. Everything that arrives is checked when it becomes a domain type: lengths,
//! finite numbers, indices; a [`WireError`] says what was expected.

mod array;
mod frame;
mod known;
mod object;
mod solve;
mod state;
mod touch;

pub use array::WireError;
pub use frame::FrameAssembler;
pub use object::ClaimedSize;

#[allow(clippy::all, clippy::print_stdout, unreachable_pub, reason = "generated code")]
#[rustfmt::skip]
pub mod v1;

/// The largest message that either side accepts: an object of some hundred thousand nodes.
pub const MAX_MESSAGE_BYTES: usize = 64 << 20;
