//! Writes a recording so that what is on disk can be read after a crash at any moment.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::codec::ChunkBuilder;
use super::event::DeviceId;
use super::head::{RecordingHeader, cut};
use super::{MAX_BYTES, MAX_KIND, MAX_TEXT};

/// An event waits in memory no longer than this, by the clock of the events.
const WRITE_AFTER: Duration = Duration::from_millis(100);
/// What was written is made to survive a power loss about this often, by the same clock.
const SYNC_AFTER: Duration = Duration::from_secs(1);

/// Why a recording could not be made or gone on with.
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

/// What to do with a file that is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Leave it alone and fail.
    Keep,
    Replace,
}

/// A recording in the making.
///
/// Time is only what the caller says: call [`Self::tick`] when nothing happens, or the last events
/// stay in memory. Writing to disk takes its time, some tens of milliseconds about once a second, so
/// a recording wants a thread of its own. Dropping the writer writes what is left; such a recording
/// reads as cut, since nobody finished it. After a failed write nothing more is written, for a gap
/// in the middle could not be seen later.
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
    /// All that was written has been synced.
    Synced,
    Unsynced,
    Failed,
}

impl RecordingWriter<File> {
    /// Makes the file at `path`. Event times count from `began`.
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
    /// Writes to anything; `flush` stands in for a disk's sync. Event times count from `began`.
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

    /// A device was opened as `kind` on the port `name`; `settings` set up its decoder.
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

    /// Bytes arrived.
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

    /// Bytes were written to the device.
    pub fn sent(&mut self, at: Instant, device: DeviceId, bytes: &[u8]) -> Result<(), WriteError> {
        for piece in pieces(bytes) {
            self.add(at, |chunk, at_us| chunk.sent(at_us, device, piece))?;
        }
        Ok(())
    }

    /// The device is gone.
    pub fn lost(&mut self, at: Instant, device: DeviceId, reason: &str) -> Result<(), WriteError> {
        self.add(at, |chunk, at_us| chunk.lost(at_us, device, cut(reason, MAX_TEXT)))
    }

    /// The person at the desk wants to find this moment again.
    pub fn mark(&mut self, at: Instant, text: &str) -> Result<(), WriteError> {
        self.add(at, |chunk, at_us| chunk.mark(at_us, cut(text, MAX_TEXT)))
    }

    /// Time passes: writes and syncs what has waited long enough.
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

    /// Writes and syncs all that there is.
    pub fn flush(&mut self, now: Instant) -> Result<(), WriteError> {
        self.refuse_if_failed()?;
        self.write_chunk()?;
        self.sync(self.micros(now))
    }

    /// Ends the recording in good order.
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

    /// Events from before the beginning count as at the beginning.
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

/// `bytes` in pieces that fit into an event; one empty piece if there are none.
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

/// Makes the file's entry in its folder survive a power loss.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}
