//! What is in a recording, without its bytes.

use std::io::Read;
use std::time::Duration;

use super::event::{DeviceId, What};
use super::head::RecordingHeader;
use super::reader::{RecordingError, RecordingReader};

/// How a recording ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It was finished.
    Clean,
    /// It was finished, and then something else was written behind it.
    CleanThenMore { at_byte: u64 },
    /// It stops there: its writer died or the disk was full.
    Cut { at_byte: u64 },
}

/// One device of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceSummary {
    pub device: DeviceId,
    /// Kind and name when it was last opened; empty if its opening is not in the recording.
    pub kind: String,
    pub name: String,
    pub n_openings: u64,
    pub n_losses: u64,
    pub n_received_bytes: u64,
    pub n_sent_bytes: u64,
}

/// All of a recording at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordingSummary {
    pub header: RecordingHeader,
    /// Time of the latest event.
    pub duration: Duration,
    pub n_events: u64,
    pub n_marks: u64,
    /// In order of their numbers.
    pub devices: Vec<DeviceSummary>,
    /// Places that could not be read, and bytes in them.
    pub n_damaged_places: u64,
    pub n_damaged_bytes: u64,
    /// Where the first of them begins.
    pub first_damage_at_byte: Option<u64>,
    pub ending: Ending,
}

impl<R: Read> RecordingReader<R> {
    /// Reads what is left of the recording and says what was in it.
    ///
    /// Damage and cuts are part of the summary; an error means that it could not be read at all.
    pub fn summary(mut self) -> Result<RecordingSummary, RecordingError> {
        let mut summary = RecordingSummary {
            header: self.header().clone(),
            duration: Duration::ZERO,
            n_events: 0,
            n_marks: 0,
            devices: Vec::new(),
            n_damaged_places: 0,
            n_damaged_bytes: 0,
            first_damage_at_byte: None,
            ending: Ending::Clean,
        };
        for event in &mut self {
            match event {
                Ok(event) => {
                    summary.n_events += 1;
                    summary.duration = summary.duration.max(event.at);
                    summary.add(event.what);
                }
                Err(RecordingError::Damaged { from_byte, to_byte }) => {
                    summary.n_damaged_places += 1;
                    summary.n_damaged_bytes += to_byte - from_byte;
                    summary.first_damage_at_byte.get_or_insert(from_byte);
                }
                Err(RecordingError::Cut { at_byte }) => summary.ending = Ending::Cut { at_byte },
                Err(RecordingError::AfterEnd { at_byte }) => {
                    summary.ending = Ending::CleanThenMore { at_byte };
                }
                Err(
                    error @ (RecordingError::Read(_)
                    | RecordingError::NotARecording
                    | RecordingError::NewerVersion { .. }
                    | RecordingError::DamagedHead),
                ) => return Err(error),
            }
        }
        Ok(summary)
    }
}

impl RecordingSummary {
    fn add(&mut self, what: What) {
        match what {
            What::Opened { device, kind, name, settings: _ } => {
                let device = self.device(device);
                (device.kind, device.name) = (kind, name);
                device.n_openings += 1;
            }
            What::Received { device, bytes } => {
                self.device(device).n_received_bytes += bytes.len() as u64;
            }
            What::Sent { device, bytes } => self.device(device).n_sent_bytes += bytes.len() as u64,
            What::Lost { device, reason: _ } => self.device(device).n_losses += 1,
            What::Mark { text: _ } => self.n_marks += 1,
            What::Ended => {}
        }
    }

    fn device(&mut self, device: DeviceId) -> &mut DeviceSummary {
        let place = match self.devices.binary_search_by_key(&device, |summary| summary.device) {
            Ok(place) => place,
            Err(place) => {
                let (kind, name) = (String::new(), String::new());
                let summary = DeviceSummary {
                    device,
                    kind,
                    name,
                    n_openings: 0,
                    n_losses: 0,
                    n_received_bytes: 0,
                    n_sent_bytes: 0,
                };
                self.devices.insert(place, summary);
                place
            }
        };
        &mut self.devices[place]
    }
}
