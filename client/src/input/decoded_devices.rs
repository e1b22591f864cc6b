//! The devices of a recording, decoded once more, record by record: for whoever knows which ones are wanted.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use drivers::device::Device;
use drivers::recording::{DeviceId, RecordingError, RecordingReader};
use drivers::{Fastrak, TrackerSample};

use super::input_device::GloveReading;
use super::pair::DeviceRecord;
use super::recorded_device::{RecordedDevice, RecordedGlove, Records};

/// Why a record cannot be had from a recording.
#[derive(Debug, thiserror::Error)]
pub enum DecodedError {
    #[error("device {0} is not in the recording, expected a {1}")]
    NoDevice(DeviceId, &'static str),
    #[error("device {device} gave {n_records} records only, expected record {number}")]
    TooFew { device: DeviceId, n_records: u64, number: u64 },
    #[error("record {number} of device {device} is too old to be asked for")]
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

/// Hands take the newest record of a tracker, and each hand at its own pace: so many are remembered.
const MOST_REMEMBERED: usize = 4096;

impl DecodedDevices {
    /// Those of this file. Nothing is decoded yet.
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.gloves.is_empty() && self.trackers.is_empty()
    }

    /// What a glove said in one of its records.
    pub fn glove(&mut self, record: DeviceRecord) -> Result<GloveReading, DecodedError> {
        match self.gloves.get_mut(&record.device) {
            Some(glove) => glove.reading(record),
            None => Err(DecodedError::NoDevice(record.device, "glove")),
        }
    }

    /// What a tracker said in one of its records.
    pub fn tracker(&mut self, record: DeviceRecord) -> Result<TrackerSample, DecodedError> {
        match self.trackers.get_mut(&record.device) {
            Some(tracker) => tracker.reading(record),
            None => Err(DecodedError::NoDevice(record.device, "tracker")),
        }
    }
}

/// A device, and the last of what it said.
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

    /// Whether there was one.
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
