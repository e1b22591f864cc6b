//! The head of a recording: what it is, its version, when it began and who wrote it.

use std::io::Read;

use super::reader::RecordingError;
use super::window::Window;

/// The version that this program writes, and the newest that it reads.
pub const FORMAT_VERSION: u16 = 1;

/// No text and no known kind of file begins like this; a line-end conversion on the way breaks it.
const MAGIC: [u8; 8] = *b"\x89PLPR\r\n\x1A";
/// Magic, version and length.
const FIXED: usize = MAGIC.len() + 2 + 2;
const CLOCK: usize = 8;
const MAX_PROGRAM: usize = 256;
const CHECKSUM: usize = 4;

/// What a recording says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordingHeader {
    /// Wall clock when it began, in milliseconds since 1970 in UTC.
    pub began_unix_ms: u64,
    /// Name and version of the program that wrote it; at most 256 bytes, the rest is cut.
    pub program: String,
}

impl RecordingHeader {
    /// The bytes of the head, and their checksum, which seeds those of the chunks.
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

    /// Reads the head at the beginning of `window` and moves past it.
    pub(super) fn decode<R: Read>(window: &mut Window<R>) -> Result<(Self, u32), RecordingError> {
        let bytes = window.want(FIXED)?;
        if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) {
            return Err(RecordingError::NotARecording);
        }
        let Some(fixed) = bytes.first_chunk::<FIXED>() else {
            return Err(RecordingError::Cut { at_byte: 0 });
        };
        let [.., version_low, version_high, length_low, length_high] = *fixed;
        // The version is judged before the checksum: a newer head may keep it somewhere else.
        let found = u16::from_le_bytes([version_low, version_high]);
        if found > FORMAT_VERSION {
            return Err(RecordingError::NewerVersion { found, supported: FORMAT_VERSION });
        }
        let length = usize::from(u16::from_le_bytes([length_low, length_high]));
        if found == 0 || !(CLOCK..=CLOCK + MAX_PROGRAM).contains(&length) {
            return Err(RecordingError::DamagedHead);
        }
        let total = FIXED + length + CHECKSUM;
        let Some(bytes) = window.want(total)?.get(..total) else {
            return Err(RecordingError::Cut { at_byte: 0 });
        };
        let decoded = checked(bytes).ok_or(RecordingError::DamagedHead)?;
        window.advance(total);
        Ok(decoded)
    }
}

/// The head in `bytes`, which are exactly one head, if it is sound.
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

/// As much of `text` as fits into `limit` bytes.
pub(super) fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}
