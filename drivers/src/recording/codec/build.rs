//! Encodes events into a chunk.

use super::super::event::DeviceId;
use super::{CHUNK_HEAD, Code, FULL, MAX_PAYLOAD, checksum, marked_length};

/// A chunk that grows by one event at a time. Its memory is used again for the next chunk.
///
/// Allocates once for all common events; a rare event with long settings enlarges it permanently.
#[derive(Debug)]
pub(crate) struct ChunkBuilder {
    /// Space for the head, then the payload.
    bytes: Vec<u8>,
    seed: u32,
    first_us: u64,
    last_us: u64,
    /// For each device, the length of its last event of code 1 in this chunk; 0 if there is none.
    last_lengths: [usize; DeviceId::COUNT],
}

impl ChunkBuilder {
    /// An empty chunk of a recording whose head has the checksum `seed`.
    pub(crate) fn new(seed: u32) -> Self {
        let mut bytes = Vec::with_capacity(CHUNK_HEAD + 2 * FULL);
        bytes.resize(CHUNK_HEAD, 0);
        Self { bytes, seed, first_us: 0, last_us: 0, last_lengths: [0; DeviceId::COUNT] }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.len() == CHUNK_HEAD
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bytes.len() >= CHUNK_HEAD + FULL
    }

    /// Age of the first event at `now_us`; 0 if there is none.
    pub(crate) fn age_us(&self, now_us: u64) -> u64 {
        if self.is_empty() { 0 } else { now_us.saturating_sub(self.first_us) }
    }

    pub(crate) fn opened(
        &mut self,
        at_us: u64,
        device: DeviceId,
        kind: &str,
        name: &str,
        settings: &[u8],
    ) {
        self.begin(at_us, Code::Opened, device.number());
        for field in [kind.as_bytes(), name.as_bytes(), settings] {
            self.sized(field);
        }
    }

    pub(crate) fn received(&mut self, at_us: u64, device: DeviceId, bytes: &[u8]) {
        let last_length = self.last_lengths[usize::from(device.number())];
        if !bytes.is_empty() && bytes.len() == last_length {
            self.begin(at_us, Code::ReceivedAlike, device.number());
            self.bytes.extend_from_slice(bytes);
        } else {
            self.begin(at_us, Code::Received, device.number());
            self.sized(bytes);
            self.last_lengths[usize::from(device.number())] = bytes.len();
        }
    }

    pub(crate) fn sent(&mut self, at_us: u64, device: DeviceId, bytes: &[u8]) {
        self.begin(at_us, Code::Sent, device.number());
        self.sized(bytes);
    }

    pub(crate) fn lost(&mut self, at_us: u64, device: DeviceId, reason: &str) {
        self.begin(at_us, Code::Lost, device.number());
        self.sized(reason.as_bytes());
    }

    pub(crate) fn mark(&mut self, at_us: u64, text: &str) {
        self.begin(at_us, Code::Mark, 0);
        self.sized(text.as_bytes());
    }

    pub(crate) fn ended(&mut self, at_us: u64) {
        self.begin(at_us, Code::Ended, 0);
    }

    /// The whole chunk, ready to be written.
    pub(crate) fn seal(&mut self) -> &[u8] {
        let (head, payload) = self.bytes.split_at_mut(CHUNK_HEAD);
        debug_assert!((1..=MAX_PAYLOAD).contains(&payload.len()), "lengths were checked before");
        let marked = marked_length(payload.len());
        head[..3].copy_from_slice(&marked);
        head[3..].copy_from_slice(&checksum(self.seed, marked, payload).to_le_bytes());
        &self.bytes
    }

    /// Begins the next chunk.
    pub(crate) fn clear(&mut self) {
        self.bytes.truncate(CHUNK_HEAD);
        self.last_us = 0;
        self.last_lengths = [0; DeviceId::COUNT];
    }

    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Writes the first byte and the time of an event.
    fn begin(&mut self, at_us: u64, code: Code, device: u8) {
        if self.is_empty() {
            self.first_us = at_us;
        }
        if at_us < self.last_us {
            self.first_byte(Code::StepBack, 0);
            self.varint(self.last_us - at_us);
            self.last_us = at_us;
        }
        self.first_byte(code, device);
        self.varint(at_us - self.last_us);
        self.last_us = at_us;
    }

    fn first_byte(&mut self, code: Code, device: u8) {
        self.bytes.push((code as u8) << 5 | device);
    }

    fn sized(&mut self, bytes: &[u8]) {
        self.varint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}
