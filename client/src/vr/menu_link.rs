//! How the menu in the headset and the window, which lays it out and obeys it, are joined.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ui::PaintedBoard;

/// Joins both. Nobody waits: locks are held only to hand something over.
#[derive(Debug, Default)]
pub struct MenuLink {
    is_open: AtomicBool,
    /// What the wearer has done with it since somebody last asked, in order.
    pointed: Mutex<Vec<Pointing>>,
    painted: Mutex<Option<PaintedBoard>>,
    /// How often a device has begun to show it, without anything of what was painted before.
    n_devices: AtomicU32,
}

/// Where the wearer points on the board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pointing {
    /// From its upper left corner, as shares of its width and height; `None` beside it.
    pub at: Option<[f32; 2]>,
    pub is_pressed: bool,
}

/// A window that does not look for so long misses some of it.
const MOST: usize = 64;

impl MenuLink {
    pub fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    pub fn open(&self, is_open: bool) {
        self.is_open.store(is_open, Ordering::Relaxed);
    }

    /// Opens or closes it.
    pub fn switch(&self) {
        self.is_open.fetch_xor(true, Ordering::Relaxed);
    }

    /// How often a device has begun to show it: what was painted before is lost with the one before.
    pub fn n_devices(&self) -> u32 {
        self.n_devices.load(Ordering::Relaxed)
    }

    pub(super) fn begin(&self) {
        self.n_devices.fetch_add(1, Ordering::Relaxed);
        *lock(&self.painted) = None;
    }

    /// What is on the board from now on. Nothing that it brings along is lost, even if nobody has looked meanwhile.
    pub fn put(&self, painted: PaintedBoard) {
        let mut present = lock(&self.painted);
        *present = Some(match present.take() {
            Some(before) => painted.after(before),
            None => painted,
        });
    }

    pub(super) fn take_painted(&self) -> Option<PaintedBoard> {
        lock(&self.painted).take()
    }

    pub(super) fn point(&self, pointing: Pointing) {
        let mut pointed = lock(&self.pointed);
        if pointed.len() < MOST {
            pointed.push(pointing);
        }
    }

    /// What the wearer has done with it since the last call.
    pub fn take_pointed(&self) -> Vec<Pointing> {
        std::mem::take(&mut *lock(&self.pointed))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
