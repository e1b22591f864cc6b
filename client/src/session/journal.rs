//! Journal of a run, from which the run can be replayed bit for bit.
//!
//! A recording holds the bytes of the devices. The journal beside them records, as lines of JSON,
//! everything that reached the table, in order. It begins with the settings, emulators and objects.
//! Then follow every pose of a hand with the records from which it was made, every order, every
//! time step, and every frame with a digest of its bits. `lines` defines the lines, and
//! `recorded_journal` finds a journal in a recording.

mod contact;
mod digest;
mod error;
mod lines;
mod orders;
mod person;
mod pose_numbers;
mod recorded_journal;
mod recorded_poses;
mod state;
mod thing;

use std::sync::Arc;

use calibration::HandPose;
use drivers::Side;
use drivers::recorder::Notes;
use drivers::recording::DeviceId;
use interaction::grasp::GraspRules;
use interaction::shape_history::{RestShape, ShapeId};
use interaction::tabletop::Order;
use interaction::thing::{Thing, ThingParts};
use physics::{SampleId, SurfaceFrame};

use super::ProfilesInUse;
use crate::input::PairedRecords;

pub(super) use digest::digest;
pub use error::JournalError;
pub(super) use lines::{JournalLine, PairedRecordsFile, lines, shapes};
pub(super) use orders::OrderFile;
pub(super) use pose_numbers::{first_difference, hand_pose};
use pose_numbers::{numbers, placed};
pub use recorded_journal::{JournalReadError, RecordedJournal, RunStart};

/// Device kind of a journal in a recording.
pub const KIND: &str = "palpate-journal";
/// Version of the journal's lines. Version 3 added densities, states and overtaken touches, version
/// 4 contact.
const VERSION: u32 = 4;
/// Oldest version that can be read.
const OLDEST: u32 = 2;

/// An emulated device of a recorded run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmulatedDevice {
    pub device: DeviceId,
    /// Description in words.
    pub what: String,
    /// Seed of the device's random numbers.
    pub seed: u64,
    /// Motion of the hand, in the format of `palpate emulate --script`.
    pub script: String,
}

/// Settings at the beginning of a run.
pub(super) struct JournalSettings<'a> {
    pub(super) rules: &'a GraspRules,
    pub(super) profiles_in_use: &'a ProfilesInUse,
    pub(super) emulated: &'a [EmulatedDevice],
    pub(super) things: &'a [ThingParts],
}

/// Writes a journal.
pub(super) struct Journal {
    notes: Notes,
    line: Vec<u8>,
    /// Answers to samples up to this one belong to the time before the journal.
    begins_after: u64,
    /// True if the same file holds the devices' bytes of the whole run.
    has_bytes: bool,
}

impl Journal {
    /// Creates a journal at the beginning of a run, and writes the settings.
    pub(super) fn begin(notes: Notes, settings: &JournalSettings<'_>) -> Self {
        let mut journal = Self { notes, line: Vec::new(), begins_after: 0, has_bytes: true };
        journal.write(&JournalLine::Settings {
            version: VERSION,
            rules: settings.rules.in_words(),
            person: settings.profiles_in_use.into(),
        });
        for EmulatedDevice { device, what, seed, script } in settings.emulated {
            let (what, script) = (what.clone(), script.clone());
            journal.write(&JournalLine::Emulated {
                device: device.number(),
                what,
                seed: *seed,
                script,
            });
        }
        for thing in settings.things {
            journal.write(&JournalLine::Thing(thing.into()));
        }
        journal
    }

    pub(super) fn hand(
        &mut self,
        side: Side,
        pose: &HandPose,
        from: Option<&PairedRecords>,
        sample: SampleId,
        time: f64,
    ) {
        let (angles, wrist) = (numbers(&pose.angles), placed(&pose.world_from_wrist));
        // Records outside of the file cannot be decoded again.
        let from = from.filter(|_| self.has_bytes);
        let (hand, from) = (side.into(), from.map(PairedRecordsFile::from));
        self.write(&JournalLine::Hand { hand, sample: sample.0, time, angles, wrist, from });
    }

    pub(super) fn gone(&mut self, side: Side, why: &str, sample: SampleId, time: f64) {
        let (hand, why) = (side.into(), why.to_owned());
        self.write(&JournalLine::Gone { hand, why, sample: sample.0, time });
    }

    pub(super) fn passed(&mut self, sample: SampleId, time: f64) {
        self.write(&JournalLine::Passed { sample: sample.0, time });
    }

    pub(super) fn order(&mut self, order: &Order) {
        self.write(&JournalLine::Order(order.into()));
    }

    pub(super) fn frame(&mut self, thing: usize, shape: ShapeId, frame: &SurfaceFrame) {
        let (sample, digest) = (frame.sample.0, digest(frame));
        let restored = frame.history.restored.as_deref();
        // A restored state is written in full, so it may be from before the journal.
        if sample == 0 || sample > self.begins_after || restored.is_some() {
            let restored = restored.map(|snapshot| Box::new(snapshot.into()));
            let overtaken = frame.history.overtaken.iter().map(|sample| sample.0);
            let overtaken = overtaken.filter(|sample| *sample > self.begins_after).collect();
            let shape = shape.0;
            self.write(&JournalLine::Frame { thing, shape, sample, digest, restored, overtaken });
        }
    }

    /// Writes the first frame of a thing in the middle of a run: at rest, or in a restored state.
    pub(super) fn first_frame(&mut self, thing: usize, shape: ShapeId, frame: &SurfaceFrame) {
        let restored = frame.history.restored.as_deref().filter(|_| frame.is_restored());
        let restored = restored.map(|snapshot| Box::new(snapshot.into()));
        let sample = restored.as_ref().map_or(0, |_| frame.sample.0);
        let (shape, digest, overtaken) = (shape.0, digest(frame), Vec::new());
        self.write(&JournalLine::Frame { thing, shape, sample, digest, restored, overtaken });
    }

    /// Writes the shape history of a thing.
    pub(super) fn shapes(&mut self, thing: usize, of: &Thing) {
        let (made, at, n_begun) = of.shapes().history();
        let file = |(shape, spec): &RestShape| {
            (shape.0, (&ThingParts { spec: Arc::clone(spec), colours: None, ..of.parts() }).into())
        };
        let made = made.iter().map(file).collect();
        self.write(&JournalLine::Shapes { thing, made, at, n_begun });
    }

    /// Sets that the journal begins in the middle of a run: answers to samples up to this one do
    /// not belong to it, and the file does not hold the devices' bytes.
    pub(super) fn begin_after(&mut self, sample: u64) {
        (self.begins_after, self.has_bytes) = (sample, false);
    }

    pub(super) fn made(&mut self, thing: usize, shape: ShapeId, was_found: bool) {
        self.write(&JournalLine::Made { thing, shape: shape.0, was_found });
    }

    fn write(&mut self, line: &JournalLine) {
        self.line.clear();
        serde_json::to_writer(&mut self.line, line).expect("numbers and texts have JSON");
        self.line.push(b'\n');
        self.notes.write(&self.line);
    }
}
