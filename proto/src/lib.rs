//! Wire format of the solver: generated messages, and conversions to and from `physics` types.
//!
//! - [`v1`]: the messages, generated from `palpate/solver/v1/solver.proto` and committed, so that a
//!   build needs no generator; `tests/generated.rs` generates them again and compares;
//! - `object`: descriptions of objects;
//! - `touch`, `known_displacements`: the input of a step;
//! - `surface_frame`: the output of a step: topologies and frames;
//! - `contact_model`: what proxies feel near their places;
//! - `session_options`: what frames carry;
//! - `state`: states and snapshots of objects;
//! - `solve`: questions and answers of single solves;
//! - `message_size`: sizes of messages, and limits for them;
//! - `array`: arrays as little-endian bytes, and the errors of reading messages.
//!
//! The conversions check everything that is received: lengths, finite numbers, indices. A
//! [`WireError`] says what was expected.

mod array;
mod contact_model;
mod known_displacements;
mod message_size;
mod object;
mod session_options;
mod solve;
mod state;
mod surface_frame;
mod touch;

pub use array::WireError;
pub use message_size::{
    LEAST_LIMIT, MOST_BYTES, TOUCH_BYTES, answer_bytes, encoded_bytes, frame_bytes, question_bytes,
};
pub use object::{ClaimedSize, FAMILIES};
pub use session_options::content;
pub use surface_frame::FrameAssembler;

#[allow(clippy::all, clippy::print_stdout, unreachable_pub, reason = "generated code")]
#[rustfmt::skip]
pub mod v1;

/// Version of the protocol within `palpate.solver.v1`. Increases when messages get fields or the
/// service gets calls.
pub const PROTOCOL: u32 = 4;

/// First version of the protocol in which hands may hold a solid by contact.
pub const CONTACT_PROTOCOL: u32 = 3;

/// Descriptions of all messages and of the service: an encoded `FileDescriptorSet`, from which
/// reflection answers. `tests/generated.rs` writes and compares it.
pub const DESCRIPTORS: &[u8] = include_bytes!("descriptors.bin");
