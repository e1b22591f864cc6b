//! Mouse events over the picture, for content that uses them before the view does.

use nalgebra::{Point3, Unit, Vector3};
use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, MouseButton, WindowEvent};
use winit::keyboard::ModifiersState;

use super::view_controls::notches;
use crate::render::{Camera, Viewport};

/// A mouse event over the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MouseEvent {
    pub action: MouseAction,
    /// Position in the picture, from -1 to 1, right and up.
    pub at: [f64; 2],
    /// True if Shift is held.
    pub shift: bool,
    /// True if Ctrl is held.
    pub control: bool,
}

/// A move, a press, a release or a turn of the wheel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MouseAction {
    Move,
    /// The left button goes down.
    Press,
    /// The left button goes up.
    Release,
    /// Notches of the wheel; positive is away from the user.
    Scroll(f64),
}

/// The camera and the shape of the picture on the screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PictureCamera {
    pub camera: Camera,
    /// Width over height of the picture.
    pub aspect: f64,
}

/// A line of sight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    pub eye: Point3<f64>,
    pub way: Unit<Vector3<f64>>,
}

impl PictureCamera {
    /// The line of sight through a position in the picture.
    pub fn ray(&self, at: [f64; 2]) -> Ray {
        let (eye, way) = self.camera.ray(self.aspect, at);
        Ray { eye, way }
    }
}

impl Ray {
    /// Intersection with the plane through `point` across `normal`, if the plane lies ahead.
    pub fn meets(&self, point: &Point3<f64>, normal: &Vector3<f64>) -> Option<Point3<f64>> {
        let steepness = self.way.dot(normal);
        let ahead = (point - self.eye).dot(normal) / steepness;
        (ahead.is_finite() && ahead > 0.0).then(|| self.eye + self.way.into_inner() * ahead)
    }
}

/// Tracks the pointer's position and the modifier keys.
#[derive(Debug, Default)]
pub(super) struct MouseTracker {
    pointer: Option<PhysicalPosition<f64>>,
    modifiers: ModifiersState,
}

impl MouseTracker {
    /// Translates an event into one in the picture's viewport; returns `None` if it is not a mouse
    /// event.
    pub(super) fn take_event(
        &mut self,
        event: &WindowEvent,
        viewport: Viewport,
    ) -> Option<MouseEvent> {
        let action = match event {
            WindowEvent::ModifiersChanged(modifiers) => {
                self.modifiers = modifiers.state();
                return None;
            }
            WindowEvent::CursorMoved { position, .. } => {
                self.pointer = Some(*position);
                MouseAction::Move
            }
            WindowEvent::MouseInput { state, button: MouseButton::Left, .. } => match state {
                ElementState::Pressed => MouseAction::Press,
                ElementState::Released => MouseAction::Release,
            },
            WindowEvent::MouseWheel { delta, .. } => MouseAction::Scroll(notches(*delta)),
            _ => return None,
        };
        let pointer = self.pointer.filter(|_| viewport.has_area())?;
        let within =
            |at: f64, from: u32, size: u32| 2.0 * (at - f64::from(from)) / f64::from(size) - 1.0;
        let at = [
            within(pointer.x, viewport.left, viewport.width),
            -within(pointer.y, viewport.top, viewport.height),
        ];
        let (shift, control) = (self.modifiers.shift_key(), self.modifiers.control_key());
        Some(MouseEvent { action, at, shift, control })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use winit::event::DeviceId;

    #[test]
    fn places_count_from_the_middle_of_the_picture() {
        let viewport = Viewport { left: 200, top: 100, width: 400, height: 200 };
        let mut watch = MouseTracker::default();
        let mut check = |x: f64, y: f64, expected: [f64; 2]| {
            let position = PhysicalPosition::new(x, y);
            let event = WindowEvent::CursorMoved { device_id: DeviceId::dummy(), position };
            assert_eq!(watch.take_event(&event, viewport).unwrap().at, expected);
        };
        check(400.0, 200.0, [0.0, 0.0]);
        check(200.0, 100.0, [-1.0, 1.0]);
        check(600.0, 300.0, [1.0, -1.0]);
    }

    #[test]
    fn a_line_of_sight_goes_through_what_is_seen_there() {
        let picture_camera = PictureCamera { camera: Camera::default(), aspect: 16.0 / 9.0 };
        let middle = picture_camera.ray([0.0, 0.0]);
        let back = middle.eye - picture_camera.camera.target;
        let target = middle.meets(&picture_camera.camera.target, &back).unwrap();
        assert!((target - picture_camera.camera.target).norm() < 1e-9);
        // Half the height of the picture above the middle.
        let top =
            picture_camera.ray([0.0, 1.0]).meets(&picture_camera.camera.target, &back).unwrap();
        let way = (top - picture_camera.camera.target).norm();
        assert!((way - picture_camera.camera.height_at_target() / 2.0).abs() < 1e-9);
        let right =
            picture_camera.ray([1.0, 0.0]).meets(&picture_camera.camera.target, &back).unwrap();
        assert!(((right - target).norm() / way - 16.0 / 9.0).abs() < 1e-9);
        assert_eq!(middle.meets(&(middle.eye + back), &back), None, "behind the eye");
    }
}
