//! Turns triangles the same way as their neighbours.

use nalgebra::Point3;

use super::triangle_tree::Triangle;
use crate::TriangleSurface;

/// Triangles of a surface with the coordinates `scaled`. Where exactly two triangles meet at an
/// edge, they are oriented the same way; in each part of the surface the orientation with the
/// larger area wins. Points at the same position count as one.
pub(super) fn turned_triangles(
    surface: &TriangleSurface,
    scaled: impl Fn(&Point3<f64>) -> Point3<f64>,
) -> Vec<Triangle> {
    let points: Vec<Point3<f64>> = surface.points().iter().map(scaled).collect();
    let welded = welded(surface.points());
    let triangles: Vec<[u32; 3]> =
        surface.triangles().iter().map(|t| t.map(|corner| welded[corner as usize])).collect();
    let is_turned = turns(&triangles, &points);
    triangles
        .iter()
        .zip(is_turned)
        .map(|(&[a, b, c], is_turned)| if is_turned { [a, c, b] } else { [a, b, c] })
        .map(|triangle| triangle.map(|corner| points[corner as usize]))
        .collect()
}

/// For each triangle, the first triangle that is connected with it over points; points at the same
/// position count as one.
pub(super) fn shell_of_triangles(surface: &TriangleSurface) -> Vec<u32> {
    let welded = welded(surface.points());
    let mut parents: Vec<u32> = (0..surface.points().len() as u32).collect();
    fn first(parents: &mut [u32], mut at: u32) -> u32 {
        while parents[at as usize] != at {
            parents[at as usize] = parents[parents[at as usize] as usize];
            at = parents[at as usize];
        }
        at
    }
    for corners in surface.triangles() {
        let [a, b, c] = corners.map(|corner| first(&mut parents, welded[corner as usize]));
        parents[b as usize] = a;
        let (c, a) = (first(&mut parents, c), first(&mut parents, a));
        parents[c as usize] = a;
    }
    let of = |corners: &[u32; 3]| first(&mut parents, welded[corners[0] as usize]);
    surface.triangles().iter().map(of).collect()
}

/// For each point, the first point at the same position.
fn welded(points: &[Point3<f64>]) -> Vec<u32> {
    // Adding zero turns -0.0 into 0.0.
    let bits = |x: &Point3<f64>| [x.x, x.y, x.z].map(|c| (c + 0.0).to_bits());
    let mut order: Vec<([u64; 3], u32)> = points.iter().map(bits).zip(0..).collect();
    order.sort_unstable();
    let mut first = vec![0; points.len()];
    for same in order.chunk_by(|a, b| a.0 == b.0) {
        for (_, point) in same {
            first[*point as usize] = same[0].1;
        }
    }
    first
}

/// For each triangle, true if it has to be turned over.
fn turns(triangles: &[[u32; 3]], points: &[Point3<f64>]) -> Vec<bool> {
    let neighbours = neighbours(triangles);
    let mut turned: Vec<Option<bool>> = vec![None; triangles.len()];
    for start in 0..triangles.len() {
        if turned[start].is_some() {
            continue;
        }
        let mut part = vec![start];
        turned[start] = Some(false);
        let mut seen = 0;
        let (mut area, mut turned_area) = (0.0, 0.0);
        while seen < part.len() {
            let at = part[seen];
            seen += 1;
            let is_turned = turned[at] == Some(true);
            let [a, b, c] = triangles[at].map(|corner| points[corner as usize]);
            let size = (b - a).cross(&(c - a)).norm();
            area += size;
            turned_area += if is_turned { size } else { 0.0 };
            for &(next, is_same_way) in neighbours[at].iter().flatten() {
                if turned[next as usize].is_none() {
                    turned[next as usize] = Some(is_turned == is_same_way);
                    part.push(next as usize);
                }
            }
        }
        if turned_area > area / 2.0 {
            for at in part {
                turned[at] = turned[at].map(|is_turned| !is_turned);
            }
        }
    }
    turned.into_iter().map(|is_turned| is_turned == Some(true)).collect()
}

/// For each edge of each triangle, the triangle across it, if there is exactly one, with true if
/// both are oriented the same way.
fn neighbours(triangles: &[[u32; 3]]) -> Vec<[Option<(u32, bool)>; 3]> {
    let mut edges: Vec<([u32; 2], u32, usize, bool)> = Vec::with_capacity(3 * triangles.len());
    for (number, corners) in triangles.iter().enumerate() {
        for side in 0..3 {
            let (from, to) = (corners[side], corners[(side + 1) % 3]);
            if from != to {
                edges.push(([from.min(to), from.max(to)], number as u32, side, from < to));
            }
        }
    }
    edges.sort_unstable();
    let mut neighbours = vec![[None; 3]; triangles.len()];
    for same in edges.chunk_by(|a, b| a.0 == b.0) {
        if let [a, b] = same {
            // Neighbours that are oriented the same way pass their common edge in opposite
            // directions.
            let is_same_way = a.3 != b.3;
            neighbours[a.1 as usize][a.2] = Some((b.1, is_same_way));
            neighbours[b.1 as usize][b.2] = Some((a.1, is_same_way));
        }
    }
    neighbours
}

#[cfg(test)]
mod tests {
    use super::super::test_samples::ball;
    use super::*;

    fn volume(triangles: &[Triangle]) -> f64 {
        triangles.iter().map(|[a, b, c]| a.coords.dot(&b.coords.cross(&c.coords)) / 6.0).sum()
    }

    /// Turns some triangles of a ball over and expects the original ball, or its mirror image.
    fn check(is_turned: impl Fn(usize) -> bool, expected: f64) {
        let ball = ball(1.0, 12);
        let points = ball.as_flattened().to_vec();
        let triangles = (0..ball.len())
            .map(|i| if is_turned(i) { [0, 2, 1] } else { [0, 1, 2] }.map(|c| 3 * i as u32 + c))
            .collect();
        let surface = TriangleSurface::new(points, triangles).unwrap();
        let turned = turned_triangles(&surface, |x| *x);
        assert!((volume(&turned) - expected * volume(&ball)).abs() < 1e-12);
    }

    #[test]
    fn the_larger_area_decides() {
        check(|_| false, 1.0);
        check(|i| i % 5 == 0, 1.0);
        check(|i| i % 5 != 0, -1.0);
    }
}
