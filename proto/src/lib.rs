//! The solver's wire format: generated code and conversions to and from `physics` types.
//!
//! Wire types stop here. Everything that arrives is checked when it becomes a domain type: lengths,
//! finite numbers, indices; a [`WireError`] says what was expected.

mod array;
mod frame;
mod known;
mod object;
mod solve;
mod touch;

pub use array::WireError;
pub use frame::FrameAssembler;
pub use object::ClaimedSize;

/// Generated from `solver/v1/solver.proto`.
#[allow(clippy::all, clippy::print_stdout, unreachable_pub, reason = "generated code")]
pub mod v1 {
    tonic::include_proto!("palpate.solver.v1");
}

/// The largest message that either side accepts: an object of some hundred thousand nodes.
pub const MAX_MESSAGE_BYTES: usize = 64 << 20;
