//! Surfaces of triangles, closed or open.

use nalgebra::Point3;

/// A surface of triangles: closed or open, perhaps torn.
///
/// Every index is valid and every coordinate is finite. Triangles are counter-clockwise seen from
/// outside, where the surface has an outside.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriangleSurface {
    points: Vec<Point3<f64>>,
    triangles: Vec<[u32; 3]>,
}

/// Error of `TriangleSurface::new`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SurfaceError {
    /// More points than 32-bit numbers can count.
    #[error("the surface has {0} points, expected at most {max}", max = u32::MAX)]
    TooManyPoints(usize),
    /// A coordinate is NaN or infinite.
    #[error("point {0} is at a position that is not finite")]
    NotFinite(usize),
    /// A triangle names a point that does not exist.
    #[error("triangle {triangle} names point {point}, but there are only {n_points} points")]
    NoSuchPoint {
        /// Number of the triangle.
        triangle: usize,
        /// The point that it names.
        point: u32,
        /// Number of points of the surface.
        n_points: usize,
    },
}

impl TriangleSurface {
    /// Checks points (in metres) and triangles, and makes a surface of them.
    pub fn new(points: Vec<Point3<f64>>, triangles: Vec<[u32; 3]>) -> Result<Self, SurfaceError> {
        let n_points = points.len();
        if u32::try_from(n_points).is_err() {
            return Err(SurfaceError::TooManyPoints(n_points));
        }
        if let Some(i) = points.iter().position(|x| !x.iter().all(|c| c.is_finite())) {
            return Err(SurfaceError::NotFinite(i));
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&point) = corners.iter().find(|&&point| point as usize >= n_points) {
                return Err(SurfaceError::NoSuchPoint { triangle, point, n_points });
            }
        }
        Ok(Self { points, triangles })
    }

    /// Positions of the points, in metres.
    pub fn points(&self) -> &[Point3<f64>] {
        &self.points
    }

    /// Indices of the three points of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(points: &[[f64; 3]], triangle: [u32; 3], expected: Result<(), SurfaceError>) {
        let points = points.iter().map(|x| Point3::from(*x)).collect();
        assert_eq!(TriangleSurface::new(points, vec![triangle]).map(|_| ()), expected);
    }

    #[test]
    fn only_points_that_exist_and_are_somewhere_make_a_surface() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        check(&points, [0, 1, 2], Ok(()));
        let error = SurfaceError::NoSuchPoint { triangle: 0, point: 3, n_points: 3 };
        check(&points, [0, 1, 3], Err(error));
        let nowhere = [[0.0; 3], [1.0, f64::NAN, 0.0], [0.0, 1.0, 0.0]];
        check(&nowhere, [0, 1, 2], Err(SurfaceError::NotFinite(1)));
    }
}
