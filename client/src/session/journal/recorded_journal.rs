//! Reader of the journal in a recording: all of it, or only its beginning.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use drivers::recording::{DeviceId, EventKind, RecordingError, RecordingReader};
use interaction::grasp::GraspRules;
use interaction::thing::ThingParts;
use physics::Snapshot;

use super::{JournalError, JournalLine, KIND, lines};
use crate::session::ProfilesInUse;

/// Greatest length of a journal, in bytes; longer ones are refused.
const LONGEST: usize = 4 << 30;

/// Settings at the beginning of a run.
pub struct RunStart {
    pub rules: GraspRules,
    pub profiles_in_use: ProfilesInUse,
    pub things: Vec<ThingParts>,
    /// Initial states of things, by index, if the recording began in the middle of a run.
    pub states: Vec<(usize, Arc<Snapshot>)>,
}

/// The bytes of a journal.
pub struct RecordedJournal {
    pub bytes: Vec<u8>,
    /// True if the recording was not finished properly: its end may be missing.
    pub is_cut: bool,
    /// Time of the first pose of a hand, since the recording began.
    pub first_hand: Duration,
}

/// Reason why a recording's journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalReadError {
    #[error("the recording has no journal, expected a recording of `palpate squeeze --record`")]
    NoJournal,
    #[error(
        "{n} events are missing at {:.3} s: the disk was too slow during the recording",
        at.as_secs_f64()
    )]
    Missing { n: u64, at: Duration },
    #[error("the journal is longer than {LONGEST} bytes")]
    TooLong,
    #[error(transparent)]
    Recording(#[from] RecordingError),
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl RecordedJournal {
    /// Reads a whole journal. A cut recording gives what it has; a recording with missing events is
    /// refused.
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
    /// Reads the beginning of a recording's journal; `None` if it has no journal.
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

    /// States that were restored before the first event.
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

/// A recording from which the journal is being read.
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

    /// Takes an event. Returns false at the end.
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

    /// True while the beginning of the journal may go on. Lines of unknown kinds belong to it.
    fn is_at_head(&self) -> bool {
        let Some(whole) = self.journal.strip_suffix(b"\n") else { return true };
        let last = whole.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let later = [&br#"{"kind":"hand""#[..], br#"{"kind":"order""#, br#"{"kind":"passed""#];
        !later.iter().any(|kind| last.starts_with(kind))
    }
}
