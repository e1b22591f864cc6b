//! Reads a recording, and continues after damaged parts.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::codec::{CHUNK_HEAD, ChunkEvents, Malformed, checksum, is_marker, payload_length};
use super::event::{Event, EventKind};
use super::header::RecordingHeader;
use super::read_buffer::ReadBuffer;

/// Error in a recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error("cannot read the recording")]
    Read(#[from] io::Error),
    #[error("this is not a recording: its first bytes are not those of one")]
    NotARecording,
    #[error("the recording has format version {found}, expected at most {supported}")]
    NewerVersion { found: u16, supported: u16 },
    #[error("the head of the recording is damaged")]
    DamagedHead,
    /// Reading continues after the damage.
    #[error("the recording is damaged from byte {from_byte} to byte {to_byte}")]
    Damaged { from_byte: u64, to_byte: u64 },
    /// Everything before that byte has been read.
    #[error("the recording was cut at byte {at_byte}, expected an end")]
    Cut { at_byte: u64 },
    #[error("the recording goes on at byte {at_byte}, expected nothing after its end")]
    AfterEnd { at_byte: u64 },
}

/// Iterator over the events and the errors of a recording, in the order of the file.
///
/// After [`RecordingError::Damaged`] there may be more events; all other errors are the last item.
/// Any bytes at all need memory for one chunk and one event only.
#[derive(Debug)]
pub struct RecordingReader<R: Read> {
    buffer: ReadBuffer<R>,
    header: RecordingHeader,
    /// Checksum of the head, which seeds the checksums of the chunks.
    seed: u32,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    BetweenChunks,
    /// The buffer begins with a valid chunk.
    InChunk {
        length: usize,
        events: ChunkEvents,
    },
    /// The ended event has been read.
    Ended,
    /// No valid chunk follows, and there was no ended event.
    Cut {
        at_byte: u64,
    },
    Done,
}

/// Result of a check for a chunk at the beginning of the buffer.
enum Verdict {
    /// A valid chunk with a payload of this length.
    Sound(usize),
    Bad,
    /// The file ends, but with more bytes this could be a chunk.
    Unfinished,
    /// The end of the file.
    Nothing,
}

impl RecordingReader<File> {
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        Self::new(File::open(path)?)
    }
}

impl<R: Read> RecordingReader<R> {
    /// Reads the head. `source` need not be buffered.
    pub fn new(source: R) -> Result<Self, RecordingError> {
        let mut buffer = ReadBuffer::new(source);
        let (header, seed) = RecordingHeader::decode(&mut buffer)?;
        Ok(Self { buffer, header, seed, stage: Stage::BetweenChunks })
    }

    pub fn header(&self) -> &RecordingHeader {
        &self.header
    }

    /// Moves to the next valid chunk or to the end.
    fn find_chunk(&mut self) -> Result<(), RecordingError> {
        let from_byte = self.buffer.place();
        let first = self.judge()?;
        match first {
            Verdict::Sound(length) => {
                self.stage = Stage::InChunk { length, events: ChunkEvents::new() };
                return Ok(());
            }
            Verdict::Nothing => {
                self.stage = Stage::Cut { at_byte: from_byte };
                return Ok(());
            }
            Verdict::Bad | Verdict::Unfinished => {}
        }
        // A damaged length may reach over valid chunks, so only the first byte is passed.
        self.stage = loop {
            self.buffer.advance(1);
            self.skip_to_marker()?;
            match self.judge()? {
                Verdict::Sound(length) => {
                    break Stage::InChunk { length, events: ChunkEvents::new() };
                }
                Verdict::Nothing => break Stage::Cut { at_byte: from_byte },
                Verdict::Bad | Verdict::Unfinished => {}
            }
        };
        match (first, &self.stage) {
            // An unfinished chunk at the end of the file was cut, not damaged.
            (Verdict::Unfinished, Stage::Cut { .. }) => Ok(()),
            _ => Err(RecordingError::Damaged { from_byte, to_byte: self.buffer.place() }),
        }
    }

    fn skip_to_marker(&mut self) -> io::Result<()> {
        loop {
            let bytes = self.buffer.want(1)?;
            let n_other = bytes.iter().take_while(|byte| !is_marker(**byte)).count();
            let is_found = n_other < bytes.len();
            let is_empty = bytes.is_empty();
            self.buffer.advance(n_other);
            if is_found || is_empty {
                return Ok(());
            }
        }
    }

    fn judge(&mut self) -> io::Result<Verdict> {
        let bytes = self.buffer.want(CHUNK_HEAD)?;
        let Some([high, middle, low, stored @ ..]) = bytes.first_chunk::<CHUNK_HEAD>() else {
            return Ok(match bytes {
                [] => Verdict::Nothing,
                [first, ..] if is_marker(*first) => Verdict::Unfinished,
                [..] => Verdict::Bad,
            });
        };
        let (marked, stored) = ([*high, *middle, *low], u32::from_le_bytes(*stored));
        let Some(length) = payload_length(marked) else { return Ok(Verdict::Bad) };
        let bytes = self.buffer.want(CHUNK_HEAD + length)?;
        Ok(match bytes.get(CHUNK_HEAD..CHUNK_HEAD + length) {
            None => Verdict::Unfinished,
            Some(payload) if checksum(self.seed, marked, payload) == stored => {
                Verdict::Sound(length)
            }
            Some(_) => Verdict::Bad,
        })
    }

    /// Takes one step, which gives an event, an error, or neither.
    fn step(&mut self) -> Result<Option<Event>, RecordingError> {
        match &mut self.stage {
            Stage::BetweenChunks => {
                self.find_chunk()?;
                Ok(None)
            }
            Stage::InChunk { length, events } => {
                let end = CHUNK_HEAD + *length;
                let next = events.next(&self.buffer.bytes()[CHUNK_HEAD..end]);
                let is_end = matches!(&next, Ok(Some(Event { what: EventKind::Ended, .. })));
                if is_end || !matches!(next, Ok(Some(_))) {
                    self.buffer.advance(end);
                    self.stage = if is_end { Stage::Ended } else { Stage::BetweenChunks };
                }
                let to_byte = self.buffer.place();
                next.map_err(|Malformed| {
                    let from_byte = to_byte - end as u64;
                    RecordingError::Damaged { from_byte, to_byte }
                })
            }
            Stage::Ended => {
                let is_last = self.buffer.want(1)?.is_empty();
                self.stage = Stage::Done;
                let at_byte = self.buffer.place();
                if is_last { Ok(None) } else { Err(RecordingError::AfterEnd { at_byte }) }
            }
            Stage::Cut { at_byte } => {
                let at_byte = *at_byte;
                self.stage = Stage::Done;
                Err(RecordingError::Cut { at_byte })
            }
            Stage::Done => Ok(None),
        }
    }
}

impl<R: Read> Iterator for RecordingReader<R> {
    type Item = Result<Event, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !matches!(self.stage, Stage::Done) {
            match self.step() {
                Ok(None) => {}
                Ok(Some(event)) => return Some(Ok(event)),
                Err(error) => {
                    if matches!(error, RecordingError::Read(_)) {
                        self.stage = Stage::Done;
                    }
                    return Some(Err(error));
                }
            }
        }
        None
    }
}
