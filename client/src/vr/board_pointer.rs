//! Pose of the menu board, and the point at which a hand points on it.
//!
//! The board's frame: origin in its middle, x to the right and y up as the wearer sees it, z
//! towards the wearer. All lengths are metres of the room; in the world they are divided by the
//! scale.

use calibration::JointAngles;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

/// Width and height of the board, in metres.
pub(super) const SIZE: [f64; 2] = [0.4, 0.45];

/// Distance of the board ahead of the eyes.
const AHEAD: f64 = 0.5;
/// Distance of the board below the eyes.
const BELOW: f64 = 0.08;
/// Distance of the board beside a palm that is turned to the eyes.
const BESIDE: f64 = 0.27;
/// Largest sideways offset of the board from the line of sight; beyond it the board follows.
const ASIDE: f64 = 0.6;
/// Largest distance of the board from the eyes; beyond it the board follows.
const FARTHEST: f64 = 0.9;
/// Least cosine of the angle between a palm's normal and the direction to the eyes for a turned
/// palm.
const TURNED: f64 = 0.75;
/// Largest mean bend of an open hand's fingers, summed over the first two joints, in radians.
const OPEN: f64 = 0.8;
/// Distance of a fingertip's skin from the board below which the fingertip pokes. A fingertip
/// farther away points at the spot that it hides from the eyes.
const NEAR: f64 = 0.05;
/// Depth behind the board beyond which a fingertip is ignored.
const DEEPEST: f64 = 0.06;
/// Distance before the board at which a touching fingertip releases.
const RELEASE: f64 = 0.012;
/// Distances between the skins of thumb and finger: a pinch begins below the first and ends above
/// the second.
const PINCH: [f64; 2] = [0.006, 0.016];

/// A point on the board: metres to the right of the middle and above it, and whether it is pressed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BoardPoint {
    pub(super) at: [f64; 2],
    pub(super) is_pressed: bool,
}

/// The ball at the end of a finger.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FingertipBall {
    pub(super) centre: Point3<f64>,
    pub(super) radius: f64,
}

/// Returns a board in front of the wearer's eyes, turned to them, never tilted sideways.
pub(super) fn before_gaze(world_from_head: &Isometry3<f64>, scale: f64) -> Isometry3<f64> {
    let eyes = Point3::from(world_from_head.translation.vector);
    let place = eyes + level(world_from_head) * (AHEAD / scale) - Vector3::y() * (BELOW / scale);
    facing(&place, &eyes)
}

/// Returns a board beside a palm, on the side of the nose.
pub(super) fn beside_palm(
    world_from_head: &Isometry3<f64>,
    palm: &Point3<f64>,
    scale: f64,
) -> Isometry3<f64> {
    let eyes = Point3::from(world_from_head.translation.vector);
    let right = level(world_from_head).cross(&Vector3::y());
    let towards_nose = if (palm - eyes).dot(&right) < 0.0 { right } else { -right };
    facing(&(palm + towards_nose * (BESIDE / scale)), &eyes)
}

/// True if the board has to follow because the wearer has turned or moved away from it.
pub(super) fn is_left_behind(
    world_from_board: &Isometry3<f64>,
    world_from_head: &Isometry3<f64>,
    scale: f64,
) -> bool {
    let to_board = world_from_board.translation.vector - world_from_head.translation.vector;
    let mut flat = to_board;
    flat.y = 0.0;
    to_board.norm() * scale > FARTHEST || level(world_from_head).angle(&flat) > ASIDE
}

/// True if a hand is open. A closed hand holds an object and does not call the menu.
pub(super) fn is_open(angles: &JointAngles) -> bool {
    let bends = angles.fingers.iter().map(|finger| finger.mpj + finger.pij);
    bends.sum::<f64>() / 4.0 < OPEN
}

/// True if the palm of a hand is turned to the eyes: its normal is -y of the wrist's frame.
pub(super) fn is_turned_to(world_from_wrist: &Isometry3<f64>, eyes: &Point3<f64>) -> bool {
    let to_eyes = eyes - Point3::from(world_from_wrist.translation.vector);
    let out = world_from_wrist.rotation * -Vector3::y();
    out.dot(&to_eyes) > TURNED * to_eyes.norm()
}

/// Returns the point where a ray from the front side meets the board.
pub(super) fn by_ray(
    world_from_board: &Isometry3<f64>,
    from: &Point3<f64>,
    along: &Vector3<f64>,
    scale: f64,
) -> Option<[f64; 2]> {
    let from = world_from_board.inverse_transform_point(from);
    let along = world_from_board.inverse_transform_vector(along);
    if from.z <= 0.0 || along.z >= 0.0 {
        return None;
    }
    let at = from + along * (-from.z / along.z);
    on_board([at.x * scale, at.y * scale])
}

/// Returns the point that an index finger pokes. `was_pressed` tells whether it was pressed in the
/// last frame.
pub(super) fn by_poke(
    world_from_board: &Isometry3<f64>,
    index: &FingertipBall,
    was_pressed: bool,
    scale: f64,
) -> Option<BoardPoint> {
    let tip = world_from_board.inverse_transform_point(&index.centre);
    // Distance from the skin to the board; negative behind it.
    let distance = (tip.z - index.radius) * scale;
    if !(-DEEPEST..NEAR).contains(&distance) {
        return None;
    }
    let at = on_board([tip.x * scale, tip.y * scale])?;
    Some(BoardPoint { at, is_pressed: distance < if was_pressed { RELEASE } else { 0.0 } })
}

/// Returns the point that an index finger hides from the eyes; a pinch presses. `was_pressed` tells
/// whether it was pressed in the last frame.
pub(super) fn by_pinch(
    world_from_board: &Isometry3<f64>,
    eyes: &Point3<f64>,
    [thumb, index]: &[FingertipBall; 2],
    was_pressed: bool,
    scale: f64,
) -> Option<BoardPoint> {
    let tip = world_from_board.inverse_transform_point(&index.centre);
    if (tip.z - index.radius) * scale < NEAR {
        return None;
    }
    let at = by_ray(world_from_board, eyes, &(index.centre - eyes), scale)?;
    let apart = ((index.centre - thumb.centre).norm() - index.radius - thumb.radius) * scale;
    let [close, apart_again] = PINCH;
    Some(BoardPoint { at, is_pressed: apart < if was_pressed { apart_again } else { close } })
}

fn on_board(at: [f64; 2]) -> Option<[f64; 2]> {
    at.iter().zip(SIZE).all(|(at, size)| at.abs() <= size / 2.0).then_some(at)
}

/// Horizontal direction of the gaze.
fn level(world_from_head: &Isometry3<f64>) -> Vector3<f64> {
    let mut ahead = world_from_head.rotation * -Vector3::z();
    ahead.y = 0.0;
    // There is no such direction for a gaze straight up or down.
    ahead.try_normalize(1e-3).unwrap_or_else(|| -Vector3::z())
}

/// Returns a board at a position, with its front to the eyes.
fn facing(place: &Point3<f64>, eyes: &Point3<f64>) -> Isometry3<f64> {
    let turn = UnitQuaternion::face_towards(&(eyes - place), &Vector3::y());
    Isometry3::from_parts(place.coords.into(), turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALE: f64 = 2.0;

    fn head() -> Isometry3<f64> {
        Isometry3::new(Vector3::new(0.1, 0.4, 0.3), Vector3::y() * 0.8)
    }

    fn eyes() -> Point3<f64> {
        Point3::from(head().translation.vector)
    }

    #[test]
    fn the_board_stands_before_the_wearer_upright_and_turned_to_them() {
        let board = before_gaze(&head(), SCALE);
        let eyes_on_board = board.inverse_transform_point(&eyes());
        let distance = AHEAD.hypot(BELOW) / SCALE;
        assert!((eyes_on_board - Point3::new(0.0, 0.0, distance)).norm() < 1e-9, "{eyes_on_board}");
        let in_head = head().inverse_transform_vector(&(board * Vector3::x()));
        assert!((in_head - Vector3::x()).norm() < 1e-9, "its right is the wearer's: {in_head}");
        assert!(!is_left_behind(&board, &head(), SCALE));
        let turned = head() * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.7);
        assert!(is_left_behind(&board, &turned, SCALE));
        let gone = Isometry3::translation(0.0, 0.0, 0.5) * head();
        assert!(is_left_behind(&board, &gone, SCALE));
    }

    #[test]
    fn beside_a_palm_it_is_on_the_side_of_the_nose() {
        for side in [-1.0, 1.0] {
            let palm = head() * Point3::new(0.1 * side, -0.1, -0.2);
            let board = beside_palm(&head(), &palm, SCALE);
            let middle = head().inverse_transform_point(&Point3::from(board.translation.vector));
            let expected = 0.1 * side - side * BESIDE / SCALE;
            assert!((middle.x - expected).abs() < 1e-9, "{middle}");
        }
    }

    #[test]
    fn a_palm_is_turned_to_the_eyes_or_not() {
        // Fingers up, the palm towards +z, where the eyes are; and its back.
        let up = Vector3::new(0.0, 1.0, 0.0);
        let palm_to_z = UnitQuaternion::face_towards(&-up, &-Vector3::z());
        let wrist = |turn| Isometry3::from_parts(Vector3::new(0.0, 0.0, -0.4).into(), turn);
        let eyes = Point3::new(0.05, 0.1, 0.0);
        assert!(is_turned_to(&wrist(palm_to_z), &eyes));
        let back_to_z = UnitQuaternion::face_towards(&-up, &Vector3::z());
        assert!(!is_turned_to(&wrist(back_to_z), &eyes));
        let mut angles = JointAngles::default();
        assert!(is_open(&angles));
        angles.fingers.iter_mut().for_each(|finger| (finger.mpj, finger.pij) = (0.5, 0.6));
        assert!(!is_open(&angles), "it holds something");
    }

    #[test]
    fn a_ray_meets_the_board_where_it_points() {
        let board = before_gaze(&head(), SCALE);
        let hand = head() * Point3::new(0.05, -0.2, -0.05);
        let check = |at: [f64; 2], expected: Option<[f64; 2]>| {
            let target = board * Point3::new(at[0] / SCALE, at[1] / SCALE, 0.0);
            let found = by_ray(&board, &hand, &(target - hand), SCALE);
            let is_same = match (found, expected) {
                (Some(a), Some(b)) => (0..2).all(|i| (a[i] - b[i]).abs() < 1e-9),
                (a, b) => a == b,
            };
            assert!(is_same, "{found:?} instead of {expected:?}");
        };
        check([0.1, -0.15], Some([0.1, -0.15]));
        check([0.1, -0.23], None);
        let behind = board * Point3::new(0.0, 0.0, -0.1);
        assert_eq!(by_ray(&board, &behind, &(eyes() - behind), SCALE), None);
    }

    #[test]
    fn a_fingertip_pokes_and_a_pinch_clicks_from_afar() {
        let board = before_gaze(&head(), SCALE);
        const RADIUS: f64 = 0.004;
        let tip = |x: f64, y: f64, skin: f64| FingertipBall {
            centre: board * Point3::new(x / SCALE, y / SCALE, skin / SCALE + RADIUS),
            radius: RADIUS,
        };
        let poke = |x: f64, skin: f64, was_pressed: bool| {
            by_poke(&board, &tip(x, 0.0, skin), was_pressed, SCALE).map(|poked| poked.is_pressed)
        };
        assert_eq!(poke(0.1, 0.03, false), Some(false));
        assert_eq!(poke(0.1, -0.001, false), Some(true));
        assert_eq!(poke(0.1, 0.01, true), Some(true), "it does not tremble");
        assert_eq!(poke(0.1, 0.014, true), Some(false));
        assert_eq!(poke(0.1, -0.07, true), None, "it is through");
        assert_eq!(poke(0.21, 0.0, false), None, "it is beside the board");
        assert_eq!(poke(0.1, 0.06, false), None, "it is too far away");
        // Half way from the eyes to a place on the board, with the thumb at it or not.
        let target = board * Point3::new(0.1 / SCALE, 0.05 / SCALE, 0.0);
        let index = FingertipBall { centre: nalgebra::center(&eyes(), &target), radius: RADIUS };
        let pinch = |gap: f64, was_pressed: bool| {
            let apart = Vector3::x() * (gap / SCALE + 2.0 * RADIUS);
            let thumb = FingertipBall { centre: index.centre + apart, radius: RADIUS };
            by_pinch(&board, &eyes(), &[thumb, index], was_pressed, SCALE).unwrap()
        };
        let BoardPoint { at, is_pressed } = pinch(0.003, false);
        assert!((at[0] - 0.1).abs() < 1e-9 && (at[1] - 0.05).abs() < 1e-9 && is_pressed, "{at:?}");
        assert!(!pinch(0.01, false).is_pressed && pinch(0.01, true).is_pressed);
        assert!(!pinch(0.02, true).is_pressed);
    }
}
