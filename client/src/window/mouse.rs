//! What the mouse does over the picture, for a show that takes it before the view does.

use nalgebra::{Point3, Unit, Vector3};
use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, MouseButton, WindowEvent};
use winit::keyboard::ModifiersState;

use super::controls::notches;
use crate::render::{Camera, Part};

/// Something that the mouse does over the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mouse {
    pub does: MouseDoes,
    /// Where: from -1 to 1 in the picture, to the right and up.
    pub at: [f64; 2],
    /// Held beside it.
    pub shift: bool,
    pub control: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MouseDoes {
    Moves,
    /// The left button.
    Presses,
    LetsGo,
    /// By so many notches, away from the person.
    Rolls(f64),
}

/// How the person sees the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sight {
    pub camera: Camera,
    /// Of the picture: width over height.
    pub aspect: f64,
}

/// A line of sight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    pub eye: Point3<f64>,
    pub way: Unit<Vector3<f64>>,
}

impl Sight {
    /// The line of sight through a place of the picture.
    pub fn ray(&self, at: [f64; 2]) -> Ray {
        let (eye, way) = self.camera.ray(self.aspect, at);
        Ray { eye, way }
    }
}

impl Ray {
    /// Where it meets the plane through `point` across `normal`, if it does so ahead.
    pub fn meets(&self, point: &Point3<f64>, normal: &Vector3<f64>) -> Option<Point3<f64>> {
        let steepness = self.way.dot(normal);
        let ahead = (point - self.eye).dot(normal) / steepness;
        (ahead.is_finite() && ahead > 0.0).then(|| self.eye + self.way.into_inner() * ahead)
    }
}

/// Remembers where the pointer is and what is held.
#[derive(Debug, Default)]
pub(super) struct MouseWatch {
    pointer: Option<PhysicalPosition<f64>>,
    modifiers: ModifiersState,
}

impl MouseWatch {
    /// What an event means in the picture's `part` of the window, if it is of the mouse.
    pub(super) fn hear(&mut self, event: &WindowEvent, part: Part) -> Option<Mouse> {
        let does = match event {
            WindowEvent::ModifiersChanged(modifiers) => {
                self.modifiers = modifiers.state();
                return None;
            }
            WindowEvent::CursorMoved { position, .. } => {
                self.pointer = Some(*position);
                MouseDoes::Moves
            }
            WindowEvent::MouseInput { state, button: MouseButton::Left, .. } => match state {
                ElementState::Pressed => MouseDoes::Presses,
                ElementState::Released => MouseDoes::LetsGo,
            },
            WindowEvent::MouseWheel { delta, .. } => MouseDoes::Rolls(notches(*delta)),
            _ => return None,
        };
        let pointer = self.pointer.filter(|_| part.has_area())?;
        let within =
            |at: f64, from: u32, size: u32| 2.0 * (at - f64::from(from)) / f64::from(size) - 1.0;
        let at =
            [within(pointer.x, part.left, part.width), -within(pointer.y, part.top, part.height)];
        let (shift, control) = (self.modifiers.shift_key(), self.modifiers.control_key());
        Some(Mouse { does, at, shift, control })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use winit::event::DeviceId;

    #[test]
    fn places_count_from_the_middle_of_the_picture() {
        let part = Part { left: 200, top: 100, width: 400, height: 200 };
        let mut watch = MouseWatch::default();
        let mut check = |x: f64, y: f64, expected: [f64; 2]| {
            let position = PhysicalPosition::new(x, y);
            let event = WindowEvent::CursorMoved { device_id: DeviceId::dummy(), position };
            assert_eq!(watch.hear(&event, part).unwrap().at, expected);
        };
        check(400.0, 200.0, [0.0, 0.0]);
        check(200.0, 100.0, [-1.0, 1.0]);
        check(600.0, 300.0, [1.0, -1.0]);
    }

    #[test]
    fn a_line_of_sight_goes_through_what_is_seen_there() {
        let sight = Sight { camera: Camera::default(), aspect: 16.0 / 9.0 };
        let middle = sight.ray([0.0, 0.0]);
        let back = middle.eye - sight.camera.target;
        let target = middle.meets(&sight.camera.target, &back).unwrap();
        assert!((target - sight.camera.target).norm() < 1e-9);
        // Half the height of the picture above the middle.
        let top = sight.ray([0.0, 1.0]).meets(&sight.camera.target, &back).unwrap();
        let way = (top - sight.camera.target).norm();
        assert!((way - sight.camera.height_at_target() / 2.0).abs() < 1e-9);
        let right = sight.ray([1.0, 0.0]).meets(&sight.camera.target, &back).unwrap();
        assert!(((right - target).norm() / way - 16.0 / 9.0).abs() < 1e-9);
        assert_eq!(middle.meets(&(middle.eye + back), &back), None, "behind the eye");
    }
}
