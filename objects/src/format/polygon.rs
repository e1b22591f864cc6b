//! Cuts plane polygons into triangles, also where corners point inward.

use nalgebra::{Point3, Vector3};

use super::raw_mesh::RawMesh;

/// Largest number of corners of a polygon that is cut by ears: the work grows with its square.
const MOST_CORNERS: usize = 512;

impl RawMesh {
    /// Cuts polygons again for which a fan around the first corner would leave the polygon. The
    /// number of triangles stays the same.
    pub(super) fn cut_concave_polygons(&mut self) {
        let polygons = std::mem::take(&mut self.cut_polygons);
        let mut corners = Vec::new();
        for (first, count) in polygons {
            let fan = &mut self.triangles[first as usize..][..count as usize];
            corners.clear();
            corners.push(fan[0][0]);
            corners.push(fan[0][1]);
            corners.extend(fan.iter().map(|triangle| triangle[2]));
            let exist = corners.iter().all(|corner| (*corner as usize) < self.points.len());
            if !exist || corners.len() > MOST_CORNERS {
                continue;
            }
            let at = |corner: u32| self.points[corner as usize];
            let is_turned = |[a, b, c]: [u32; 3], normal: &Vector3<f64>| {
                (at(b) - at(a)).cross(&(at(c) - at(a))).dot(normal) < 0.0
            };
            let normal = normal(&corners, at);
            if fan.iter().any(|triangle| is_turned(*triangle, &normal)) {
                cut_ears(&corners, &normal, at, fan);
            }
        }
    }
}

/// Sum of the directed areas of the polygon's fan, doubled: its normal, also if it is concave.
fn normal(corners: &[u32], at: impl Fn(u32) -> Point3<f64>) -> Vector3<f64> {
    let origin = at(corners[0]);
    let side = |pair: &[u32]| (at(pair[0]) - origin).cross(&(at(pair[1]) - origin));
    corners.windows(2).map(side).sum()
}

/// Cuts off one ear after another: a corner that points outward and whose triangle holds no other
/// corner. Where there is none, as in a polygon that intersects itself, the widest corner is cut.
fn cut_ears(
    corners: &[u32],
    normal: &Vector3<f64>,
    at: impl Fn(u32) -> Point3<f64>,
    triangles: &mut [[u32; 3]],
) {
    let mut rest = corners.to_vec();
    let area = |a: u32, b: u32, c: u32| (at(b) - at(a)).cross(&(at(c) - at(a))).dot(normal);
    for triangle in triangles {
        let n = rest.len();
        let around = |i: usize| [rest[(i + n - 1) % n], rest[i], rest[(i + 1) % n]];
        let is_ear = |i: &usize| {
            let ear @ [a, b, c] = around(*i);
            let holds = |corner: &u32| {
                let is_other = !ear.contains(corner) && !ear.iter().any(|e| at(*e) == at(*corner));
                is_other
                    && area(a, b, *corner) >= 0.0
                    && area(b, c, *corner) >= 0.0
                    && area(c, a, *corner) >= 0.0
            };
            area(a, b, c) > 0.0 && !rest.iter().any(holds)
        };
        let widest = || {
            let area_at = |i: &usize| {
                let [a, b, c] = around(*i);
                area(a, b, c)
            };
            (0..n).max_by(|i, j| area_at(i).total_cmp(&area_at(j))).unwrap_or(0)
        };
        let ear = (0..n).find(is_ear).unwrap_or_else(widest);
        *triangle = around(ear);
        rest.remove(ear);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts a plane polygon and returns the area of all triangles, each counted as positive.
    fn cut_area(outline: &[[f64; 2]]) -> f64 {
        let mut mesh = RawMesh {
            points: outline.iter().map(|[x, y]| Point3::new(*x, *y, 1.0)).collect(),
            ..RawMesh::default()
        };
        mesh.add_polygon(&(0..outline.len() as u32).collect::<Vec<u32>>());
        mesh.cut_concave_polygons();
        assert_eq!(mesh.triangles.len(), outline.len() - 2);
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| mesh.points[i as usize]);
            (b - a).cross(&(c - a)).z / 2.0
        };
        assert!(mesh.triangles.iter().all(|t| area(t) >= 0.0), "{:?}", mesh.triangles);
        mesh.triangles.iter().map(area).sum()
    }

    #[test]
    fn concave_polygons_keep_their_area_whichever_corner_comes_first() {
        let corner = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
        let comb: Vec<[f64; 2]> = [
            [0.0, 0.0],
            [7.0, 0.0],
            [7.0, 2.0],
            [6.0, 2.0],
            [6.0, 1.0],
            [5.0, 1.0],
            [5.0, 2.0],
            [4.0, 2.0],
            [4.0, 1.0],
            [3.0, 1.0],
            [3.0, 2.0],
            [0.0, 2.0],
        ]
        .to_vec();
        for (outline, expected) in [(corner.to_vec(), 5.0), (comb, 12.0)] {
            for first in 0..outline.len() {
                let mut outline = outline.clone();
                outline.rotate_left(first);
                let area = cut_area(&outline);
                assert!((area - expected).abs() < 1e-12, "{area} from corner {first}");
            }
        }
    }

    #[test]
    fn convex_polygons_stay_fans() {
        let mut mesh = RawMesh {
            points: [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
                .map(|[x, y]| Point3::new(x, y, 0.0))
                .to_vec(),
            ..RawMesh::default()
        };
        mesh.add_polygon(&[0, 1, 2, 3]);
        mesh.cut_concave_polygons();
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn polygons_that_intersect_themselves_end() {
        let points: Vec<Point3<f64>> = (0..40)
            .map(|i| Point3::new((f64::from(i) * 7.3).sin(), (f64::from(i) * 3.1).cos(), 0.0))
            .collect();
        let mut mesh = RawMesh { points, ..RawMesh::default() };
        mesh.add_polygon(&(0..40).collect::<Vec<u32>>());
        mesh.add_polygon(&[0, 1, 0, 1, 0]);
        mesh.cut_concave_polygons();
        assert_eq!(mesh.triangles.len(), 38 + 3);
    }
}
