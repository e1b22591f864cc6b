//! Crossings of a straight line with a surface.

use nalgebra::Point3;

use super::triangle_tree::{Content, DEEPEST, Node, Triangle, TriangleTree};

/// Distance outside of a triangle's sides that still counts as a hit, as a share of the triangle,
/// so that no line passes between two triangles.
const SLACK: f64 = 1e-9;

impl TriangleTree {
    /// Crossings of the line from `from` to `to` with the surface, as ascending shares of its
    /// length.
    pub(super) fn crossings(&self, from: &Point3<f64>, to: &Point3<f64>) -> Vec<f64> {
        let mut shares = Vec::new();
        let mut open = [0_usize; DEEPEST];
        let mut n_open = 1;
        while n_open > 0 {
            n_open -= 1;
            let node = open[n_open];
            if !touches(&self.nodes()[node], from, to) {
                continue;
            }
            match self.content(node) {
                Content::Leaf(triangles) => {
                    shares.extend(triangles.iter().filter_map(|t| crossing(t, from, to)));
                }
                Content::Branches(branches) => {
                    open[n_open..n_open + 2].copy_from_slice(&branches);
                    n_open += 2;
                }
            }
        }
        shares.sort_by(f64::total_cmp);
        shares
    }
}

/// True if a line passes through a node's box, or nearly so.
fn touches(node: &Node, from: &Point3<f64>, to: &Point3<f64>) -> bool {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let slack = SLACK * (node.high - node.low).max();
    for axis in 0..3 {
        let (low, high) =
            (node.low[axis] - slack - from[axis], node.high[axis] + slack - from[axis]);
        let way = to[axis] - from[axis];
        if way == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
        } else {
            let (a, b) = (low / way, high / way);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
    }
    enter <= leave
}

fn crossing([a, b, c]: &Triangle, from: &Point3<f64>, to: &Point3<f64>) -> Option<f64> {
    let way = to - from;
    let (side_b, side_c) = (b - a, c - a);
    let across = way.cross(&side_c);
    let determinant = side_b.dot(&across);
    if determinant == 0.0 {
        return None;
    }
    let from_a = from - a;
    let weight_b = from_a.dot(&across) / determinant;
    let up = from_a.cross(&side_b);
    let weight_c = way.dot(&up) / determinant;
    let share = side_c.dot(&up) / determinant;
    let is_hit = weight_b >= -SLACK && weight_c >= -SLACK && weight_b + weight_c <= 1.0 + SLACK;
    (is_hit && (0.0..=1.0).contains(&share)).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::super::test_samples::{ball, random_triangles, scattered};
    use super::*;

    #[test]
    fn tree_finds_the_crossings_that_looking_at_all_finds() {
        let triangles = random_triangles(300);
        let tree = TriangleTree::new(&triangles);
        let points = scattered(100);
        let mut n_found = 0;
        for ends in points.chunks_exact(2) {
            let mut all: Vec<f64> =
                triangles.iter().filter_map(|t| crossing(t, &ends[0], &ends[1])).collect();
            all.sort_by(f64::total_cmp);
            assert_eq!(tree.crossings(&ends[0], &ends[1]), all);
            n_found += all.len();
        }
        assert!(n_found > 20, "the points are worth asking: {n_found}");
    }

    #[test]
    fn way_out_of_a_ball_crosses_it_at_its_radius() {
        let tree = TriangleTree::new(&ball(1.0, 40));
        for x in scattered(50) {
            let from = Point3::from(x.coords * 0.3);
            let to = from + x.coords / x.coords.norm() * 2.0;
            let shares = tree.crossings(&from, &to);
            assert!(!shares.is_empty());
            let reached = from + (to - from) * shares[0];
            assert!((reached.coords.norm() - 1.0).abs() < 0.005, "{reached}");
        }
    }
}
