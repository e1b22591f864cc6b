//! Winding numbers of points, even for surfaces that are torn or intersect themselves.
//!
//! The generalised winding number \[JKS13\] is the solid angle of the surface seen from a point, in
//! turns: 1 inside a closed surface, 0 outside, and in between near a hole. Each distant part of
//! the surface is approximated by one dipole, as in \[BDS18\], so that the cost of a point is about
//! the logarithm of the number of triangles.

use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::triangle_tree::{Content, DEEPEST, Triangle, TriangleTree};

/// A tree with a dipole for each node.
pub(super) struct Winding<'a> {
    tree: &'a TriangleTree,
    dipoles: Vec<Dipole>,
}

struct Dipole {
    /// Centre of the surface below the node, weighted by area.
    centre: Point3<f64>,
    /// Sum of normals times areas.
    strength: Vector3<f64>,
    /// Squared distance within which the node is too near for a dipole.
    near_squared: f64,
}

/// Distance from which a node counts as a dipole, in radii of the node. With two, the error of a
/// winding number is below a tenth, far from the half that would matter.
const FAR: f64 = 2.0;

impl<'a> Winding<'a> {
    pub(super) fn new(tree: &'a TriangleTree) -> Self {
        let dipoles =
            (0..tree.nodes().len()).into_par_iter().map(|node| dipole(tree, node)).collect();
        Self { tree, dipoles }
    }

    /// True if a point is inside. A surface that is inside out as a whole has an inside, too.
    pub(super) fn is_inside(&self, x: &Point3<f64>) -> bool {
        self.number(x).abs() > 0.5
    }

    /// The winding number of a point.
    pub(super) fn number(&self, x: &Point3<f64>) -> f64 {
        let mut turns = 0.0;
        let mut open = [0_usize; DEEPEST];
        let mut n_open = 1;
        while n_open > 0 {
            n_open -= 1;
            let node = open[n_open];
            let Dipole { centre, strength, near_squared } = &self.dipoles[node];
            let way = centre - x;
            let squared = way.norm_squared();
            if squared > *near_squared {
                turns += way.dot(strength) / (squared * squared.sqrt());
                continue;
            }
            match self.tree.content(node) {
                Content::Leaf(triangles) => {
                    turns += triangles.iter().map(|t| solid_angle(x, t)).sum::<f64>();
                }
                Content::Branches(branches) => {
                    open[n_open..n_open + 2].copy_from_slice(&branches);
                    n_open += 2;
                }
            }
        }
        turns / (4.0 * PI)
    }
}

fn dipole(tree: &TriangleTree, node: usize) -> Dipole {
    let mut strength = Vector3::zeros();
    let mut moment = Vector3::zeros();
    let mut area = 0.0;
    for [a, b, c] in tree.below(node) {
        let normal = (b - a).cross(&(c - a)) / 2.0;
        let share = normal.norm();
        strength += normal;
        moment += (a.coords + b.coords + c.coords) * (share / 3.0);
        area += share;
    }
    let corners = || tree.below(node).iter().flatten();
    let centre = if area > 0.0 { (moment / area).into() } else { tree.below(node)[0][0] };
    let radius_squared = corners().map(|x| (x - centre).norm_squared()).fold(0.0, f64::max);
    Dipole { centre, strength, near_squared: FAR * FAR * radius_squared }
}

/// Solid angle of a triangle seen from `x`, positive from inside (\[vOS83\]).
fn solid_angle(x: &Point3<f64>, corners: &Triangle) -> f64 {
    let [a, b, c] = corners.map(|corner| corner - x);
    let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
    let volume = a.dot(&b.cross(&c));
    let rest = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * volume.atan2(rest)
}

#[cfg(test)]
mod tests {
    use super::super::test_samples::{ball, random_triangles, scattered};
    use super::*;

    fn check(triangles: &[Triangle], x: Point3<f64>, expected: f64, tolerance: f64) {
        let tree = TriangleTree::new(triangles);
        let number = Winding::new(&tree).number(&x);
        assert!((number - expected).abs() < tolerance, "{number} at {x}, expected {expected}");
    }

    #[test]
    fn closed_surfaces_are_wound_once_or_not_at_all() {
        let triangles = ball(1.0, 20);
        for x in scattered(300) {
            let radius = x.coords.norm();
            // Between these radii the result depends on the flat triangles.
            if !(0.98..1.0).contains(&radius) {
                check(&triangles, x, if radius < 1.0 { 1.0 } else { 0.0 }, 0.1);
            }
        }
    }

    #[test]
    fn two_balls_in_one_place_are_wound_twice() {
        let both: Vec<_> = [ball(1.0, 12), ball(0.5, 12)].concat();
        check(&both, Point3::new(0.1, 0.2, 0.1), 2.0, 0.1);
        check(&both, Point3::new(0.1, 0.6, 0.3), 1.0, 0.1);
    }

    #[test]
    fn half_a_ball_is_seen_half_from_its_middle() {
        let half: Vec<_> =
            ball(1.0, 20).into_iter().filter(|t| t.iter().all(|x| x.z > -1e-9)).collect();
        check(&half, Point3::origin(), 0.5, 0.03);
    }

    #[test]
    fn dipoles_are_like_the_sum_over_all() {
        let triangles = random_triangles(500);
        for x in scattered(100) {
            let all: f64 = triangles.iter().map(|t| solid_angle(&x, t)).sum();
            check(&triangles, x, all / (4.0 * PI), 0.1);
        }
    }
}
