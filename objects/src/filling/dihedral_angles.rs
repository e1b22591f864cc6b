//! Dihedral angles of tetrahedra.

use nalgebra::Point3;

/// Cosines of the smallest and of the largest angle between two faces of a tetrahedron.
pub(super) fn cosine_range(corners: [Point3<f64>; 4]) -> [f64; 2] {
    let [o, a, b, c] = corners;
    let (a, b, c) = (a - o, b - o, c - o);
    // Outward normals, named by the corner opposite to their face.
    let normals = [(b - a).cross(&(c - a)), c.cross(&b), a.cross(&c), b.cross(&a)];
    let lengths = normals.map(|normal| normal.norm());
    let mut range = [-1.0_f64, 1.0_f64];
    for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        let cosine = -normals[i].dot(&normals[j]) / (lengths[i] * lengths[j]);
        range = [range[0].max(cosine), range[1].min(cosine)];
    }
    range
}

/// Smallest and largest dihedral angle of all tetrahedra, in degrees.
pub(super) fn dihedral_degrees(tets: impl Iterator<Item = [Point3<f64>; 4]>) -> [f64; 2] {
    let range = tets
        .map(cosine_range)
        .fold([-1.0_f64, 1.0_f64], |all, one| [all[0].max(one[0]), all[1].min(one[1])]);
    range.map(|cosine| cosine.clamp(-1.0, 1.0).acos().to_degrees())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corner_of_a_cube_has_right_angles_and_those_of_a_diagonal_cut() {
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let [least, most] = dihedral_degrees(std::iter::once(corners.map(Point3::from)));
        assert!((least - (1.0 / 3.0_f64.sqrt()).acos().to_degrees()).abs() < 1e-9);
        assert!((most - 90.0).abs() < 1e-9);
    }

    #[test]
    fn flat_wedge_has_a_wide_angle() {
        let corners = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.1], [0.0, -1.0, 0.1]];
        let [_, most] = dihedral_degrees(std::iter::once(corners.map(Point3::from)));
        assert!((most - 2.0 * 10.0_f64.atan().to_degrees()).abs() < 1e-9);
    }
}
