//! A ball, which is all that contacts need to know of a fingertip.

use nalgebra::Point3;

/// A ball that may touch a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    pub centre: Point3<f64>,
    pub radius: f64,
}
