//! What stands in a plot: points with their intervals, lines, trends with bands.

use super::axis::Axis;

/// A plot.
#[derive(Debug, Clone)]
pub struct Plot {
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// In the order of drawing.
    pub series: Vec<Series>,
    /// Horizontal lines with a meaning.
    pub rules: Vec<(f64, String)>,
    /// How much room it wants.
    pub width: Width,
}

/// What belongs together: one colour, one label.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// At the end of its line.
    pub label: String,
    /// 0 to 6.
    pub colour: usize,
    /// In the order of `x`.
    pub marks: Vec<Mark>,
    /// Whether the marks are joined.
    pub joined: Joined,
    /// A curve of its own, dashed.
    pub trend: Vec<(f64, f64)>,
    /// `x`, and the lower and the upper end there.
    pub band: Vec<(f64, f64, f64)>,
    /// Dotted: what would be ideal.
    pub ideal: Vec<(f64, f64)>,
}

/// How marks hang together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Joined {
    /// By lines.
    #[default]
    Lines,
    /// Not.
    Apart,
}

/// One measured point.
#[derive(Debug, Clone)]
pub struct Mark {
    /// Where.
    pub at: (f64, f64),
    /// The ends of its interval.
    pub ends: Option<(f64, f64)>,
    /// Single samples worth showing.
    pub outliers: Vec<f64>,
    /// Shown when a mouse rests on it.
    pub about: String,
}

/// Half of the page, or all of it; letters have the same size in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// Two beside each other.
    Half,
    /// One alone.
    Whole,
}

/// Places for labels that want to be at these heights, ascending: at least `gap` from each other, and none
/// below `floor`.
pub fn apart(wanted: &[f64], gap: f64, floor: f64) -> Vec<f64> {
    let mut places = wanted.to_vec();
    for i in 1..places.len() {
        places[i] = places[i].max(places[i - 1] + gap);
    }
    // Back up from the floor, if they were pushed below it.
    let mut lowest = floor;
    for place in places.iter_mut().rev() {
        *place = place.min(lowest);
        lowest = *place - gap;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_do_not_cover_each_other() {
        assert_eq!(apart(&[10.0, 50.0], 15.0, 100.0), [10.0, 50.0]);
        assert_eq!(apart(&[10.0, 12.0, 13.0], 15.0, 100.0), [10.0, 25.0, 40.0]);
        assert_eq!(apart(&[90.0, 95.0, 99.0], 15.0, 100.0), [70.0, 85.0, 100.0]);
        assert!(apart(&[], 15.0, 100.0).is_empty());
    }
}
