//! The beginning of a record whose end has not arrived yet.

use super::shape::MAX_PIECE;

/// The bytes since the last NUL, at most `MAX_PIECE` of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unfinished {
    kept: [u8; MAX_PIECE],
    /// Number of bytes since the last NUL, with those that were not kept.
    n_bytes: usize,
}

impl Unfinished {
    pub(super) fn append(&mut self, bytes: &[u8]) {
        if let Some(free) = self.kept.get_mut(self.n_bytes..) {
            let n_fit = bytes.len().min(free.len());
            free[..n_fit].copy_from_slice(&bytes[..n_fit]);
        }
        self.n_bytes += bytes.len();
    }

    /// All bytes since the last NUL, or `None` if there are more than `MAX_PIECE`.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        self.kept.get(..self.n_bytes)
    }

    pub(super) fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.n_bytes == 0
    }
}

impl Default for Unfinished {
    fn default() -> Self {
        Self { kept: [0; MAX_PIECE], n_bytes: 0 }
    }
}
