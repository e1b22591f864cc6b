//! Decodes the events of a chunk.

use std::time::Duration;

use super::super::event::{DeviceId, Event, EventKind};
use super::super::{MAX_BYTES, MAX_KIND, MAX_TEXT};
use super::Code;

/// Error for a chunk with a valid checksum whose payload is not events: [`super::ChunkBuilder`]
/// never makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

/// Position in a payload, and the state that its next event depends on.
#[derive(Debug, Clone)]
pub(crate) struct ChunkEvents {
    n_read: usize,
    time_us: u64,
    last_lengths: [usize; DeviceId::COUNT],
}

impl ChunkEvents {
    pub(crate) fn new() -> Self {
        Self { n_read: 0, time_us: 0, last_lengths: [0; DeviceId::COUNT] }
    }

    /// The next event of `payload`, which must be the same in each call; `None` at its end.
    pub(crate) fn next(&mut self, payload: &[u8]) -> Result<Option<Event>, Malformed> {
        let mut fields = Fields(payload.get(self.n_read..).ok_or(Malformed)?);
        if fields.0.is_empty() {
            return Ok(None);
        }
        let event = self.event(&mut fields).ok_or(Malformed)?;
        self.n_read = payload.len() - fields.0.len();
        Ok(Some(event))
    }

    fn event(&mut self, fields: &mut Fields<'_>) -> Option<Event> {
        let mut first = fields.byte()?;
        if Code::from_first_byte(first) == Code::StepBack {
            device_is_zero(first)?;
            self.time_us = self.time_us.checked_sub(fields.varint()?)?;
            first = fields.byte()?;
        }
        self.time_us = self.time_us.checked_add(fields.varint()?)?;
        let device = DeviceId::new(first & 0x1F)?;
        let last_length = &mut self.last_lengths[usize::from(device.number())];
        let what = match Code::from_first_byte(first) {
            Code::Opened => EventKind::Opened {
                device,
                kind: fields.text(MAX_KIND)?,
                name: fields.text(MAX_TEXT)?,
                settings: fields.sized(MAX_BYTES)?.to_vec(),
            },
            Code::Received => {
                let bytes = fields.sized(MAX_BYTES)?.to_vec();
                *last_length = bytes.len();
                EventKind::Received { device, bytes }
            }
            Code::ReceivedAlike if *last_length == 0 => return None,
            Code::ReceivedAlike => {
                EventKind::Received { device, bytes: fields.bytes(*last_length)?.to_vec() }
            }
            Code::Sent => EventKind::Sent { device, bytes: fields.sized(MAX_BYTES)?.to_vec() },
            Code::Lost => EventKind::Lost { device, reason: fields.text(MAX_TEXT)? },
            Code::Mark => {
                device_is_zero(first)?;
                EventKind::Mark { text: fields.text(MAX_TEXT)? }
            }
            Code::Ended => {
                device_is_zero(first)?;
                // The end is the last event of its chunk.
                fields.0.is_empty().then_some(EventKind::Ended)?
            }
            // Two steps back in a row are malformed: one is enough.
            Code::StepBack => return None,
        };
        Some(Event { at: Duration::from_micros(self.time_us), what })
    }
}

/// `None` unless the device's bits are zero, as in events that belong to no device.
fn device_is_zero(first_byte: u8) -> Option<()> {
    (first_byte & 0x1F == 0).then_some(())
}

/// Rest of a payload. Each method returns `None` if the payload has no such field there.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    fn bytes(&mut self, n_bytes: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(n_bytes)?;
        self.0 = rest;
        Some(bytes)
    }

    fn sized(&mut self, limit: usize) -> Option<&'a [u8]> {
        let length = usize::try_from(self.varint()?).ok()?;
        if length <= limit { self.bytes(length) } else { None }
    }

    fn text(&mut self, limit: usize) -> Option<String> {
        std::str::from_utf8(self.sized(limit)?).ok().map(str::to_owned)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let group = u64::from(byte & 0x7F);
            if group << shift >> shift != group {
                return None;
            }
            number |= group << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}
