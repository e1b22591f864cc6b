//! Distance from a point to a surface.

use nalgebra::Point3;

use super::triangle_tree::{Content, DEEPEST, Triangle, TriangleTree};

impl TriangleTree {
    /// Distance from a point to the nearest triangle.
    pub(super) fn distance(&self, x: &Point3<f64>) -> f64 {
        self.nearest(x).1
    }

    /// The nearest triangle, by its position in the list that the tree was made from, and its
    /// distance.
    pub(super) fn nearest(&self, x: &Point3<f64>) -> (u32, f64) {
        let (mut number, mut nearest) = (0, f64::INFINITY);
        let mut open = [(0_usize, 0.0_f64); DEEPEST];
        let mut n_open = 1;
        while n_open > 0 {
            n_open -= 1;
            let (node, least) = open[n_open];
            if least >= nearest {
                continue;
            }
            match self.content(node) {
                Content::Leaf(triangles) => {
                    for (triangle, i) in triangles.iter().zip(self.numbers(node)) {
                        let square = (on_triangle(x, triangle) - x).norm_squared();
                        if square < nearest {
                            (number, nearest) = (*i, square);
                        }
                    }
                }
                Content::Branches(branches) => {
                    let mut branches = branches.map(|branch| (branch, self.least(branch, x)));
                    if branches[0].1 < branches[1].1 {
                        branches.swap(0, 1);
                    }
                    // The nearer branch is on top of the stack and is searched first.
                    for branch in branches {
                        open[n_open] = branch;
                        n_open += 1;
                    }
                }
            }
        }
        (number, nearest.sqrt())
    }

    /// Squared distance from a point to a node's box.
    fn least(&self, node: usize, x: &Point3<f64>) -> f64 {
        let node = &self.nodes()[node];
        (x - x.sup(&node.low).inf(&node.high)).norm_squared()
    }
}

/// The point of a triangle nearest to `x`: inside, or else on the nearest of its sides. Triangles
/// without area are treated as their sides.
pub(super) fn on_triangle(x: &Point3<f64>, [a, b, c]: &Triangle) -> Point3<f64> {
    let normal = (b - a).cross(&(c - a));
    let square = normal.norm_squared();
    if square > 0.0 {
        let from_a = x - a;
        let weight_b = from_a.cross(&(c - a)).dot(&normal) / square;
        let weight_c = (b - a).cross(&from_a).dot(&normal) / square;
        if weight_b >= 0.0 && weight_c >= 0.0 && weight_b + weight_c <= 1.0 {
            return a + (b - a) * weight_b + (c - a) * weight_c;
        }
    }
    let sides = [[a, b], [b, c], [c, a]].map(|[from, to]| on_side(x, from, to));
    let farther = |p: &Point3<f64>| (p - x).norm_squared();
    let [p, q, r] = sides;
    let nearer = if farther(&q) < farther(&p) { q } else { p };
    if farther(&r) < farther(&nearer) { r } else { nearer }
}

fn on_side(x: &Point3<f64>, from: &Point3<f64>, to: &Point3<f64>) -> Point3<f64> {
    let side = to - from;
    let square = side.norm_squared();
    let share = if square > 0.0 { ((x - from).dot(&side) / square).clamp(0.0, 1.0) } else { 0.0 };
    from + side * share
}

#[cfg(test)]
mod tests {
    use super::super::test_samples::{random_triangles, scattered};
    use super::*;

    #[test]
    fn tree_finds_what_looking_at_all_finds() {
        let triangles = random_triangles(300);
        let tree = TriangleTree::new(&triangles);
        for x in scattered(200) {
            let all = triangles.iter().map(|t| (on_triangle(&x, t) - x).norm());
            let nearest = all.fold(f64::INFINITY, f64::min);
            let (number, found) = tree.nearest(&x);
            assert!((found - nearest).abs() < 1e-14);
            let again = on_triangle(&x, &triangles[number as usize]) - x;
            assert!((again.norm() - nearest).abs() < 1e-14);
        }
    }

    /// Compares with the points of a fine grid on the triangle.
    #[test]
    fn nearest_point_of_a_triangle_is_nearest() {
        const STEPS: usize = 40;
        for (triangle, x) in random_triangles(50).iter().zip(scattered(50)) {
            let [a, b, c] = triangle;
            let found = (on_triangle(&x, triangle) - x).norm();
            let mut least = f64::INFINITY;
            for i in 0..=STEPS {
                for j in 0..=STEPS - i {
                    let [u, v] = [i, j].map(|k| k as f64 / STEPS as f64);
                    least = least.min((a + (b - a) * u + (c - a) * v - x).norm());
                }
            }
            assert!(found <= least + 1e-12 && least < found + 0.1, "{found} {least}");
        }
    }

    #[test]
    fn flat_triangles_are_their_sides() {
        let [a, b, x] = [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 2.0, 0.0]].map(Point3::from);
        assert_eq!(on_triangle(&x, &[a, b, b]), Point3::new(0.5, 0.0, 0.0));
        assert_eq!(on_triangle(&x, &[a, a, a]), a);
    }
}
