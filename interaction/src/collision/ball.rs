//! A ball: the shape of a fingertip in contact tests.

use nalgebra::Point3;

/// A ball that may touch a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    pub centre: Point3<f64>,
    pub radius: f64,
}
