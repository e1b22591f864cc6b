//! Where a hand comes from, as a person chooses it: on the command line, or in the window while a run goes on.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use drivers::Side;
use drivers::replay::ReplayClock;
use engine::{Bell, Mailbox};

use super::WorkstationOptions;
use crate::command_line::{
    DeviceOptions, DeviceSource, HandMover, ProfilesFolder, SecondHand, SqueezeOptions,
};
use crate::input::{HandHistory, Steering};
use crate::session::HandSource;
use crate::vr::HeadsetLink;

/// Where a hand comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum HandChoice {
    /// Emulated devices that perform something.
    Emulated(EmulatedPerformance),
    /// Devices on ports.
    Ports {
        devices: DeviceOptions,
        second: SecondHand,
    },
    /// Mouse and keys move this one.
    Mouse(Side),
    /// Bare hands that a headset sees.
    Headset,
    Recording(RecordingChoice),
}

/// What emulated devices do.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EmulatedPerformance {
    /// By name or from a file; taking whatever stands there if nothing is said.
    pub script: Option<String>,
    /// The devices, if one of them is to be of another kind.
    pub devices: DeviceOptions,
    /// Whether there is a second hand.
    pub second: SecondHand,
}

/// A recording, and how it is played.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordingChoice {
    pub file: PathBuf,
    pub from: Duration,
    pub speed: f64,
    pub is_paused: bool,
    /// Whether it was played already, and goes on from elsewhere as it is played then.
    goes_on: bool,
}

impl RecordingChoice {
    /// From its beginning, at this speed.
    pub fn anew(file: PathBuf, speed: f64) -> Self {
        Self { file, from: Duration::ZERO, speed, is_paused: false, goes_on: false }
    }

    /// From elsewhere, as it is played now.
    pub fn sought(playback: &Playback, to: Duration) -> Self {
        let Playback { file, clock, length } = playback;
        Self {
            file: file.clone(),
            from: to.min(*length),
            speed: clock.speed().unwrap_or(1.0),
            is_paused: clock.is_paused(),
            goes_on: true,
        }
    }

    /// Lets another clock go on as this one goes now, if that is wanted: speed and pause may have been changed while the
    /// place was looked up.
    pub fn carry_on(&self, before: &ReplayClock, now: &ReplayClock) {
        if self.goes_on {
            now.set_speed(before.speed().unwrap_or(1.0));
            match before.is_paused() {
                true => now.pause(),
                false => now.go_on(),
            }
        }
    }
}

/// A recording that is being played.
#[derive(Debug, Clone)]
pub struct Playback {
    pub file: PathBuf,
    pub clock: ReplayClock,
    pub length: Duration,
}

/// What sources of hands are joined to.
#[derive(Clone)]
pub struct HandSourceContext {
    /// Rings when a hand has moved.
    pub bell: Arc<Bell>,
    /// How mouse and keys reach a hand.
    pub steering: Arc<Mailbox<Steering>>,
    /// A headset that sees hands.
    pub headset: Option<Arc<HeadsetLink>>,
    /// Where calibrations are kept.
    pub profiles: ProfilesFolder,
}

/// Hands that another source gives, ready to take over.
pub struct OpenedHands {
    pub source: HandSource,
    /// Where the hand is at first, if mouse and keys move it.
    pub driven: Option<Steering>,
    pub playback: Option<Playback>,
    /// What was done in a recording before it is played on.
    pub past: Option<HandHistory>,
}

impl HandChoice {
    /// What the command line asks for.
    pub fn of(hand: WorkstationOptions<'_>) -> Self {
        let squeeze = match hand {
            WorkstationOptions::Replay(replay) => {
                return Self::Recording(RecordingChoice::anew(replay.file.clone(), replay.speed));
            }
            WorkstationOptions::Squeeze(squeeze) => squeeze,
        };
        let SqueezeOptions { devices, second, script, .. } = squeeze;
        let is_port = |source: &Option<DeviceSource>| matches!(source, Some(DeviceSource::Port(_)));
        match squeeze.hand.unwrap_or(HandMover::Devices) {
            HandMover::Mouse => Self::Mouse(squeeze.side().into()),
            HandMover::Openxr => Self::Headset,
            HandMover::Devices if is_port(&devices.glove) || is_port(&devices.tracker) => {
                Self::Ports { devices: devices.clone(), second: second.clone() }
            }
            HandMover::Devices => Self::Emulated(EmulatedPerformance {
                script: script.clone(),
                devices: devices.clone(),
                second: second.clone(),
            }),
        }
    }

    /// Whether both need the same port, which only one can have at a time.
    pub fn shares_port_with(&self, other: &Self) -> bool {
        let theirs = other.ports();
        self.ports().iter().any(|port| theirs.contains(port))
    }

    fn ports(&self) -> Vec<PathBuf> {
        let (devices, second) = match self {
            Self::Emulated(EmulatedPerformance { devices, second, .. })
            | Self::Ports { devices, second } => (devices, second),
            Self::Mouse(_) | Self::Headset | Self::Recording(_) => return Vec::new(),
        };
        let all = [&devices.glove, &devices.tracker, &second.second_glove, &second.second_tracker];
        let port = |source: &DeviceSource| match source {
            DeviceSource::Port(path) => Some(port_at(path)),
            DeviceSource::Emulated => None,
        };
        all.into_iter().flatten().filter_map(port).collect()
    }

    /// In a few words.
    pub fn name(&self) -> String {
        let at = |source: &Option<DeviceSource>| match source {
            Some(DeviceSource::Port(path)) => path.clone(),
            Some(DeviceSource::Emulated) | None => "an emulated one".to_owned(),
        };
        match self {
            Self::Emulated(EmulatedPerformance { script: None, .. }) => {
                "emulated devices".to_owned()
            }
            Self::Emulated(EmulatedPerformance { script: Some(script), .. }) => {
                format!("emulated devices, {script}")
            }
            Self::Ports { devices, .. } => {
                format!(
                    "the glove at {} and the tracker at {}",
                    at(&devices.glove),
                    at(&devices.tracker)
                )
            }
            Self::Mouse(side) => format!("mouse and keys, {} hand", side.name()),
            Self::Headset => "the headset".to_owned(),
            Self::Recording(RecordingChoice { file, .. }) => {
                format!("the recording {}", file.display())
            }
        }
    }
}

/// One port may have several names. One that is not there has only this one.
pub(super) fn port_at(path: &str) -> PathBuf {
    Path::new(path).canonicalize().unwrap_or_else(|_| path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(glove: &str, tracker: &str) -> HandChoice {
        let port = |path: &str| Some(DeviceSource::Port(path.to_owned()));
        let devices = DeviceOptions {
            glove: port(glove),
            tracker: port(tracker),
            ..DeviceOptions::default()
        };
        HandChoice::Ports { devices, second: SecondHand::default() }
    }

    #[cfg(unix)]
    #[test]
    fn a_port_is_the_same_under_each_of_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let name = |name: &str| folder.path().join(name).display().to_string();
        let (port, alias) = (name("ttyUSB0"), name("by-id"));
        std::fs::write(&port, "").unwrap();
        std::os::unix::fs::symlink(&port, &alias).unwrap();
        let now = at(&port, "/nowhere/1");
        assert!(now.shares_port_with(&at("/nowhere/2", &alias)));
        assert!(now.shares_port_with(&at("/nowhere/1", "/nowhere/2")), "one that is not there");
        assert!(!now.shares_port_with(&at("/nowhere/2", "/nowhere/3")));
        assert!(!now.shares_port_with(&HandChoice::Mouse(Side::Right)));
        let emulated = HandChoice::Emulated(EmulatedPerformance::default());
        assert!(!emulated.shares_port_with(&emulated));
    }
}
