//! Cells that a triangle touches.

use nalgebra::{Point3, Vector3};

use super::lattice::{Cell, Lattice, Site};
use super::triangle_tree::{Triangle, bounds};

impl Lattice {
    /// Appends the smallest cells that a triangle touches.
    pub(super) fn cells_of(&self, triangle: &Triangle, cells: &mut Vec<Cell>) {
        let (low, high) = bounds(triangle.iter());
        let (low, high) = (self.cell_at(&low), self.cell_at(&high));
        self.split(triangle, low, [0, 1, 2].map(|axis| high[axis] + 1), cells);
    }

    /// Halves a block of cells until it is one cell, or does not touch the triangle.
    fn split(&self, triangle: &Triangle, low: [i32; 3], high: [i32; 3], cells: &mut Vec<Cell>) {
        let size = [0, 1, 2].map(|axis| high[axis] - low[axis]);
        let half = Vector3::from(size.map(f64::from)) * (self.spacing / 2.0);
        let middle = self.position(Site::new([0; 3]))
            + Vector3::from(low.map(f64::from)) * self.spacing
            + half;
        if !touches(triangle, &middle, &half) {
            return;
        }
        if size == [1, 1, 1] {
            cells.extend(self.has_cell(0, low).then(|| Site::new(low)));
            return;
        }
        let axis = (0..3).max_by_key(|&axis| size[axis]).expect("there are three axes");
        let cut = low[axis] + size[axis] / 2;
        let (mut upper_low, mut lower_high) = (low, high);
        upper_low[axis] = cut;
        lower_high[axis] = cut;
        self.split(triangle, low, lower_high, cells);
        self.split(triangle, upper_low, high, cells);
    }
}

/// True if a triangle and a box have a point in common: no axis may separate them. The candidates
/// for such an axis are the sides of the box, the triangle's normal, and the cross products of
/// their edges.
fn touches(triangle: &Triangle, middle: &Point3<f64>, half: &Vector3<f64>) -> bool {
    let corners = triangle.map(|corner| corner - middle);
    let [a, b, c] = corners;
    let edges = [b - a, c - b, a - c];
    let is_separate = |axis: Vector3<f64>| {
        let heights = corners.map(|corner| corner.dot(&axis));
        let reach = half.dot(&axis.abs());
        heights.iter().all(|&h| h > reach) || heights.iter().all(|&h| h < -reach)
    };
    let sides = (0..3).map(|axis| Vector3::ith(axis, 1.0));
    let crosses =
        edges.iter().flat_map(|edge| (0..3).map(move |axis| edge.cross(&Vector3::ith(axis, 1.0))));
    !sides.chain([edges[0].cross(&edges[1])]).chain(crosses).any(is_separate)
}

#[cfg(test)]
mod tests {
    use super::super::test_samples::random_triangles;
    use super::*;

    /// Checks that points all over each triangle are in its cells, and that every cell is near the
    /// triangle.
    #[test]
    fn cells_cover_the_triangle_and_little_else() {
        let (low, high) = (Point3::new(-1.5, -1.5, -1.5), Point3::new(1.5, 1.5, 1.5));
        let lattice = Lattice::around(&low, &high, 0.05, 2);
        for triangle in random_triangles(30) {
            let mut cells = Vec::new();
            lattice.cells_of(&triangle, &mut cells);
            let [a, b, c] = triangle;
            for i in 0..50 {
                for j in 0..50 - i {
                    let [u, v] = [i, j].map(|k| k as f64 / 50.0);
                    let x = a + (b - a) * u + (c - a) * v;
                    assert!(cells.contains(&Site::new(lattice.cell_at(&x))));
                }
            }
            for &cell in &cells {
                let middle = lattice.position(super::super::lattice::centre(0, cell));
                let nearest = super::super::distance::on_triangle(&middle, &triangle);
                let off = nearest - middle;
                assert!(off.amax() <= 0.05 * 1.0, "{off}");
            }
        }
    }
}
