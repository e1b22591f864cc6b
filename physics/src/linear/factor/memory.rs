//! Memory for factors and updates: many megabytes that are written once and read often.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use memmap2::MmapMut;
#[cfg(target_os = "linux")]
use rayon::prelude::*;

use super::FactorError;
use super::scalar::Scalar;

/// A long run of numbers.
pub(super) struct Memory<T> {
    backing: Backing<T>,
    /// How many are in use.
    n: usize,
}

enum Backing<T> {
    Heap(Vec<T>),
    /// Larger ones come from the operating system directly: an allocator would hand pages back and fetch
    /// them one by one again, which takes as long as the arithmetic of a small object.
    Mapped(MmapMut),
}

/// From this size on, in bytes.
const SMALLEST_MAPPED: usize = 1 << 20;
/// The size of a huge page. Only whole ones are laid out so that they can be huge.
const HUGE_PAGE: usize = 2 << 20;

impl<T: Scalar> Memory<T> {
    /// Zeros. To run out of memory is an error, not an abort.
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

    /// How many numbers there is room for.
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

/// Asks for huge pages, and for all pages at once: to fall into each one by itself takes several times as
/// long. Where that is not to be had, it comes page by page.
#[cfg(target_os = "linux")]
fn fetch_pages(map: &MmapMut) {
    /// What one thread fetches.
    const PART: usize = 8 << 20;
    let was_heard = map.advise(memmap2::Advice::HugePage).is_ok();
    let fetch = |part: usize| {
        let length = PART.min(map.len() - part * PART);
        map.advise_range(memmap2::Advice::PopulateWrite, part * PART, length).is_ok()
    };
    let was_fetched = (0..map.len().div_ceil(PART)).into_par_iter().map(fetch).all(|is_ok| is_ok);
    // Both are wishes: nothing depends on them but time.
    let _ = (was_heard, was_fetched);
}

/// Memory of updates that have been used up, for those to come. What is in it is stale, but it need not
/// be cleared, nor fetched from the operating system again.
pub(super) struct Spare<T>(Mutex<Vec<Memory<T>>>);

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Scalar> Spare<T> {
    /// Memory with anything in it.
    pub(super) fn take(&self, n: usize) -> Result<Memory<T>, FactorError> {
        // Not much more than is needed, so that little lies idle.
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

    /// Keeps memory for later.
    pub(super) fn give_back(&self, values: Memory<T>) {
        /// Small ones cost less than the search for them, and too many would only take up memory.
        const SMALLEST: usize = 1 << 11;
        const MOST: usize = 32;
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if values.room() >= SMALLEST && spare.len() < MOST {
            spare.push(values);
        }
    }
}
