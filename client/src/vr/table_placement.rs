//! Position of the world in the room: the table stands at arm's length in front of the wearer.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use openxr as xr;

/// Distance of the table's middle ahead of the eyes, in metres. The arm is half stretched there.
const AHEAD: f64 = 0.42;
/// Distance of the table's middle below the eyes, in metres.
const BELOW: f64 = 0.34;
/// Height of the table above the floor for a standing wearer, in metres: that of a workbench.
const ABOVE_FLOOR: f64 = 1.0;

/// Returns the world's pose in front of a head: turned with the gaze, but never tilted. If the room
/// has a floor at height 0, the table stands on it.
pub(super) fn room_from_world(room_from_head: &Isometry3<f64>, has_floor: bool) -> Isometry3<f64> {
    let ahead = room_from_head.rotation * -Vector3::z();
    // A gaze straight up or down has no horizontal direction; the upward side of the head has one.
    let ahead = match ahead.xz().norm() > 1e-3 {
        true => ahead,
        false => (room_from_head.rotation * Vector3::y()) * -ahead.y.signum(),
    };
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), (-ahead.x).atan2(-ahead.z));
    let mut place = room_from_head.translation.vector + turn * Vector3::new(0.0, -BELOW, -AHEAD);
    if has_floor {
        place.y = ABOVE_FLOOR;
    }
    Isometry3::from_parts(Translation3::from(place), turn)
}

/// Converts a location of the runtime; `None` if it is not tracked.
pub(super) fn located(flags: xr::SpaceLocationFlags, pose: &xr::Posef) -> Option<Isometry3<f64>> {
    let needed = xr::SpaceLocationFlags::POSITION_VALID | xr::SpaceLocationFlags::ORIENTATION_VALID;
    isometry(pose).filter(|_| flags.contains(needed))
}

/// Converts a pose of OpenXR; `None` if it is invalid.
pub(super) fn isometry(pose: &xr::Posef) -> Option<Isometry3<f64>> {
    let xr::Posef { orientation: q, position: p } = pose;
    let [w, x, y, z] = [q.w, q.x, q.y, q.z].map(f64::from);
    let place = Vector3::new(p.x, p.y, p.z).cast::<f64>();
    let turn = UnitQuaternion::try_new(nalgebra::Quaternion::new(w, x, y, z), 1e-3)?;
    let is_whole = place.iter().chain(turn.coords.iter()).all(|number| number.is_finite());
    is_whole.then(|| Isometry3::from_parts(Translation3::from(place), turn))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;
    use nalgebra::Point3;

    /// Returns the middle of the table for a head with this rotation at a height of 1.2 m.
    fn check(turn: Vector3<f64>, expected: [f64; 3]) {
        let head = Isometry3::new(Vector3::new(0.1, 1.2, 0.3), turn);
        let world = room_from_world(&head, false);
        let middle = world * Point3::origin();
        assert!((middle - Point3::from(expected)).norm() < 1e-9, "{middle}");
        // It stays level, with the wearer on its +z side.
        assert!((world.rotation * Vector3::y() - Vector3::y()).norm() < 1e-9);
        let to_wearer = world.inverse() * Point3::from(head.translation.vector);
        assert!((to_wearer - Point3::new(0.0, BELOW, AHEAD)).norm() < 1e-9, "{to_wearer}");
    }

    #[test]
    fn the_table_stands_in_front_of_the_wearer_and_level() {
        let height = 1.2 - BELOW;
        check(Vector3::zeros(), [0.1, height, 0.3 - AHEAD]);
        check(Vector3::y() * FRAC_PI_2, [0.1 - AHEAD, height, 0.3]);
        // A head that looks down, straight down, and is tilted to the side.
        check(Vector3::x() * -0.6, [0.1, height, 0.3 - AHEAD]);
        check(Vector3::x() * -FRAC_PI_2, [0.1, height, 0.3 - AHEAD]);
        check(Vector3::x() * FRAC_PI_2, [0.1, height, 0.3 - AHEAD]);
        check(Vector3::z() * 0.4, [0.1, height, 0.3 - AHEAD]);
    }

    #[test]
    fn on_a_floor_the_table_has_the_height_of_a_workbench() {
        for height in [1.1, 1.9] {
            let head = Isometry3::new(Vector3::new(0.1, height, 0.3), Vector3::zeros());
            let middle = room_from_world(&head, true) * Point3::origin();
            assert!((middle - Point3::new(0.1, 1.0, 0.3 - AHEAD)).norm() < 1e-9, "{middle}");
        }
    }

    #[test]
    fn an_invalid_pose_is_refused() {
        let mut pose = xr::Posef::IDENTITY;
        assert_eq!(isometry(&pose), Some(Isometry3::identity()));
        pose.position.x = f32::NAN;
        assert_eq!(isometry(&pose), None);
        pose = xr::Posef::IDENTITY;
        pose.orientation.w = 0.0;
        assert_eq!(isometry(&pose), None);
    }
}
