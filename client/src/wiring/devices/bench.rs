//! Finds a place for each device: a port, or an emulator that is started for it.

use std::time::Instant;

use drivers::keeper::{Lines, PortLines};
use drivers::recorder::Recorder;
use drivers::recording::DeviceId;
use emulators::{Emulator, Motion, ScriptClock};

use super::Place;
use super::sources::Sources;
use crate::command_line::{EmulatedDevice, GloveModel, HandSide, Source};
use crate::wiring::emulated::{performing, tracking_both};

/// What a device is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Glove,
    Tracker,
    SecondGlove,
    SecondTracker,
}

impl Slot {
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

    fn at(self, source: &Source, path: &str) -> String {
        let (second, name) = match self {
            Self::Glove => ("", "glove"),
            Self::Tracker => ("", "tracker"),
            Self::SecondGlove => ("second ", "glove"),
            Self::SecondTracker => ("second ", "tracker"),
        };
        match source {
            Source::Port(path) => format!("the {second}{name} at {path}"),
            Source::Emulated if second.is_empty() => format!("an emulated {name} ({path})"),
            Source::Emulated => format!("a {second}emulated {name} ({path})"),
        }
    }
}

/// An emulated second hand does the same as the first on the other side of a plane, which is so far to the
/// right of the transmitter: what the first takes in the middle of the scene, the second takes 25 cm to the
/// left of it.
const MIRROR_CM: f64 = -12.5;

/// All that is needed to find places.
pub(super) struct Bench<'a> {
    clock: ScriptClock,
    /// What each hand does.
    scripts: [Motion; 2],
    /// Whether one tracker sees both hands.
    is_tracker_shared: bool,
    glove_model: GloveModel,
    recorder: Option<&'a Recorder>,
    emulators: Vec<Emulator>,
    /// What is where.
    words: Vec<String>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(
        sources: &Sources,
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
            words: Vec::new(),
        }
    }

    /// The place of a device; starts its emulator if that is where it is.
    pub(super) fn place(&mut self, slot: Slot, source: &Source) -> anyhow::Result<Place> {
        let path = match source {
            Source::Port(path) => path.clone(),
            Source::Emulated => {
                let emulator = self.emulate(slot)?;
                let path = emulator.path().to_owned();
                self.emulators.push(emulator);
                path
            }
        };
        self.words.push(slot.at(source, &path));
        let lines: Box<dyn Lines> = Box::new(PortLines);
        let lines = match self.recorder {
            Some(recorder) => recorder.listen(slot.id(), lines),
            None => lines,
        };
        Ok(Place { path, lines })
    }

    /// The emulators that were started, and what is where.
    pub(super) fn finish(self) -> (Vec<Emulator>, String) {
        let description = match self.words.as_slice() {
            [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
            words => words.concat(),
        };
        (self.emulators, description)
    }

    fn emulate(&self, slot: Slot) -> anyhow::Result<Emulator> {
        let glove = match self.glove_model {
            GloveModel::Cyberglove => EmulatedDevice::Glove,
            GloveModel::Opengloves => EmulatedDevice::Lucidglove,
        };
        let [first, second] = self.scripts.clone();
        let (device, hand, script) = match slot {
            Slot::Tracker if self.is_tracker_shared => {
                return tracking_both([first, second], self.clock);
            }
            Slot::Glove => (glove, HandSide::Right, first),
            Slot::Tracker => (EmulatedDevice::Tracker, HandSide::Right, first),
            Slot::SecondGlove => (glove, HandSide::Left, second),
            Slot::SecondTracker => (EmulatedDevice::Tracker, HandSide::Left, second),
        };
        performing(device, hand, script, self.clock)
    }
}
