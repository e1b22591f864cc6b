//! Parts of a session, and limits of a run.

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

/// Parts from which `wiring` makes a session.
pub struct SessionParts {
    pub hands: HandSource,
    /// Profiles of the person, with their fit to the gloves.
    pub profiles_in_use: ProfilesInUse,
    pub rules: GraspRules,
    pub things: Vec<ThingParts>,
    /// Initial states of things, by index; all other things begin at rest.
    pub states: Vec<(usize, Arc<Snapshot>)>,
    pub solvers: SolverLocation,
    /// Bell that rings for each sample and frame.
    pub bell: Arc<Bell>,
    /// Trace of the run, if wanted.
    pub trace: Option<Trace>,
    /// Headset that shows the same scenes, if any.
    pub headset: Option<Arc<HeadsetLink>>,
    /// Store of the people's profiles, if known.
    pub profile_store: Option<ProfileStore>,
    /// Recording of the journal, from which the run can be replayed bit for bit.
    pub notes: Option<Notes>,
    /// Emulated devices, with their scripts.
    pub emulated: Vec<EmulatedDevice>,
}

/// Limits of a run without a person: the first limit that is reached ends the run.
#[derive(Debug, Clone, Copy)]
pub struct RunLimits {
    /// Number of finished grasps.
    pub grasps: u64,
    /// Number of solver frames.
    pub frames: u64,
    /// Duration.
    pub time: Duration,
}

impl RunLimits {
    /// No limits: only something else ends the run.
    pub fn none() -> Self {
        Self { grasps: u64::MAX, frames: u64::MAX, time: Duration::MAX }
    }
}
