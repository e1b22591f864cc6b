//! Identifies a tracker on a line, in a short time and without a change of its settings.

use std::time::{Duration, Instant};

use super::answer::{Answer, Status};
use super::record::{Incoming, RecordDecoder, RecordFormat};
use crate::serial::{DeviceError, SerialLine};

/// A tracker that has answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    Fastrak(Status),
    /// A LIBERTY or PATRIOT, with the first line of its text that is not empty.
    Later(String),
}

/// Length of a silence that proves that a stream has ended.
const QUIET: Duration = Duration::from_millis(100);
/// Longest wait for silence: a device that still streams is another one, or has another baud rate.
const AT_MOST: Duration = Duration::from_millis(400);
/// Longest wait for an answer.
const ANSWER: Duration = Duration::from_millis(300);
/// Tries of a question to which only damaged answers come.
const DAMAGED_TRIES: u32 = 16;
/// Time without a further byte after which an answer has ended.
const END_OF_ANSWER: Duration = Duration::from_millis(60);
/// Lengths of a status of 54 or 55 bytes with some damage.
const DAMAGED_STATUS: std::ops::RangeInclusive<usize> = 46..=62;
/// Most bytes that are read of an identity text; longer than that of any unit.
const MAX_TEXT: usize = 2048;

/// Identifies the tracker on `line`; `None` if no tracker answers.
///
/// Sends `c`, `S`, a carriage return and 0x11, which resumes suspended output (garbage at another
/// baud rate may have suspended it). At last sends 0x16 with a carriage return, which asks a
/// LIBERTY or PATRIOT for its identity. Takes less than three seconds, unless damaged answers come,
/// and changes no setting.
pub fn identify(line: &mut SerialLine) -> Result<Option<Identity>, DeviceError> {
    identify_within(line, ANSWER)
}

/// Same as [`identify`], with a longest wait for each answer.
pub(crate) fn identify_within(
    line: &mut SerialLine,
    within: Duration,
) -> Result<Option<Identity>, DeviceError> {
    for stop in [b"c".as_slice(), b"\x11\rc"] {
        line.write_all(stop)?;
        if line.drain_until_quiet(QUIET, AT_MOST)?
            && let Some(status) = ask_status(line, within)?
        {
            return Ok(Some(Identity::Fastrak(status)));
        }
    }
    line.drain_until_quiet(Duration::ZERO, QUIET)?;
    line.write_all(b"\x16\r")?;
    await_text(line, within)
}

/// Asks for the status, and again as long as the answer is damaged.
fn ask_status(line: &mut SerialLine, within: Duration) -> Result<Option<Status>, DeviceError> {
    for _ in 0..DAMAGED_TRIES {
        line.write_all(b"S")?;
        match await_status(line, within)? {
            Heard::Status(status) => return Ok(Some(status)),
            Heard::Damage => {}
            Heard::Nothing => return Ok(None),
        }
    }
    Ok(None)
}

/// Outcome of a wait for a status.
enum Heard {
    Status(Status),
    /// Text that begins like a status.
    Damage,
    Nothing,
}

fn await_status(line: &mut SerialLine, within: Duration) -> Result<Heard, DeviceError> {
    let deadline = Instant::now() + within;
    let mut decoder = RecordDecoder::new(&RecordFormat::default())
        .expect("position and quaternion are a pose with a line end");
    let (mut received, mut status, mut n_received) = (Vec::new(), None, 0);
    while Instant::now() < deadline {
        received.clear();
        let left = deadline.saturating_duration_since(Instant::now());
        let wait = if n_received > 0 { left.min(END_OF_ANSWER) } else { left };
        let Some(arrival) = line.read_available(&mut received, wait)? else {
            // Another device may send anything; a damaged status is almost as long as a whole one.
            if DAMAGED_STATUS.contains(&n_received) {
                return Ok(Heard::Damage);
            }
            continue;
        };
        n_received += received.len();
        decoder.push(&received, arrival, &mut |incoming| {
            let answer = Incoming::into_control(incoming).as_ref().and_then(Answer::from_record);
            if let Some(Answer::Status(answer)) = answer {
                status = Some(answer);
            }
        });
        if let Some(status) = status {
            return Ok(Heard::Status(status));
        }
    }
    Ok(Heard::Nothing)
}

fn await_text(line: &mut SerialLine, within: Duration) -> Result<Option<Identity>, DeviceError> {
    let deadline = Instant::now() + within;
    let mut received = Vec::new();
    while received.len() < MAX_TEXT && Instant::now() < deadline {
        let left = deadline.saturating_duration_since(Instant::now());
        line.read_available(&mut received, left)?;
    }
    Ok(later_unit(&received).map(Identity::Later))
}

/// The first line of the text of a LIBERTY, PATRIOT or LATUS; `None` for another text. The form of
/// these texts is not documented, only that they hold the unit's name.
fn later_unit(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let upper = text.to_ascii_uppercase();
    let is_later = ["LIBERTY", "PATRIOT", "LATUS"].iter().any(|name| upper.contains(name));
    let mut lines = text.lines().map(str::trim);
    is_later.then(|| lines.find(|line| !line.is_empty()).unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_unit_is_known_by_its_name() {
        let check = |text: &[u8], want: Option<&str>| {
            assert_eq!(later_unit(text).as_deref(), want, "{}", text.escape_ascii());
        };
        check(b"\r\nPolhemus Liberty 240/8\r\nversion 1\r\n", Some("Polhemus Liberty 240/8"));
        check(b"PATRIOT", Some("PATRIOT"));
        check(b"CyberGlove", None);
        check(b"", None);
        check(b"\xff\x00\r", None);
    }
}
