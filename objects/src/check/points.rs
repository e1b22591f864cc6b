//! Checks on points alone.

use nalgebra::Point3;
use physics::rounded;

/// Sides of the box around points, as far as their coordinates are finite.
pub(super) fn size<'a>(points: impl Iterator<Item = &'a Point3<f64>>) -> [f64; 3] {
    let mut least = [f64::INFINITY; 3];
    let mut most = [f64::NEG_INFINITY; 3];
    for point in points.filter(|x| x.iter().all(|c| c.is_finite())) {
        for axis in 0..3 {
            least[axis] = point[axis].min(least[axis]);
            most[axis] = point[axis].max(most[axis]);
        }
    }
    std::array::from_fn(|axis| (most[axis] - least[axis]).max(0.0))
}

/// Points that are not finite in the 32 bits of a surface frame.
pub(super) fn not_finite(points: &[Point3<f64>]) -> impl Iterator<Item = usize> {
    let is_finite = |x: &Point3<f64>| rounded(&x.coords).iter().all(|c| c.is_finite());
    points.iter().enumerate().filter(move |(_, x)| !is_finite(x)).map(|(i, _)| i)
}

/// For each point, the first point at exactly the same position; the point itself if it is the
/// first.
pub(super) fn first_in_place(points: &[Point3<f64>]) -> Vec<u32> {
    // Adding zero turns -0.0 into 0.0.
    let key = |i: &u32| points[*i as usize].coords.map(|c| (c + 0.0).to_bits()).data.0[0];
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by_cached_key(key);
    let mut firsts = vec![0; points.len()];
    for same in order.chunk_by(|a, b| key(a) == key(b)) {
        // The sort is stable, so the first one has the smallest number.
        for i in same {
            firsts[*i as usize] = same[0];
        }
    }
    firsts
}

/// For each point, true if one of `elements` uses it. Points that do not exist are ignored.
pub(super) fn used<'a, const N: usize>(
    n_points: usize,
    elements: impl Iterator<Item = &'a [u32; N]>,
) -> Vec<bool> {
    let mut is_used = vec![false; n_points];
    for node in elements.flatten() {
        if let Some(is_used) = is_used.get_mut(*node as usize) {
            *is_used = true;
        }
    }
    is_used
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_the_same_place_have_the_same_first() {
        let points = [[1.0, 0.0, 0.0], [0.0; 3], [1.0, -0.0, 0.0], [0.0, 0.0, -0.0]];
        assert_eq!(first_in_place(&points.map(Point3::from)), [0, 1, 0, 1]);
    }

    #[test]
    fn the_size_is_that_of_finite_points() {
        let points = [[1.0, 2.0, 3.0], [f64::NAN, 0.0, 0.0], [2.0, 0.0, 3.0]].map(Point3::from);
        assert_eq!(size(points.iter()), [1.0, 2.0, 0.0]);
        assert_eq!(size([].iter()), [0.0; 3]);
        assert_eq!(not_finite(&points).collect::<Vec<_>>(), [1]);
    }
}
