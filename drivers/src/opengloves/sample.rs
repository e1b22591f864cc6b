//! The items that a glove sends: samples, and information about itself.

use std::time::Instant;

use crate::side::Side;

/// One line of the glove. Values that the line does not hold are `None`: gloves measure different
/// values.
///
/// Fingers are in the order thumb, index, middle, ring, pinkie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpenGloveSample {
    /// Bend of each finger as a whole, 0 straight to 1 bent.
    pub curl: [Option<f32>; 5],
    /// Sideways angle of each finger, -1 to 1.
    pub splay: [Option<f32>; 5],
    /// Bend of each finger's joints, from the base on, 0 straight to 1 bent.
    pub joints: [[Option<f32>; 4]; 5],
    /// Joystick, across and along, -1 to 1 each.
    pub joystick: [Option<f32>; 2],
    /// Trigger, 0 to 1.
    pub trigger: Option<f32>,
    pub buttons: Buttons,
    /// Time at which the bytes that completed this line were read.
    pub arrival: Instant,
}

impl OpenGloveSample {
    /// A sample without values.
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

    /// Bend of a joint: its own value, or that of the whole finger if it has none.
    ///
    /// Also `None` if there is no such finger or joint.
    pub fn flexion(&self, finger: usize, joint: usize) -> Option<f32> {
        let own = *self.joints.get(finger)?.get(joint)?;
        own.or(self.curl[finger])
    }
}

/// Buttons: true while pressed. A button that the glove does not have is never pressed.
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

/// A glove's answer to [`Request::Info`](super::Request::Info).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenGloveInfo {
    pub firmware_version: Option<u32>,
    /// Number that the OpenGloves project assigns; 0 is a LucidGlove.
    pub device_type: Option<u32>,
    pub hand: Option<Side>,
}

impl OpenGloveInfo {
    /// True if the answer holds no information; an echo of the question looks like this.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Item that one line gives.
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
