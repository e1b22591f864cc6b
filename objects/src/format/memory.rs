//! Account of the memory that reading a file may take.

use super::raw_mesh::RawMesh;
use super::{FormatError, Limits};

/// Memory for each byte of the file.
const PER_BYTE: usize = 40;
/// Memory for any file, in bytes.
const AT_LEAST: usize = 64_000_000;

// Memory that reading and checking takes for each item, in bytes, measured by
// `tests/allocations.rs`: the item itself, growing lists, and the tables of the checks.
const PER_POINT: usize = 140;
const PER_TRIANGLE: usize = 220;
const PER_TETRAHEDRON: usize = 300;
const PER_VALUE: usize = 24;

/// Memory that may still be taken: counts in a file and compressed parts may ask for any amount.
pub(super) struct Memory {
    left: usize,
    most: usize,
    /// Number of bytes that compressed or shared parts may still unfold to.
    unfolded_left: usize,
    most_unfolded: usize,
}

impl Memory {
    /// Memory for a file of this size, with its siblings.
    pub(super) fn of(n_bytes: usize, limits: &Limits) -> Self {
        let most = n_bytes.saturating_mul(PER_BYTE).saturating_add(AT_LEAST);
        let unfolded_left = limits.unfolded_bytes;
        // The file itself is in memory, too.
        Self {
            left: most.saturating_sub(n_bytes),
            most,
            unfolded_left,
            most_unfolded: unfolded_left,
        }
    }

    /// Adds the memory for one more file.
    pub(super) fn add_file(&mut self, n_bytes: usize) {
        let more = n_bytes.saturating_mul(PER_BYTE);
        self.most = self.most.saturating_add(more);
        self.left = self.left.saturating_add(more.saturating_sub(n_bytes));
    }

    /// Takes memory for what a part of the file unfolds to.
    pub(super) fn take(&mut self, n_bytes: usize) -> Result<(), FormatError> {
        let too_large = FormatError::TooLarge {
            what: "too many bytes when it is unfolded",
            most: self.most_unfolded,
        };
        self.unfolded_left = self.unfolded_left.checked_sub(n_bytes).ok_or(too_large)?;
        self.take_unlimited(n_bytes)
    }

    /// Takes memory that is not part of the unfolded file, such as for lists that grow.
    pub(super) fn take_unlimited(&mut self, n_bytes: usize) -> Result<(), FormatError> {
        let taken = self.most - self.left.min(self.most);
        let too_much = self.too_much(taken.saturating_add(n_bytes));
        self.left = self.left.checked_sub(n_bytes).ok_or(too_much)?;
        Ok(())
    }

    /// Gives back memory that was taken only for a while.
    pub(super) fn give_back(&mut self, n_bytes: usize) {
        self.left = self.left.saturating_add(n_bytes).min(self.most);
    }

    /// Checks that there is enough memory to check a mesh.
    pub(super) fn check(&self, mesh: &RawMesh) -> Result<(), FormatError> {
        let n_values: usize = mesh.fields.iter().map(|field| field.values().len()).sum();
        let needed = [
            mesh.points.len().saturating_mul(PER_POINT),
            mesh.triangles.len().saturating_mul(PER_TRIANGLE),
            mesh.tetrahedra.len().saturating_mul(PER_TETRAHEDRON),
            n_values.saturating_mul(PER_VALUE),
        ];
        let needed = needed.into_iter().fold(0, usize::saturating_add);
        if needed > self.left { Err(self.too_much(needed)) } else { Ok(()) }
    }

    fn too_much(&self, needed: usize) -> FormatError {
        const MEGA: usize = 1_000_000;
        FormatError::Memory { needed: needed.div_ceil(MEGA), most: self.most / MEGA }
    }
}
