//! Nearest point of a triangle, and first contact of a moving ball with a triangle.

use nalgebra::{Point3, Vector3};

/// Three corners, anticlockwise as seen from outside.
pub type Triangle = [Point3<f64>; 3];

/// Squared sine of the angle between two sides below which a triangle counts as flat, with no face.
const FLAT: f64 = 1e-16;

/// The feature of a triangle on which a point lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    Corner(usize),
    /// The edge from this corner to the next.
    Edge(usize),
    Face,
}

/// The point of a triangle that is nearest to `p`.
pub fn nearest_point(p: &Point3<f64>, triangle: &Triangle) -> Point3<f64> {
    nearest_feature(p, triangle).0
}

/// The point of a triangle that is nearest to `p`, and its feature.
///
/// Finds the one of seven regions that holds `p`: before a corner, beside an edge, above the face.
/// A triangle without area is treated as an edge or a point.
pub fn nearest_feature(p: &Point3<f64>, triangle: &Triangle) -> (Point3<f64>, Feature) {
    let &[a, b, c] = triangle;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    if ab.cross(&ac).norm_squared() <= FLAT * ab.norm_squared() * ac.norm_squared() {
        return nearest_on_flat(p, triangle);
    }
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, Feature::Corner(0));
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, Feature::Corner(1));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, Feature::Corner(2));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (nearest_on_edge(p, &a, &b).0, Feature::Edge(0));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (nearest_on_edge(p, &a, &c).0, Feature::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return (nearest_on_edge(p, &b, &c).0, Feature::Edge(1));
    }
    let sum = va + vb + vc;
    (a + ab * (vb / sum) + ac * (vc / sum), Feature::Face)
}

fn nearest_on_flat(p: &Point3<f64>, triangle: &Triangle) -> (Point3<f64>, Feature) {
    let mut nearest = (triangle[0], Feature::Corner(0));
    for i in 0..3 {
        let (point, part) = nearest_on_edge(p, &triangle[i], &triangle[(i + 1) % 3]);
        if (p - point).norm_squared() < (p - nearest.0).norm_squared() {
            let feature = match part {
                0.0 => Feature::Corner(i),
                1.0 => Feature::Corner((i + 1) % 3),
                _ => Feature::Edge(i),
            };
            nearest = (point, feature);
        }
    }
    nearest
}

/// The nearest point between two ends, and its part of the way from the first.
pub(super) fn nearest_on_edge(
    p: &Point3<f64>,
    a: &Point3<f64>,
    b: &Point3<f64>,
) -> (Point3<f64>, f64) {
    let along = b - a;
    let length = along.norm_squared();
    let part = if length > 0.0 { (along.dot(&(p - a)) / length).clamp(0.0, 1.0) } else { 0.0 };
    (a + along * part, part)
}

/// A ball that moves in a straight line from `from` to `from + way`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovingBall {
    pub from: Point3<f64>,
    pub way: Vector3<f64>,
    pub radius: f64,
}

impl MovingBall {
    /// The part of the path, between 0 and 1, after which the ball first touches the triangle; 0 if
    /// it touches at the start.
    ///
    /// Relative to the ball, its centre is a point and the triangle is thickened by the radius: two
    /// faces, three rounded edges, three round corners. The first of them on the path of the centre
    /// is the result.
    pub fn first_touch(&self, triangle: &Triangle) -> Option<f64> {
        let Self { from, way, radius } = self;
        let nearest = nearest_point(from, triangle);
        if (from - nearest).norm_squared() <= radius * radius {
            return Some(0.0);
        }
        let [a, b, c] = triangle;
        let mut first: Option<f64> = None;
        let mut meet = |part: Option<f64>| {
            let part = part.filter(|part| (0.0..=1.0).contains(part));
            first = match (first, part) {
                (Some(x), Some(y)) => Some(x.min(y)),
                (x, y) => x.or(y),
            };
        };
        meet(self.meets_face(triangle));
        for (from, to) in [(a, b), (b, c), (c, a)] {
            meet(self.meets_edge(from, to));
        }
        for corner in [a, b, c] {
            let apart = from - corner;
            let constant = apart.norm_squared() - radius * radius;
            meet(smaller_root(way.norm_squared(), apart.dot(way), constant));
        }
        first
    }

    fn meets_face(&self, triangle: &Triangle) -> Option<f64> {
        let [a, b, c] = triangle;
        let normal = (b - a).cross(&(c - a)).try_normalize(f64::MIN_POSITIVE)?;
        let (height, climb) = ((self.from - a).dot(&normal), self.way.dot(&normal));
        if climb == 0.0 {
            return None;
        }
        let part = (self.radius * height.signum() - height) / climb;
        // Only if the point of contact is on the face; edges and corners are tested separately.
        let touching = self.from + self.way * part - normal * (self.radius * height.signum());
        let is_inside = [(a, b), (b, c), (c, a)]
            .into_iter()
            .all(|(from, to)| (to - from).cross(&(touching - from)).dot(&normal) >= 0.0);
        is_inside.then_some(part)
    }

    fn meets_edge(&self, from: &Point3<f64>, to: &Point3<f64>) -> Option<f64> {
        let edge = (to - from).try_normalize(f64::MIN_POSITIVE)?;
        let across = |v: Vector3<f64>| v - edge * edge.dot(&v);
        let (apart, way) = (across(self.from - from), across(self.way));
        let constant = apart.norm_squared() - self.radius * self.radius;
        let part = smaller_root(way.norm_squared(), apart.dot(&way), constant)?;
        let along = edge.dot(&(self.from + self.way * part - from));
        (0.0..=(to - from).norm()).contains(&along).then_some(part)
    }
}

/// The smaller solution of `a x^2 + 2 b x + c = 0`.
fn smaller_root(a: f64, b: f64, c: f64) -> Option<f64> {
    let discriminant = b * b - a * c;
    (a > 0.0 && discriminant >= 0.0).then(|| (-b - discriminant.sqrt()) / a)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point() -> impl Strategy<Value = Point3<f64>> {
        prop::array::uniform3(-1.0..1.0f64).prop_map(Point3::from)
    }

    fn triangle() -> impl Strategy<Value = Triangle> {
        prop_oneof![
            4 => prop::array::uniform3(point()),
            // Slivers and triangles without area.
            1 => (point(), point(), -0.5..1.5f64).prop_map(|(a, b, t)| [a, b, a + (b - a) * t]),
        ]
    }

    /// Distance over a fine grid on the triangle: slow, and independent of the case analysis.
    fn distance_by_brute_force(p: &Point3<f64>, [a, b, c]: &Triangle) -> f64 {
        const STEPS: usize = 60;
        let mut least = f64::INFINITY;
        for i in 0..=STEPS {
            for j in 0..=STEPS - i {
                let (u, v) = (i as f64 / STEPS as f64, j as f64 / STEPS as f64);
                least = least.min((p - (a + (b - a) * u + (c - a) * v)).norm());
            }
        }
        least
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn the_nearest_point_is_nearest(p in point(), triangle in triangle()) {
            let distance = (p - nearest_point(&p, &triangle)).norm();
            let brute = distance_by_brute_force(&p, &triangle);
            // The grid's own points are at most half a cell away from any point of the triangle.
            let [a, b, c] = triangle;
            let cell = ((b - a).norm() + (c - a).norm()) / 60.0;
            prop_assert!(distance <= brute + 1e-12, "{distance} but {brute}");
            prop_assert!(brute <= distance + cell, "{distance} but {brute}");
        }

        #[test]
        fn a_moving_ball_touches_when_it_first_comes_near_enough(
            from in point(),
            to in point(),
            triangle in triangle(),
            radius in 0.01..0.3f64,
        ) {
            let ball = MovingBall { from, way: to - from, radius };
            let distance = |part: f64| {
                let p = ball.from + ball.way * part;
                (p - nearest_point(&p, &triangle)).norm()
            };
            match ball.first_touch(&triangle) {
                Some(part) => {
                    prop_assert!((0.0..=1.0).contains(&part));
                    prop_assert!(distance(part) <= radius + 1e-7);
                    for i in 0..200 {
                        let before = part * f64::from(i) / 200.0;
                        prop_assert!(part == 0.0 || distance(before) >= radius - 1e-7);
                    }
                }
                None => {
                    for i in 0..=200 {
                        prop_assert!(distance(f64::from(i) / 200.0) >= radius - 1e-7);
                    }
                }
            }
        }
    }
}
