//! The stages of filling a surface.

use std::fmt;

use physics::Stages;

/// A stage of filling a surface, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The triangles are turned the same way and sorted.
    Sorting,
    /// The spacing that gives the wanted number of nodes is sought, by filling.
    Filling,
    /// The distance between skin and surface is measured.
    Measuring,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sorting => "sorting",
            Self::Filling => "filling",
            Self::Measuring => "measuring",
        })
    }
}

impl Stages for Stage {
    const ALL: &'static [Self] = &[Self::Sorting, Self::Filling, Self::Measuring];

    fn span(self) -> (f64, f64) {
        match self {
            Self::Sorting => (0.0, 0.05),
            Self::Filling => (0.05, 0.85),
            Self::Measuring => (0.85, 1.0),
        }
    }
}

/// How far filling has come. Work that is cancelled ends at its next look.
pub type Progress = physics::Progress<Stage>;
