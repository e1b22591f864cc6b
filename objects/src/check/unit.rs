//! What a file's numbers count, and whether that can be.

use std::str::FromStr;

use super::Done;

/// What a file's numbers count.
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

/// Who says what the numbers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitSource {
    /// Whoever opened the file.
    Told,
    /// The format itself.
    Format,
    /// A remark of ours in the file.
    Remark,
    /// Nobody: the size of the object makes it likely.
    Guessed,
}

/// Objects that fit between hands, in metres.
const LARGEST_IN_HANDS: f64 = 1.5;
const LARGEST_IN_ONE_HAND: f64 = 0.15;
const SMALLEST_IN_HANDS: f64 = 0.001;
/// Beyond this it is certainly another unit than was said.
const ABSURDLY_LARGE: f64 = 1e4;
const ABSURDLY_SMALL: f64 = 1e-6;

/// A unit that nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown unit {0:?}, expected mm, cm, m or in")]
pub struct UnknownUnit(String);

impl FromStr for Unit {
    type Err = UnknownUnit;

    /// By its symbol or its name.
    fn from_str(text: &str) -> Result<Self, UnknownUnit> {
        let is_it = |unit: &Self| unit.symbol() == text || unit.plural() == text;
        Self::ALL.into_iter().find(is_it).ok_or_else(|| UnknownUnit(text.to_owned()))
    }
}

impl Unit {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Millimetre, Self::Centimetre, Self::Metre, Self::Inch];

    /// In words, as a plural.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Millimetre => "millimetres",
            Self::Centimetre => "centimetres",
            Self::Metre => "metres",
            Self::Inch => "inches",
        }
    }

    /// As people write it: `mm`, `cm`, `m`, `in`.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Millimetre => "mm",
            Self::Centimetre => "cm",
            Self::Metre => "m",
            Self::Inch => "in",
        }
    }

    /// Its length.
    pub fn in_metres(self) -> f64 {
        match self {
            Self::Millimetre => 0.001,
            Self::Centimetre => 0.01,
            Self::Metre => 1.0,
            Self::Inch => 0.0254,
        }
    }

    /// The likeliest unit of a file whose object has this longest side: metres if it then fits between
    /// hands, otherwise centimetres if it then fits into one hand, otherwise millimetres, which most programs
    /// use that know no unit. Inches are so near to centimetres that only a person can tell.
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

/// What is done about an object with sides of these lengths, if they are strange for one.
pub(super) fn strange_size(sides: [f64; 3]) -> Option<Done> {
    let longest = sides.into_iter().fold(0.0, f64::max);
    if !(ABSURDLY_SMALL..=ABSURDLY_LARGE).contains(&longest) {
        return Some(Done::Refused);
    }
    (!(SMALLEST_IN_HANDS..=LARGEST_IN_HANDS).contains(&longest)).then_some(Done::Kept)
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
            (5.0, Some(Done::Kept)),
            (1e-4, Some(Done::Kept)),
            (1e5, Some(Done::Refused)),
            (0.0, Some(Done::Refused)),
            (f64::NAN, Some(Done::Refused)),
        ] {
            assert_eq!(strange_size([0.0, side, 0.0]), expected, "{side}");
        }
    }
}
