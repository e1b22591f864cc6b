//! How often a surface goes round a point, also if the surface is torn or runs through itself.
//!
//! The generalised winding number [JKS13] is the solid angle under which the surface is seen, in turns: 1
//! inside a closed surface, 0 outside, and in between near a hole. Far parts of the surface count as one
//! dipole each, as in [BDS18], so that a look costs about the logarithm of the number of triangles.

use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::tree::{Content, DEEPEST, Tree, Triangle};

/// A tree with what its nodes look like from far.
pub(super) struct Winding<'a> {
    tree: &'a Tree,
    dipoles: Vec<Dipole>,
}

struct Dipole {
    /// Mean of the surface below.
    centre: Point3<f64>,
    /// Sum of normals times areas.
    strength: Vector3<f64>,
    /// Within this squared distance the node is too near for a dipole.
    near_squared: f64,
}

/// How many radii of a node away it is a dipole. With two, a number is wrong by less than a tenth, which is
/// far from the half that would matter.
const FAR: f64 = 2.0;

impl<'a> Winding<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        let dipoles =
            (0..tree.nodes().len()).into_par_iter().map(|node| dipole(tree, node)).collect();
        Self { tree, dipoles }
    }

    /// Whether a point is inside. A surface that is inside out as a whole has an inside, too.
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

fn dipole(tree: &Tree, node: usize) -> Dipole {
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

/// The solid angle of a triangle seen from `x`, positive from inside ([vOS83]).
fn solid_angle(x: &Point3<f64>, corners: &Triangle) -> f64 {
    let [a, b, c] = corners.map(|corner| corner - x);
    let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
    let volume = a.dot(&b.cross(&c));
    let rest = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * volume.atan2(rest)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{ball, random_triangles, scattered};
    use super::*;

    fn check(triangles: &[Triangle], x: Point3<f64>, expected: f64, tolerance: f64) {
        let tree = Tree::new(triangles);
        let number = Winding::new(&tree).number(&x);
        assert!((number - expected).abs() < tolerance, "{number} at {x}, expected {expected}");
    }

    #[test]
    fn closed_surfaces_are_wound_once_or_not_at_all() {
        let triangles = ball(1.0, 20);
        for x in scattered(300) {
            let radius = x.coords.norm();
            // Between these the flat triangles decide.
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
