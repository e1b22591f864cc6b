//! A decoder on a serial line: the part that the drivers of gloves and trackers share.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::DecodeCounts;
use crate::serial::{DeviceError, SerialLine};

/// A state machine that turns bytes into items. It does no I/O and needs bounded memory.
pub(crate) trait Decoder {
    type Item;

    /// Takes bytes that arrived together and calls `accept` with the items that they complete.
    fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(Self::Item));

    /// Forgets an unfinished record, because the bytes that would finish it were discarded.
    fn forget_unfinished(&mut self);

    fn counts(&self) -> DecodeCounts;
}

/// The commands of a device, and the time that it may take to obey.
pub(crate) struct StreamCommands {
    /// Asks for one record.
    pub(crate) poll: Vec<u8>,
    /// Starts continuous output.
    pub(crate) stream: Vec<u8>,
    /// Ends continuous output.
    pub(crate) stop: Vec<u8>,
    /// Length of a silence that proves that output has ended.
    pub(crate) quiet: Duration,
    /// Longest wait for an answer.
    pub(crate) answer: Duration,
}

/// The conversation with one device. Dropping it stops the device's stream.
pub(crate) struct DecodedLine<D: Decoder> {
    line: SerialLine,
    decoder: D,
    commands: StreamCommands,
    received: Vec<u8>,
    /// Items of the last read that were not taken yet; at most as many as one read can hold.
    ready: VecDeque<D::Item>,
    is_streaming: bool,
}

impl<D: Decoder> DecodedLine<D> {
    /// Puts `decoder` on `line`, which must be silent.
    pub(crate) fn new(line: SerialLine, decoder: D, commands: StreamCommands) -> Self {
        let (received, ready) = (Vec::new(), VecDeque::new());
        Self { line, decoder, commands, received, ready, is_streaming: false }
    }

    pub(crate) fn path(&self) -> &str {
        self.line.path()
    }

    pub(crate) fn counts(&self) -> DecodeCounts {
        self.decoder.counts()
    }

    /// The bare line, for a conversation that is not made of decoded items.
    pub(crate) fn serial(&mut self) -> &mut SerialLine {
        &mut self.line
    }

    pub(crate) fn decoder(&mut self) -> &mut D {
        &mut self.decoder
    }

    pub(crate) fn send(&mut self, request: &[u8]) -> Result<(), DeviceError> {
        self.line.write_all(request)
    }

    /// The next item for which `pick` returns a value, or `None` if none came within `timeout`.
    pub(crate) fn next<T>(
        &mut self,
        timeout: Duration,
        pick: impl Fn(D::Item) -> Option<T>,
    ) -> Result<Option<T>, DeviceError> {
        let deadline = Instant::now() + timeout;
        loop {
            while let Some(item) = self.ready.pop_front() {
                if let Some(picked) = pick(item) {
                    return Ok(Some(picked));
                }
            }
            let left = deadline.saturating_duration_since(Instant::now());
            self.received.clear();
            if let Some(arrival) = self.line.read_available(&mut self.received, left)? {
                let ready = &mut self.ready;
                self.decoder.push(&self.received, arrival, &mut |item| ready.push_back(item));
            }
            if self.ready.is_empty() && Instant::now() >= deadline {
                return Ok(None);
            }
        }
    }

    /// Sends `request` and waits for an item for which `pick` returns a value.
    ///
    /// Discards older input first: a late answer to the last request must not be taken for the
    /// answer to this one.
    pub(crate) fn ask<T>(
        &mut self,
        request: &[u8],
        pick: impl Fn(D::Item) -> Option<T>,
    ) -> Result<T, DeviceError> {
        self.discard_input()?;
        self.send(request)?;
        let within = self.commands.answer;
        self.next(within, pick)?
            .ok_or_else(|| self.line.no_answer(request.escape_ascii().to_string(), within))
    }

    /// Asks for one record, ending a stream first if there is one.
    pub(crate) fn poll<T>(
        &mut self,
        pick: impl Fn(D::Item) -> Option<T>,
    ) -> Result<T, DeviceError> {
        if self.is_streaming {
            self.stop_stream()?;
        }
        let request = self.commands.poll.clone();
        self.ask(&request, pick)
    }

    pub(crate) fn start_stream(&mut self) -> Result<(), DeviceError> {
        self.line.write_all(&self.commands.stream)?;
        self.is_streaming = true;
        Ok(())
    }

    pub(crate) fn stop_stream(&mut self) -> Result<(), DeviceError> {
        if !self.line.silence(&self.commands.stop, self.commands.quiet)? {
            return Err(DeviceError::NotReady {
                path: self.line.path().to_owned(),
                reason: "it keeps sending after the command to stop",
            });
        }
        self.is_streaming = false;
        self.discard_input()
    }

    /// Discards the items that were not taken yet, and an unfinished record. The next bytes are
    /// decoded like the first bytes of a line.
    pub(crate) fn begin_anew(&mut self) {
        self.decoder.forget_unfinished();
        self.ready.clear();
    }

    fn discard_input(&mut self) -> Result<(), DeviceError> {
        self.line.drain_until_quiet(Duration::ZERO, self.commands.quiet)?;
        self.begin_anew();
        Ok(())
    }
}

impl<D: Decoder> Drop for DecodedLine<D> {
    fn drop(&mut self) {
        // The device may be gone already; in any case it is silenced when it is opened again.
        if let Err(error) = self.line.write_all(&self.commands.stop) {
            tracing::debug!(path = self.line.path(), %error, "could not stop the device");
        }
    }
}
