//! Builds one command line: a letter, a station, numbers with commas, a carriage return.

use super::RequestError;
use crate::polhemus::settings::Station;

pub(super) struct Line {
    text: String,
}

impl Line {
    pub(super) fn new(letter: char) -> Self {
        Self { text: letter.to_string() }
    }

    pub(super) fn at(letter: char, station: Station) -> Self {
        Self { text: format!("{letter}{}", station.number()) }
    }

    pub(super) fn text(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self
    }

    /// Appends numbers, with a comma before each.
    pub(super) fn fields(
        mut self,
        numbers: impl IntoIterator<Item = f64>,
    ) -> Result<Self, RequestError> {
        for number in numbers {
            self.text.push(',');
            self = self.number(number)?;
        }
        Ok(self)
    }

    /// Appends a number with at most four decimals, the most that the unit prints in seven columns.
    pub(super) fn number(mut self, number: f64) -> Result<Self, RequestError> {
        if !number.is_finite() || number.abs() >= 10_000.0 {
            return Err(RequestError::Number(number));
        }
        let digits = format!("{number:.4}");
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        self.text.push_str(if digits == "-0" { "0" } else { digits });
        Ok(self)
    }

    pub(super) fn end(mut self) -> Result<Vec<u8>, RequestError> {
        self.text.push('\r');
        Ok(self.text.into_bytes())
    }
}
