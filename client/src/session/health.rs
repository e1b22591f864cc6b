//! Health of the parts of a run.

use engine::LinkState;

use crate::input::DeviceState;
use crate::vr::HeadsetState;

/// The parts that can be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WatchedPart {
    Glove,
    Tracker,
    SecondGlove,
    SecondTracker,
    /// A hand without devices.
    Hand,
    Solver,
    Headset,
    /// A device that pushes a finger.
    PushDevice,
    /// The loops of force feedback.
    Feedback,
}

impl WatchedPart {
    pub(super) const ALL: [Self; 9] = [
        Self::Glove,
        Self::Tracker,
        Self::SecondGlove,
        Self::SecondTracker,
        Self::Hand,
        Self::Solver,
        Self::Headset,
        Self::PushDevice,
        Self::Feedback,
    ];
    /// Number of devices that send samples; they come first.
    pub(super) const N_DEVICES: usize = 4;
    /// The devices of each hand.
    pub(super) const HANDS: [[Self; 2]; 2] =
        [[Self::Glove, Self::Tracker], [Self::SecondGlove, Self::SecondTracker]];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Glove => "glove",
            Self::Tracker => "tracker",
            Self::SecondGlove => "glove 2",
            Self::SecondTracker => "tracker 2",
            Self::Hand => "hand",
            Self::Solver => "solver",
            Self::Headset => "headset",
            Self::PushDevice => "push device",
            Self::Feedback => "force feedback",
        }
    }

    /// What a part gives, which may be doubtful.
    pub(super) fn gives(self) -> &'static str {
        match self {
            Self::PushDevice | Self::Feedback => "forces",
            _ => "poses",
        }
    }

    /// True if the run goes on without this part: it only shows the scene, or lets it be felt.
    pub(super) fn is_spare(self) -> bool {
        matches!(self, Self::Headset | Self::PushDevice | Self::Feedback)
    }
}

/// Health of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PartHealth {
    Waiting(String),
    Good(String),
    /// Working, but what it gives is doubtful, for this reason.
    Doubtful(String),
    /// Not found yet; the program keeps trying.
    Missing(String),
    /// Not working now; the program keeps trying.
    Lost(String),
    /// Nothing more will come.
    Ended,
    /// Not working, and trying again would not help.
    Failed(String),
}

impl From<&DeviceState> for PartHealth {
    fn from(state: &DeviceState) -> Self {
        match state {
            DeviceState::Opening => Self::Waiting("opening".to_owned()),
            DeviceState::Live(what) => Self::Good(what.clone()),
            DeviceState::Late => Self::Waiting("late".to_owned()),
            DeviceState::Faulty(why) => Self::Lost((*why).to_owned()),
            DeviceState::Doubtful(why) => Self::Doubtful((*why).to_owned()),
            DeviceState::Silent => Self::Lost("open, but no data comes".to_owned()),
            DeviceState::Garbled => Self::Lost("open, but only damaged data comes".to_owned()),
            DeviceState::Missing(why) => Self::Missing(why.clone()),
            DeviceState::Lost(why) => Self::Lost(why.clone()),
            DeviceState::Ended => Self::Ended,
        }
    }
}

impl From<&LinkState> for PartHealth {
    fn from(state: &LinkState) -> Self {
        match state {
            LinkState::Preparing(what) => Self::Waiting(what.clone()),
            LinkState::Ready(what) => Self::Good(what.clone()),
            LinkState::Lost(why) => Self::Lost(why.clone()),
            LinkState::Failed(why) => Self::Failed(why.clone()),
        }
    }
}

impl From<&HeadsetState> for PartHealth {
    fn from(state: &HeadsetState) -> Self {
        match state {
            HeadsetState::Starting => Self::Waiting("asking the OpenXR runtime".to_owned()),
            HeadsetState::Waiting(what) => Self::Waiting(what.clone()),
            HeadsetState::Showing(what) => Self::Good(what.clone()),
            HeadsetState::Missing(why) => Self::Missing(why.clone()),
            HeadsetState::Lost(why) => Self::Lost(why.clone()),
            HeadsetState::Failed(why) => Self::Failed(why.clone()),
        }
    }
}

/// Health of the solvers of several things: the worst of them.
pub(super) fn of_solvers(states: impl Iterator<Item = LinkState>) -> PartHealth {
    let trouble = |state: &LinkState| match state {
        LinkState::Failed(_) => 3,
        LinkState::Lost(_) => 2,
        LinkState::Preparing(_) => 1,
        LinkState::Ready(_) => 0,
    };
    let worst = states.max_by_key(trouble);
    worst.map_or(PartHealth::Waiting("nothing to solve".to_owned()), |state| (&state).into())
}
