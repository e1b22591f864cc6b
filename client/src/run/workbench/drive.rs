//! The hand in mouse and keys: what they want of it.
//!
//! The hand's grip follows the pointer in an upright plane that faces the person; the wheel carries the plane
//! nearer or farther. A click takes what is between the fingers or lets it go, a button that is held squeezes.

mod keys;
mod panel;

use std::sync::Arc;
use std::time::{Duration, Instant};

use drivers::Hand as Side;
use engine::Mailbox;
use nalgebra::{Point3, UnitQuaternion, Vector3};

pub(super) use self::keys::KEYS;
pub(super) use self::panel::{CARD_WIDTH, card};
use crate::input::{Fingers, Steering};
use crate::render::Camera;
use crate::window::{Meant, Mouse, MouseDoes, Sight};

/// What mouse and keys want of the hand.
pub(super) struct Drive {
    steering: Arc<Mailbox<Steering>>,
    /// As it was last said; nothing if the hand is not theirs.
    wanted: Option<Steering>,
    /// Whether the mouse moves the hand, or the view.
    is_mouse_on: bool,
    /// When the left button was pressed, and whether the hand was open then.
    pressed: Option<(Instant, bool)>,
    /// From the pointer to the grip, in the picture: a hand that was turned does not jump to the pointer.
    apart: [f64; 2],
    /// Where the pointer was last.
    pointer: Option<[f64; 2]>,
}

/// A button that is let go sooner was clicked.
const CLICK: Duration = Duration::from_millis(250);
/// By one notch of the wheel, in metres.
const PER_NOTCH: f64 = 0.008;
/// By one notch of the wheel with Shift: a part of the way from open to closed.
const CLOSED_PER_NOTCH: f64 = 0.008;
/// A whole turn takes so many heights of the picture.
const TURN_PER_HEIGHT: f64 = std::f64::consts::PI;
/// Seen from higher up, the hand moves in the plane of the picture: an upright one would be seen on its edge.
const STEEP: f64 = 0.95;
/// How far a grip may go from the middle of the table, and how high, in metres.
const REACH: f64 = 0.3;
const HIGHEST: f64 = 0.35;
const LOWEST: f64 = 0.005;
/// A hand whose fingers are less closed is open.
const OPEN: f64 = 0.04;

impl Drive {
    pub(super) fn new(steering: Arc<Mailbox<Steering>>, wanted: Option<Steering>) -> Self {
        Self {
            steering,
            is_mouse_on: wanted.is_some(),
            wanted,
            pressed: None,
            apart: [0.0; 2],
            pointer: None,
        }
    }

    /// The hand is theirs from now on, and begins here; or it is no longer.
    pub(super) fn take_over(&mut self, start: Option<Steering>) {
        (self.wanted, self.is_mouse_on) = (start, start.is_some());
        self.forget_pointer();
    }

    /// What is wanted of the hand, if it is theirs.
    pub(super) fn wanted(&self) -> Option<&Steering> {
        self.wanted.as_ref()
    }

    /// Whether the mouse moves the hand.
    pub(super) fn is_mouse_on(&self) -> bool {
        self.is_mouse_on && self.wanted.is_some()
    }

    /// The mouse moves the hand instead of the view, or the other way round.
    pub(super) fn switch_mouse(&mut self) {
        self.is_mouse_on = !self.is_mouse_on;
        self.forget_pointer();
    }

    /// The pointer is elsewhere: the hand stays, and goes to the pointer when that comes back.
    pub(super) fn forget_pointer(&mut self) {
        (self.pressed, self.pointer, self.apart) = (None, None, [0.0; 2]);
    }

    /// Opens the hand above a thing with this middle.
    pub(super) fn begin_above(&mut self, side: Side, middle: &Point3<f64>) {
        self.want(Steering::above(side, middle));
        self.forget_pointer();
    }

    /// Takes what the mouse does over the picture, if it moves the hand. `closed` is how far each finger is.
    pub(super) fn mouse(&mut self, mouse: &Mouse, sight: &Sight, closed: &[f64; 5]) -> Meant {
        let Some(mut wanted) = self.wanted.filter(|_| self.is_mouse_on) else {
            return Meant::ForView;
        };
        match mouse.does {
            MouseDoes::Rolls(_) if mouse.control => return Meant::ForView,
            MouseDoes::Moves => {
                let before = self.pointer.replace(mouse.at).unwrap_or(mouse.at);
                let moved = [mouse.at[0] - before[0], mouse.at[1] - before[1]];
                if mouse.shift {
                    wanted.turn = turned(sight, moved) * wanted.turn;
                    self.apart = [self.apart[0] - moved[0], self.apart[1] - moved[1]];
                } else {
                    let at = [mouse.at[0] + self.apart[0], mouse.at[1] + self.apart[1]];
                    let [.., away] = axes(&sight.camera);
                    let met = sight.ray(at).meets(&wanted.grip, &away);
                    wanted.grip = within_reach(met.unwrap_or(wanted.grip));
                }
            }
            MouseDoes::Presses => {
                self.pressed = Some((Instant::now(), is_open(closed)));
                wanted.fingers = Fingers::Squeeze;
            }
            MouseDoes::LetsGo => {
                let Some((since, was_open)) = self.pressed.take() else { return Meant::ForView };
                wanted.fingers = match (since.elapsed() < CLICK, was_open) {
                    (true, true) => Fingers::Take,
                    (true, false) => Fingers::Open,
                    (false, _) => Fingers::Stay,
                };
            }
            MouseDoes::Rolls(notches) if mouse.shift => {
                let more = |closed: f64| (closed + CLOSED_PER_NOTCH * notches).clamp(0.0, 1.0);
                wanted.fingers = Fingers::Go(places(&wanted, closed).map(more));
            }
            MouseDoes::Rolls(notches) => {
                let [.., away] = axes(&sight.camera);
                wanted.grip = within_reach(wanted.grip + away * (PER_NOTCH * notches));
            }
        }
        self.want(wanted);
        Meant::ForShow
    }

    /// Takes what is between the fingers, or lets it go.
    pub(super) fn take_or_let_go(&mut self, closed: &[f64; 5]) {
        let Some(wanted) = self.wanted else { return };
        let fingers = if is_open(closed) { Fingers::Take } else { Fingers::Open };
        self.want(Steering { fingers, ..wanted });
    }

    /// Wants something else of the hand.
    pub(super) fn want(&mut self, wanted: Steering) {
        if self.wanted != Some(wanted) {
            self.wanted = Some(wanted);
            self.steering.put(wanted);
        }
    }
}

/// Where the fingers are meant to be: several changes may come before the hand has followed the first.
fn places(wanted: &Steering, closed: &[f64; 5]) -> [f64; 5] {
    match wanted.fingers {
        Fingers::Go(places) => places,
        Fingers::Take | Fingers::Squeeze | Fingers::Ease | Fingers::Open | Fingers::Stay => *closed,
    }
}

fn is_open(closed: &[f64; 5]) -> bool {
    closed.iter().sum::<f64>() < 5.0 * OPEN
}

/// To the right, up and away from the person, as a hand moves that is seen from there.
fn axes(camera: &Camera) -> [Vector3<f64>; 3] {
    let [right, top] = camera.across();
    let up = if camera.pitch < STEEP { Vector3::y() } else { top };
    [right, up, up.cross(&right)]
}

fn within_reach(grip: Point3<f64>) -> Point3<f64> {
    Point3::new(
        grip.x.clamp(-REACH, REACH),
        grip.y.clamp(LOWEST, HIGHEST),
        grip.z.clamp(-REACH, REACH),
    )
}

/// A turn by a way in the picture: as if the hand were a ball under the pointer.
fn turned(sight: &Sight, [right, up]: [f64; 2]) -> UnitQuaternion<f64> {
    let [to_right, to_top, _] = axes(&sight.camera);
    // Places in the picture count 2 from edge to edge.
    let per_unit = TURN_PER_HEIGHT / 2.0;
    UnitQuaternion::from_scaled_axis(to_top * (right * sight.aspect * per_unit))
        * UnitQuaternion::from_scaled_axis(-to_right * (up * per_unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN_HAND: [f64; 5] = [0.0; 5];
    const CLOSED_HAND: [f64; 5] = [0.3; 5];

    fn drive() -> (Drive, Sight) {
        let start = Steering::above(Side::Right, &Point3::new(0.0, 0.03, 0.0));
        let sight = Sight { camera: Camera::default(), aspect: 16.0 / 9.0 };
        (Drive::new(Arc::default(), Some(start)), sight)
    }

    fn does(does: MouseDoes, at: [f64; 2]) -> Mouse {
        Mouse { does, at, shift: false, control: false }
    }

    #[test]
    fn the_grip_is_under_the_pointer_and_stays_in_its_plane() {
        let (mut drive, sight) = drive();
        let start = drive.wanted().unwrap().grip;
        for at in [[0.1, -0.2], [-0.3, 0.2]] {
            assert_eq!(
                drive.mouse(&does(MouseDoes::Moves, at), &sight, &OPEN_HAND),
                Meant::ForShow
            );
            let grip = drive.wanted().unwrap().grip;
            let ray = sight.ray(at);
            let off = (grip - ray.eye).cross(&ray.way).norm();
            assert!(off < 1e-9, "{off} m beside the pointer");
            let [.., away] = axes(&sight.camera);
            assert!((grip - start).dot(&away).abs() < 1e-9, "in an upright plane");
        }
        let before = drive.wanted().unwrap().grip;
        drive.mouse(&does(MouseDoes::Rolls(2.0), [-0.3, 0.2]), &sight, &OPEN_HAND);
        let moved = drive.wanted().unwrap().grip - before;
        assert!((moved.norm() - 2.0 * PER_NOTCH).abs() < 1e-9 && moved.y.abs() < 1e-9);
        assert!(moved.z < 0.0, "away from the person");
    }

    #[test]
    fn shift_turns_the_hand_where_it_is() {
        let (mut drive, sight) = drive();
        drive.mouse(&does(MouseDoes::Moves, [0.0, 0.0]), &sight, &OPEN_HAND);
        let before = *drive.wanted().unwrap();
        let turn = Mouse { shift: true, ..does(MouseDoes::Moves, [0.2, 0.0]) };
        drive.mouse(&turn, &sight, &OPEN_HAND);
        let after = *drive.wanted().unwrap();
        assert_eq!(after.grip, before.grip);
        assert!(after.turn.angle_to(&before.turn) > 0.2);
        // Without Shift it goes on from where it is.
        drive.mouse(&does(MouseDoes::Moves, [0.2, 0.0]), &sight, &OPEN_HAND);
        assert!((drive.wanted().unwrap().grip - before.grip).norm() < 1e-9);
    }

    #[test]
    fn a_click_takes_and_another_lets_go() {
        let (mut drive, sight) = drive();
        let mut click = |closed: &[f64; 5]| {
            drive.mouse(&does(MouseDoes::Presses, [0.0; 2]), &sight, closed);
            drive.mouse(&does(MouseDoes::LetsGo, [0.0; 2]), &sight, closed);
            drive.wanted().unwrap().fingers
        };
        assert_eq!(click(&OPEN_HAND), Fingers::Take);
        assert_eq!(click(&CLOSED_HAND), Fingers::Open);
    }

    #[test]
    fn the_view_gets_what_the_hand_does_not() {
        let (mut drive, sight) = drive();
        let wheel = does(MouseDoes::Rolls(1.0), [0.0; 2]);
        let zoom = Mouse { control: true, ..wheel };
        assert_eq!(drive.mouse(&zoom, &sight, &OPEN_HAND), Meant::ForView);
        drive.switch_mouse();
        assert_eq!(drive.mouse(&wheel, &sight, &OPEN_HAND), Meant::ForView);
    }
}
