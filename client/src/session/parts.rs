//! What a run is made of, and when it ends by itself.

use std::sync::Arc;
use std::time::Duration;

use calibration::ProfileStore;
use drivers::recorder::Notes;
use engine::{Bell, SolverLocation};
use interaction::grasp::GraspRules;
use interaction::thing::ThingParts;
use physics::Snapshot;

use super::{EmulatedDevice, HandSource, ProfilesInUse, Trace};
use crate::vr::HeadsetLink;

/// What a run is made of. `wiring` chooses the parts.
pub struct SessionParts {
    pub hands: HandSource,
    /// Whose hands they are, and whether their profiles fit the gloves.
    pub profiles_in_use: ProfilesInUse,
    pub rules: GraspRules,
    pub things: Vec<ThingParts>,
    /// States that things begin in, by their number; the others begin at rest.
    pub states: Vec<(usize, Arc<Snapshot>)>,
    pub solvers: SolverLocation,
    /// Rings when a sample or a frame has come.
    pub bell: Arc<Bell>,
    /// Where to write down everything that happens, if anywhere.
    pub trace: Option<Trace>,
    /// A headset that shows the same.
    pub headset: Option<Arc<HeadsetLink>>,
    /// Where people's profiles are kept, if that is known.
    pub profile_store: Option<ProfileStore>,
    /// Where to note down what is needed to run it again to the same bits.
    pub notes: Option<Notes>,
    /// Which of the devices are emulated, and what they do.
    pub emulated: Vec<EmulatedDevice>,
}

/// When a run without a person in front of it ends by itself.
#[derive(Debug, Clone, Copy)]
pub struct RunLimits {
    /// After so many grasps that ended.
    pub grasps: u64,
    /// After so many frames of the solver.
    pub frames: u64,
    /// After so much time, whatever happens.
    pub time: Duration,
}

impl RunLimits {
    /// It goes on until something else ends it.
    pub fn none() -> Self {
        Self { grasps: u64::MAX, frames: u64::MAX, time: Duration::MAX }
    }
}
