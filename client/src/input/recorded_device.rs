//! One device of a recording, decoded again: the same bytes through the same driver, as fast as its
//! records are requested.

use std::path::Path;
use std::time::Duration;

use drivers::device::Device;
use drivers::ports::SystemPorts;
use drivers::reconnect::{Presence, ReconnectingDevice};
use drivers::recording::{DeviceId, RecordingError};
use drivers::replay::{ReplayClock, ReplayLines};
use drivers::{CyberGlove, DecodeCounts, OpenGlove};

use super::input_device::{GloveReading, InputDevice};

/// One record.
pub(super) struct DecodedRecord<R> {
    /// Time of the record, since the recording began.
    pub(super) at: Duration,
    /// Index of the part to which the record belongs; `None` for records that are not used.
    pub(super) part: Option<usize>,
    /// True if the record can be used, but is doubtful.
    pub(super) is_doubtful: bool,
    /// The reading, or the reason why the record cannot be used.
    pub(super) reading: Result<R, &'static str>,
}

/// A sequence of records.
pub(super) trait Records {
    type Reading;

    /// The next record; `None` at the end.
    fn next_record(&mut self) -> Option<DecodedRecord<Self::Reading>>;

    /// Counts of the records so far, and of the input that was dropped between them.
    fn counts(&self) -> DecodeCounts;
}

/// The records of a device.
pub(super) struct RecordedDevice<D: InputDevice> {
    reconnecting: ReconnectingDevice<D>,
    clock: ReplayClock,
    has_ended: bool,
}

impl<D: InputDevice> RecordedDevice<D>
where
    D::Options: Default,
{
    /// Opens a device of a recording. Nothing is decoded yet.
    pub(super) fn open(file: &Path, device: DeviceId) -> Result<Self, RecordingError> {
        let clock = ReplayClock::at_once();
        let lines = ReplayLines::open(file, device, clock.clone())?;
        let path = file.display().to_string();
        // The recording holds the settings with which its bytes are decoded.
        let options = D::Options::default();
        let reconnecting =
            ReconnectingDevice::new(&path, options, Box::new(SystemPorts), Box::new(lines));
        Ok(Self { reconnecting, clock, has_ended: false })
    }
}

impl<D: InputDevice> Records for RecordedDevice<D> {
    type Reading = D::Reading;

    fn next_record(&mut self) -> Option<DecodedRecord<D::Reading>> {
        /// Everything is due at once: only a device that was opened again, or the end, takes a
        /// while.
        const LOOK: Duration = Duration::from_millis(20);
        let sample = loop {
            // After the end, a reconnecting device would wait again for more; repeated calls must
            // return at once.
            if self.has_ended {
                return None;
            }
            match self.reconnecting.next_sample(LOOK) {
                Some(sample) => break sample,
                None => self.has_ended = *self.reconnecting.presence() == Presence::Ended,
            }
        };
        let device = self.reconnecting.device()?;
        let part = device.part(&sample);
        let is_doubtful = device.doubt(&sample).is_some();
        let (at, reading) = (self.clock.position(), device.reading(sample));
        Some(DecodedRecord { at, part, is_doubtful, reading })
    }

    fn counts(&self) -> DecodeCounts {
        self.reconnecting.counts().decoded
    }
}

/// The records of a glove of either kind.
pub(super) enum RecordedGlove {
    Cyber(RecordedDevice<CyberGlove>),
    Open(RecordedDevice<OpenGlove>),
}

impl RecordedGlove {
    /// Opens the records of a glove; `None` if this kind of device is no glove.
    pub(super) fn open(
        file: &Path,
        device: DeviceId,
        kind: &str,
    ) -> Result<Option<Self>, RecordingError> {
        Ok(match kind {
            CyberGlove::KIND => Some(Self::Cyber(RecordedDevice::open(file, device)?)),
            OpenGlove::KIND => Some(Self::Open(RecordedDevice::open(file, device)?)),
            _ => None,
        })
    }
}

impl Records for RecordedGlove {
    type Reading = GloveReading;

    fn next_record(&mut self) -> Option<DecodedRecord<GloveReading>> {
        match self {
            Self::Cyber(reel) => reel.next_record(),
            Self::Open(reel) => reel.next_record(),
        }
    }

    fn counts(&self) -> DecodeCounts {
        match self {
            Self::Cyber(reel) => reel.counts(),
            Self::Open(reel) => reel.counts(),
        }
    }
}
