//! The devices of a recording, decoded once more: the same bytes through the same drivers, record by record.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::time::Duration;

use drivers::keeper::{Device, Keeper, Presence};
use drivers::ports::SystemPorts;
use drivers::recording::{DeviceId, RecordingError, RecordingReader};
use drivers::replay::{ReplayClock, ReplayLines};
use drivers::{CyberGlove, Fastrak, OpenGlove, TrackerSample};

use super::feed::Source;
use super::pair::DeviceRecord;
use super::source::GloveReading;

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
    gloves: BTreeMap<DeviceId, Glove>,
    trackers: BTreeMap<DeviceId, Reel<Fastrak>>,
}

enum Glove {
    Cyber(Reel<CyberGlove>),
    Open(Reel<OpenGlove>),
}

/// Hands take the newest record of a tracker, and each hand at its own pace: so many are remembered.
const MOST_REMEMBERED: usize = 4096;

impl DecodedDevices {
    /// Those of this file. Nothing is decoded yet.
    pub fn open(file: &Path) -> Result<Self, RecordingError> {
        let mut devices = Self::default();
        for device in RecordingReader::open(file)?.summary()?.devices {
            let id = device.device;
            match device.kind.as_str() {
                CyberGlove::KIND => {
                    devices.gloves.insert(id, Glove::Cyber(Reel::open(file, id)?));
                }
                OpenGlove::KIND => {
                    devices.gloves.insert(id, Glove::Open(Reel::open(file, id)?));
                }
                Fastrak::KIND => {
                    devices.trackers.insert(id, Reel::open(file, id)?);
                }
                _ => {}
            }
        }
        Ok(devices)
    }

    /// What a glove said in one of its records.
    pub fn glove(&mut self, record: DeviceRecord) -> Result<GloveReading, DecodedError> {
        match self.gloves.get_mut(&record.device) {
            Some(Glove::Cyber(reel)) => reel.reading(record),
            Some(Glove::Open(reel)) => reel.reading(record),
            None => Err(DecodedError::NoDevice(record.device, "glove")),
        }
    }

    /// What a tracker said in one of its records.
    pub fn tracker(&mut self, record: DeviceRecord) -> Result<TrackerSample, DecodedError> {
        match self.trackers.get_mut(&record.device) {
            Some(reel) => reel.reading(record),
            None => Err(DecodedError::NoDevice(record.device, "tracker")),
        }
    }
}

/// One device, played as fast as it is asked for.
struct Reel<D: Source> {
    keeper: Keeper<D>,
    n_records: u64,
    /// The last of them.
    recent: VecDeque<Result<D::Reading, &'static str>>,
}

impl<D: Source> Reel<D>
where
    D::Options: Default,
    D::Reading: Clone,
{
    fn open(file: &Path, device: DeviceId) -> Result<Self, RecordingError> {
        let lines = ReplayLines::open(file, device, ReplayClock::at_once())?;
        let path = file.display().to_string();
        // A recording says itself how its bytes are to be understood.
        let options = D::Options::default();
        let keeper = Keeper::new(&path, options, Box::new(SystemPorts), Box::new(lines));
        Ok(Self { keeper, n_records: 0, recent: VecDeque::new() })
    }

    fn reading(&mut self, record: DeviceRecord) -> Result<D::Reading, DecodedError> {
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
        /// Nobody waits for a recording; this only bounds one look at it.
        const LOOK: Duration = Duration::from_millis(200);
        let sample = loop {
            match self.keeper.next_sample(LOOK) {
                Some(sample) => break sample,
                None if *self.keeper.presence() == Presence::Ended => return false,
                None => {}
            }
        };
        let Some(device) = self.keeper.device() else { return false };
        self.n_records += 1;
        if self.recent.len() == MOST_REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back(device.reading(sample));
        true
    }
}
