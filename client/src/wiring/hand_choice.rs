//! Source of a hand, chosen on the command line or in the window during a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use drivers::Side;
use drivers::replay::ReplayClock;
use engine::{Bell, Mailbox};

use super::WorkstationOptions;
use crate::command_line::{
    DeviceOptions, DeviceSource, HandMover, HandPosition, ProfilesFolder, SecondHand,
    SqueezeOptions,
};
use crate::input::{HandHistory, Steering};
use crate::session::HandSource;
use crate::vr::HeadsetLink;

/// Source of a hand.
#[derive(Debug, Clone, PartialEq)]
pub enum HandChoice {
    /// Emulated devices that perform a script.
    Emulated(EmulatedPerformance),
    /// Devices on ports.
    Ports {
        devices: DeviceOptions,
        second: SecondHand,
    },
    /// Mouse and keys move this one.
    Mouse(Side),
    /// Hands that a headset tracks.
    Headset,
    Recording(RecordingChoice),
}

/// Motion of emulated devices.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EmulatedPerformance {
    /// Script by name or from a file; `None` grasps the object on the table.
    pub script: Option<String>,
    /// Options of the devices, if one differs from the default.
    pub devices: DeviceOptions,
    /// True if there is a second hand.
    pub second: SecondHand,
}

/// A recording and its playback.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordingChoice {
    pub file: PathBuf,
    pub from: Duration,
    pub speed: f64,
    pub is_paused: bool,
    /// True for a seek: keep the speed and pause state that the player has when the seek completes.
    goes_on: bool,
}

impl RecordingChoice {
    /// Plays from the beginning, at this speed.
    pub fn anew(file: PathBuf, speed: f64) -> Self {
        Self { file, from: Duration::ZERO, speed, is_paused: false, goes_on: false }
    }

    /// Plays from another position, with the current speed and pause state.
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

    /// For a seek, copies speed and pause state to another clock: they may have changed while the
    /// position was computed.
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

/// Connections of hand sources to the rest of the program.
#[derive(Clone)]
pub struct HandSourceContext {
    /// Rings when a hand has moved.
    pub bell: Arc<Bell>,
    /// Channel of mouse and keys to a hand.
    pub steering: Arc<Mailbox<Steering>>,
    /// Headset with hand tracking.
    pub headset: Option<Arc<HeadsetLink>>,
    /// Store of calibration profiles.
    pub profiles: ProfilesFolder,
}

/// Hands of another source, ready to use.
pub struct OpenedHands {
    pub source: HandSource,
    /// Initial pose of the hand, if mouse and keys move it.
    pub driven: Option<Steering>,
    pub playback: Option<Playback>,
    /// Events of a recording before the playback position.
    pub past: Option<HandHistory>,
}

impl HandChoice {
    /// Returns the source that the command line asks for.
    pub fn of(hand: WorkstationOptions<'_>) -> Self {
        let squeeze = match hand {
            WorkstationOptions::Replay(replay) => {
                return Self::Recording(RecordingChoice::anew(replay.file.clone(), replay.speed));
            }
            WorkstationOptions::Squeeze(squeeze) => squeeze,
        };
        let SqueezeOptions { devices, second, script, .. } = squeeze;
        let position = squeeze.hand_position.or(devices.position);
        let devices = &DeviceOptions { position, ..devices.clone() }.with_guessed_position(squeeze);
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

    /// True if mouse and keys move the hand, and a glove bends its fingers.
    pub fn is_glove_moved_by_mouse(&self) -> bool {
        match self {
            Self::Emulated(EmulatedPerformance { devices, .. }) | Self::Ports { devices, .. } => {
                devices.position == Some(HandPosition::Mouse)
            }
            Self::Mouse(_) | Self::Headset | Self::Recording(_) => false,
        }
    }

    /// True if a headset has to look for hands.
    pub fn needs_headset(&self) -> bool {
        match self {
            Self::Emulated(EmulatedPerformance { devices, .. }) | Self::Ports { devices, .. } => {
                devices.position == Some(HandPosition::Headset)
            }
            Self::Headset => true,
            Self::Mouse(_) | Self::Recording(_) => false,
        }
    }

    /// True if both sources need the same port, which only one can open.
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

    /// Returns a short description.
    pub fn name(&self) -> String {
        let at = |source: &Option<DeviceSource>| match source {
            Some(DeviceSource::Port(path)) => path.clone(),
            Some(DeviceSource::Emulated) | None => "an emulated one".to_owned(),
        };
        match self {
            Self::Emulated(EmulatedPerformance { devices, .. }) if devices.position.is_some() => {
                let position = devices.position.map_or("mouse", HandPosition::name);
                format!("an emulated glove and the {position}")
            }
            Self::Emulated(EmulatedPerformance { script: None, .. }) => {
                "emulated devices".to_owned()
            }
            Self::Emulated(EmulatedPerformance { script: Some(script), .. }) => {
                format!("emulated devices, {script}")
            }
            Self::Ports { devices, .. } if devices.tracker.is_none() => {
                let position = devices.position.unwrap_or(HandPosition::Mouse).name();
                format!("the glove at {} and the {position}", at(&devices.glove))
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

impl DeviceOptions {
    /// Chooses what moves a glove without a tracker, if the command line does not say.
    fn with_guessed_position(self, squeeze: &SqueezeOptions) -> Self {
        let is_alone = matches!(self.glove, Some(DeviceSource::Port(_))) && self.tracker.is_none();
        if !is_alone || self.position.is_some() {
            return self;
        }
        let position = if squeeze.run.vr { HandPosition::Headset } else { HandPosition::Mouse };
        Self { position: Some(position), ..self }
    }
}

/// Resolves links, because one port may have several names. A missing port keeps its name.
pub(super) fn port_at(path: &str) -> PathBuf {
    Path::new(path).canonicalize().unwrap_or_else(|_| path.into())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::command_line::CommandLine;

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

    #[test]
    fn what_moves_a_glove_without_a_tracker_is_guessed() {
        let check = |line: &str, expected: Option<HandPosition>| {
            let words = std::iter::once("palpate").chain(line.split_ascii_whitespace());
            let parsed = CommandLine::try_parse_from(words).unwrap();
            let choice = HandChoice::of(WorkstationOptions::Squeeze(&parsed.squeeze));
            let found = match &choice {
                HandChoice::Emulated(EmulatedPerformance { devices, .. })
                | HandChoice::Ports { devices, .. } => devices.position,
                other => panic!("{other:?}"),
            };
            assert_eq!(found, expected, "{line}");
            assert_eq!(choice.needs_headset(), expected == Some(HandPosition::Headset));
            assert_eq!(choice.is_glove_moved_by_mouse(), expected == Some(HandPosition::Mouse));
        };
        let (mouse, headset) = (Some(HandPosition::Mouse), Some(HandPosition::Headset));
        check("", None);
        check("--glove a --tracker b", None);
        check("--glove a", mouse);
        check("--glove a --vr", headset);
        check("--glove a --vr --hand-position mouse", mouse);
        check("--hand-position headset", headset);
        check("--hand-position mouse", mouse);
        let named = |line: &str| {
            let words = std::iter::once("palpate").chain(line.split_ascii_whitespace());
            let parsed = CommandLine::try_parse_from(words).unwrap();
            HandChoice::of(WorkstationOptions::Squeeze(&parsed.squeeze)).name()
        };
        assert_eq!(named("--glove /dev/a"), "the glove at /dev/a and the mouse");
        assert_eq!(named("--hand-position headset"), "an emulated glove and the headset");
    }
}
