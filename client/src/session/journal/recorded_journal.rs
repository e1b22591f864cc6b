//! The journal in a recording: all of it, or only what the run began with.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use drivers::recording::{DeviceId, EventKind, RecordingError, RecordingReader};
use interaction::grasp::GraspRules;
use interaction::thing::ThingParts;
use physics::Snapshot;

use super::{JournalError, JournalLine, KIND, lines};
use crate::session::ProfilesInUse;

/// A journal longer than this is not ours.
const LONGEST: usize = 4 << 30;

/// What a run began with.
pub struct RunStart {
    pub rules: GraspRules,
    pub profiles_in_use: ProfilesInUse,
    pub things: Vec<ThingParts>,
    /// States that things began in, by their number, if a recording began in the middle of a run.
    pub states: Vec<(usize, Arc<Snapshot>)>,
}

/// All lines of a journal, as bytes, and whether they are all.
pub struct RecordedJournal {
    pub bytes: Vec<u8>,
    /// The recording was not finished in good order: something may be missing at its end.
    pub is_cut: bool,
    /// When the first hand was noted down, since the recording began.
    pub first_hand: Duration,
}

/// Why a recording's journal cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum JournalReadError {
    #[error("there is no journal in it, expected a recording of `palpate squeeze --record`")]
    NoJournal,
    #[error("{n} events are missing at {:.3} s: the disk was too slow when it was recorded", at.as_secs_f64())]
    Missing { n: u64, at: Duration },
    #[error("the journal is longer than {LONGEST} bytes")]
    TooLong,
    #[error(transparent)]
    Recording(#[from] RecordingError),
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl RecordedJournal {
    /// All that the journal says. A cut recording gives what it has; one with a hole is refused.
    pub fn read(file: &Path) -> Result<Self, JournalReadError> {
        let mut reader = JournalReader::open(file)?;
        while reader.next()? {}
        match reader.journal.is_empty() {
            true => Err(JournalReadError::NoJournal),
            false => {
                let first_hand = reader.first_hand.unwrap_or_default();
                Ok(Self { bytes: reader.journal, is_cut: reader.is_cut, first_hand })
            }
        }
    }
}

impl RunStart {
    /// What the journal of a recording begins with; `None` if there is no journal in it.
    pub fn read(file: &Path) -> Result<Option<Self>, JournalReadError> {
        let mut reader = JournalReader::open(file)?;
        while reader.is_at_head() && reader.next()? {}
        match reader.journal.is_empty() {
            true => Ok(None),
            false => {
                let mut lines = lines(&reader.journal).peekable();
                let mut start = Self::take(&mut lines)?;
                start.states = Self::states(lines)?;
                Ok(Some(start))
            }
        }
    }

    /// States that objects were put into before anything happened to them.
    fn states(
        lines: impl Iterator<Item = Result<JournalLine, JournalError>>,
    ) -> Result<Vec<(usize, Arc<Snapshot>)>, JournalError> {
        let mut states = Vec::new();
        for line in lines {
            match line? {
                JournalLine::Frame { thing, restored: Some(state), .. } => {
                    let snapshot = state.snapshot().ok_or(JournalError::State)?;
                    states.push((thing, Arc::new(snapshot)));
                }
                JournalLine::Frame { restored: None, .. } | JournalLine::Shapes { .. } => {}
                _ => break,
            }
        }
        Ok(states)
    }

    /// Takes the first lines of a journal.
    pub(in crate::session) fn take(
        lines: &mut std::iter::Peekable<impl Iterator<Item = Result<JournalLine, JournalError>>>,
    ) -> Result<Self, JournalError> {
        let Some(JournalLine::Settings { rules, person, .. }) = lines.next().transpose()? else {
            return Err(JournalError::NoSettings);
        };
        let (rules, profiles_in_use) = (GraspRules::with(&rules)?, person.profiles_in_use()?);
        let mut things = Vec::new();
        let is_head = |line: &Result<JournalLine, JournalError>| {
            matches!(line, Ok(JournalLine::Thing(_) | JournalLine::Emulated { .. }))
        };
        while let Some(line) = lines.next_if(is_head) {
            if let JournalLine::Thing(thing) = line? {
                things.push(thing.thing()?);
            }
        }
        Ok(Self { rules, profiles_in_use, things, states: Vec::new() })
    }
}

/// A recording on its way to its journal.
struct JournalReader {
    events: RecordingReader<std::fs::File>,
    device: Option<DeviceId>,
    journal: Vec<u8>,
    is_cut: bool,
    first_hand: Option<Duration>,
}

impl JournalReader {
    fn open(file: &Path) -> Result<Self, JournalReadError> {
        let events = RecordingReader::open(file)?;
        let (device, journal, first_hand) = (None, Vec::new(), None);
        Ok(Self { events, device, journal, is_cut: false, first_hand })
    }

    /// Takes an event; says whether there was one.
    fn next(&mut self) -> Result<bool, JournalReadError> {
        let event = match self.events.next() {
            Some(Ok(event)) => event,
            Some(Err(RecordingError::Cut { .. })) => {
                self.is_cut = true;
                return Ok(false);
            }
            Some(Err(error)) => return Err(error.into()),
            None => return Ok(false),
        };
        if let Some(n) = event.what.n_missing() {
            return Err(JournalReadError::Missing { n, at: event.at });
        }
        match event.what {
            EventKind::Opened { device, kind, .. } if kind == KIND => self.device = Some(device),
            EventKind::Received { device, bytes } if Some(device) == self.device => {
                if self.journal.len() + bytes.len() > LONGEST {
                    return Err(JournalReadError::TooLong);
                }
                if self.first_hand.is_none() && bytes.starts_with(br#"{"kind":"hand""#) {
                    self.first_hand = Some(event.at);
                }
                self.journal.extend(bytes);
            }
            EventKind::Opened { .. }
            | EventKind::Received { .. }
            | EventKind::Sent { .. }
            | EventKind::Lost { .. }
            | EventKind::Mark { .. }
            | EventKind::Ended => {}
        }
        Ok(true)
    }

    /// Whether the lines so far are all of those that a journal begins with. Lines that are not
    /// known to come later belong to it.
    fn is_at_head(&self) -> bool {
        let Some(whole) = self.journal.strip_suffix(b"\n") else { return true };
        let last = whole.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let later = [&br#"{"kind":"hand""#[..], br#"{"kind":"order""#, br#"{"kind":"passed""#];
        !later.iter().any(|kind| last.starts_with(kind))
    }
}
