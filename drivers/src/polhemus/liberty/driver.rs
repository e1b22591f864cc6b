//! The driver of a LIBERTY or PATRIOT: owns the serial port, polls and streams.

use std::time::Duration;

use super::{FrameDecoder, LibertyRequest};
use crate::DecodeCounts;
use crate::decoded_line::{DecodedLine, StreamCommands};
use crate::polhemus::record::TrackerSample;
use crate::polhemus::settings::Units;
use crate::serial::{DeviceError, SerialLine};

/// Length of a silence that proves that the unit has stopped: many cycles of 4 or 17 ms.
const QUIET: Duration = Duration::from_millis(200);
/// Longest wait for an answer.
const ANSWER: Duration = Duration::from_millis(500);

/// A LIBERTY or PATRIOT that has sent one frame and is ready to send more.
pub struct Liberty {
    line: DecodedLine<FrameDecoder>,
}

impl Liberty {
    /// Opens the port, sets the unit to binary poses, and polls one frame to check that it works.
    ///
    /// The units' answers to settings are not documented, so the first frame is the only check. The
    /// unit of length cannot be read back either: `units` must be the unit's setting, inches if it
    /// was never changed.
    pub fn open(path: &str, baud: u32, units: Units) -> Result<Self, DeviceError> {
        let mut line = SerialLine::open(path, baud)?;
        // A poll ends continuous output.
        let stop = LibertyRequest::OneFrame.encode();
        if !line.silence(stop, QUIET)? {
            let reason = "it keeps sending after the command to stop; is this the right baud rate?";
            return Err(DeviceError::NotReady { path: path.to_owned(), reason });
        }
        for request in [LibertyRequest::Binary, LibertyRequest::Poses] {
            line.write_all(request.encode())?;
        }
        let commands = StreamCommands {
            poll: LibertyRequest::OneFrame.encode().to_vec(),
            stream: LibertyRequest::Continuous.encode().to_vec(),
            stop: stop.to_vec(),
            quiet: QUIET,
            answer: ANSWER,
        };
        let mut liberty = Self { line: DecodedLine::new(line, FrameDecoder::new(units), commands) };
        liberty.sample()?;
        Ok(liberty)
    }

    /// Polls one sample of the first sensor. Ends a stream if there is one.
    pub fn sample(&mut self) -> Result<TrackerSample, DeviceError> {
        self.line.poll(Some)
    }

    pub fn start_stream(&mut self) -> Result<(), DeviceError> {
        self.line.start_stream()
    }

    pub fn stop_stream(&mut self) -> Result<(), DeviceError> {
        self.line.stop_stream()
    }

    /// The next streamed sample, oldest first; `None` if none came within `timeout`.
    pub fn next_sample(&mut self, timeout: Duration) -> Result<Option<TrackerSample>, DeviceError> {
        self.line.next(timeout, Some)
    }

    pub fn counts(&self) -> DecodeCounts {
        self.line.counts()
    }
}
