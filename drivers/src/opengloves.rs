//! Gloves that speak the OpenGloves alpha encoding, LucidGloves among them: lines of letters and
//! numbers, in both directions.
//!
//! A glove sends how far each finger is bent as a share of its full scale; what that means in
//! radians depends on who wears it. Some gloves take forces and haptic pulses in return.

pub mod driver;
mod kept;
pub mod line;
pub mod protocol;
pub mod sample;

pub use driver::{OpenGlove, OpenGloveIdentity, identify};
pub use kept::OpenGloveOptions;
pub use line::LineDecoder;
pub use protocol::{ForceSteps, HapticPulse, OpenGloveSettings, Request};
pub use sample::{Buttons, Incoming, OpenGloveInfo, OpenGloveSample};
