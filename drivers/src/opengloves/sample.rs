//! What a glove says: samples and what it is.

use std::time::Instant;

use crate::cyberglove::Hand;

/// One line of the glove. What the line does not say is `None`: gloves differ in what they measure.
///
/// Fingers are in the order thumb, index, middle, ring, pinkie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpenGloveSample {
    /// Each finger as a whole, 0 straight to 1 bent.
    pub curl: [Option<f32>; 5],
    /// Sideways, -1 to 1.
    pub splay: [Option<f32>; 5],
    /// Each finger's joints from its base on, 0 straight to 1 bent.
    pub joints: [[Option<f32>; 4]; 5],
    /// Across and along, -1 to 1 each.
    pub joystick: [Option<f32>; 2],
    /// 0 to 1.
    pub trigger: Option<f32>,
    pub buttons: Buttons,
    /// When the bytes that completed this line were read.
    pub arrival: Instant,
}

impl OpenGloveSample {
    /// A line that says nothing.
    pub fn empty(arrival: Instant) -> Self {
        Self {
            curl: [None; 5],
            splay: [None; 5],
            joints: [[None; 4]; 5],
            joystick: [None; 2],
            trigger: None,
            buttons: Buttons::default(),
            arrival,
        }
    }

    /// How far a joint is bent: its own value, or that of the whole finger if it has none.
    ///
    /// `None` as well if there is no such finger or joint.
    pub fn flexion(&self, finger: usize, joint: usize) -> Option<f32> {
        let own = *self.joints.get(finger)?.get(joint)?;
        own.or(self.curl[finger])
    }
}

/// What is pressed. A button that the glove does not have is never pressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Buttons {
    pub joystick: bool,
    pub trigger: bool,
    pub a: bool,
    pub b: bool,
    pub grab: bool,
    pub pinch: bool,
    pub menu: bool,
    pub calibrate: bool,
}

/// What a glove says about itself when asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenGloveInfo {
    pub firmware_version: Option<u32>,
    /// A number that the makers hand out; 0 is a LucidGlove.
    pub device_type: Option<u32>,
    pub hand: Option<Hand>,
}

impl OpenGloveInfo {
    /// Whether it says nothing; an echo of the question looks like this.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What one line can be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Incoming {
    Sample(OpenGloveSample),
    Info(OpenGloveInfo),
}

impl Incoming {
    pub fn into_sample(self) -> Option<OpenGloveSample> {
        match self {
            Self::Sample(sample) => Some(sample),
            Self::Info(_) => None,
        }
    }
}
