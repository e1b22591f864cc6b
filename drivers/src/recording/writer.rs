//! Writes a recording, so that the file can be read after a crash at any moment.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::codec::ChunkBuilder;
use super::event::DeviceId;
use super::header::{RecordingHeader, cut};
use super::{MAX_BYTES, MAX_KIND, MAX_TEXT};

/// Longest time that an event waits in memory, by the clock of the events.
const WRITE_AFTER: Duration = Duration::from_millis(100);
/// Time between two syncs to disk, which protect against a power loss; by the same clock.
const SYNC_AFTER: Duration = Duration::from_secs(1);

/// Reason why a recording could not be created or continued.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("cannot make the recording {}", path.display())]
    Create { path: PathBuf, source: io::Error },
    #[error("cannot write the recording")]
    Write(#[source] io::Error),
    #[error("the recording stopped when it could not be written")]
    Stopped,
    #[error("{what} of a device has {got} bytes, expected at most {limit}")]
    TooLong { what: &'static str, got: usize, limit: usize },
}

/// Treatment of a file that exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Leave it alone and fail.
    Keep,
    Replace,
}

/// A recording in the making.
///
/// The writer has no clock: call [`Self::tick`] also while there are no events, or the last events
/// stay in memory. About once a second a write takes some tens of milliseconds, so a recording
/// needs its own thread. Dropping the writer writes the last events; such a recording reads as cut,
/// because it was not finished. After a failed write nothing more is written, because a gap in the
/// middle could not be detected later.
#[derive(Debug)]
pub struct RecordingWriter<W: Write> {
    to: W,
    sync: fn(&mut W) -> io::Result<()>,
    began: Instant,
    chunk: ChunkBuilder,
    synced_us: u64,
    health: Health,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Health {
    /// Everything that was written has been synced.
    Synced,
    Unsynced,
    Failed,
}

impl RecordingWriter<File> {
    /// Creates the file at `path`. Event times count from `began`.
    pub fn create(
        path: &Path,
        header: &RecordingHeader,
        began: Instant,
        existing: Existing,
    ) -> Result<Self, WriteError> {
        let failed = |source| WriteError::Create { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        match existing {
            Existing::Keep => options.write(true).create_new(true),
            Existing::Replace => options.write(true).create(true).truncate(true),
        };
        let file = options.open(path).map_err(failed)?;
        let mut writer = Self::with_sync(file, header, began, |file| file.sync_data())?;
        writer.to.sync_all().and_then(|()| sync_folder(path)).map_err(failed)?;
        writer.health = Health::Synced;
        Ok(writer)
    }
}

impl<W: Write> RecordingWriter<W> {
    /// Writes to any writer; its `flush` replaces the sync of a disk. Event times count from
    /// `began`.
    pub fn new(to: W, header: &RecordingHeader, began: Instant) -> Result<Self, WriteError> {
        Self::with_sync(to, header, began, |to| to.flush())
    }

    fn with_sync(
        mut to: W,
        header: &RecordingHeader,
        began: Instant,
        sync: fn(&mut W) -> io::Result<()>,
    ) -> Result<Self, WriteError> {
        let (head, seed) = header.encode();
        to.write_all(&head).map_err(WriteError::Write)?;
        let (chunk, health) = (ChunkBuilder::new(seed), Health::Unsynced);
        Ok(Self { to, sync, began, chunk, synced_us: 0, health })
    }

    /// Adds the event that a device was opened as `kind` on the port `name`; `settings` set up its
    /// decoder.
    pub fn opened(
        &mut self,
        at: Instant,
        device: DeviceId,
        kind: &str,
        name: &str,
        settings: &[u8],
    ) -> Result<(), WriteError> {
        check_length("kind", kind.len(), MAX_KIND)?;
        check_length("settings", settings.len(), MAX_BYTES)?;
        let name = cut(name, MAX_TEXT);
        self.add(at, |chunk, at_us| chunk.opened(at_us, device, kind, name, settings))
    }

    /// Adds bytes that arrived from the device.
    pub fn received(
        &mut self,
        at: Instant,
        device: DeviceId,
        bytes: &[u8],
    ) -> Result<(), WriteError> {
        for piece in pieces(bytes) {
            self.add(at, |chunk, at_us| chunk.received(at_us, device, piece))?;
        }
        Ok(())
    }

    /// Adds bytes that were written to the device.
    pub fn sent(&mut self, at: Instant, device: DeviceId, bytes: &[u8]) -> Result<(), WriteError> {
        for piece in pieces(bytes) {
            self.add(at, |chunk, at_us| chunk.sent(at_us, device, piece))?;
        }
        Ok(())
    }

    /// Adds the event that the device is gone.
    pub fn lost(&mut self, at: Instant, device: DeviceId, reason: &str) -> Result<(), WriteError> {
        self.add(at, |chunk, at_us| chunk.lost(at_us, device, cut(reason, MAX_TEXT)))
    }

    /// Adds a mark, with which the user can find this moment again.
    pub fn mark(&mut self, at: Instant, text: &str) -> Result<(), WriteError> {
        self.add(at, |chunk, at_us| chunk.mark(at_us, cut(text, MAX_TEXT)))
    }

    /// Writes and syncs the events that have waited long enough at `now`.
    pub fn tick(&mut self, now: Instant) -> Result<(), WriteError> {
        self.refuse_if_failed()?;
        let now_us = self.micros(now);
        if self.chunk.is_full() || self.chunk.age_us(now_us) >= micros(WRITE_AFTER) {
            self.write_chunk()?;
        }
        if self.health == Health::Unsynced
            && now_us.saturating_sub(self.synced_us) >= micros(SYNC_AFTER)
        {
            self.sync(now_us)?;
        }
        Ok(())
    }

    /// Writes and syncs all events.
    pub fn flush(&mut self, now: Instant) -> Result<(), WriteError> {
        self.refuse_if_failed()?;
        self.write_chunk()?;
        self.sync(self.micros(now))
    }

    /// Finishes the recording: adds the ended event, writes and syncs.
    pub fn finish(mut self, at: Instant) -> Result<(), WriteError> {
        self.add(at, ChunkBuilder::ended)?;
        self.flush(at)
    }

    fn add(
        &mut self,
        at: Instant,
        event: impl FnOnce(&mut ChunkBuilder, u64),
    ) -> Result<(), WriteError> {
        self.refuse_if_failed()?;
        let at_us = self.micros(at);
        event(&mut self.chunk, at_us);
        self.tick(at)
    }

    fn write_chunk(&mut self) -> Result<(), WriteError> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        let outcome = self.to.write_all(self.chunk.seal());
        self.chunk.clear();
        self.note(outcome, Health::Unsynced)
    }

    fn sync(&mut self, now_us: u64) -> Result<(), WriteError> {
        self.synced_us = now_us;
        let outcome = (self.sync)(&mut self.to);
        self.note(outcome, Health::Synced)
    }

    fn note(&mut self, outcome: io::Result<()>, if_well: Health) -> Result<(), WriteError> {
        self.health = if outcome.is_ok() { if_well } else { Health::Failed };
        outcome.map_err(WriteError::Write)
    }

    fn refuse_if_failed(&self) -> Result<(), WriteError> {
        match self.health {
            Health::Synced | Health::Unsynced => Ok(()),
            Health::Failed => Err(WriteError::Stopped),
        }
    }

    /// Microseconds from the beginning to `at`; 0 if `at` is before the beginning.
    fn micros(&self, at: Instant) -> u64 {
        micros(at.saturating_duration_since(self.began))
    }

    #[cfg(test)]
    pub(super) fn chunk_capacity(&self) -> usize {
        self.chunk.capacity()
    }
}

impl<W: Write> Drop for RecordingWriter<W> {
    fn drop(&mut self) {
        if self.health != Health::Failed
            && let Err(error) = self.write_chunk()
        {
            tracing::warn!(%error, "the last events of a recording are lost");
        }
    }
}

/// Splits `bytes` into pieces that fit into an event. Empty `bytes` give one empty piece.
fn pieces(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let empty = bytes.is_empty().then_some(bytes);
    empty.into_iter().chain(bytes.chunks(MAX_BYTES))
}

fn check_length(what: &'static str, got: usize, limit: usize) -> Result<(), WriteError> {
    if got <= limit { Ok(()) } else { Err(WriteError::TooLong { what, got, limit }) }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Syncs the file's folder, so that the file's entry in it survives a power loss.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}
