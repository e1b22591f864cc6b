//! Shape quality of tetrahedra.

use nalgebra::{Point3, Vector3};

/// Shape quality of all tetrahedra of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// Smallest dihedral angle of all, in radians; at most arccos 1/3, and near zero in needles and
    /// slivers.
    pub smallest_angle: f64,
    /// Element with the smallest dihedral angle.
    pub sharpest: usize,
    /// Smallest radius ratio of all: three times the radius of the inner sphere over that of the
    /// outer sphere, 1 in a regular tetrahedron.
    pub least_ratio: f64,
    /// Element with the smallest radius ratio.
    pub flattest: usize,
    /// Number of elements by their smallest dihedral angle, in steps of ten degrees.
    pub angles: [usize; 8],
    /// Number of elements by their radius ratio, in steps of a tenth.
    pub ratios: [usize; 10],
}

impl Quality {
    /// Quality of positively oriented elements; `None` if there are none.
    pub(super) fn of(points: &[Point3<f64>], tetrahedra: &[[u32; 4]]) -> Option<Self> {
        let mut quality = Self {
            smallest_angle: f64::INFINITY,
            sharpest: 0,
            least_ratio: f64::INFINITY,
            flattest: 0,
            angles: [0; 8],
            ratios: [0; 10],
        };
        for (element, nodes) in tetrahedra.iter().enumerate() {
            let (angle, ratio) = shape(nodes.map(|node| points[node as usize]));
            quality.angles[bin(angle.to_degrees() / 10.0, 8)] += 1;
            quality.ratios[bin(ratio * 10.0, 10)] += 1;
            if angle < quality.smallest_angle {
                (quality.smallest_angle, quality.sharpest) = (angle, element);
            }
            if ratio < quality.least_ratio {
                (quality.least_ratio, quality.flattest) = (ratio, element);
            }
        }
        (!tetrahedra.is_empty()).then_some(quality)
    }
}

fn bin(value: f64, n: usize) -> usize {
    (value as usize).min(n - 1)
}

/// Smallest dihedral angle and radius ratio of one tetrahedron.
fn shape([o, a, b, c]: [Point3<f64>; 4]) -> (f64, f64) {
    let (a, b, c) = (a - o, b - o, c - o);
    // Inward; the length of each is twice the area of its face.
    let normals = [(c - a).cross(&(b - a)), b.cross(&c), c.cross(&a), a.cross(&b)];
    let lengths = normals.map(|normal| normal.norm());
    let cosine = |i: usize, j: usize| -normals[i].dot(&normals[j]) / (lengths[i] * lengths[j]);
    let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let largest = pairs.iter().map(|(i, j)| cosine(*i, *j)).fold(-1.0, f64::max);
    let six_volumes = a.dot(&normals[1]);
    let inner = six_volumes / lengths.iter().sum::<f64>();
    let towards: Vector3<f64> = normals[1] * a.norm_squared()
        + normals[2] * b.norm_squared()
        + normals[3] * c.norm_squared();
    let outer = towards.norm() / (2.0 * six_volumes);
    (largest.clamp(-1.0, 1.0).acos(), (3.0 * inner / outer).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(corners: [[f64; 3]; 4], angle_deg: f64, ratio: f64) {
        let (angle, found) = shape(corners.map(Point3::from));
        assert!((angle.to_degrees() - angle_deg).abs() < 1e-9, "{}", angle.to_degrees());
        assert!((found - ratio).abs() < 1e-12, "{found}");
    }

    #[test]
    fn shapes_that_are_known_in_closed_form() {
        let regular = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
        let [a, b, c, d] = regular;
        check([a, c, b, d], (1.0_f64 / 3.0).acos().to_degrees(), 1.0);
        // The corner of a cube: inner radius 1 / (3 + sqrt 3), outer radius sqrt(3) / 2.
        let corner = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let root = 3.0_f64.sqrt();
        check(corner, (1.0 / root).acos().to_degrees(), 6.0 / ((3.0 + root) * root));
    }

    #[test]
    fn the_worst_is_named_and_all_are_counted() {
        let points =
            [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.3, 0.3, 0.01]];
        let quality =
            Quality::of(&points.map(Point3::from), &[[0, 1, 2, 3], [0, 1, 2, 4]]).unwrap();
        assert_eq!((quality.sharpest, quality.flattest), (1, 1));
        assert_eq!(quality.angles, [1, 0, 0, 0, 0, 1, 0, 0]);
        assert_eq!(quality.ratios.iter().sum::<usize>(), 2);
        assert_eq!(Quality::of(&[], &[]), None);
    }
}
