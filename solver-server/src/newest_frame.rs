//! Next frame to send in a session. A newer frame replaces it and takes over its history.

use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::SurfaceFrame;
use tokio::sync::Notify;

/// Place for the newest frame that was not sent yet.
#[derive(Default)]
pub(crate) struct NewestFrame {
    slot: Mutex<Slot>,
    changed: Notify,
}

#[derive(Default)]
struct Slot {
    frame: Option<SurfaceFrame>,
    is_closed: bool,
}

impl NewestFrame {
    /// Puts in a frame. It replaces a frame that was not sent.
    pub(crate) fn put(&self, mut frame: SurfaceFrame) {
        let mut slot = self.lock();
        if let Some(older) = slot.frame.take() {
            frame.overtake(older);
        }
        slot.frame = Some(frame);
        drop(slot);
        self.changed.notify_one();
    }

    /// Waits for a frame. Returns `None` after [`Self::close`], once the last frame is taken.
    pub(crate) async fn next(&self) -> Option<SurfaceFrame> {
        loop {
            let changed = self.changed.notified();
            {
                let mut slot = self.lock();
                if let Some(frame) = slot.frame.take() {
                    return Some(frame);
                }
                if slot.is_closed {
                    return None;
                }
            }
            changed.await;
        }
    }

    /// Ends the sequence of frames.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
