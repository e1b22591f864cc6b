//! Summary of a recording: its devices, counts, damage and ending, without its bytes.

use std::io::Read;
use std::time::Duration;

use super::event::{DeviceId, EventKind};
use super::header::RecordingHeader;
use super::reader::{RecordingError, RecordingReader};

/// End of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The recording was finished.
    Clean,
    /// The recording was finished, but there are more bytes after its end.
    CleanThenMore { at_byte: u64 },
    /// The recording stops there: its writer died or the disk was full.
    Cut { at_byte: u64 },
}

/// One device of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceSummary {
    pub device: DeviceId,
    /// Kind at the last opening; empty if the recording has no opening of this device.
    pub kind: String,
    /// Port at the last opening; empty if the recording has no opening of this device.
    pub name: String,
    /// Number of times its port was opened.
    pub n_openings: u64,
    /// Number of times it was lost.
    pub n_losses: u64,
    /// Number of times its stream was started again, because it had fallen silent.
    pub n_wakes: u64,
    pub n_received_bytes: u64,
    pub n_sent_bytes: u64,
}

/// Contents and condition of a whole recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordingSummary {
    pub header: RecordingHeader,
    /// Time of the latest event.
    pub duration: Duration,
    pub n_events: u64,
    pub n_marks: u64,
    /// Events that did not reach the file, because the disk was too slow.
    pub n_missing_events: u64,
    /// The devices, sorted by number.
    pub devices: Vec<DeviceSummary>,
    /// Number of places that could not be read.
    pub n_damaged_places: u64,
    /// Number of bytes in those places.
    pub n_damaged_bytes: u64,
    /// Start of the first of those places.
    pub first_damage_at_byte: Option<u64>,
    pub ending: Ending,
}

/// Connection of a device at a place in the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Connection {
    Absent,
    Open,
    /// Its stream is being started again.
    Waking,
}

/// Connections of the devices, by number.
type Connections = [Connection; DeviceId::COUNT];

impl<R: Read> RecordingReader<R> {
    /// Reads the rest of the recording and returns its summary.
    ///
    /// Damage and cuts are part of the summary; an error means that the file could not be read at
    /// all.
    pub fn summary(mut self) -> Result<RecordingSummary, RecordingError> {
        let mut summary = RecordingSummary {
            header: self.header().clone(),
            duration: Duration::ZERO,
            n_events: 0,
            n_marks: 0,
            n_missing_events: 0,
            devices: Vec::new(),
            n_damaged_places: 0,
            n_damaged_bytes: 0,
            first_damage_at_byte: None,
            ending: Ending::Clean,
        };
        let mut connections = [Connection::Absent; DeviceId::COUNT];
        for event in &mut self {
            match event {
                Ok(event) => {
                    summary.n_events += 1;
                    summary.duration = summary.duration.max(event.at);
                    summary.add(event.what, &mut connections);
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
    fn add(&mut self, what: EventKind, connections: &mut Connections) {
        let is_wake = what.is_wake();
        self.n_missing_events += what.n_missing().unwrap_or(0);
        let mut change = |device: DeviceId, to: Connection| {
            std::mem::replace(&mut connections[usize::from(device.number())], to)
        };
        match what {
            EventKind::Opened { device, kind, name, settings: _ } => {
                // A device that was woken is ready again on the same line.
                let is_woken = change(device, Connection::Open) == Connection::Waking;
                let device = self.device(device);
                (device.kind, device.name) = (kind, name);
                device.n_openings += u64::from(!is_woken);
            }
            EventKind::Received { device, bytes } => {
                self.device(device).n_received_bytes += bytes.len() as u64;
            }
            EventKind::Sent { device, bytes } => {
                self.device(device).n_sent_bytes += bytes.len() as u64
            }
            EventKind::Lost { device, reason: _ } => {
                let next = if is_wake { Connection::Waking } else { Connection::Absent };
                let before = change(device, next);
                let device = self.device(device);
                device.n_wakes += u64::from(is_wake);
                // A device that was never found was not lost.
                device.n_losses += u64::from(!is_wake && before != Connection::Absent);
            }
            EventKind::Mark { text: _ } => self.n_marks += 1,
            EventKind::Ended => {}
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
                    n_wakes: 0,
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
