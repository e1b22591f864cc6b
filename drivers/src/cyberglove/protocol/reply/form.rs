//! The forms that replies have: by length, up to a NUL, as an acknowledgement, as an error.

use super::{ErrorReply, Reply, ReplyProgress, Version};

/// Longest reply that says no more than "done".
pub(super) const MAX_SHORT_TEXT: usize = 32;

/// What follows the repeated request.
pub(super) fn after_echo<'a>(echo: &[u8], bytes: &'a [u8]) -> ReplyProgress<&'a [u8]> {
    match bytes.strip_prefix(echo) {
        Some(rest) => ReplyProgress::Complete(rest),
        None if echo.starts_with(bytes) => ReplyProgress::Incomplete,
        None => ReplyProgress::Mismatch,
    }
}

/// The letters of a setting, on some units one byte more, NUL.
pub(super) fn acknowledgement(echo: &[u8], bytes: &[u8]) -> ReplyProgress {
    match after_echo(echo, bytes) {
        ReplyProgress::Complete([0, ..] | [_, 0, ..]) => ReplyProgress::Complete(Reply::Done),
        ReplyProgress::Complete([] | [_]) => ReplyProgress::Incomplete,
        ReplyProgress::Complete(_) => ReplyProgress::Mismatch,
        unfinished => unfinished.map(|_| Reply::Done),
    }
}

/// `n_bytes` bytes, which may be NUL themselves, and a NUL.
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

/// Text that has no NUL inside, without its NUL.
pub(super) fn up_to_nul(bytes: &[u8], max_bytes: usize) -> ReplyProgress<&[u8]> {
    match bytes.iter().position(|byte| *byte == 0) {
        Some(n_bytes) => ReplyProgress::Complete(&bytes[..n_bytes]),
        None if bytes.len() > max_bytes => ReplyProgress::Mismatch,
        None => ReplyProgress::Incomplete,
    }
}

/// The repeated request, the end of a line or nothing, NUL.
pub(super) fn text_after<'a>(echo: &[u8], bytes: &'a [u8]) -> ReplyProgress<&'a [u8]> {
    match after_echo(echo, bytes) {
        ReplyProgress::Complete(rest) => up_to_nul(rest, MAX_SHORT_TEXT),
        unfinished => unfinished,
    }
}

/// The reply to a command in its ASCII form: the command, numbers or an error, CR LF NUL.
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

/// `e`, a code and NUL; on some units a line end before the NUL.
pub(super) fn refusal(bytes: &[u8]) -> ReplyProgress {
    match bytes {
        [_, code, 0, ..] | [_, code, b'\r', b'\n', 0, ..] => {
            ReplyProgress::Refused(ErrorReply::from_code(*code))
        }
        [_] | [_, _] | [_, _, b'\r'] | [_, _, b'\r', b'\n'] => ReplyProgress::Incomplete,
        _ => ReplyProgress::Mismatch,
    }
}

/// Two numbers, the high byte of each first, and NUL.
///
/// A NUL before its time may be part of a number or the end of a shorter answer; only waiting
/// tells.
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
