//! Text of a scenario: TOML tables with the place of every value, so that an error names its line.

use std::fmt::Display;

use serde::Deserialize;
use toml::Spanned;

/// A number and its place.
pub(super) type Number = Spanned<f64>;
/// A vector and its place.
pub(super) type Triple = Spanned<[f64; 3]>;

/// A scenario, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioFile {
    pub(super) object: ObjectTable,
    pub(super) time: TimeTable,
    #[serde(default)]
    pub(super) world: WorldTable,
    #[serde(default)]
    pub(super) contact: ContactTable,
    #[serde(default, rename = "shape")]
    pub(super) shapes: Vec<Spanned<ShapeTable>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ObjectTable {
    pub(super) make: Option<Spanned<String>>,
    pub(super) file: Option<Spanned<String>>,
    pub(super) unit: Option<Spanned<String>>,
    pub(super) size: Option<Triple>,
    pub(super) nodes: Option<Spanned<i64>>,
    pub(super) cells: Option<Spanned<i64>>,
    pub(super) material: Option<Spanned<String>>,
    pub(super) young: Option<Number>,
    pub(super) poisson: Option<Number>,
    pub(super) density: Option<Number>,
    pub(super) support: Option<Spanned<String>>,
    pub(super) at: Option<Triple>,
    pub(super) turn: Option<Spanned<TurnTable>>,
    pub(super) velocity: Option<Triple>,
    pub(super) spin: Option<Triple>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnTable {
    pub(super) axis: Triple,
    pub(super) degrees: Number,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TimeTable {
    pub(super) duration: Number,
    pub(super) step: Option<Number>,
    pub(super) row_every: Option<Spanned<i64>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorldTable {
    pub(super) gravity: Option<Triple>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContactTable {
    pub(super) points: Option<Spanned<String>>,
    pub(super) spacing: Option<Number>,
    pub(super) local_compliance: Option<bool>,
    pub(super) tolerance: Option<Number>,
    pub(super) sweeps: Option<Spanned<i64>>,
    pub(super) motion: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShapeTable {
    pub(super) name: Option<Spanned<String>>,
    pub(super) kind: Spanned<String>,
    pub(super) radius: Option<Number>,
    pub(super) length: Option<Number>,
    pub(super) rounded: Option<Spanned<bool>>,
    pub(super) size: Option<Triple>,
    pub(super) touches: Option<Spanned<String>>,
    pub(super) friction: Option<Number>,
    pub(super) sliding_friction: Option<Number>,
    pub(super) pad: Option<Number>,
    pub(super) sideways_pad: Option<Number>,
    pub(super) pad_thickness: Option<Number>,
    pub(super) at: Option<Triple>,
    pub(super) turn: Option<Spanned<TurnTable>>,
    pub(super) path: Option<Spanned<Vec<Spanned<PathTable>>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PathTable {
    pub(super) time: Number,
    pub(super) at: Triple,
    pub(super) turn: Option<Spanned<TurnTable>>,
}

/// Error in the text of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub(super) struct ScenarioError {
    pub(super) line: usize,
    pub(super) reason: String,
}

/// Text with the lines of its values.
pub(super) struct Source<'a> {
    text: &'a str,
}

impl<'a> Source<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text }
    }

    pub(super) fn parsed(&self) -> Result<ScenarioFile, ScenarioError> {
        toml::from_str(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            ScenarioError { line: self.line(at), reason: plain(error.message()) }
        })
    }

    fn line(&self, at: usize) -> usize {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        before.iter().filter(|&&byte| byte == b'\n').count() + 1
    }

    /// Error about a value: what it is, and what was expected.
    pub(super) fn error<T>(&self, value: &Spanned<T>, reason: impl Display) -> ScenarioError {
        ScenarioError { line: self.line(value.span().start), reason: reason.to_string() }
    }

    /// A number that passes a check, or the default.
    pub(super) fn number(
        &self,
        name: &str,
        value: &Option<Number>,
        default: f64,
        expected: Expected,
    ) -> Result<f64, ScenarioError> {
        value.as_ref().map_or(Ok(default), |value| self.needed(name, value, expected))
    }

    /// A number that passes a check.
    pub(super) fn needed(
        &self,
        name: &str,
        value: &Number,
        expected: Expected,
    ) -> Result<f64, ScenarioError> {
        let number = *value.get_ref();
        match expected.admits(number) {
            true => Ok(number),
            false => {
                let reason = format!("{name} is {number}, expected {}", expected.words());
                Err(self.error(value, reason))
            }
        }
    }

    /// A whole number within a range, or the default.
    pub(super) fn count(
        &self,
        name: &str,
        value: &Option<Spanned<i64>>,
        default: u32,
        range: std::ops::RangeInclusive<u32>,
    ) -> Result<u32, ScenarioError> {
        let Some(value) = value else { return Ok(default) };
        let number = u32::try_from(*value.get_ref()).ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            let (low, high) = (range.start(), range.end());
            let found = value.get_ref();
            self.error(value, format!("{name} is {found}, expected {low} to {high}"))
        })
    }

    /// A vector of finite numbers, or the default.
    pub(super) fn vector(
        &self,
        name: &str,
        value: &Option<Triple>,
        default: [f64; 3],
    ) -> Result<nalgebra::Vector3<f64>, ScenarioError> {
        value.as_ref().map_or(Ok(default.into()), |value| self.needed_vector(name, value))
    }

    /// A vector of finite numbers.
    pub(super) fn needed_vector(
        &self,
        name: &str,
        value: &Triple,
    ) -> Result<nalgebra::Vector3<f64>, ScenarioError> {
        let vector = nalgebra::Vector3::from(*value.get_ref());
        match vector.iter().all(|x| x.is_finite()) {
            true => Ok(vector),
            false => {
                let found = value.get_ref();
                Err(self.error(value, format!("{name} is {found:?}, expected finite numbers")))
            }
        }
    }

    /// One of several words, or the first.
    pub(super) fn choice<T: Copy>(
        &self,
        name: &str,
        value: &Option<Spanned<String>>,
        choices: &[(&str, T)],
    ) -> Result<T, ScenarioError> {
        let Some(value) = value else { return Ok(choices[0].1) };
        let found = choices.iter().find(|(word, _)| word == value.get_ref());
        found.map(|(_, choice)| *choice).ok_or_else(|| {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            let found = value.get_ref();
            self.error(value, format!("{name} is {found:?}, expected {}", words.join(", ")))
        })
    }
}

/// Range of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    Finite,
    Positive,
    NotNegative,
}

impl Expected {
    fn admits(self, number: f64) -> bool {
        match self {
            Self::Finite => number.is_finite(),
            Self::Positive => number.is_finite() && number > 0.0,
            Self::NotNegative => number.is_finite() && number >= 0.0,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Finite => "a finite number",
            Self::Positive => "a positive number",
            Self::NotNegative => "zero or a positive number",
        }
    }
}

/// The parser's message with names of types that a person knows, in one line.
fn plain(message: &str) -> String {
    let tables =
        ["ScenarioFile", "ObjectTable", "TurnTable", "TimeTable", "WorldTable", "ContactTable"];
    let tables = tables.into_iter().chain(["ShapeTable", "PathTable"]);
    let message = tables.fold(message.to_owned(), |message, table| {
        message.replace(&format!("struct {table}"), "a table")
    });
    message
        .replace("an array of length 3", "three numbers")
        .replace("expected f64", "expected a number")
        .replace("expected i64", "expected a whole number")
        .replace("floating point", "number")
        .replace('\n', " ")
}
