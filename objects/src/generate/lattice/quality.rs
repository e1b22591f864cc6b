//! Shape quality of one tetrahedron.

use nalgebra::Point3;

/// Squared sine of the dihedral angle that is nearest to 0 or 180 degrees; negative for a
/// tetrahedron that is inside out. Needles, slivers and caps all get a low value, and no roots are
/// needed.
pub(super) fn worst_angle(corners: [&Point3<f64>; 4]) -> f64 {
    let [o, a, b, c] = corners;
    let (a, b, c) = (a - o, b - o, c - o);
    let normals = [(b - a).cross(&(c - a)), c.cross(&b), a.cross(&c), b.cross(&a)];
    let volume = -a.dot(&normals[1]);
    if volume <= 0.0 {
        return volume.min(-f64::MIN_POSITIVE);
    }
    let area = normals.map(|normal| normal.norm_squared());
    // Each edge with its two faces, named by the corner opposite to them.
    let angles = [
        a.norm_squared() / (area[2] * area[3]),
        b.norm_squared() / (area[1] * area[3]),
        c.norm_squared() / (area[1] * area[2]),
        (b - a).norm_squared() / (area[0] * area[3]),
        (c - a).norm_squared() / (area[0] * area[2]),
        (c - b).norm_squared() / (area[0] * area[1]),
    ];
    volume * volume * angles.into_iter().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corner_of_a_cube_has_right_angles_and_those_of_a_diagonal_cut() {
        let [o, a, b, c] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let corners = [o, a, b, c].map(Point3::from);
        // The cut meets the sides at an angle whose cosine is 1/sqrt(3).
        let [o, a, b, c] = corners.each_ref();
        assert!((worst_angle([o, a, b, c]) - 2.0 / 3.0).abs() < 1e-12);
        assert!(worst_angle([o, b, a, c]) < 0.0, "inside out");
        assert!(worst_angle([o, a, b, b]) < 0.0, "flat");
    }
}
