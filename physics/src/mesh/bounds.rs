//! Axis-aligned bounding boxes.

use nalgebra::Point3;

/// Axis-aligned box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Corner with the smallest coordinates.
    pub low: Point3<f64>,
    /// Corner with the largest coordinates.
    pub high: Point3<f64>,
}

impl Bounds {
    /// Creates the smallest box around `points`. Without a point, `low` is above `high`.
    pub fn around(points: impl IntoIterator<Item = Point3<f64>>) -> Self {
        let none = Self {
            low: Point3::from([f64::INFINITY; 3]),
            high: Point3::from([f64::NEG_INFINITY; 3]),
        };
        points
            .into_iter()
            .fold(none, |bounds, x| Self { low: bounds.low.inf(&x), high: bounds.high.sup(&x) })
    }

    /// Centre of the box.
    pub fn middle(&self) -> Point3<f64> {
        nalgebra::center(&self.low, &self.high)
    }
}
