//! Finds the port of each device, or starts an emulator for it.

use std::time::Instant;

use drivers::line_source::{LineSource, SystemLines};
use drivers::recorder::Recorder;
use drivers::recording::DeviceId;
use emulators::{Emulator, LineOptions, Motion, ScriptClock};

use super::DevicePlace;
use super::device_sources::DeviceSources;
use crate::command_line::{DeviceSource, EmulatedDevice as EmulatedKind, GloveModel, HandSide};
use crate::session::EmulatedDevice;
use crate::wiring::emulated_devices::{performing, tracking_both};

/// Use of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeviceRole {
    Glove,
    Tracker,
    SecondGlove,
    SecondTracker,
}

impl DeviceRole {
    /// The device's number in our recordings.
    pub(super) const fn id(self) -> DeviceId {
        let number = match self {
            Self::Glove => 0,
            Self::Tracker => 1,
            Self::SecondGlove => 2,
            Self::SecondTracker => 3,
        };
        DeviceId::new(number).expect("there are fewer than 32 of them")
    }

    fn at(self, source: &DeviceSource, path: &str) -> String {
        let (second, name) = match self {
            Self::Glove => ("", "glove"),
            Self::Tracker => ("", "tracker"),
            Self::SecondGlove => ("second ", "glove"),
            Self::SecondTracker => ("second ", "tracker"),
        };
        match source {
            DeviceSource::Port(path) => format!("the {second}{name} at {path}"),
            DeviceSource::Emulated if second.is_empty() => format!("an emulated {name} ({path})"),
            DeviceSource::Emulated => format!("a {second}emulated {name} ({path})"),
        }
    }
}

/// Distance of the mirror plane to the right of the transmitter. An emulated second hand mirrors
/// the first in it: while the first hand works in the middle of the scene, the second works 25 cm
/// to its left.
const MIRROR_CM: f64 = -12.5;

/// Data to find ports and start emulators.
pub(super) struct DevicePlaces<'a> {
    clock: ScriptClock,
    /// Motion of each hand.
    scripts: [Motion; 2],
    /// True if one tracker serves both hands.
    is_tracker_shared: bool,
    glove_model: GloveModel,
    recorder: Option<&'a Recorder>,
    emulators: Vec<Emulator>,
    emulated: Vec<EmulatedDevice>,
    /// Descriptions of the devices.
    words: Vec<String>,
}

/// The emulators that were started.
pub(super) struct StartedEmulators {
    pub(super) emulators: Vec<Emulator>,
    /// Motions of the emulators.
    pub(super) emulated: Vec<EmulatedDevice>,
    /// Descriptions of all devices.
    pub(super) description: String,
}

impl<'a> DevicePlaces<'a> {
    pub(super) fn new(
        sources: &DeviceSources,
        glove_model: GloveModel,
        script: &Motion,
        recorder: Option<&'a Recorder>,
    ) -> Self {
        let second = sources.second.as_ref();
        Self {
            clock: ScriptClock::since(Instant::now()),
            scripts: [script.clone(), script.mirrored(MIRROR_CM)],
            is_tracker_shared: second.is_some_and(|second| second.tracker.is_none()),
            glove_model,
            recorder,
            emulators: Vec::new(),
            emulated: Vec::new(),
            words: Vec::new(),
        }
    }

    /// Returns the port of a device; starts its emulator if it is emulated.
    pub(super) fn place(
        &mut self,
        role: DeviceRole,
        source: &DeviceSource,
    ) -> anyhow::Result<DevicePlace> {
        let path = match source {
            DeviceSource::Port(path) => path.clone(),
            DeviceSource::Emulated => {
                let emulator = self.emulate(role)?;
                let path = emulator.path().to_owned();
                self.emulators.push(emulator);
                path
            }
        };
        self.words.push(role.at(source, &path));
        let lines: Box<dyn LineSource> = Box::new(SystemLines);
        let lines = match self.recorder {
            Some(recorder) => recorder.listen(role.id(), lines),
            None => lines,
        };
        Ok(DevicePlace { path, lines })
    }

    /// Returns the started emulators.
    pub(super) fn finish(self) -> StartedEmulators {
        let description = match self.words.as_slice() {
            [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
            words => words.concat(),
        };
        StartedEmulators { emulators: self.emulators, emulated: self.emulated, description }
    }

    fn emulate(&mut self, role: DeviceRole) -> anyhow::Result<Emulator> {
        let glove = match self.glove_model {
            GloveModel::Cyberglove => EmulatedKind::Glove,
            GloveModel::Opengloves => EmulatedKind::Lucidglove,
        };
        let [first, second] = self.scripts.clone();
        let line = LineOptions::default();
        let mut note = |what: &str, script: &Motion| {
            self.emulated.push(EmulatedDevice {
                device: role.id(),
                what: what.to_owned(),
                seed: line.faults.seed(),
                script: script.to_text(),
            });
        };
        let (device, hand, script) = match role {
            DeviceRole::Tracker if self.is_tracker_shared => {
                note("a tracker's first receiver, on a right hand", &first);
                note("a tracker's second receiver, on a left hand", &second);
                return tracking_both(&line, [first, second], self.clock);
            }
            DeviceRole::Glove => (glove, HandSide::Right, first),
            DeviceRole::Tracker => (EmulatedKind::Tracker, HandSide::Right, first),
            DeviceRole::SecondGlove => (glove, HandSide::Left, second),
            DeviceRole::SecondTracker => (EmulatedKind::Tracker, HandSide::Left, second),
        };
        note(in_words(device, hand), &script);
        performing(&line, device, hand, script, self.clock)
    }
}

fn in_words(device: EmulatedKind, hand: HandSide) -> &'static str {
    match (device, hand) {
        (EmulatedKind::Glove, HandSide::Left) => "a CyberGlove on a left hand",
        (EmulatedKind::Glove, HandSide::Right) => "a CyberGlove on a right hand",
        (EmulatedKind::Tracker, HandSide::Left) => "a tracker's receiver on a left hand",
        (EmulatedKind::Tracker, HandSide::Right) => "a tracker's receiver on a right hand",
        (EmulatedKind::Lucidglove, HandSide::Left) => "a LucidGlove on a left hand",
        (EmulatedKind::Lucidglove, HandSide::Right) => "a LucidGlove on a right hand",
    }
}
