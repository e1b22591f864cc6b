//! Progress of filling a surface.

use std::fmt;

use physics::Stages;

/// Stages of filling a surface, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Triangles are oriented and sorted.
    Sorting,
    /// Surfaces are filled with varying spacings, until one gives the requested number of nodes.
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

/// Progress of filling. Cancelled work ends at its next check.
pub type Progress = physics::Progress<Stage>;
