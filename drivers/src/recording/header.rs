//! The head of a recording: its magic, version, start time and program.

use std::io::Read;

use super::read_buffer::ReadBuffer;
use super::reader::RecordingError;

/// The version that this program writes, and the newest that it reads.
pub const FORMAT_VERSION: u16 = 1;

/// First bytes of a recording. No text and no known kind of file begins with them, and a conversion
/// of line ends changes them, so that it is detected.
const MAGIC: [u8; 8] = *b"\x89PLPR\r\n\x1A";
/// Bytes of magic, version and length.
const FIXED: usize = MAGIC.len() + 2 + 2;
const CLOCK: usize = 8;
const MAX_PROGRAM: usize = 256;
const CHECKSUM: usize = 4;

/// Start time and program of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordingHeader {
    /// Wall clock at the start, in milliseconds since 1970 in UTC.
    pub began_unix_ms: u64,
    /// Name and version of the recording program; at most 256 bytes, the rest is cut.
    pub program: String,
}

impl RecordingHeader {
    /// The bytes of the head, and their checksum, which seeds the checksums of the chunks.
    pub(super) fn encode(&self) -> (Vec<u8>, u32) {
        let program = cut(&self.program, MAX_PROGRAM);
        let length = (CLOCK + program.len()) as u16;
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&self.began_unix_ms.to_le_bytes());
        bytes.extend_from_slice(program.as_bytes());
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        (bytes, checksum)
    }

    /// Reads the head at the beginning of `buffer` and moves past it.
    pub(super) fn decode<R: Read>(
        buffer: &mut ReadBuffer<R>,
    ) -> Result<(Self, u32), RecordingError> {
        let bytes = buffer.want(FIXED)?;
        if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) {
            return Err(RecordingError::NotARecording);
        }
        let Some(fixed) = bytes.first_chunk::<FIXED>() else {
            return Err(RecordingError::Cut { at_byte: 0 });
        };
        let [.., version_low, version_high, length_low, length_high] = *fixed;
        // The version is checked before the checksum: a newer head may have its checksum elsewhere.
        let found = u16::from_le_bytes([version_low, version_high]);
        if found > FORMAT_VERSION {
            return Err(RecordingError::NewerVersion { found, supported: FORMAT_VERSION });
        }
        let length = usize::from(u16::from_le_bytes([length_low, length_high]));
        if found == 0 || !(CLOCK..=CLOCK + MAX_PROGRAM).contains(&length) {
            return Err(RecordingError::DamagedHead);
        }
        let total = FIXED + length + CHECKSUM;
        let Some(bytes) = buffer.want(total)?.get(..total) else {
            return Err(RecordingError::Cut { at_byte: 0 });
        };
        let decoded = checked(bytes).ok_or(RecordingError::DamagedHead)?;
        buffer.advance(total);
        Ok(decoded)
    }
}

/// Decodes `bytes`, which are exactly one head; `None` if the head is damaged.
fn checked(bytes: &[u8]) -> Option<(RecordingHeader, u32)> {
    let (body, stored) = bytes.split_last_chunk::<CHECKSUM>()?;
    let checksum = u32::from_le_bytes(*stored);
    if crc32fast::hash(body) != checksum {
        return None;
    }
    let (clock, program) = body.get(FIXED..)?.split_first_chunk::<CLOCK>()?;
    let program = std::str::from_utf8(program).ok()?.to_owned();
    Some((RecordingHeader { began_unix_ms: u64::from_le_bytes(*clock), program }, checksum))
}

/// The beginning of `text`, at most `limit` bytes.
pub(super) fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}
