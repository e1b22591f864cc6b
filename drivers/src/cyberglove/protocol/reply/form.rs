//! The forms of replies: of fixed length, up to a NUL, an acknowledgement, an error.

use super::{ErrorReply, Reply, ReplyProgress, Version};

/// Longest text of a reply that only acknowledges.
pub(super) const MAX_SHORT_TEXT: usize = 32;

/// The bytes after the repeated request.
pub(super) fn after_echo<'a>(echo: &[u8], bytes: &'a [u8]) -> ReplyProgress<&'a [u8]> {
    match bytes.strip_prefix(echo) {
        Some(rest) => ReplyProgress::Complete(rest),
        None if echo.starts_with(bytes) => ReplyProgress::Incomplete,
        None => ReplyProgress::Mismatch,
    }
}

/// Reads an acknowledgement: the letters of a setting, one more byte on some units, and NUL.
pub(super) fn acknowledgement(echo: &[u8], bytes: &[u8]) -> ReplyProgress {
    match after_echo(echo, bytes) {
        ReplyProgress::Complete([0, ..] | [_, 0, ..]) => ReplyProgress::Complete(Reply::Done),
        ReplyProgress::Complete([] | [_]) => ReplyProgress::Incomplete,
        ReplyProgress::Complete(_) => ReplyProgress::Mismatch,
        unfinished => unfinished.map(|_| Reply::Done),
    }
}

/// Reads `n_bytes` bytes, which may contain NULs, and a NUL after them.
pub(super) fn of_length(n_bytes: usize, bytes: &[u8]) -> ReplyProgress<&[u8]> {
    match bytes.split_at_checked(n_bytes) {
        Some((answer, [0, ..])) => ReplyProgress::Complete(answer),
        Some((_, [_, ..])) => ReplyProgress::Mismatch,
        Some((_, [])) | None => ReplyProgress::Incomplete,
    }
}

pub(super) fn fixed<const N: usize>(bytes: &[u8]) -> ReplyProgress<[u8; N]> {
    of_length(N, bytes).map(|answer| *answer.as_array().expect("it has that length"))
}

/// Reads text without NULs, and a NUL after it.
pub(super) fn up_to_nul(bytes: &[u8], max_bytes: usize) -> ReplyProgress<&[u8]> {
    match bytes.iter().position(|byte| *byte == 0) {
        Some(n_bytes) => ReplyProgress::Complete(&bytes[..n_bytes]),
        None if bytes.len() > max_bytes => ReplyProgress::Mismatch,
        None => ReplyProgress::Incomplete,
    }
}

/// Reads the repeated request, some text or none, and NUL; returns the text.
pub(super) fn text_after<'a>(echo: &[u8], bytes: &'a [u8]) -> ReplyProgress<&'a [u8]> {
    match after_echo(echo, bytes) {
        ReplyProgress::Complete(rest) => up_to_nul(rest, MAX_SHORT_TEXT),
        unfinished => unfinished,
    }
}

/// Reads the reply to a command in ASCII form: the command, numbers or an error, CR LF NUL.
pub(super) fn ascii_line(bytes: &[u8]) -> ReplyProgress {
    let line = match text_after(b"t", bytes) {
        ReplyProgress::Complete(line) => line,
        unfinished => return unfinished.map(|_| Reply::Done),
    };
    match line.trim_ascii_end() {
        [.., b' ', b'e', code] => ReplyProgress::Refused(ErrorReply::from_code(*code)),
        _ => ReplyProgress::Complete(Reply::Done),
    }
}

/// Reads an error: `e`, a code and NUL; some units send a line end before the NUL.
pub(super) fn refusal(bytes: &[u8]) -> ReplyProgress {
    match bytes {
        [_, code, 0, ..] | [_, code, b'\r', b'\n', 0, ..] => {
            ReplyProgress::Refused(ErrorReply::from_code(*code))
        }
        [_] | [_, _] | [_, _, b'\r'] | [_, _, b'\r', b'\n'] => ReplyProgress::Incomplete,
        _ => ReplyProgress::Mismatch,
    }
}

/// Reads two numbers, the high byte of each first, and NUL.
///
/// An early NUL may be part of a number or the end of a shorter answer; the caller must wait for
/// more bytes to know.
pub(super) fn version(bytes: &[u8]) -> ReplyProgress<Version> {
    let whole = |numbers: [u8; 4]| {
        let [high, low, format_high, format_low] = numbers;
        let information_format = Some(u16::from_be_bytes([format_high, format_low]));
        Version { firmware: u16::from_be_bytes([high, low]), information_format }
    };
    let short = |firmware| Version { firmware, information_format: None };
    match bytes {
        [low, 0] => ReplyProgress::Enough(short(u16::from(*low))),
        [high, low, 0] | [high, low, _, 0] => {
            ReplyProgress::Enough(short(u16::from_be_bytes([*high, *low])))
        }
        _ => fixed(bytes).map(whole),
    }
}
