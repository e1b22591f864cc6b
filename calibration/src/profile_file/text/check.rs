//! Checks of every value that is read.

use std::fmt::Display;

use crate::profile_file::FileError;

/// Longest text in a profile.
const MAX_TEXT: usize = 200;

/// Checks that a number is within a range; NaN is not.
pub(super) fn number(field: &str, got: f64, (low, high): (f64, f64)) -> Result<f64, FileError> {
    if (low..=high).contains(&got) {
        Ok(got)
    } else {
        Err(value(field, got, &format!("{low} to {high}")))
    }
}

/// Checks that a text is one line of limited length.
pub(super) fn text(field: &str, got: String) -> Result<String, FileError> {
    if got.chars().count() <= MAX_TEXT && !got.chars().any(char::is_control) {
        Ok(got)
    } else {
        Err(value(
            field,
            format!("{got:.20?}"),
            &format!("one line of at most {MAX_TEXT} characters"),
        ))
    }
}

pub(super) fn value(field: &str, got: impl Display, want: &str) -> FileError {
    FileError::Value { field: field.into(), got: got.to_string(), want: want.into() }
}

/// Converts a parser's error, with its line and column.
pub(super) fn syntax(source: &str, error: &toml::de::Error) -> FileError {
    let at = error.span().map_or(0, |span| span.start).min(source.len());
    let before = &source.as_bytes()[..at];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = at - before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1) + 1;
    FileError::Syntax { line, column, message: error.message().replace('\n', "; ") }
}
