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

/// Tries of a question to which nothing comes back.
const SILENT_TRIES: u32 = 3;
/// Tries of a question to which only damaged bytes come back. With one damaged byte in a hundred,
/// about half of the answers of 55 bytes are damaged.
const DAMAGED_TRIES: u32 = 16;
/// Time without a further byte after which a damaged answer has ended: nearly that of two bytes at
/// 300 baud, which is 67 ms.
const END_OF_ANSWER: Duration = Duration::from_millis(60);

/// Longest delay of answers that a device is trusted to have, after it has answered late.
const LATEST: Duration = Duration::from_secs(2);

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

/// Outcome of a wait for an item.
enum Heard<T> {
    Item(T),
    /// Bytes, but no item.
    Damage,
    Nothing,
}

/// The conversation with one device. Dropping it stops the device's stream.
pub(crate) struct DecodedLine<D: Decoder> {
    line: SerialLine,
    decoder: D,
    /// Counts of earlier decoders of this line.
    past: DecodeCounts,
    commands: StreamCommands,
    received: Vec<u8>,
    /// Items of the last read that were not taken yet; at most as many as one read can hold.
    ready: VecDeque<D::Item>,
    is_streaming: bool,
}

impl<D: Decoder> DecodedLine<D> {
    /// Puts `decoder` on `line`, which must be silent.
    pub(crate) fn new(line: SerialLine, decoder: D, commands: StreamCommands) -> Self {
        let (past, received, ready) = (DecodeCounts::default(), Vec::new(), VecDeque::new());
        Self { line, decoder, past, commands, received, ready, is_streaming: false }
    }

    pub(crate) fn path(&self) -> &str {
        self.line.path()
    }

    pub(crate) fn counts(&self) -> DecodeCounts {
        let mut counts = self.past;
        counts += self.decoder.counts();
        counts
    }

    /// The bare line, for a conversation that is not made of decoded items.
    pub(crate) fn serial(&mut self) -> &mut SerialLine {
        &mut self.line
    }

    pub(crate) fn decoder(&mut self) -> &mut D {
        &mut self.decoder
    }

    /// Decodes the next bytes by another decoder. Its counts are added to those of the earlier one.
    pub(crate) fn replace_decoder(&mut self, decoder: D) {
        self.past += self.decoder.counts();
        self.decoder = decoder;
    }

    /// Forgets the counts of earlier decoders.
    pub(crate) fn forget_past_counts(&mut self) {
        self.past = DecodeCounts::default();
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
        match self.listen(timeout, None, pick)? {
            Heard::Item(item) => Ok(Some(item)),
            Heard::Damage | Heard::Nothing => Ok(None),
        }
    }

    /// Waits for an item, at most for `timeout`. If `settled` is given, ends earlier when bytes
    /// have come, but no item, and then nothing for that time.
    fn listen<T>(
        &mut self,
        timeout: Duration,
        settled: Option<Duration>,
        pick: impl Fn(D::Item) -> Option<T>,
    ) -> Result<Heard<T>, DeviceError> {
        let deadline = Instant::now() + timeout;
        let mut last_bytes = None;
        loop {
            while let Some(item) = self.ready.pop_front() {
                if let Some(picked) = pick(item) {
                    return Ok(Heard::Item(picked));
                }
            }
            let mut until = deadline;
            if let (Some(settled), Some(last)) = (settled, last_bytes) {
                until = until.min(last + settled);
            }
            let left = until.saturating_duration_since(Instant::now());
            self.received.clear();
            if let Some(arrival) = self.line.read_available(&mut self.received, left)? {
                last_bytes = Some(arrival);
                let ready = &mut self.ready;
                self.decoder.push(&self.received, arrival, &mut |item| ready.push_back(item));
            } else if self.ready.is_empty() && Instant::now() >= until {
                return Ok(if until < deadline { Heard::Damage } else { Heard::Nothing });
            }
            if self.ready.is_empty() && Instant::now() >= deadline {
                return Ok(Heard::Nothing);
            }
        }
    }

    /// Sends `request` and waits for an item for which `pick` returns a value.
    ///
    /// Asks again after a damaged answer, and after silence. From a device that answers late, later
    /// answers are awaited for longer.
    pub(crate) fn ask<T>(
        &mut self,
        request: &[u8],
        pick: impl Fn(D::Item) -> Option<T>,
    ) -> Result<T, DeviceError> {
        let asked = Instant::now();
        let mut n_silent = 0;
        loop {
            n_silent += 1;
            match self.ask_undamaged(request, self.commands.answer * n_silent, &pick) {
                Ok(item) => {
                    if n_silent > 1 {
                        self.expect_late_answers(asked.elapsed())?;
                    }
                    return Ok(item);
                }
                Err(DeviceError::NoAnswer { .. }) if n_silent < SILENT_TRIES => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Same as [`Self::ask`], but does not ask again if nothing comes `within` that time.
    ///
    /// Discards older input first: a late answer to another request must not be taken for the
    /// answer to this one.
    pub(crate) fn ask_undamaged<T>(
        &mut self,
        request: &[u8],
        within: Duration,
        pick: impl Fn(D::Item) -> Option<T>,
    ) -> Result<T, DeviceError> {
        self.discard_input()?;
        for _ in 0..DAMAGED_TRIES {
            self.send(request)?;
            match self.listen(within, Some(END_OF_ANSWER), &pick)? {
                Heard::Item(item) => return Ok(item),
                Heard::Damage => self.begin_anew(),
                Heard::Nothing => break,
            }
        }
        self.begin_anew();
        Err(self.line.no_answer(request.escape_ascii().to_string(), within))
    }

    /// Asks once, and waits for at most `within`.
    pub(crate) fn ask_once<T>(
        &mut self,
        request: &[u8],
        within: Duration,
        pick: impl Fn(D::Item) -> Option<T>,
    ) -> Result<T, DeviceError> {
        self.discard_input()?;
        self.send(request)?;
        self.next(within, pick)?
            .ok_or_else(|| self.line.no_answer(request.escape_ascii().to_string(), within))
    }

    /// Waits for answers that are still on their way, because a question was asked again before its
    /// first answer came after `took`. Later answers are awaited for twice that time, but not
    /// without limit: an answer that was lost looks like a late one.
    pub(crate) fn expect_late_answers(&mut self, took: Duration) -> Result<(), DeviceError> {
        let took = took.min(LATEST);
        self.commands.answer = self.commands.answer.max(2 * took);
        self.line.drain_until_quiet(took, took)?;
        self.begin_anew();
        Ok(())
    }

    /// Longest wait for an answer.
    pub(crate) fn patience(&self) -> Duration {
        self.commands.answer
    }

    /// Asks for one record, ending a stream first if there is one.
    pub(crate) fn poll<T>(
        &mut self,
        pick: impl Fn(D::Item) -> Option<T>,
    ) -> Result<T, DeviceError> {
        if self.is_streaming {
            self.stop_stream()?;
        }
        // Asked again, a device would send two records.
        let (request, within) = (self.commands.poll.clone(), self.commands.answer);
        self.ask_once(&request, within, pick)
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
