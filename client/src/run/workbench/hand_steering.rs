//! Steers a hand without a glove by mouse and keys.
//!
//! The hand's grip follows the pointer in an upright plane that faces the user; the wheel moves the
//! plane nearer or farther. A click takes the thing between the fingers or lets it go; holding the
//! button squeezes.

mod card;
mod keys;

use std::sync::Arc;
use std::time::{Duration, Instant};

use drivers::Side;
use engine::Mailbox;
use nalgebra::{Point3, UnitQuaternion, Vector3};

pub(super) use self::card::{CARD_WIDTH, card};
pub(super) use self::keys::KEYS;
use crate::input::{FingerCommand, Steering};
use crate::render::Camera;
use crate::window::{EventUse, MouseAction, MouseEvent, PictureCamera};

/// The steering by mouse and keys.
pub(super) struct HandSteering {
    steering: Arc<Mailbox<Steering>>,
    /// The last steering command; `None` if another source moves the hand.
    wanted: Option<Steering>,
    /// True if the mouse moves the hand, false if it moves the view.
    is_mouse_on: bool,
    /// Time at which the left button was pressed, and whether the hand was open then.
    pressed: Option<(Instant, bool)>,
    /// Offset from the pointer to the grip in the picture, so that a hand that was turned does not
    /// jump to the pointer.
    apart: [f64; 2],
    /// Last position of the pointer.
    pointer: Option<[f64; 2]>,
}

/// Longest press of the button that counts as a click.
const CLICK: Duration = Duration::from_millis(250);
/// Movement by one notch of the wheel, in metres.
const PER_NOTCH: f64 = 0.008;
/// Movement of the fingers by one notch of the wheel with Shift, from 0 (open) to 1 (closed).
const CLOSED_PER_NOTCH: f64 = 0.008;
/// Angle by which a drag over the picture's height turns the hand, in radians.
const TURN_PER_HEIGHT: f64 = std::f64::consts::PI;
/// Pitch of the camera, in radians, above which the hand moves in the plane of the picture: an
/// upright plane would be seen from its edge.
const STEEP: f64 = 0.95;
/// Largest distance of a grip from the middle of the table along each axis, in metres.
const REACH: f64 = 0.3;
/// Largest height of a grip, in metres.
const HIGHEST: f64 = 0.35;
/// Smallest height of a grip, in metres.
const LOWEST: f64 = 0.005;
/// Mean closing of the fingers, from 0 to 1, below which the hand counts as open.
const OPEN: f64 = 0.04;

impl HandSteering {
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

    /// Starts to steer a hand from `start`; `None` ends the steering.
    pub(super) fn take_over(&mut self, start: Option<Steering>) {
        (self.wanted, self.is_mouse_on) = (start, start.is_some());
        self.forget_pointer();
    }

    /// The last steering command, if mouse and keys move the hand.
    pub(super) fn wanted(&self) -> Option<&Steering> {
        self.wanted.as_ref()
    }

    /// True if the mouse moves the hand.
    pub(super) fn is_mouse_on(&self) -> bool {
        self.is_mouse_on && self.wanted.is_some()
    }

    /// Switches the mouse between hand and view.
    pub(super) fn switch_mouse(&mut self) {
        self.is_mouse_on = !self.is_mouse_on;
        self.forget_pointer();
    }

    /// Forgets the pointer: the hand stays until the pointer returns, then moves to it.
    pub(super) fn forget_pointer(&mut self) {
        (self.pressed, self.pointer, self.apart) = (None, None, [0.0; 2]);
    }

    /// Opens the hand above a thing with this middle.
    pub(super) fn begin_above(&mut self, side: Side, middle: &Point3<f64>) {
        self.want(Steering::above(side, middle));
        self.forget_pointer();
    }

    /// Handles a mouse event over the picture, if the mouse moves the hand. `closed` is the closing
    /// of each finger.
    pub(super) fn mouse(
        &mut self,
        mouse: &MouseEvent,
        picture_camera: &PictureCamera,
        closed: &[f64; 5],
    ) -> EventUse {
        let Some(mut wanted) = self.wanted.filter(|_| self.is_mouse_on) else {
            return EventUse::ForView;
        };
        match mouse.action {
            MouseAction::Scroll(_) if mouse.control => return EventUse::ForView,
            MouseAction::Move => {
                let before = self.pointer.replace(mouse.at).unwrap_or(mouse.at);
                let moved = [mouse.at[0] - before[0], mouse.at[1] - before[1]];
                if mouse.shift {
                    wanted.turn = turned(picture_camera, moved) * wanted.turn;
                    self.apart = [self.apart[0] - moved[0], self.apart[1] - moved[1]];
                } else {
                    let at = [mouse.at[0] + self.apart[0], mouse.at[1] + self.apart[1]];
                    let [.., away] = axes(&picture_camera.camera);
                    let met = picture_camera.ray(at).meets(&wanted.grip, &away);
                    wanted.grip = within_reach(met.unwrap_or(wanted.grip));
                }
            }
            MouseAction::Press => {
                self.pressed = Some((Instant::now(), is_open(closed)));
                wanted.fingers = FingerCommand::Squeeze;
            }
            MouseAction::Release => {
                let Some((since, was_open)) = self.pressed.take() else { return EventUse::ForView };
                wanted.fingers = match (since.elapsed() < CLICK, was_open) {
                    (true, true) => FingerCommand::Take,
                    (true, false) => FingerCommand::Open,
                    (false, _) => FingerCommand::Stay,
                };
            }
            MouseAction::Scroll(notches) if mouse.shift => {
                let more = |closed: f64| (closed + CLOSED_PER_NOTCH * notches).clamp(0.0, 1.0);
                wanted.fingers = FingerCommand::Go(places(&wanted, closed).map(more));
            }
            MouseAction::Scroll(notches) => {
                let [.., away] = axes(&picture_camera.camera);
                wanted.grip = within_reach(wanted.grip + away * (PER_NOTCH * notches));
            }
        }
        self.want(wanted);
        EventUse::ForContent
    }

    /// Takes the thing between the fingers, or lets it go.
    pub(super) fn take_or_let_go(&mut self, closed: &[f64; 5]) {
        let Some(wanted) = self.wanted else { return };
        let fingers = if is_open(closed) { FingerCommand::Take } else { FingerCommand::Open };
        self.want(Steering { fingers, ..wanted });
    }

    /// Sends a steering command if it differs from the last one.
    pub(super) fn want(&mut self, wanted: Steering) {
        if self.wanted != Some(wanted) {
            self.wanted = Some(wanted);
            self.steering.put(wanted);
        }
    }
}

/// The commanded closing of the fingers. Several commands may come before the hand has carried out
/// the first, so its present closing is not enough.
fn places(wanted: &Steering, closed: &[f64; 5]) -> [f64; 5] {
    match wanted.fingers {
        FingerCommand::Go(places) => places,
        FingerCommand::Take
        | FingerCommand::Squeeze
        | FingerCommand::Ease
        | FingerCommand::Open
        | FingerCommand::Stay => *closed,
    }
}

fn is_open(closed: &[f64; 5]) -> bool {
    closed.iter().sum::<f64>() < 5.0 * OPEN
}

/// Axes to the right, up and away from the user, along which the hand moves.
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

/// The turn for a movement in the picture, as if the hand were a ball under the pointer.
fn turned(picture_camera: &PictureCamera, [right, up]: [f64; 2]) -> UnitQuaternion<f64> {
    let [to_right, to_top, _] = axes(&picture_camera.camera);
    // Positions in the picture go from -1 to 1.
    let per_unit = TURN_PER_HEIGHT / 2.0;
    UnitQuaternion::from_scaled_axis(to_top * (right * picture_camera.aspect * per_unit))
        * UnitQuaternion::from_scaled_axis(-to_right * (up * per_unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN_HAND: [f64; 5] = [0.0; 5];
    const CLOSED_HAND: [f64; 5] = [0.3; 5];

    fn steering_hand() -> (HandSteering, PictureCamera) {
        let start = Steering::above(Side::Right, &Point3::new(0.0, 0.03, 0.0));
        let picture_camera = PictureCamera { camera: Camera::default(), aspect: 16.0 / 9.0 };
        (HandSteering::new(Arc::default(), Some(start)), picture_camera)
    }

    fn event(action: MouseAction, at: [f64; 2]) -> MouseEvent {
        MouseEvent { action, at, shift: false, control: false }
    }

    #[test]
    fn the_grip_is_under_the_pointer_and_stays_in_its_plane() {
        let (mut hand_steering, picture_camera) = steering_hand();
        let start = hand_steering.wanted().unwrap().grip;
        for at in [[0.1, -0.2], [-0.3, 0.2]] {
            assert_eq!(
                hand_steering.mouse(&event(MouseAction::Move, at), &picture_camera, &OPEN_HAND),
                EventUse::ForContent
            );
            let grip = hand_steering.wanted().unwrap().grip;
            let ray = picture_camera.ray(at);
            let off = (grip - ray.eye).cross(&ray.way).norm();
            assert!(off < 1e-9, "{off} m beside the pointer");
            let [.., away] = axes(&picture_camera.camera);
            assert!((grip - start).dot(&away).abs() < 1e-9, "in an upright plane");
        }
        let before = hand_steering.wanted().unwrap().grip;
        hand_steering.mouse(
            &event(MouseAction::Scroll(2.0), [-0.3, 0.2]),
            &picture_camera,
            &OPEN_HAND,
        );
        let moved = hand_steering.wanted().unwrap().grip - before;
        assert!((moved.norm() - 2.0 * PER_NOTCH).abs() < 1e-9 && moved.y.abs() < 1e-9);
        assert!(moved.z < 0.0, "away from the person");
    }

    #[test]
    fn shift_turns_the_hand_where_it_is() {
        let (mut hand_steering, picture_camera) = steering_hand();
        hand_steering.mouse(&event(MouseAction::Move, [0.0, 0.0]), &picture_camera, &OPEN_HAND);
        let before = *hand_steering.wanted().unwrap();
        let turn = MouseEvent { shift: true, ..event(MouseAction::Move, [0.2, 0.0]) };
        hand_steering.mouse(&turn, &picture_camera, &OPEN_HAND);
        let after = *hand_steering.wanted().unwrap();
        assert_eq!(after.grip, before.grip);
        assert!(after.turn.angle_to(&before.turn) > 0.2);
        // Without Shift the hand moves on from its place.
        hand_steering.mouse(&event(MouseAction::Move, [0.2, 0.0]), &picture_camera, &OPEN_HAND);
        assert!((hand_steering.wanted().unwrap().grip - before.grip).norm() < 1e-9);
    }

    #[test]
    fn a_click_takes_and_another_lets_go() {
        let (mut hand_steering, picture_camera) = steering_hand();
        let mut click = |closed: &[f64; 5]| {
            hand_steering.mouse(&event(MouseAction::Press, [0.0; 2]), &picture_camera, closed);
            hand_steering.mouse(&event(MouseAction::Release, [0.0; 2]), &picture_camera, closed);
            hand_steering.wanted().unwrap().fingers
        };
        assert_eq!(click(&OPEN_HAND), FingerCommand::Take);
        assert_eq!(click(&CLOSED_HAND), FingerCommand::Open);
    }

    #[test]
    fn the_view_gets_what_the_hand_does_not() {
        let (mut hand_steering, picture_camera) = steering_hand();
        let wheel = event(MouseAction::Scroll(1.0), [0.0; 2]);
        let zoom = MouseEvent { control: true, ..wheel };
        assert_eq!(hand_steering.mouse(&zoom, &picture_camera, &OPEN_HAND), EventUse::ForView);
        hand_steering.switch_mouse();
        assert_eq!(hand_steering.mouse(&wheel, &picture_camera, &OPEN_HAND), EventUse::ForView);
    }
}
