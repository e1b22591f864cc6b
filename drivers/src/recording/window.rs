//! A piece of a file, as much as is looked at, that moves forward.

use std::io::{self, ErrorKind, Read};

/// Bytes asked for by one read.
const BLOCK: usize = 16 * 1024;

/// The bytes of `source` from some place on. Needs no more memory than twice what is looked at.
#[derive(Debug)]
pub(super) struct Window<R> {
    source: R,
    bytes: Vec<u8>,
    /// Where in `bytes` the window begins; what is before has been passed.
    start: usize,
    /// Where in the source the window begins.
    place: u64,
    is_at_end: bool,
}

impl<R: Read> Window<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, bytes: Vec::new(), start: 0, place: 0, is_at_end: false }
    }

    /// How many bytes of the source lie before the window.
    pub(super) fn place(&self) -> u64 {
        self.place
    }

    /// What has been read and not been passed.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// At least `n_wanted` bytes, fewer only if the source ends before.
    pub(super) fn want(&mut self, n_wanted: usize) -> io::Result<&[u8]> {
        while self.bytes.len() - self.start < n_wanted && !self.is_at_end {
            self.read_more()?;
        }
        Ok(self.bytes())
    }

    /// Moves past `n_bytes`, which must have been read.
    pub(super) fn advance(&mut self, n_bytes: usize) {
        debug_assert!(n_bytes <= self.bytes().len(), "only what was seen can be passed");
        self.start += n_bytes;
        self.place += n_bytes as u64;
    }

    fn read_more(&mut self) -> io::Result<()> {
        // Moving the rest to the front only once half is passed keeps the cost per byte constant.
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
