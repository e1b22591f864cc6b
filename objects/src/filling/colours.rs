//! Colours for a solid, taken from the surface that it was made of.

use nalgebra::Point3;
use rayon::prelude::*;

use super::distance::on_triangle;
use super::triangle_tree::{Triangle, TriangleTree};
use crate::TriangleSurface;

/// Colours at `places`: that of the nearest point of a surface, whose points have `colours`.
///
/// # Panics
/// If the surface has no triangles, or there are fewer colours than points.
pub fn colours_at(
    places: &[Point3<f64>],
    surface: &TriangleSurface,
    colours: &[[f32; 3]],
) -> Vec<[f32; 3]> {
    let corners = |triangle: &[u32; 3]| triangle.map(|i| surface.points()[i as usize]);
    let triangles: Vec<Triangle> = surface.triangles().iter().map(corners).collect();
    let tree = TriangleTree::new(&triangles);
    let colour = |x: &Point3<f64>| {
        let number = tree.nearest(x).0 as usize;
        let shares = shares(&on_triangle(x, &triangles[number]), &triangles[number]);
        let of_corners = surface.triangles()[number].map(|i| colours[i as usize]);
        std::array::from_fn(|i| (0..3).map(|k| shares[k] * of_corners[k][i]).sum())
    };
    places.par_iter().map(colour).collect()
}

/// Weights of the three corners of a triangle at one of its points.
fn shares(x: &Point3<f64>, [a, b, c]: &Triangle) -> [f32; 3] {
    let normal = (b - a).cross(&(c - a));
    let square = normal.norm_squared();
    if square == 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let at_b = ((x - a).cross(&(c - a)).dot(&normal) / square).clamp(0.0, 1.0) as f32;
    let at_c = ((b - a).cross(&(x - a)).dot(&normal) / square).clamp(0.0, 1.0) as f32;
    [(1.0 - at_b - at_c).max(0.0), at_b, at_c]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_the_colour_of_the_nearest_point() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [5.0, 0.0, 0.0]];
        let surface =
            TriangleSurface::new(points.map(Point3::from).to_vec(), vec![[0, 1, 2], [3, 3, 3]]);
        let colours = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5; 3]];
        let places = [[0.0, 0.0, 0.3], [0.5, 0.0, -0.1], [7.0, 0.0, 0.0], [1.0, 1.0, 0.0]];
        let found = colours_at(&places.map(Point3::from), &surface.unwrap(), &colours);
        let expected = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5; 3], [0.0, 0.5, 0.5]];
        assert_eq!(found, expected);
    }
}
