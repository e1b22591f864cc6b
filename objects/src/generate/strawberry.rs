//! A strawberry, stalk end up.
//!
//! With the height from -1/2 to 1/2, `t = 2 y` and the distance `r` from the axis, the fruit is
//!
//! ```text
//! r² < R² (1 - t²) (1 + k t)²          R = 0.315, k = 0.42
//! ```
//!
//! an egg that is broad above and pointed below, with a small dent at the stalk. The calyx lies on
//! top of it, 0.015 thick, with six leaves: it reaches to `r = 0.17 + 0.09 cos 6φ`. The seeds are
//! on a spiral that turns by the golden angle from one seed to the next, each with the same share
//! of the skin. The unit of length is the height of the fruit.

use std::f64::consts::PI;
use std::sync::LazyLock;

use nalgebra::{Point3, Vector3};
use physics::TetMesh;

use super::gradient::{smooth_step, with_gradient};
use super::lattice::{Body, BodyError, Interior, fill};

/// A strawberry, `height` metres high, its middle near the origin, with about `n_nodes` nodes (50
/// to 200 000).
pub fn strawberry(height: f64, n_nodes: usize) -> Result<TetMesh, BodyError> {
    fill(&Strawberry, Interior::Regular, height, n_nodes)
}

/// Linear RGB at a point of a strawberry of height one.
pub(super) fn colour(x: &Point3<f64>) -> [f32; 3] {
    if calyx(x) > 0.5 {
        return if leaf_reach(x) - r(x) < 0.02 { LEAF_RIM } else { LEAF };
    }
    let is_seed = SEEDS.iter().any(|seed| {
        let off = x - seed;
        // Seeds are elongated along the fruit.
        (off.x.powi(2) + off.z.powi(2)) / SEED_WIDTH.powi(2) + (off.y / SEED_LENGTH).powi(2) < 1.0
    });
    if is_seed {
        return SEED;
    }
    // Paler below the leaves.
    let pale = smooth_step(x.y - 0.40, 0.05) as f32;
    std::array::from_fn(|i| RED[i] + (PALE[i] - RED[i]) * pale)
}

const RED: [f32; 3] = [0.55, 0.012, 0.018];
const PALE: [f32; 3] = [0.72, 0.22, 0.14];
const SEED: [f32; 3] = [0.78, 0.50, 0.10];
const LEAF: [f32; 3] = [0.07, 0.26, 0.03];
const LEAF_RIM: [f32; 3] = [0.14, 0.38, 0.06];

struct Strawberry;

/// `R` of the formula.
const RADIUS: f64 = 0.315;
/// `k` of the formula.
const TAPER: f64 = 0.42;
/// Depth of the dent at the stalk.
const DENT: f64 = 0.05;
/// Width of the dent at the stalk.
const DENT_WIDTH: f64 = 0.16;
const CALYX_THICKNESS: f64 = 0.015;
const N_SEEDS: usize = 120;
const SEED_WIDTH: f64 = 0.019;
const SEED_LENGTH: f64 = 0.030;

impl Body for Strawberry {
    fn bounds(&self) -> [Point3<f64>; 2] {
        [Point3::new(-0.42, -0.53, -0.42), Point3::new(0.42, 0.53, 0.42)]
    }

    fn level(&self, x: &Point3<f64>) -> (f64, Vector3<f64>) {
        with_gradient(level, x)
    }
}

fn level(x: &Point3<f64>) -> f64 {
    let from_stalk = r(x).powi(2) + (x.y - 0.5).powi(2);
    let dent = DENT * (-from_stalk / DENT_WIDTH.powi(2)).exp();
    (girth_squared(x.y) - r(x).powi(2)) / (2.0 * RADIUS) - dent + CALYX_THICKNESS * calyx(x)
}

fn r(x: &Point3<f64>) -> f64 {
    x.x.hypot(x.z)
}

/// Squared distance of the skin from the axis.
fn girth_squared(y: f64) -> f64 {
    let t = 2.0 * y;
    RADIUS.powi(2) * (1.0 - t * t) * (1.0 + TAPER * t).powi(2)
}

/// Rises from 0 outside of the calyx to 1 inside.
fn calyx(x: &Point3<f64>) -> f64 {
    smooth_step(leaf_reach(x) - r(x), 0.02) * smooth_step(x.y - 0.33, 0.03)
}

/// Reach of the calyx in the direction of a point.
fn leaf_reach(x: &Point3<f64>) -> f64 {
    // The sixth power of x + iz turns six times; on the axis, which has no direction, it vanishes.
    let squared = nalgebra::Complex::new(x.x, x.z).powi(6);
    let leaves = squared.re / (r(x).powi(2) + 0.001).powi(3);
    0.17 + 0.09 * leaves
}

static SEEDS: LazyLock<Vec<Point3<f64>>> = LazyLock::new(seeds);

/// Positions of the seeds on the skin, with equal areas between one height and the next.
fn seeds() -> Vec<Point3<f64>> {
    const STEPS: usize = 2000;
    let golden_angle = PI * (3.0 - 5.0_f64.sqrt());
    let girth = |i: usize| girth_squared(i as f64 / STEPS as f64 - 0.5).max(0.0).sqrt();
    let belt = |i: usize| {
        let slope = girth(i + 1) - girth(i);
        (girth(i) + girth(i + 1)) * slope.hypot(1.0 / STEPS as f64)
    };
    let whole: f64 = (0..STEPS).map(belt).sum();
    let mut seeds = Vec::with_capacity(N_SEEDS);
    let mut area = 0.0;
    for i in 0..STEPS {
        area += belt(i);
        while area >= (seeds.len() as f64 + 0.5) / N_SEEDS as f64 * whole && seeds.len() < N_SEEDS {
            let turn = golden_angle * seeds.len() as f64;
            let y = (i as f64 + 0.5) / STEPS as f64 - 0.5;
            let girth = girth_squared(y).max(0.0).sqrt();
            seeds.push(Point3::new(girth * turn.cos(), y, girth * turn.sin()));
        }
    }
    seeds
}

#[cfg(test)]
mod tests {
    use super::super::lattice::body_checks::{check_sound, volume};
    use super::*;

    #[test]
    fn strawberries_are_sound_in_any_resolution() {
        for n_nodes in [50, 70, 100, 150, 270, 400, 1000, 2000, 5000, 20_000] {
            check_sound(&strawberry(0.048, n_nodes).unwrap(), n_nodes, 20.0);
        }
    }

    #[test]
    fn skin_is_on_the_formula() {
        for n_nodes in [50, 270, 5000] {
            let mesh = strawberry(1.0, n_nodes).unwrap();
            for node in &mesh.surface().topology.nodes {
                let x = mesh.rest_positions()[node.index()];
                assert!(level(&x).abs() < 1e-6, "{x} is at {}", level(&x));
            }
        }
    }

    /// Compares with the integral of the squared girth; the dent and the calyx are within the
    /// tolerance.
    #[test]
    fn volume_is_that_of_the_egg_of_the_formula() {
        let k = TAPER;
        let egg = PI * RADIUS.powi(2) / 2.0 * (4.0 / 3.0 + 4.0 * k * k / 15.0);
        let found = volume(&strawberry(1.0, 20_000).unwrap());
        assert!((found / egg - 1.0).abs() < 0.02, "{found} instead of {egg}");
    }

    #[test]
    fn seeds_are_on_the_fruit_and_apart() {
        assert_eq!(SEEDS.len(), N_SEEDS);
        for (i, seed) in SEEDS.iter().enumerate() {
            assert!((r(seed).powi(2) - girth_squared(seed.y)).abs() < 1e-9);
            for other in &SEEDS[..i] {
                assert!((seed - other).norm() > 1.2 * SEED_LENGTH);
            }
        }
    }

    #[test]
    fn seeds_are_yellow_leaves_green_and_the_tip_red() {
        let is = |x: &Point3<f64>, expected: [f32; 3]| assert_eq!(colour(x), expected, "{x}");
        is(&SEEDS[30], SEED);
        is(&Point3::new(0.05, 0.47, 0.0), LEAF);
        let below_all_seeds = Point3::new(0.0, -0.5, 0.0);
        is(&below_all_seeds, {
            let pale = smooth_step(-0.9, 0.05) as f32;
            std::array::from_fn(|i| RED[i] + (PALE[i] - RED[i]) * pale)
        });
    }
}
