//! Makes one point of all corners at the same position, for formats that repeat them in every
//! triangle.

use std::collections::HashMap;

use nalgebra::Point3;

/// Assigns one number to each position.
#[derive(Default)]
pub(super) struct Welding {
    places: HashMap<[u32; 3], u32>,
    pub(super) points: Vec<Point3<f64>>,
}

impl Welding {
    /// The number of the point with exactly these coordinates.
    pub(super) fn point(&mut self, position: [f32; 3]) -> u32 {
        // Adding zero turns -0.0 into 0.0.
        let key = position.map(|coordinate| (coordinate + 0.0).to_bits());
        let next = self.points.len() as u32;
        let number = *self.places.entry(key).or_insert(next);
        if number == next {
            self.points.push(Point3::from(position.map(f64::from)));
        }
        number
    }
}
