//! Memory for factors and updates: large arrays that are written once and read often.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use memmap2::MmapMut;
#[cfg(target_os = "linux")]
use rayon::prelude::*;

use super::FactorError;
use super::scalar::Scalar;

/// Large array of numbers.
pub(super) struct Memory<T> {
    backing: Backing<T>,
    /// Number of values in use.
    n: usize,
}

enum Backing<T> {
    Heap(Vec<T>),
    /// Memory from the operating system, for large arrays. An allocator would return the pages and
    /// get them one by one again, which takes as long as the arithmetic of a small object.
    Mapped(MmapMut),
}

/// Size of the smallest mapped array, in bytes.
const SMALLEST_MAPPED: usize = 1 << 20;

/// Size of a huge page, in bytes. The system aligns a mapping for huge pages only if it is a
/// multiple of this size.
const HUGE_PAGE: usize = 2 << 20;

impl<T: Scalar> Memory<T> {
    /// Allocates `n` zeros. Returns an error if the memory does not suffice.
    pub(super) fn zeros(n: usize) -> Result<Self, FactorError> {
        let bytes = n.checked_mul(size_of::<T>()).ok_or(FactorError::OutOfMemory)?;
        let page = match bytes {
            0..SMALLEST_MAPPED => {
                return Ok(Self { backing: Backing::Heap(vec![T::default(); n]), n });
            }
            SMALLEST_MAPPED..HUGE_PAGE => SMALLEST_MAPPED,
            _ => HUGE_PAGE,
        };
        let length = bytes.checked_next_multiple_of(page).ok_or(FactorError::OutOfMemory)?;
        let map = MmapMut::map_anon(length).map_err(|_| FactorError::OutOfMemory)?;
        #[cfg(target_os = "linux")]
        fetch_pages(&map);
        Ok(Self { backing: Backing::Mapped(map), n })
    }

    /// Number of values that fit.
    fn room(&self) -> usize {
        match &self.backing {
            Backing::Heap(values) => values.len(),
            Backing::Mapped(map) => map.len() / size_of::<T>(),
        }
    }
}

impl<T: Scalar> Deref for Memory<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.backing {
            Backing::Heap(values) => &values[..self.n],
            Backing::Mapped(map) => bytemuck::cast_slice(&map[..self.n * size_of::<T>()]),
        }
    }
}

impl<T: Scalar> DerefMut for Memory<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.backing {
            Backing::Heap(values) => &mut values[..self.n],
            Backing::Mapped(map) => bytemuck::cast_slice_mut(&mut map[..self.n * size_of::<T>()]),
        }
    }
}

/// Asks the system for huge pages, and for all pages at once: one page fault per page takes several
/// times as long. If the system refuses, the pages come one by one.
#[cfg(target_os = "linux")]
fn fetch_pages(map: &MmapMut) {
    /// Bytes that one thread fetches at a time.
    const PART: usize = 8 << 20;
    let was_accepted = map.advise(memmap2::Advice::HugePage).is_ok();
    let fetch = |part: usize| {
        let length = PART.min(map.len() - part * PART);
        map.advise_range(memmap2::Advice::PopulateWrite, part * PART, length).is_ok()
    };
    let was_fetched = (0..map.len().div_ceil(PART)).into_par_iter().map(fetch).all(|is_ok| is_ok);
    // Both requests affect speed only.
    let _ = (was_accepted, was_fetched);
}

/// Memory of used updates, kept for later ones. It saves clearing the memory and getting it from
/// the operating system again.
pub(super) struct Spare<T>(Mutex<Vec<Memory<T>>>);

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Scalar> Spare<T> {
    /// Takes memory for `n` values. Its values are arbitrary.
    pub(super) fn take(&self, n: usize) -> Result<Memory<T>, FactorError> {
        // At most four times the needed size, so that little memory is unused.
        let fits = |values: &Memory<T>| values.room() >= n && values.room() / 4 <= n;
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = spare.iter().rposition(fits).map(|at| spare.swap_remove(at));
        drop(spare);
        match found {
            Some(mut values) => {
                values.n = n;
                Ok(values)
            }
            None => Memory::zeros(n),
        }
    }

    /// Keeps memory for later updates.
    pub(super) fn give_back(&self, values: Memory<T>) {
        /// Smallest array that is kept, in values. Smaller ones cost less than the search for them.
        const SMALLEST: usize = 1 << 11;
        /// Largest number of arrays that are kept.
        const MOST: usize = 32;
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if values.room() >= SMALLEST && spare.len() < MOST {
            spare.push(values);
        }
    }
}
