//! Distance between a straight line segment and a triangle, and the nearest point.

use nalgebra::Point3;

use super::triangle::{Triangle, nearest_on_edge, nearest_point};

/// A straight line from one point to another, such as the axis of a finger segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    pub start: Point3<f64>,
    pub end: Point3<f64>,
}

impl Segment {
    /// The distance to a triangle and the nearest point of the segment; zero if they cross.
    pub fn apart(&self, triangle: &Triangle) -> (f64, Point3<f64>) {
        if let Some(crossing) = self.crossing(triangle) {
            return (0.0, crossing);
        }
        // Otherwise the nearest pair is an end and the triangle, or lies on one of the triangle's
        // edges.
        let of_end = |end: Point3<f64>| ((end - nearest_point(&end, triangle)).norm(), end);
        let mut nearest = of_end(self.start);
        let [a, b, c] = triangle;
        let of_edges = [(a, b), (b, c), (c, a)].map(|(from, to)| self.apart_from_edge(from, to));
        for other in [of_end(self.end)].into_iter().chain(of_edges) {
            if other.0 < nearest.0 {
                nearest = other;
            }
        }
        nearest
    }

    /// The distance to a point.
    pub fn apart_from_point(&self, point: &Point3<f64>) -> f64 {
        (point - nearest_on_edge(point, &self.start, &self.end).0).norm()
    }

    /// The point where the segment passes through a triangle's face.
    fn crossing(&self, triangle: &Triangle) -> Option<Point3<f64>> {
        let [a, b, c] = triangle;
        let normal = (b - a).cross(&(c - a));
        let (before, after) = ((self.start - a).dot(&normal), (self.end - a).dot(&normal));
        let is_through = (before <= 0.0 && after >= 0.0) || (before >= 0.0 && after <= 0.0);
        if !is_through || before == after {
            return None;
        }
        let crossing = self.start + (self.end - self.start) * (before / (before - after));
        let is_inside = [(a, b), (b, c), (c, a)]
            .into_iter()
            .all(|(from, to)| (to - from).cross(&(crossing - from)).dot(&normal) >= 0.0);
        is_inside.then_some(crossing)
    }

    /// The distance to an edge and the nearest point of the segment.
    fn apart_from_edge(&self, from: &Point3<f64>, to: &Point3<f64>) -> (f64, Point3<f64>) {
        let (way, edge, between) = (self.end - self.start, to - from, self.start - from);
        let (a, b, c) = (way.norm_squared(), way.dot(&edge), edge.norm_squared());
        let (d, e) = (way.dot(&between), edge.dot(&between));
        let determinant = a * c - b * b;
        // Nearest place of the two lines; for parallel lines any starting place is right.
        let part =
            if determinant > 0.0 { ((b * e - c * d) / determinant).clamp(0.0, 1.0) } else { 0.0 };
        // The edge's place nearest to that, then the segment's place nearest to the edge's.
        let (on_edge, _) = nearest_on_edge(&(self.start + way * part), from, to);
        let (on_segment, _) = nearest_on_edge(&on_edge, &self.start, &self.end);
        ((on_segment - on_edge).norm(), on_segment)
    }
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
            // Triangles without area.
            1 => (point(), point(), -0.5..1.5f64).prop_map(|(a, b, t)| [a, b, a + (b - a) * t]),
        ]
    }

    /// The distance by ternary search: along the segment the distance to a triangle, which is
    /// convex, falls and then rises.
    fn by_search(segment: &Segment, triangle: &Triangle) -> f64 {
        let way = segment.end - segment.start;
        let distance = |part: f64| {
            let p = segment.start + way * part;
            (p - nearest_point(&p, triangle)).norm()
        };
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..90 {
            let third = (high - low) / 3.0;
            if distance(low + third) <= distance(high - third) {
                high -= third;
            } else {
                low += third;
            }
        }
        distance((low + high) * 0.5)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn as_near_as_a_search_along_the_segment_finds(
            start in point(), end in point(), triangle in triangle(),
        ) {
            let segment = Segment { start, end };
            let (apart, at) = segment.apart(&triangle);
            let search = by_search(&segment, &triangle);
            prop_assert!((apart - search).abs() < 1e-7, "{apart} but {search}");
            prop_assert!(segment.apart_from_point(&at) < 1e-12);
            prop_assert!(((at - nearest_point(&at, &triangle)).norm() - apart).abs() < 1e-7);
        }

        #[test]
        fn parallel_segments_too(
            a in point(), b in point(), c in point(), aside in point(),
            from in -2.0..2.0f64, to in -2.0..2.0f64,
        ) {
            let along = b - a;
            let start = aside + along * from;
            let segment = Segment { start, end: aside + along * to };
            let apart = segment.apart(&[a, b, c]).0;
            prop_assert!((apart - by_search(&segment, &[a, b, c])).abs() < 1e-7);
        }
    }
}
