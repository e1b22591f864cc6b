//! Connection of the menu in the headset with the window, which lays it out and runs its commands.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ui::PaintedBoard;

/// State shared by the headset's thread and the window. Locks are held only briefly, to move data.
#[derive(Debug, Default)]
pub struct MenuLink {
    is_open: AtomicBool,
    /// Pointer states since the window's last read, in order.
    pointed: Mutex<Vec<PointerState>>,
    painted: Mutex<Option<PaintedBoard>>,
    /// Number of graphics devices so far that show the menu. A new device has no earlier pictures.
    n_devices: AtomicU32,
}

/// Position and button of the wearer's pointer on the board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointerState {
    /// Shares of width and height, from the upper left corner; `None` beside the board.
    pub at: Option<[f32; 2]>,
    pub is_pressed: bool,
}

/// Queue length. When the queue is full, pointer moves are merged; presses and releases are never
/// dropped.
const MOST: usize = 64;

impl MenuLink {
    pub fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    pub(super) fn open(&self) {
        self.is_open.store(true, Ordering::Relaxed);
    }

    pub fn close(&self) {
        self.is_open.store(false, Ordering::Relaxed);
    }

    /// Toggles the menu.
    pub fn switch(&self) {
        self.is_open.fetch_xor(true, Ordering::Relaxed);
    }

    /// Returns the number of graphics devices so far. Earlier pictures are lost with their device.
    pub fn n_devices(&self) -> u32 {
        self.n_devices.load(Ordering::Relaxed)
    }

    pub(super) fn begin(&self) {
        self.n_devices.fetch_add(1, Ordering::Relaxed);
        *lock(&self.painted) = None;
    }

    /// Sets the board's picture. Texture updates of pictures that were not shown yet are kept.
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

    pub(super) fn point(&self, pointing: PointerState) {
        let mut pointed = lock(&self.pointed);
        let is_full = pointed.len() >= MOST;
        match pointed.last_mut() {
            Some(last) if is_full && last.is_pressed == pointing.is_pressed => *last = pointing,
            _ => pointed.push(pointing),
        }
    }

    /// Returns the pointer states since the last call.
    pub fn take_pointed(&self) -> Vec<PointerState> {
        std::mem::take(&mut *lock(&self.pointed))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_does_not_look_misses_no_press_and_no_release() {
        let link = MenuLink::default();
        let at = |x: usize| Some([x as f32, 0.0]);
        (0..200).for_each(|x| link.point(PointerState { at: at(x), is_pressed: false }));
        link.point(PointerState { at: at(200), is_pressed: true });
        (200..300).for_each(|x| link.point(PointerState { at: at(x), is_pressed: true }));
        link.point(PointerState { at: at(299), is_pressed: false });
        let pointed = link.take_pointed();
        assert_eq!(pointed.len(), MOST + 2);
        let [.., moved, pressed, released] = pointed.as_slice() else { panic!("too few") };
        assert_eq!([moved.at, pressed.at, released.at], [at(199), at(299), at(299)]);
        assert!(pressed.is_pressed && !released.is_pressed);
    }
}
