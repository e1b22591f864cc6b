//! Sources of hand samples. Each device is read by a thread of its own; then glove and tracker
//! samples are paired.

mod decoded_devices;
mod feed;
mod headset_mailbox;
mod input_device;
mod mouse_hand;
mod pair;
mod recorded_device;
mod recorded_history;
mod recorded_poses;
#[cfg(test)]
mod scripted;

pub use decoded_devices::{DecodedDevices, DecodedError};
pub use feed::{DeviceState, Feed, NumberedReading};
pub use headset_mailbox::HeadsetHands;
pub use input_device::{GloveReading, InputDevice};
pub use mouse_hand::{FingerCommand, MouseHand, Steering};
pub use pair::{DeviceRecord, PairedRecords, Pairing, SamplePair};
pub use recorded_history::{HandHistory, HistoryEvent, HistoryMoment, RecordedPairing};
pub use recorded_poses::{PosePlayer, RecordedPose};
