//! What a device wants to send and the line has not taken yet.

/// Bytes on their way to the host. Bounded: a host that does not read loses whole answers, never
/// parts of them, and never stops the device.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    bytes: Vec<u8>,
    n_sent: u64,
    n_dropped: u64,
}

/// As much as a serial driver's own buffer usually holds.
const CAPACITY: usize = 4096;

impl Outbox {
    /// Queues the answer to a command.
    pub(crate) fn reply(&mut self, bytes: &[u8]) {
        if !self.queue(bytes) {
            tracing::debug!(n_bytes = bytes.len(), "host does not read; dropped a reply");
        }
    }

    /// Queues one data record.
    pub(crate) fn record(&mut self, bytes: &[u8]) {
        if self.queue(bytes) {
            self.n_sent += 1;
        } else {
            self.n_dropped += 1;
        }
    }

    /// Counts records which the device was too late to make.
    pub(crate) fn skip(&mut self, n_records: u64) {
        self.n_dropped += n_records;
    }

    pub(crate) fn waiting(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn remove(&mut self, n_bytes: usize) {
        self.bytes.drain(..n_bytes);
    }

    pub(crate) fn n_sent(&self) -> u64 {
        self.n_sent
    }

    pub(crate) fn n_dropped(&self) -> u64 {
        self.n_dropped
    }

    fn queue(&mut self, bytes: &[u8]) -> bool {
        let has_room = self.bytes.len() + bytes.len() <= CAPACITY;
        if has_room {
            self.bytes.extend_from_slice(bytes);
        }
        has_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_that_do_not_fit_are_dropped_whole_and_counted() {
        let mut outbox = Outbox::default();
        for _ in 0..200 {
            outbox.record(&[1; 33]);
        }
        assert_eq!(outbox.waiting().len() % 33, 0);
        assert!(outbox.waiting().len() <= CAPACITY);
        assert_eq!(outbox.n_sent() + outbox.n_dropped(), 200);
        assert!(outbox.n_dropped() > 0);
    }
}
