//! Owns the port of a LIBERTY or PATRIOT on a serial line.

use std::time::Duration;

use super::{FrameDecoder, LibertyRequest};
use crate::DecodeCounts;
use crate::link::{Commands, Link};
use crate::polhemus::record::TrackerSample;
use crate::polhemus::settings::Units;
use crate::serial::{DeviceError, SerialLine};

/// Silence that proves that the unit has stopped: many cycles of 4 or 17 ms.
const QUIET: Duration = Duration::from_millis(200);
/// Longest wait for an answer.
const ANSWER: Duration = Duration::from_millis(500);

/// A later unit that has given one frame and is ready to give more. Rests on single sources.
pub struct Liberty {
    link: Link<FrameDecoder>,
}

impl Liberty {
    /// Opens the port, asks for binary poses and polls one frame to see that they come.
    ///
    /// How these units answer settings is not known, so the first frame is the only check. Units of
    /// length cannot be read back either: `units` must say what the unit has, in doubt inches.
    pub fn open(path: &str, baud: u32, units: Units) -> Result<Self, DeviceError> {
        let mut line = SerialLine::open(path, baud)?;
        // A poll ends continuous output.
        let stop = LibertyRequest::OneFrame.encode();
        if !line.silence(stop, QUIET)? {
            let reason = "it keeps sending after it was told to stop; is this the right baud rate?";
            return Err(DeviceError::NotReady { path: path.to_owned(), reason });
        }
        for request in [LibertyRequest::Binary, LibertyRequest::Poses] {
            line.write_all(request.encode())?;
        }
        let commands = Commands {
            poll: LibertyRequest::OneFrame.encode().to_vec(),
            stream: LibertyRequest::Continuous.encode().to_vec(),
            stop: stop.to_vec(),
            quiet: QUIET,
            answer: ANSWER,
        };
        let mut liberty = Self { link: Link::new(line, FrameDecoder::new(units), commands) };
        liberty.sample()?;
        Ok(liberty)
    }

    /// Polls one sample, that of the first sensor. Ends a stream if there is one.
    pub fn sample(&mut self) -> Result<TrackerSample, DeviceError> {
        self.link.poll(Some)
    }

    pub fn start_stream(&mut self) -> Result<(), DeviceError> {
        self.link.start_stream()
    }

    pub fn stop_stream(&mut self) -> Result<(), DeviceError> {
        self.link.stop_stream()
    }

    /// The next streamed sample, oldest first; `None` if none came within `timeout`.
    pub fn next_sample(&mut self, timeout: Duration) -> Result<Option<TrackerSample>, DeviceError> {
        self.link.next(timeout, Some)
    }

    pub fn counts(&self) -> DecodeCounts {
        self.link.counts()
    }
}
