//! Attitudes as unit quaternions, scalar first, and conversions to other forms.

/// A unit quaternion, scalar first. An attitude rotates receiver vectors into the transmitter's
/// frame.
pub(super) type Quaternion = [f64; 4];

pub(super) const IDENTITY: Quaternion = [1.0, 0.0, 0.0, 0.0];

/// The rotation `b`, followed by the rotation `a`.
pub(super) fn multiply([aw, ax, ay, az]: Quaternion, [bw, bx, by, bz]: Quaternion) -> Quaternion {
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

pub(super) fn inverse([w, x, y, z]: Quaternion) -> Quaternion {
    [w, -x, -y, -z]
}

pub(super) fn turn(quaternion: Quaternion, vector: [f64; 3]) -> [f64; 3] {
    matrix(quaternion).map(|row| dot(row, vector))
}

/// The rotation matrix by rows; its columns are the receiver's axes.
pub(super) fn matrix([w, x, y, z]: Quaternion) -> [[f64; 3]; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// Euler angles: azimuth about z, then elevation about y, then roll about x.
pub(super) fn euler_deg(quaternion: Quaternion) -> [f64; 3] {
    let rows = matrix(quaternion);
    let azimuth = rows[1][0].atan2(rows[0][0]);
    let elevation = (-rows[2][0]).clamp(-1.0, 1.0).asin();
    let roll = rows[2][1].atan2(rows[2][2]);
    [azimuth, elevation, roll].map(f64::to_degrees)
}

pub(super) fn from_euler_deg([azimuth, elevation, roll]: [f64; 3]) -> Quaternion {
    let half = |angle_deg: f64| (angle_deg.to_radians() / 2.0).sin_cos();
    let about = |(sin, cos): (f64, f64), axis: usize| {
        let mut quaternion = [cos, 0.0, 0.0, 0.0];
        quaternion[axis] = sin;
        quaternion
    };
    let turned = multiply(about(half(azimuth), 3), about(half(elevation), 2));
    multiply(turned, about(half(roll), 1))
}

/// The frame whose x axis points from `origin` to `on_x` and whose xy plane contains `near_y`;
/// `None` if the three points lie on a line.
pub(super) fn from_points([origin, on_x, near_y]: [[f64; 3]; 3]) -> Option<Quaternion> {
    let x = unit(minus(on_x, origin))?;
    let z = unit(cross(x, minus(near_y, origin)))?;
    let y = cross(z, x);
    // Divides by the largest component, which is at least 1/2.
    let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = [x, y, z];
    let squares = [1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz];
    let largest = (0..4).max_by(|a, b| squares[*a].total_cmp(&squares[*b]))?;
    let number = squares[largest].sqrt() / 2.0;
    let (a, b, c) = ((yz - zy) / 4.0, (zx - xz) / 4.0, (xy - yx) / 4.0);
    let (ab, ac, bc) = ((yx + xy) / 4.0, (zx + xz) / 4.0, (zy + yz) / 4.0);
    let mut quaternion = match largest {
        0 => [0.0, a, b, c],
        1 => [a, 0.0, ab, ac],
        2 => [b, ab, 0.0, bc],
        _ => [c, ac, bc, 0.0],
    }
    .map(|product| product / number);
    quaternion[largest] = number;
    Some(quaternion)
}

pub(super) fn plus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] + b[axis])
}

pub(super) fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn length(vector: [f64; 3]) -> f64 {
    dot(vector, vector).sqrt()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(vector: [f64; 3]) -> Option<[f64; 3]> {
    let length = length(vector);
    (length > 1e-9).then(|| vector.map(|part| part / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_close(got: &[f64], want: &[f64]) {
        let is_close = got.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-9);
        assert!(got.len() == want.len() && is_close, "{got:?} is not {want:?}");
    }

    #[test]
    fn angles_survive_the_way_through_a_quaternion() {
        for angles in [[90.0, -12.5, 179.99], [-170.0, 60.0, 5.0], [0.0, 0.0, 0.0]] {
            check_close(&euler_deg(from_euler_deg(angles)), &angles);
        }
    }

    #[test]
    fn a_quarter_turn_about_z_takes_x_to_y() {
        let quarter = from_euler_deg([90.0, 0.0, 0.0]);
        check_close(&turn(quarter, [1.0, 0.0, 0.0]), &[0.0, 1.0, 0.0]);
        check_close(&multiply(quarter, inverse(quarter)), &IDENTITY);
    }

    #[test]
    fn three_points_make_the_frame_that_turns_the_axes_there() {
        for angles in
            [[30.0, 20.0, 10.0], [180.0, 0.0, 0.0], [0.0, 0.0, 180.0], [90.0, 80.0, -170.0]]
        {
            let want = from_euler_deg(angles);
            let origin = [1.0, 2.0, 3.0];
            let on_x = plus(origin, turn(want, [4.0, 0.0, 0.0]));
            let near_y = plus(origin, turn(want, [1.0, 5.0, 0.0]));
            let got = from_points([origin, on_x, near_y]).unwrap();
            check_close(matrix(got).as_flattened(), matrix(want).as_flattened());
        }
        assert_eq!(from_points([[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]), None);
    }
}
