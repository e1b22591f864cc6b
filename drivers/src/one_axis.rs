//! A kinaesthetic device with one axis, which speaks the protocol of
//! `docs/internals/force-feedback.md`. There is an emulator of it, and no hardware.
//!
//! - [`protocol`]: forces to bytes, bytes to places and to the device's description; no I/O;
//! - [`driver`]: the device on a port.

pub mod driver;
pub mod protocol;

pub use driver::OneAxis;
pub use protocol::{Incoming, OneAxisDecoder};
