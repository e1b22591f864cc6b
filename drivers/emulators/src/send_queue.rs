//! The queue of bytes that a device sends to its host, with the baud limit and the faults.

mod baud_limit;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use baud_limit::BaudLimit;

use crate::fault::injector::{Harm, Injector, Layout};
use crate::line_options::LineOptions;
use crate::line_report::{Damage, DamageKind, LineLog, SentRecord};
use crate::random::Random;

/// Most bytes in the queue, as in the usual buffer of a serial driver.
const CAPACITY: usize = 4096;
/// Bytes that are sent together, as from the buffer of a UART; single bytes would need more
/// wake-ups.
const PORTION: usize = 16;

/// Bytes on their way to the host. The queue is bounded: a host that does not read loses whole
/// answers, never parts of them, and never stops the device.
#[derive(Debug)]
pub(crate) struct SendQueue {
    now: Instant,
    bytes: Vec<u8>,
    /// One span for each message in `bytes`, in order.
    spans: VecDeque<Span>,
    baud: Option<u32>,
    limit: BaudLimit,
    injector: Injector,
    late_replies: VecDeque<(Instant, Vec<u8>)>,
    stalled_until: Option<Instant>,
    listener: Listener,
    seed: u64,
    n_garbled: u64,
    log: Arc<Mutex<LineLog>>,
}

/// The other end of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listener {
    Host,
    /// A host that is set to another baud rate.
    HostAtOtherBaud,
    /// No host: the port is unplugged.
    Absent,
}

/// Reason why a record is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendReason {
    /// The host asked for it and waits, on a line of any speed.
    Asked,
    /// Part of a stream: a newer record follows.
    Streamed,
}

/// Result of sending a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendOutcome {
    Sent,
    /// The line is too slow for the stream.
    LineTooSlow,
    /// The port is unplugged, or the host does not read.
    Lost,
}

#[derive(Debug)]
struct Span {
    n_total: usize,
    n_left: usize,
    message: Message,
}

#[derive(Debug)]
enum Message {
    Reply,
    Record {
        number: u64,
        damage: Option<Damage>,
        /// Bytes before damage; empty if no journal is kept.
        original: Vec<u8>,
    },
}

impl SendQueue {
    pub(crate) fn new(options: &LineOptions, now: Instant) -> Self {
        let journal_capacity = options.journal_capacity;
        Self {
            now,
            bytes: Vec::new(),
            spans: VecDeque::new(),
            baud: options.baud,
            limit: BaudLimit::new(options.baud),
            injector: Injector::new(&options.faults),
            late_replies: VecDeque::new(),
            stalled_until: None,
            listener: Listener::Host,
            seed: options.faults.seed(),
            n_garbled: 0,
            log: Arc::new(Mutex::new(LineLog { journal_capacity, ..LineLog::default() })),
        }
    }

    /// A queue without limits and faults, to check the bytes of a device.
    #[cfg(test)]
    pub(crate) fn ideal() -> Self {
        Self::new(&LineOptions { baud: None, ..LineOptions::default() }, Instant::now())
    }

    /// Sets the time of the next calls to `now`, and queues the late replies that are due.
    pub(crate) fn begin(&mut self, now: Instant) {
        self.now = now;
        while self.late_replies.front().is_some_and(|(due, _)| *due <= now) {
            if let Some((_, reply)) = self.late_replies.pop_front() {
                self.queue_reply(&reply);
            }
        }
    }

    /// Queues the answer to a command.
    pub(crate) fn reply(&mut self, bytes: &[u8]) {
        let delay = self.injector.delay();
        let mut bytes = bytes.to_vec();
        self.injector.damage_reply(&mut bytes);
        if delay.is_zero() && self.late_replies.is_empty() {
            self.queue_reply(&bytes);
        } else {
            // A reply must not overtake an earlier one.
            let due = self.late_replies.back().map_or(self.now, |(due, _)| *due);
            self.late_replies.push_back((due.max(self.now + delay), bytes));
        }
    }

    /// Queues one data record, if there is room.
    pub(crate) fn record(
        &mut self,
        bytes: &[u8],
        layout: &Layout,
        reason: SendReason,
    ) -> SendOutcome {
        // One record may wait while another one is being sent, but not two.
        let is_slow = self.n_behind() > bytes.len();
        let is_full = !self.has_room(bytes.len() * 2);
        let log = Arc::clone(&self.log);
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        let withheld = &mut log.report.records_withheld;
        let counter = match self.listener {
            Listener::Absent => Some(&mut withheld.unplugged),
            _ if is_full && self.stalled_until.is_some() => Some(&mut withheld.stalled),
            _ if is_full => Some(&mut withheld.unread),
            _ if is_slow && reason == SendReason::Streamed => {
                withheld.slow_line += 1;
                return SendOutcome::LineTooSlow;
            }
            Listener::Host | Listener::HostAtOtherBaud => None,
        };
        if let Some(counter) = counter {
            *counter += 1;
            return SendOutcome::Lost;
        }
        let original = if log.journal_capacity > 0 { bytes.to_vec() } else { Vec::new() };
        let mut sent = bytes.to_vec();
        let (number, harm) = self.injector.record(&mut sent, layout);
        let damage = match (self.listener, harm) {
            (Listener::HostAtOtherBaud, _) => {
                self.garble(&mut sent);
                Some(Damage { record: number, kind: DamageKind::WrongBaud, position: 0 })
            }
            (_, Some(Harm { fault, position })) => {
                Some(Damage { record: number, kind: DamageKind::Fault(fault), position })
            }
            (_, None) => None,
        };
        self.queue(&sent, Message::Record { number, damage, original });
        SendOutcome::Sent
    }

    /// Counts records that the emulator can no longer send, because it ran far too late.
    pub(crate) fn skip(&mut self, n_records: u64) {
        if n_records > 0 {
            self.log().report.records_withheld.late += n_records;
        }
    }

    /// Delivers no bytes until `until`. The queue fills meanwhile; its bytes then come in a burst.
    pub(crate) fn stall(&mut self, until: Instant) {
        self.stalled_until = self.stalled_until.max(Some(until));
    }

    /// Changes the other end of the line. If it is absent now, all queued bytes are lost.
    pub(crate) fn set_listener(&mut self, listener: Listener) {
        self.listener = listener;
        if listener == Listener::Absent {
            self.bytes.clear();
            self.late_replies.clear();
            let spans = std::mem::take(&mut self.spans);
            let mut log = self.log();
            for Span { n_total, n_left, message } in spans {
                if let Message::Record { number, original, .. } = message {
                    if n_left == n_total {
                        log.report.records_withheld.unplugged += 1;
                        continue;
                    }
                    let position = n_total - n_left;
                    let damage = Damage { record: number, kind: DamageKind::Cut, position };
                    log.finish(number, original, Some(damage), self.now);
                }
            }
        }
    }

    /// The device's baud rate; `None` if the line has no limit.
    pub(crate) fn baud(&self) -> Option<u32> {
        self.baud
    }

    /// Changes the device's baud rate, if the line has one.
    pub(crate) fn set_baud(&mut self, baud: u32) {
        self.baud = self.baud.map(|_| baud);
        self.limit.set_baud(baud);
    }

    /// Turns bytes into garbage, as if the receiver had another baud rate than the sender.
    pub(crate) fn garble(&mut self, bytes: &mut Vec<u8>) {
        self.n_garbled += 1;
        let mut random = Random::of(self.seed ^ 0xBAD, self.n_garbled);
        // About the same number of bytes, as some merge and some split.
        bytes.retain(|_| random.below(4) > 0);
        bytes.push(random.byte());
        for byte in bytes {
            *byte = random.byte();
        }
    }

    /// Bytes that may be sent now.
    pub(crate) fn sendable(&self) -> &[u8] {
        let n_allowed = self.limit.n_allowed(self.now).min(self.bytes.len());
        let is_portion = n_allowed >= self.bytes.len().min(PORTION);
        let is_stalled = self.stalled_until.is_some_and(|until| self.now < until);
        let n_bytes = if is_portion && !is_stalled { n_allowed } else { 0 };
        &self.bytes[..n_bytes]
    }

    /// Time at which there are bytes to send, or a late reply to queue.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        let late = self.late_replies.front().map(|(due, _)| *due);
        if self.bytes.is_empty() {
            return late;
        }
        let sent = self.limit.done_at(self.bytes.len().min(PORTION), self.now);
        let sent = self.stalled_until.map_or(sent, |until| until.max(sent));
        Some(late.map_or(sent, |late| late.min(sent)))
    }

    /// Removes the first `n_bytes` of the [`sendable`](Self::sendable) bytes, which the terminal
    /// has accepted in a write that began at `at`.
    ///
    /// `log` is the log of this queue; the caller holds its lock while it writes.
    pub(crate) fn remove(&mut self, n_bytes: usize, at: Instant, log: &mut LineLog) {
        self.bytes.drain(..n_bytes);
        self.limit.remove(n_bytes);
        // A full queue is counted as stalled until the first bytes after the stall are sent.
        if n_bytes > 0 {
            self.stalled_until = None;
        }
        log.report.bytes_sent += n_bytes as u64;
        let mut n_left = n_bytes;
        while let Some(span) = self.spans.front_mut() {
            let n_of_span = span.n_left.min(n_left);
            span.n_left -= n_of_span;
            n_left -= n_of_span;
            if span.n_left > 0 {
                break;
            }
            match self.spans.pop_front().map(|span| span.message) {
                Some(Message::Record { number, damage, original }) => {
                    log.finish(number, original, damage, at);
                }
                Some(Message::Reply) => log.report.replies_sent += 1,
                None => {}
            }
        }
    }

    /// Report and journal, shared with the emulator's handle.
    pub(crate) fn shared_log(&self) -> Arc<Mutex<LineLog>> {
        Arc::clone(&self.log)
    }

    pub(crate) fn log(&self) -> std::sync::MutexGuard<'_, LineLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes all sendable bytes, as a terminal would.
    #[cfg(test)]
    pub(crate) fn take(&mut self) -> Vec<u8> {
        let bytes = self.sendable().to_vec();
        self.take_some(bytes.len());
        bytes
    }

    #[cfg(test)]
    pub(crate) fn take_some(&mut self, n_bytes: usize) {
        let log = self.shared_log();
        self.remove(n_bytes, self.now, &mut log.lock().unwrap());
    }

    #[cfg(test)]
    pub(crate) fn waiting(&self) -> &[u8] {
        &self.bytes
    }

    fn queue_reply(&mut self, bytes: &[u8]) {
        if self.listener == Listener::Absent {
            return;
        }
        if !self.has_room(bytes.len()) {
            tracing::debug!(n_bytes = bytes.len(), "the host does not read; dropped a reply");
            return;
        }
        let mut sent = bytes.to_vec();
        if self.listener == Listener::HostAtOtherBaud {
            self.garble(&mut sent);
        }
        self.queue(&sent, Message::Reply);
    }

    fn queue(&mut self, bytes: &[u8], message: Message) {
        if self.bytes.is_empty() {
            self.limit.begin(self.now);
        }
        self.bytes.extend_from_slice(bytes);
        let n_total = bytes.len();
        self.spans.push_back(Span { n_total, n_left: n_total, message });
    }

    fn has_room(&self, n_bytes: usize) -> bool {
        self.bytes.len() + n_bytes <= CAPACITY
    }

    /// Number of queued bytes for which the line had no time yet at its baud rate.
    fn n_behind(&self) -> usize {
        self.bytes.len().saturating_sub(self.limit.n_allowed(self.now))
    }
}

impl LineLog {
    fn finish(&mut self, number: u64, bytes: Vec<u8>, damage: Option<Damage>, sent: Instant) {
        self.report.count(damage);
        if self.journal_capacity > 0 {
            let damage = damage.map(|damage| damage.kind);
            self.write(SentRecord { record: number, bytes, damage, sent });
        }
    }
}

#[cfg(test)]
mod tests;
