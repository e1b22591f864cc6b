//! Lines and words of a text file, with their numbers for messages.

use std::str::FromStr;

use super::FormatError;

/// The lines of a file that are not empty and not comments.
pub(super) struct Lines<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    comment: &'static str,
}

/// One line and where it stands.
pub(super) struct Line<'a> {
    number: usize,
    text: &'a str,
    words: std::str::SplitWhitespace<'a>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(bytes: &'a [u8], comment: &'static str) -> Result<Self, FormatError> {
        let text = std::str::from_utf8(bytes).map_err(|e| FormatError::NotText(e.valid_up_to()))?;
        Ok(Self { lines: text.lines().enumerate(), comment })
    }

    /// The next line, or `None` at the end.
    pub(super) fn next(&mut self) -> Option<Line<'a>> {
        let comment = self.comment;
        self.lines
            .by_ref()
            .map(|(i, text)| (i + 1, text.trim()))
            .find(|(_, text)| !text.is_empty() && !text.starts_with(comment))
            .map(|(number, text)| Line { number, text, words: text.split_whitespace() })
    }

    /// The next line, which must be there.
    pub(super) fn expect(&mut self, what: &str) -> Result<Line<'a>, FormatError> {
        self.next().ok_or_else(|| FormatError::Ends(what.to_owned()))
    }
}

impl<'a> Line<'a> {
    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// An error about the whole line.
    pub(super) fn unexpected(&self, expected: &str) -> FormatError {
        self.error(expected, self.text)
    }

    /// The next word as a number or the like.
    pub(super) fn word<T: FromStr>(&mut self, expected: &str) -> Result<T, FormatError> {
        let word = self.words.next().ok_or_else(|| self.error(expected, "the end of the line"))?;
        word.parse().map_err(|_| self.error(expected, word))
    }

    /// The next three words as coordinates.
    pub(super) fn point(&mut self) -> Result<nalgebra::Point3<f64>, FormatError> {
        let mut coordinate = || self.word::<f64>("a coordinate");
        Ok(nalgebra::Point3::new(coordinate()?, coordinate()?, coordinate()?))
    }

    /// No more words must follow.
    pub(super) fn end(&mut self) -> Result<(), FormatError> {
        match self.words.next() {
            Some(word) => Err(self.error("the end of the line", word)),
            None => Ok(()),
        }
    }

    fn error(&self, expected: &str, found: &str) -> FormatError {
        const LONGEST: usize = 60;
        let found = found.chars().take(LONGEST).collect();
        FormatError::Line { line: self.number, expected: expected.to_owned(), found }
    }
}
