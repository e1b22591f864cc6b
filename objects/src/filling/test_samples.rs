//! Random points and triangles for tests, the same each time.

use nalgebra::Point3;

use super::triangle_tree::Triangle;

/// Random numbers between -1 and 1: the Weyl sequence of the golden ratio, scrambled.
pub(super) struct Scatter(u64);

impl Scatter {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(super) fn point(&mut self) -> Point3<f64> {
        Point3::new(self.next(), self.next(), self.next())
    }
}

pub(super) fn scattered(n: usize) -> Vec<Point3<f64>> {
    let mut scatter = Scatter::new(1);
    (0..n).map(|_| scatter.point() * 1.5).collect()
}

pub(super) fn random_triangles(n: usize) -> Vec<Triangle> {
    let mut scatter = Scatter::new(2);
    let mut triangle = || {
        let near = scatter.point();
        [0, 1, 2].map(|_| near + scatter.point().coords * 0.3)
    };
    (0..n).map(|_| triangle()).collect()
}

/// A closed ball of triangles, oriented outward, around the origin.
pub(super) fn ball(radius: f64, n_around: usize) -> Vec<Triangle> {
    use std::f64::consts::PI;
    let at = |i: usize, j: usize| {
        let polar = PI * i as f64 / n_around as f64;
        let turn = 2.0 * PI * (j % (2 * n_around)) as f64 / (2 * n_around) as f64;
        let z = if i == n_around { -1.0 } else { polar.cos() };
        let ring = if i == n_around { 0.0 } else { polar.sin() };
        Point3::new(ring * turn.cos(), ring * turn.sin(), z) * radius
    };
    let mut triangles = Vec::new();
    for i in 0..n_around {
        for j in 0..2 * n_around {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend((i + 1 < n_around).then_some([a, b, c]));
            triangles.extend((i > 0).then_some([a, c, d]));
        }
    }
    triangles
}
