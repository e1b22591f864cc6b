//! Where the board with the menu stands, and what a hand points at on it.
//!
//! The board's frame: origin in its middle, x to the right and y up for whoever looks at it, z towards them. All lengths
//! are metres of the room; in the world they are divided by the scale.

use calibration::JointAngles;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

/// Width and height of the board.
pub(super) const SIZE: [f64; 2] = [0.4, 0.45];

/// From the eyes to the board: ahead, and below them.
const AHEAD: f64 = 0.5;
const BELOW: f64 = 0.08;
/// Beside a palm that is turned to the eyes.
const BESIDE: f64 = 0.27;
/// A board that is farther to the side of where the wearer looks comes along, as does one that is left behind.
const ASIDE: f64 = 0.6;
const FARTHEST: f64 = 0.9;
/// A palm is turned to the eyes if the cosine of the angle between is larger.
const TURNED: f64 = 0.75;
/// A hand is open whose fingers bend less on average at their first two joints together, in radians.
const OPEN: f64 = 0.8;
/// A fingertip whose skin is nearer than this points at what it will touch; farther, at what it hides from the eyes.
const NEAR: f64 = 0.05;
/// Deeper behind the board it has nothing to do with it.
const DEEPEST: f64 = 0.06;
/// A fingertip that has touched lets go this far before the board.
const RELEASE: f64 = 0.012;
/// Thumb and finger pinch if their skins are nearer than the first, and go on until they are farther than the second.
const PINCH: [f64; 2] = [0.006, 0.016];

/// What is pointed at: metres from the middle to the right and up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BoardPoint {
    pub(super) at: [f64; 2],
    pub(super) is_pressed: bool,
}

/// A ball at the end of a finger.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FingertipBall {
    pub(super) centre: Point3<f64>,
    pub(super) radius: f64,
}

/// A board in front of somebody whose eyes are there, turned to them, never tilted to a side.
pub(super) fn before_gaze(world_from_head: &Isometry3<f64>, scale: f64) -> Isometry3<f64> {
    let eyes = Point3::from(world_from_head.translation.vector);
    let place = eyes + level(world_from_head) * (AHEAD / scale) - Vector3::y() * (BELOW / scale);
    facing(&place, &eyes)
}

/// A board beside a palm, on the side of the nose.
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

/// Whether the board has to come along because the wearer has turned or gone away from it.
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

/// Whether a hand is open: one that is closed looks at what it holds, not for the menu.
pub(super) fn is_open(angles: &JointAngles) -> bool {
    let bends = angles.fingers.iter().map(|finger| finger.mpj + finger.pij);
    bends.sum::<f64>() / 4.0 < OPEN
}

/// Whether the palm of a hand is turned to the eyes: its inner side looks along -y of the wrist's frame.
pub(super) fn is_turned_to(world_from_wrist: &Isometry3<f64>, eyes: &Point3<f64>) -> bool {
    let to_eyes = eyes - Point3::from(world_from_wrist.translation.vector);
    let out = world_from_wrist.rotation * -Vector3::y();
    out.dot(&to_eyes) > TURNED * to_eyes.norm()
}

/// Where a ray from the front side meets the board.
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

/// What an index at the board pokes. `was_pressed` is how it was a moment before.
pub(super) fn by_poke(
    world_from_board: &Isometry3<f64>,
    index: &FingertipBall,
    was_pressed: bool,
    scale: f64,
) -> Option<BoardPoint> {
    let tip = world_from_board.inverse_transform_point(&index.centre);
    // From the skin to the board; negative behind it.
    let distance = (tip.z - index.radius) * scale;
    if !(-DEEPEST..NEAR).contains(&distance) {
        return None;
    }
    let at = on_board([tip.x * scale, tip.y * scale])?;
    Some(BoardPoint { at, is_pressed: distance < if was_pressed { RELEASE } else { 0.0 } })
}

/// What an index hides from the eyes; a pinch presses. `was_pressed` is how it was a moment before.
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

/// Where somebody looks, without up and down.
fn level(world_from_head: &Isometry3<f64>) -> Vector3<f64> {
    let mut ahead = world_from_head.rotation * -Vector3::z();
    ahead.y = 0.0;
    // Who looks straight up or down has no such direction.
    ahead.try_normalize(1e-3).unwrap_or_else(|| -Vector3::z())
}

/// At a place, with its front to somebody.
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
