//! Sources of hand samples. Each device is read by a thread of its own; then glove and tracker
//! samples are paired. A glove without a tracker is paired with mouse and keys, or with a headset.

mod decoded_devices;
mod feed;
mod headset_mailbox;
mod input_device;
mod mouse_hand;
mod pair;
mod recorded_coverage;
mod recorded_device;
mod recorded_history;
mod recorded_poses;
#[cfg(test)]
mod scripted;
mod wrist_placer;

pub use decoded_devices::{DecodedDevices, DecodedError};
pub use feed::{DeviceState, Feed, NumberedReading};
pub use headset_mailbox::HeadsetHands;
pub use input_device::{GloveReading, InputDevice};
pub use mouse_hand::{FingerCommand, MouseHand, Steering};
pub use pair::{DeviceRecord, HandPlace, PairedRecords, Pairing, SamplePair};
pub use recorded_coverage::{DeviceCoverage, Gap, GapCause, HandCoverage, covered_hands};
pub use recorded_history::{HandHistory, HistoryEvent, HistoryMoment, RecordedPairing};
pub use recorded_poses::{PosePlayer, RecordedPose};
pub use wrist_placer::{HeadsetPlacer, WristPlacer};
