//! Devices of a recording, decoded again; the caller selects records by number.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use drivers::device::Device;
use drivers::recording::{DeviceId, RecordingError, RecordingReader};
use drivers::{Fastrak, TrackerSample};

use super::input_device::GloveReading;
use super::pair::DeviceRecord;
use super::recorded_device::{RecordedDevice, RecordedGlove, Records};

/// Reason why a record cannot be read from a recording.
#[derive(Debug, thiserror::Error)]
pub enum DecodedError {
    #[error("device {0} is not in the recording, expected a {1}")]
    NoDevice(DeviceId, &'static str),
    #[error("device {device} has only {n_records} records, expected record {number}")]
    TooFew { device: DeviceId, n_records: u64, number: u64 },
    #[error("record {number} of device {device} is too old and no longer in memory")]
    TooOld { device: DeviceId, number: u64 },
    #[error("record {number} of device {device} cannot be used: {why}")]
    Unusable { device: DeviceId, number: u64, why: &'static str },
}

/// Gloves and trackers of a recording.
#[derive(Default)]
pub struct DecodedDevices {
    gloves: BTreeMap<DeviceId, Remembered<RecordedGlove>>,
    trackers: BTreeMap<DeviceId, Remembered<RecordedDevice<Fastrak>>>,
}

/// Number of decoded records that are kept for each device. Hands take the newest record of a
/// tracker, each at its own pace.
const MOST_REMEMBERED: usize = 4096;

impl DecodedDevices {
    /// Opens the devices of this file. Nothing is decoded yet.
    pub fn open(file: &Path) -> Result<Self, RecordingError> {
        let mut devices = Self::default();
        for device in RecordingReader::open(file)?.summary()?.devices {
            let (id, kind) = (device.device, device.kind.as_str());
            if let Some(glove) = RecordedGlove::open(file, id, kind)? {
                devices.gloves.insert(id, Remembered::of(glove));
            } else if kind == Fastrak::KIND {
                devices.trackers.insert(id, Remembered::of(RecordedDevice::open(file, id)?));
            }
        }
        Ok(devices)
    }

    /// True if there are no devices.
    pub fn is_empty(&self) -> bool {
        self.gloves.is_empty() && self.trackers.is_empty()
    }

    /// The reading of a glove in one of its records.
    pub fn glove(&mut self, record: DeviceRecord) -> Result<GloveReading, DecodedError> {
        match self.gloves.get_mut(&record.device) {
            Some(glove) => glove.reading(record),
            None => Err(DecodedError::NoDevice(record.device, "glove")),
        }
    }

    /// The reading of a tracker in one of its records.
    pub fn tracker(&mut self, record: DeviceRecord) -> Result<TrackerSample, DecodedError> {
        match self.trackers.get_mut(&record.device) {
            Some(tracker) => tracker.reading(record),
            None => Err(DecodedError::NoDevice(record.device, "tracker")),
        }
    }
}

/// A device with its last readings.
struct Remembered<R: Records> {
    records: R,
    n_records: u64,
    recent: VecDeque<Result<R::Reading, &'static str>>,
}

impl<R: Records> Remembered<R>
where
    R::Reading: Clone,
{
    fn of(records: R) -> Self {
        Self { records, n_records: 0, recent: VecDeque::new() }
    }

    fn reading(&mut self, record: DeviceRecord) -> Result<R::Reading, DecodedError> {
        let DeviceRecord { device, number } = record;
        while self.n_records < number {
            if !self.decode_next() {
                let n_records = self.n_records;
                return Err(DecodedError::TooFew { device, n_records, number });
            }
        }
        let from_last = usize::try_from(self.n_records - number).unwrap_or(usize::MAX);
        let place = self.recent.len().checked_sub(from_last + 1);
        match place.and_then(|place| self.recent.get(place)) {
            Some(Ok(reading)) => Ok(reading.clone()),
            Some(Err(why)) => Err(DecodedError::Unusable { device, number, why }),
            None => Err(DecodedError::TooOld { device, number }),
        }
    }

    /// Decodes the next record. Returns false at the end.
    fn decode_next(&mut self) -> bool {
        let Some(decoded) = self.records.next_record() else { return false };
        self.n_records += 1;
        if self.recent.len() == MOST_REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back(decoded.reading);
        true
    }
}
