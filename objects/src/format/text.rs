//! Lines and words of a file that is text at least in part, with line numbers for error messages.

use std::str::FromStr;

use super::FormatError;

/// The lines of a file that are not empty and not comments.
pub(super) struct Lines<'a> {
    lines: std::slice::Split<'a, u8, IsEnd>,
    /// Number of lines that were read.
    n_read: usize,
    comment: &'static str,
}

/// White space that stands for the end of a line which the next one continues.
pub(super) const JOINT: u8 = b'\x0c';

type IsEnd = fn(&u8) -> bool;

/// One line and its number.
pub(super) struct Line<'a> {
    number: usize,
    text: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Lines<'a> {
    pub(super) fn of(bytes: &'a [u8], comment: &'static str) -> Self {
        let is_end: IsEnd = |byte| *byte == b'\n';
        Self { lines: bytes.split(is_end), n_read: 0, comment }
    }

    /// The next line, or `None` at the end.
    pub(super) fn next(&mut self) -> Option<Line<'a>> {
        let comment = self.comment.as_bytes();
        for line in self.lines.by_ref() {
            let number = self.n_read + 1;
            self.n_read = number + line.iter().filter(|byte| **byte == JOINT).count();
            let text = line.trim_ascii();
            if !text.is_empty() && !text.starts_with(comment) {
                return Some(Line { number, text, rest: text });
            }
        }
        None
    }

    /// Returns an error if there is another line.
    pub(super) fn end(&mut self, expected: &str) -> Result<(), FormatError> {
        self.next().map_or(Ok(()), |line| Err(line.unexpected(expected)))
    }

    /// The next line; an error at the end of the file.
    pub(super) fn expect(&mut self, what: &str) -> Result<Line<'a>, FormatError> {
        self.next().ok_or_else(|| FormatError::Ends(what.to_owned()))
    }
}

impl<'a> Line<'a> {
    /// An error about the whole line.
    pub(super) fn unexpected(&self, expected: &str) -> FormatError {
        line_error(self.number, expected, self.text)
    }

    /// True if the next word is `word`.
    pub(super) fn starts_with(&self, word: &str) -> bool {
        split_word(self.rest).is_some_and(|(next, _)| next == word.as_bytes())
    }

    /// The next word as bytes.
    pub(super) fn next_word(&mut self) -> Option<&'a [u8]> {
        let (word, rest) = split_word(self.rest)?;
        self.rest = rest;
        Some(word)
    }

    /// The next word, parsed as `T`.
    pub(super) fn word<T: FromStr>(&mut self, expected: &str) -> Result<T, FormatError> {
        let line = self.number;
        let word = self
            .next_word()
            .ok_or_else(|| FormatError::LineEnds { line, expected: expected.to_owned() })?;
        parsed(word).ok_or_else(|| line_error(self.number, expected, word))
    }

    /// The next three words as coordinates.
    pub(super) fn point(&mut self) -> Result<nalgebra::Point3<f64>, FormatError> {
        let mut coordinate = || self.word::<f64>("a coordinate");
        Ok(nalgebra::Point3::new(coordinate()?, coordinate()?, coordinate()?))
    }

    /// Returns an error if more words follow.
    pub(super) fn end(&mut self) -> Result<(), FormatError> {
        match self.next_word() {
            Some(word) => Err(line_error(self.number, "the end of the line", word)),
            None => Ok(()),
        }
    }
}

/// Reads a file that mixes words, lines and raw bytes.
#[derive(Clone)]
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Prefix of a comment, valid wherever a word may begin; empty if the format has none.
    comment: &'static str,
}

impl<'a> Scanner<'a> {
    pub(super) fn of(bytes: &'a [u8], comment: &'static str) -> Self {
        Self { bytes, at: 0, comment }
    }

    /// The bytes that have not been read yet.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Moves to a position counted from the beginning, at most to the end.
    pub(super) fn go_to(&mut self, at: usize) {
        self.at = at.min(self.bytes.len());
    }

    /// The next word, on this line or a later one.
    pub(super) fn next_word(&mut self) -> Option<&'a [u8]> {
        loop {
            let rest = self.rest();
            let (word, after) = split_word(rest)?;
            if !self.comment.is_empty() && word.starts_with(self.comment.as_bytes()) {
                self.at += rest.len() - after.len() - word.len();
                self.next_line();
                continue;
            }
            self.at += rest.len() - after.len();
            return Some(word);
        }
    }

    /// The next word; an error at the end of the file.
    pub(super) fn expect_word(&mut self, expected: &str) -> Result<&'a [u8], FormatError> {
        self.next_word().ok_or_else(|| FormatError::Ends(expected.to_owned()))
    }

    /// The next word, parsed as `T`.
    pub(super) fn word<T: FromStr>(&mut self, expected: &str) -> Result<T, FormatError> {
        let word = self.expect_word(expected)?;
        parsed(word).ok_or_else(|| self.unexpected(expected, word))
    }

    /// The next three words as coordinates.
    pub(super) fn point(&mut self) -> Result<nalgebra::Point3<f64>, FormatError> {
        let mut coordinate = || self.word::<f64>("a coordinate");
        Ok(nalgebra::Point3::new(coordinate()?, coordinate()?, coordinate()?))
    }

    /// The rest of this line without its end; the next read begins after it.
    pub(super) fn next_line(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let length = rest.iter().position(|byte| *byte == b'\n');
        self.at += length.map_or(rest.len(), |length| length + 1);
        Some(rest[..length.unwrap_or(rest.len())].trim_ascii())
    }

    /// The next line that is not empty.
    pub(super) fn full_line(&mut self) -> Option<&'a [u8]> {
        loop {
            let line = self.next_line()?;
            if !line.is_empty() {
                return Some(line);
            }
        }
    }

    /// The next `n_items` times `item_bytes` bytes; an error if the file has fewer.
    pub(super) fn take(
        &mut self,
        n_items: usize,
        item_bytes: usize,
        expected: &str,
    ) -> Result<&'a [u8], FormatError> {
        let rest = self.rest();
        match n_items.checked_mul(item_bytes) {
            Some(n_bytes) if n_bytes <= rest.len() => {
                self.at += n_bytes;
                Ok(&rest[..n_bytes])
            }
            _ => Err(FormatError::Ends(expected.to_owned())),
        }
    }

    /// The next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self, expected: &str) -> Result<[u8; N], FormatError> {
        let bytes = self.take(N, 1, expected)?;
        Ok(*bytes.first_chunk().expect("as many were taken"))
    }

    /// An error about the word or line that was read last.
    pub(super) fn unexpected(&self, expected: &str, found: &[u8]) -> FormatError {
        // Lines are counted only now, for the message. The word itself may have passed an end of
        // line.
        let before = &self.bytes[..self.at.saturating_sub(1)];
        line_error(1 + before.iter().filter(|byte| **byte == b'\n').count(), expected, found)
    }
}

/// The first word of `text` and the bytes after it.
fn split_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let length = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    (length > 0).then(|| text.split_at(length))
}

fn parsed<T: FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

fn line_error(line: usize, expected: &str, found: &[u8]) -> FormatError {
    const LONGEST: usize = 60;
    let found = String::from_utf8_lossy(&found[..found.len().min(LONGEST)]).into_owned();
    FormatError::Line { line, expected: expected.to_owned(), found }
}
