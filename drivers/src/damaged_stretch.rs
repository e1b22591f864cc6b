//! Counts damaged records by their bytes: damage hides where one record ends and the next begins.

/// A stretch of dropped bytes between two good records.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DamagedStretch {
    n_bytes: u64,
    n_counted: u64,
}

impl DamagedStretch {
    /// Adds dropped bytes of a stream whose records have `record_bytes`. Returns the number of
    /// records to count in addition.
    ///
    /// The stretch as a whole counts as its length in records, rounded up from three quarters, and
    /// as at least one. Lost bytes make it a little shorter than its records; a line of stray text
    /// makes it longer.
    pub(crate) fn add(&mut self, n_bytes: u64, record_bytes: usize) -> u64 {
        let length = record_bytes.max(1) as u64;
        self.n_bytes += n_bytes;
        let n_records = ((self.n_bytes + length / 4) / length).max(1);
        let n_new = n_records - self.n_counted;
        self.n_counted = n_records;
        n_new
    }

    /// Ends the stretch.
    pub(crate) fn end(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Count for dropped pieces of these lengths, one after the other.
    fn count(pieces: &[u64], record_bytes: usize) -> u64 {
        let mut stretch = DamagedStretch::default();
        pieces.iter().map(|piece| stretch.add(*piece, record_bytes)).sum()
    }

    #[test]
    fn a_stretch_counts_as_its_length_in_records() {
        assert_eq!(count(&[32], 33), 1, "one byte is lost");
        assert_eq!(count(&[1; 64], 33), 2, "of two records, a byte each is lost");
        assert_eq!(count(&[5], 33), 1, "the rest of a record");
        assert_eq!(count(&[53], 33), 1, "a line of text in a record");
        // A byte in the middle became a NUL, which makes two pieces of one record.
        assert_eq!(count(&[11, 13], 24), 1);
        assert_eq!(count(&[11, 13, 23, 25], 24), 3);
        let mut stretch = DamagedStretch::default();
        assert_eq!(stretch.add(32, 33), 1);
        stretch.end();
        assert_eq!(stretch.add(32, 33), 1, "a good record lies between them");
    }
}
