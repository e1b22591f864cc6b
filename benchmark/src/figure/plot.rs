//! Content of a plot: points with their intervals, lines, trends with bands.

use super::axis::Axis;

/// A plot.
#[derive(Debug, Clone)]
pub struct Plot {
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Series in the order of drawing.
    pub series: Vec<Series>,
    /// Horizontal reference lines, with their labels.
    pub rules: Vec<(f64, String)>,
    /// Width of the plot.
    pub width: Width,
}

/// Points and lines with one colour and one label.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// Text at the end of its line.
    pub label: String,
    /// Number of the colour, 0 to 6.
    pub colour: usize,
    /// Measured points, in the order of `x`.
    pub marks: Vec<Mark>,
    /// Connection of the marks.
    pub joined: Joined,
    /// Fitted curve, dashed.
    pub trend: Vec<(f64, f64)>,
    /// Confidence band of the trend: `x`, lower end, upper end.
    pub band: Vec<(f64, f64, f64)>,
    /// Ideal curve, dotted.
    pub ideal: Vec<(f64, f64)>,
}

/// Connection of marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Joined {
    /// Joined by lines.
    #[default]
    Lines,
    /// Not joined.
    Apart,
}

/// One measured point.
#[derive(Debug, Clone)]
pub struct Mark {
    /// Position.
    pub at: (f64, f64),
    /// Ends of its interval.
    pub ends: Option<(f64, f64)>,
    /// Single samples that are shown as well.
    pub outliers: Vec<f64>,
    /// Text that is shown when a mouse rests on it.
    pub about: String,
}

/// Width of a plot on the page; letters have the same size in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// Half of the page: two plots side by side.
    Half,
    /// The whole page.
    Whole,
}

/// Moves labels apart: heights close to `wanted` (ascending), at least `gap` from each other and
/// not below `floor`.
pub fn apart(wanted: &[f64], gap: f64, floor: f64) -> Vec<f64> {
    let mut places = wanted.to_vec();
    for i in 1..places.len() {
        places[i] = places[i].max(places[i - 1] + gap);
    }
    // Moves labels up again that were pushed below the floor.
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
