//! Units of a file's numbers, and the check for unlikely sizes.

use std::str::FromStr;

use super::FindingOutcome;

/// Unit of a file's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// 0.001 m.
    Millimetre,
    /// 0.01 m.
    Centimetre,
    /// 1 m.
    Metre,
    /// 0.0254 m.
    Inch,
}

/// Source of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitSource {
    /// The caller gave it.
    Told,
    /// The format defines it.
    Format,
    /// A comment in the file, as this crate writes it, names it.
    Remark,
    /// No source: guessed from the size of the object.
    Guessed,
}

/// Longest side of an object that fits between two hands, in metres.
const LARGEST_IN_HANDS: f64 = 1.5;
/// Longest side of an object that fits into one hand, in metres.
const LARGEST_IN_ONE_HAND: f64 = 0.15;
/// Longest side of the smallest object that hands can hold, in metres.
const SMALLEST_IN_HANDS: f64 = 0.001;
/// Objects with a longer side, in metres, are refused: their unit must be wrong.
const ABSURDLY_LARGE: f64 = 1e4;
/// Objects whose longest side is shorter than this, in metres, are refused.
const ABSURDLY_SMALL: f64 = 1e-6;

/// Error for the name of an unknown unit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown unit {0:?}, expected mm, cm, m or in")]
pub struct UnknownUnit(String);

impl FromStr for Unit {
    type Err = UnknownUnit;

    /// Parses the symbol or the plural name.
    fn from_str(text: &str) -> Result<Self, UnknownUnit> {
        let is_it = |unit: &Self| unit.symbol() == text || unit.plural() == text;
        Self::ALL.into_iter().find(is_it).ok_or_else(|| UnknownUnit(text.to_owned()))
    }
}

impl Unit {
    /// All units.
    pub const ALL: [Self; 4] = [Self::Millimetre, Self::Centimetre, Self::Metre, Self::Inch];

    /// English name in the plural.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Millimetre => "millimetres",
            Self::Centimetre => "centimetres",
            Self::Metre => "metres",
            Self::Inch => "inches",
        }
    }

    /// Symbol of the unit: `mm`, `cm`, `m`, `in`.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Millimetre => "mm",
            Self::Centimetre => "cm",
            Self::Metre => "m",
            Self::Inch => "in",
        }
    }

    /// Length of the unit in metres.
    pub fn in_metres(self) -> f64 {
        match self {
            Self::Millimetre => 0.001,
            Self::Centimetre => 0.01,
            Self::Metre => 1.0,
            Self::Inch => 0.0254,
        }
    }

    /// Likeliest unit of a file whose object has this longest side: metres if the object then fits
    /// between two hands, otherwise centimetres if it then fits into one hand, otherwise
    /// millimetres, the usual unit of programs that store none. Inches are never guessed: they are
    /// too close to centimetres.
    pub fn guess(longest_side: f64) -> Self {
        if longest_side <= LARGEST_IN_HANDS {
            Self::Metre
        } else if longest_side * Self::Centimetre.in_metres() <= LARGEST_IN_ONE_HAND {
            Self::Centimetre
        } else {
            Self::Millimetre
        }
    }
}

/// Outcome for an object with sides of these lengths, in metres; `None` if the size is usual.
pub(super) fn strange_size(sides: [f64; 3]) -> Option<FindingOutcome> {
    let longest = sides.into_iter().fold(0.0, f64::max);
    if !(ABSURDLY_SMALL..=ABSURDLY_LARGE).contains(&longest) {
        return Some(FindingOutcome::Refused);
    }
    (!(SMALLEST_IN_HANDS..=LARGEST_IN_HANDS).contains(&longest)).then_some(FindingOutcome::Kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_guessed_from_the_size() {
        for (side, expected) in [
            (0.06, Unit::Metre),
            (1.2, Unit::Metre),
            (6.0, Unit::Centimetre),
            (12.0, Unit::Centimetre),
            (60.0, Unit::Millimetre),
            (1e9, Unit::Millimetre),
        ] {
            assert_eq!(Unit::guess(side), expected, "{side}");
        }
    }

    #[test]
    fn only_what_is_absurd_is_refused() {
        for (side, expected) in [
            (0.1, None),
            (5.0, Some(FindingOutcome::Kept)),
            (1e-4, Some(FindingOutcome::Kept)),
            (1e5, Some(FindingOutcome::Refused)),
            (0.0, Some(FindingOutcome::Refused)),
            (f64::NAN, Some(FindingOutcome::Refused)),
        ] {
            assert_eq!(strange_size([0.0, side, 0.0]), expected, "{side}");
        }
    }
}
