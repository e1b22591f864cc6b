//! A window over a file that moves forward and grows as the reader asks for more.

use std::io::{self, ErrorKind, Read};

/// Bytes asked for by one read.
const BLOCK: usize = 16 * 1024;

/// A window over the bytes of `source`. Needs at most twice the memory of the window.
#[derive(Debug)]
pub(super) struct ReadBuffer<R> {
    source: R,
    bytes: Vec<u8>,
    /// Start of the window in `bytes`; the bytes before it have been passed.
    start: usize,
    /// Start of the window in the source.
    place: u64,
    is_at_end: bool,
}

impl<R: Read> ReadBuffer<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, bytes: Vec::new(), start: 0, place: 0, is_at_end: false }
    }

    /// Number of bytes of the source before the window.
    pub(super) fn place(&self) -> u64 {
        self.place
    }

    /// Bytes that have been read and not been passed.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Grows the window to at least `n_wanted` bytes and returns it; it is shorter only at the end
    /// of the source.
    pub(super) fn want(&mut self, n_wanted: usize) -> io::Result<&[u8]> {
        while self.bytes.len() - self.start < n_wanted && !self.is_at_end {
            self.read_more()?;
        }
        Ok(self.bytes())
    }

    /// Moves past `n_bytes`, which must have been read.
    pub(super) fn advance(&mut self, n_bytes: usize) {
        debug_assert!(n_bytes <= self.bytes().len(), "only bytes that were read can be passed");
        self.start += n_bytes;
        self.place += n_bytes as u64;
    }

    fn read_more(&mut self) -> io::Result<()> {
        // The rest moves to the front only after half is passed: this keeps the cost per byte
        // constant.
        if self.start >= BLOCK.max(self.bytes.len() / 2) {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        let n_before = self.bytes.len();
        self.bytes.resize(n_before + BLOCK, 0);
        let outcome = self.source.read(&mut self.bytes[n_before..]);
        self.bytes.truncate(n_before + *outcome.as_ref().unwrap_or(&0));
        match outcome {
            Ok(n_read) => self.is_at_end = n_read == 0,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
