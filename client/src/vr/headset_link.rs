//! What the rest of the program sees of a headset. Nobody waits for it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{Bell, Mailbox};
use interaction::scene::Scene;
use nalgebra::Isometry3;

use super::align_link::AlignLink;
use super::error::HeadsetError;
use super::hand_tracking::SeenHand;
use super::menu_link::MenuLink;
use crate::render::{Lens, Viewpoint};

/// Joins the headset's thread with the hand loop and the window.
#[derive(Debug)]
pub struct HeadsetLink {
    /// What the eyes should see.
    pub scenes: Mailbox<Arc<Scene>>,
    /// Where the wearer looks from, for a window that shows the same.
    pub mirror: Mailbox<MirrorView>,
    /// Bare hands that it sees, left first.
    pub hands: [Mailbox<SeenHand>; 2],
    /// What the fingers of these hands feel, thumb first: shares of all that a device can do.
    pub felt: [Mailbox<[f32; 5]>; 2],
    /// How it is brought to agree with a tracker.
    pub align: AlignLink,
    /// The menu that the wearer has.
    pub menu: MenuLink,
    placement: Mutex<WorldPlacement>,
    state: Mutex<HeadsetState>,
    wants_table: AtomicBool,
    n_tables: AtomicU32,
    start: Instant,
    /// When the headset's thread last came round, in milliseconds since the start: it waits for a runtime that may
    /// hang.
    last_beat: AtomicU64,
}

/// How the headset is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadsetState {
    /// The runtime is being asked.
    Starting,
    /// It is there, but shows something else, or nobody wears it.
    Waiting(String),
    /// It shows our pictures.
    Showing(String),
    /// It could not be had, for a reason that may pass; it is tried again.
    Missing(String),
    /// It was there and is gone; it is tried again.
    Lost(String),
    /// It shows nothing, and trying again would not help.
    Failed(String),
}

/// Where the wearer looks from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MirrorView {
    /// The left eye looks along -z.
    pub world_from_eye: Isometry3<f64>,
    pub lens: Lens,
}

/// How the world is put before the wearer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldPlacement {
    pub stance: Stance,
    /// How many times as large as they are things look.
    pub scale: f64,
}

/// How the wearer works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stance {
    /// The table is below the eyes, wherever these are.
    Seated,
    /// The table stands on the floor, as high as a workbench.
    Standing,
}

impl WorldPlacement {
    /// Of `scale`: so small that a hand cannot take them, so large that they surround the wearer.
    pub const SCALES: (f64, f64) = (0.1, 10.0);
}

/// A runtime that is silent for longer hangs; the first answers may take long, for drivers and shaders are loaded then.
const LONGEST_SILENCE: Duration = Duration::from_secs(5);
const LONGEST_START: Duration = Duration::from_secs(10);

const REAL_SIZE: &str = "things are seen in real size while tracker and headset are aligned, so that the gloved hand is \
    seen where it is; V brings the table and ends that";

/// Above and below straight ahead, a window shows so much at most: more looks warped on a flat screen.
const MIRROR_ANGLE: f64 = 0.8;

impl MirrorView {
    /// What the wearer sees in the middle of the picture, as wide as the window has room.
    pub fn viewpoint(&self, aspect: f64) -> Viewpoint {
        let (up, down) = (self.lens.up.min(MIRROR_ANGLE), self.lens.down.max(-MIRROR_ANGLE));
        let right = (aspect * (up.tan() - down.tan()) / 2.0).atan();
        let lens = Lens { left: -right, right, up, down, ..self.lens };
        Viewpoint::of_eye(&self.world_from_eye, &lens)
    }
}

impl HeadsetLink {
    /// A number for a table that stands elsewhere than the ones before, also before the runtime was lost.
    pub(super) fn next_table(&self) -> u32 {
        self.n_tables.fetch_add(1, Ordering::Relaxed)
    }

    /// Rings the bell when a hand is seen.
    pub fn new(bell: &Arc<Bell>, placement: WorldPlacement) -> Self {
        Self {
            scenes: Mailbox::default(),
            mirror: Mailbox::default(),
            hands: [(); 2].map(|()| Mailbox::ringing(Arc::clone(bell))),
            felt: Default::default(),
            align: AlignLink::default(),
            menu: MenuLink::default(),
            placement: Mutex::new(placement),
            state: Mutex::new(HeadsetState::Starting),
            wants_table: AtomicBool::new(false),
            n_tables: AtomicU32::new(0),
            start: Instant::now(),
            last_beat: AtomicU64::new(0),
        }
    }

    pub fn state(&self) -> HeadsetState {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
        with_silence(state, self.silence())
    }

    /// For how long the headset's thread has not come round.
    pub(super) fn silence(&self) -> Duration {
        let beat = Duration::from_millis(self.last_beat.load(Ordering::Relaxed));
        self.start.elapsed().saturating_sub(beat)
    }

    /// The headset's thread is not stuck in the runtime.
    pub(super) fn beat(&self) {
        let now = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_beat.store(now, Ordering::Relaxed);
    }

    /// Puts the table in front of the wearer again.
    pub fn bring_table(&self) {
        self.wants_table.store(true, Ordering::Relaxed);
    }

    /// As it is wanted, but in real size while tracker and headset are aligned: a tracker measures the real hand, which
    /// would be seen elsewhere among larger things.
    pub fn placement(&self) -> WorldPlacement {
        let wanted = *self.placement.lock().unwrap_or_else(PoisonError::into_inner);
        match self.align.is_aligned() {
            true => WorldPlacement { scale: 1.0, ..wanted },
            false => wanted,
        }
    }

    /// Says why things are not as large as wanted, if they are not.
    pub(super) fn tell_scale(&self) {
        let wanted = self.placement.lock().unwrap_or_else(PoisonError::into_inner).scale;
        if wanted != self.placement().scale {
            tracing::warn!("{REAL_SIZE}");
        }
    }

    /// Lets the wearer sit down or stand up; the table comes along.
    pub fn change_stance(&self) {
        let mut placement = self.placement.lock().unwrap_or_else(PoisonError::into_inner);
        placement.stance = match placement.stance {
            Stance::Seated => Stance::Standing,
            Stance::Standing => Stance::Seated,
        };
    }

    /// Lets things look so many times as large as they do now, as far as that goes; says why not if it does not go at all.
    pub fn grow(&self, factor: f64) -> Result<(), &'static str> {
        if self.align.is_aligned() {
            return Err(REAL_SIZE);
        }
        let mut placement = self.placement.lock().unwrap_or_else(PoisonError::into_inner);
        let (least, most) = WorldPlacement::SCALES;
        placement.scale = (placement.scale * factor).clamp(least, most);
        Ok(())
    }

    pub(super) fn takes_table(&self) -> bool {
        self.wants_table.swap(false, Ordering::Relaxed)
    }

    pub(super) fn set_state(&self, state: HeadsetState) {
        self.beat();
        let mut present = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *present != state {
            match &state {
                HeadsetState::Showing(what) => tracing::info!("headset: {what} shows the scene"),
                HeadsetState::Waiting(what) => tracing::info!("headset: {what}"),
                other => tracing::debug!(state = ?other, "headset"),
            }
            *present = state;
        }
    }
}

/// How the headset is if its thread was last heard of so long ago.
fn with_silence(state: HeadsetState, silence: Duration) -> HeadsetState {
    let longest = match state {
        HeadsetState::Starting => LONGEST_START,
        HeadsetState::Waiting(_) | HeadsetState::Showing(_) => LONGEST_SILENCE,
        // Between two tries.
        HeadsetState::Missing(_) | HeadsetState::Lost(_) | HeadsetState::Failed(_) => return state,
    };
    match silence > longest {
        true => HeadsetState::Lost(HeadsetError::Hangs.to_string()),
        false => state,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vr::RoomLifetime;

    #[test]
    fn things_have_their_real_size_while_tracker_and_headset_are_aligned() {
        let placement = WorldPlacement { stance: Stance::Seated, scale: 2.0 };
        let link = HeadsetLink::new(&Arc::default(), placement);
        let room = link.align.enter(RoomLifetime::ForNow);
        assert_eq!(link.placement(), placement);
        link.align.put_table(room, Isometry3::identity());
        assert_eq!(link.grow(1.5), Err(REAL_SIZE));
        assert_eq!(link.placement(), WorldPlacement { scale: 1.0, ..placement });
        link.align.take_table();
        assert_eq!(link.placement(), placement);
    }

    #[test]
    fn a_runtime_that_hangs_is_lost_but_one_that_starts_may_take_its_time() {
        let check = |state: HeadsetState, seconds: u64, is_lost: bool| {
            let found = with_silence(state, Duration::from_secs(seconds));
            assert_eq!(matches!(found, HeadsetState::Lost(_)), is_lost, "{found:?}");
        };
        check(HeadsetState::Showing("it".to_owned()), 4, false);
        check(HeadsetState::Showing("it".to_owned()), 6, true);
        check(HeadsetState::Waiting("it".to_owned()), 6, true);
        check(HeadsetState::Starting, 6, false);
        check(HeadsetState::Starting, 31, true);
        check(HeadsetState::Failed("it".to_owned()), 60, false);
    }
}
