//! Gloves that use the OpenGloves alpha encoding, such as LucidGloves: lines of letters and numbers
//! in both directions.
//!
//! A glove sends the bend of each finger as a share of its full scale; the angle that it stands for
//! depends on the wearer's hand. Some gloves accept forces and haptic pulses.

pub mod decoder;
mod device;
pub mod driver;
pub mod protocol;
pub mod sample;

pub use decoder::LineDecoder;
pub use device::OpenGloveOptions;
pub use driver::{OpenGlove, OpenGloveIdentity, identify};
pub use protocol::{ForceSteps, HapticPulse, OpenGloveSettings, Request};
pub use sample::{Buttons, Incoming, OpenGloveInfo, OpenGloveSample};
