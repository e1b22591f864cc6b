//! Converts the tracker's attitudes to unit quaternions.

use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion};

/// Range of the norm of a valid attitude, which is sent rounded.
const UNIT: std::ops::RangeInclusive<f64> = 0.98..=1.02;
/// Largest cosine between two rows of a valid attitude, which should be at right angles.
const RIGHT_ANGLE: f64 = 0.02;
/// Largest azimuth and roll: some units print angles up to a full turn.
const MAX_TURN_DEG: f64 = 360.0;
/// Largest elevation: rounding may take it beyond 90 degrees.
const MAX_ELEVATION_DEG: f64 = 90.5;

/// Converts a quaternion with the scalar first; `None` if it is not a unit quaternion.
pub(in crate::polhemus) fn from_quaternion(numbers: [f64; 4]) -> Option<UnitQuaternion<f64>> {
    let [scalar, i, j, k] = numbers;
    let quaternion = Quaternion::new(scalar, i, j, k);
    let norm = quaternion.norm();
    UNIT.contains(&norm).then(|| UnitQuaternion::new_unchecked(quaternion / norm))
}

/// Converts Euler angles: azimuth about z, then elevation about the turned y, then roll about the
/// twice turned x. `None` if an angle is out of range.
pub(super) fn from_euler_deg([azimuth, elevation, roll]: [f64; 3]) -> Option<UnitQuaternion<f64>> {
    let is_possible = azimuth.abs() <= MAX_TURN_DEG
        && elevation.abs() <= MAX_ELEVATION_DEG
        && roll.abs() <= MAX_TURN_DEG;
    is_possible.then(|| {
        let [azimuth, elevation, roll] = [azimuth, elevation, roll].map(f64::to_radians);
        UnitQuaternion::from_euler_angles(roll, elevation, azimuth)
    })
}

/// Converts the rows of the matrix that rotates receiver vectors into the transmitter's frame;
/// `None` if they are not a rotation.
pub(super) fn from_rows(rows: [[f64; 3]; 3]) -> Option<UnitQuaternion<f64>> {
    let matrix = Matrix3::from_row_slice(rows.as_flattened());
    let [x, y, z] = [matrix.row(0), matrix.row(1), matrix.row(2)];
    let has_unit_rows = [x, y, z].iter().all(|row| UNIT.contains(&row.norm()));
    let has_right_angles =
        [x.dot(&y), y.dot(&z), z.dot(&x)].iter().all(|cosine| cosine.abs() <= RIGHT_ANGLE);
    // A reflection has right angles, too.
    let is_right_handed = matrix.determinant() > 0.0;
    if !has_unit_rows || !has_right_angles || !is_right_handed {
        return None;
    }
    let rotation = Rotation3::from_matrix_unchecked(matrix);
    // Rounded rows are not exactly a rotation.
    Some(UnitQuaternion::new_normalize(
        UnitQuaternion::from_rotation_matrix(&rotation).into_inner(),
    ))
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    fn turned(rotation: Option<UnitQuaternion<f64>>, vector: [f64; 3]) -> [f64; 3] {
        let turned = rotation.expect("an attitude") * Vector3::from(vector);
        [turned.x, turned.y, turned.z]
    }

    fn check(got: [f64; 3], want: [f64; 3]) {
        for (got, want) in got.into_iter().zip(want) {
            assert!((got - want).abs() < 1e-12, "{got} is not {want}");
        }
    }

    #[test]
    fn azimuth_is_about_z_elevation_about_y_and_roll_about_x() {
        let x = [1.0, 0.0, 0.0];
        check(turned(from_euler_deg([90.0, 0.0, 0.0]), x), [0.0, 1.0, 0.0]);
        check(turned(from_euler_deg([0.0, 90.0, 0.0]), x), [0.0, 0.0, -1.0]);
        check(turned(from_euler_deg([0.0, 0.0, 90.0]), [0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
        // Rz Ry Rx: roll acts first.
        check(turned(from_euler_deg([90.0, 0.0, 90.0]), [0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
        check(turned(from_euler_deg([90.0, 30.0, 0.0]), x), [0.0, 0.75_f64.sqrt(), -0.5]);
        assert_eq!(from_euler_deg([0.0, 91.0, 0.0]), None);
        assert_eq!(from_euler_deg([361.0, 0.0, 0.0]), None);
        assert_eq!(from_euler_deg([0.0, 0.0, f64::NAN]), None);
    }

    #[test]
    fn rows_hold_one_component_of_each_receiver_axis() {
        // A quarter turn about z: the receiver's x axis points along y, its y axis along -x.
        let rows = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        check(turned(from_rows(rows), [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]);
        check(turned(from_rows(rows), [0.0, 1.0, 0.0]), [-1.0, 0.0, 0.0]);
        let half_turn = [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]];
        check(turned(from_rows(half_turn), [1.0, 2.0, 3.0]), [-1.0, -2.0, 3.0]);
    }

    #[test]
    fn rows_that_are_no_rotation_are_refused() {
        let check = |rows| assert_eq!(from_rows(rows), None);
        check([[0.0; 3]; 3]);
        check([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]);
        check([[1.1, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        check([[1.0, 0.0, 0.0], [0.1, 0.995, 0.0], [0.0, 0.0, 1.0]]);
    }

    #[test]
    fn quaternions_are_scalar_first_and_unit() {
        let half = 0.5_f64.sqrt();
        check(turned(from_quaternion([half, 0.0, 0.0, half]), [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]);
        let rounded = from_quaternion([0.8001, 0.0, 0.0, -0.5999]).expect("an attitude");
        assert!((rounded.norm() - 1.0).abs() < 1e-15);
        assert_eq!(from_quaternion([0.0; 4]), None);
        assert_eq!(from_quaternion([0.6, 0.6, 0.6, 0.0]), None);
        assert_eq!(from_quaternion([f64::INFINITY, 0.0, 0.0, 0.0]), None);
    }
}
