//! The headset's interface to the rest of the program. No call waits for the headset.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{Bell, Mailbox};
use haptics::HandOutput;
use interaction::scene::Scene;
use nalgebra::Isometry3;

use super::align_link::AlignLink;
use super::error::HeadsetError;
use super::hand_tracking::SeenHand;
use super::menu_link::MenuLink;
use crate::render::{Lens, Viewpoint};

/// State shared by the headset's thread, the hand loop and the window.
#[derive(Debug)]
pub struct HeadsetLink {
    /// Newest scene to draw.
    pub scenes: Mailbox<Arc<Scene>>,
    /// The wearer's view, for a window that shows the same.
    pub mirror: Mailbox<MirrorView>,
    /// Tracked hands, left first.
    pub hands: [Mailbox<SeenHand>; 2],
    /// Outputs for the devices on these hands: gloves that hold fingers, controllers that vibrate.
    pub felt: [Mailbox<HandOutput>; 2],
    /// Alignment with a tracker.
    pub align: AlignLink,
    /// Menu in the headset.
    pub menu: MenuLink,
    placement: Mutex<WorldPlacement>,
    state: Mutex<HeadsetState>,
    wants_table: AtomicBool,
    n_tables: AtomicU32,
    start: Instant,
    /// Time of the headset thread's last round, in milliseconds since the start. It is old if the
    /// runtime hangs.
    last_beat: AtomicU64,
}

/// State of the headset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadsetState {
    /// Connecting: the runtime has not answered yet.
    Starting,
    /// Connected, but another program is shown, or the headset is not worn.
    Waiting(String),
    /// Shows our pictures.
    Showing(String),
    /// Not available, for a reason that may disappear; the thread tries again.
    Missing(String),
    /// Lost; the thread tries again.
    Lost(String),
    /// Failed for good; trying again would not help.
    Failed(String),
}

/// View of the headset's wearer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MirrorView {
    /// Pose of the left eye, which looks along -z.
    pub world_from_eye: Isometry3<f64>,
    pub lens: Lens,
}

/// Position and scale of the world for the wearer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldPlacement {
    pub stance: Stance,
    /// Scale of the world: 2 shows objects at twice their size.
    pub scale: f64,
}

/// Posture of the wearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stance {
    /// The table is below the eyes.
    Seated,
    /// The table has the height of a workbench above the floor.
    Standing,
}

impl WorldPlacement {
    /// Range of `scale`: from too small to grasp to large enough to surround the wearer.
    pub const SCALES: (f64, f64) = (0.1, 10.0);
}

/// Silence after which a runtime counts as hanging. The first answers may take long: drivers and
/// shaders are loaded then.
const LONGEST_SILENCE: Duration = Duration::from_secs(5);
const LONGEST_START: Duration = Duration::from_secs(10);

const REAL_SIZE: &str = "objects have their real size while tracker and headset are aligned, so that \
    the gloved hand appears where it is; V moves the table and ends the alignment";

/// Largest vertical half angle that a window shows, in radians: more looks distorted on a flat
/// screen.
const MIRROR_ANGLE: f64 = 0.8;

impl MirrorView {
    /// Returns a viewpoint for a window: the middle of the wearer's view, as wide as the window
    /// allows.
    pub fn viewpoint(&self, aspect: f64) -> Viewpoint {
        let (up, down) = (self.lens.up.min(MIRROR_ANGLE), self.lens.down.max(-MIRROR_ANGLE));
        let right = (aspect * (up.tan() - down.tan()) / 2.0).atan();
        let lens = Lens { left: -right, right, up, down, ..self.lens };
        Viewpoint::of_eye(&self.world_from_eye, &lens)
    }
}

impl HeadsetLink {
    /// Returns a new number for a table placement, unique across losses of the runtime.
    pub(super) fn next_table(&self) -> u32 {
        self.n_tables.fetch_add(1, Ordering::Relaxed)
    }

    /// Sets the bell that rings when a hand is seen.
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

    /// Returns the time since the headset thread's last round.
    pub(super) fn silence(&self) -> Duration {
        let beat = Duration::from_millis(self.last_beat.load(Ordering::Relaxed));
        self.start.elapsed().saturating_sub(beat)
    }

    /// Records a round of the headset's thread, which is not stuck in the runtime.
    pub(super) fn beat(&self) {
        let now = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_beat.store(now, Ordering::Relaxed);
    }

    /// Requests that the table is put in front of the wearer again.
    pub fn bring_table(&self) {
        self.wants_table.store(true, Ordering::Relaxed);
    }

    /// Returns the wanted placement, but with scale 1 while tracker and headset are aligned: the
    /// tracker measures the real hand, which would appear elsewhere in a scaled world.
    pub fn placement(&self) -> WorldPlacement {
        let wanted = *self.placement.lock().unwrap_or_else(PoisonError::into_inner);
        match self.align.is_aligned() {
            true => WorldPlacement { scale: 1.0, ..wanted },
            false => wanted,
        }
    }

    /// Logs why the wanted scale does not apply, if so.
    pub(super) fn log_scale(&self) {
        let wanted = self.placement.lock().unwrap_or_else(PoisonError::into_inner).scale;
        if wanted != self.placement().scale {
            tracing::warn!("{REAL_SIZE}");
        }
    }

    /// Changes the wearer's posture; the table follows.
    pub fn change_stance(&self) {
        let mut placement = self.placement.lock().unwrap_or_else(PoisonError::into_inner);
        placement.stance = match placement.stance {
            Stance::Seated => Stance::Standing,
            Stance::Standing => Stance::Seated,
        };
    }

    /// Multiplies the scale by a factor, within `SCALES`. Returns the reason if the scale cannot
    /// change.
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

/// Returns the state of the headset, given the time since its thread's last round.
fn with_silence(state: HeadsetState, silence: Duration) -> HeadsetState {
    let longest = match state {
        HeadsetState::Starting => LONGEST_START,
        HeadsetState::Waiting(_) | HeadsetState::Showing(_) => LONGEST_SILENCE,
        // The thread is between two attempts to connect.
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
