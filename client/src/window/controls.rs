//! What mouse and keys ask of the view.

use std::f64::consts::TAU;

use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::{Key, ModifiersState, NamedKey};

/// What the person wants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Wish {
    /// By angles.
    Turn { yaw: f64, pitch: f64 },
    /// Multiply the distance.
    Zoom(f64),
    /// Move the target, in pixels of the picture.
    Move { right: f64, up: f64 },
    /// Close the window.
    Quit,
}

/// What is held down, and where the pointer was last.
#[derive(Debug, Default)]
pub(super) struct Controls {
    held: Option<MouseButton>,
    pointer: Option<PhysicalPosition<f64>>,
    modifiers: ModifiersState,
}

const RADIANS_PER_PIXEL: f64 = TAU / 1200.0;
/// Distance after one notch of the wheel towards the picture.
const ZOOM_PER_NOTCH: f64 = 0.9;
const PIXELS_PER_NOTCH: f64 = 40.0;

impl Controls {
    /// What an event asks for, if anything.
    pub(super) fn wish(&mut self, event: &WindowEvent) -> Option<Wish> {
        match event {
            WindowEvent::ModifiersChanged(modifiers) => {
                self.modifiers = modifiers.state();
                None
            }
            WindowEvent::KeyboardInput { event, .. } if event.state == ElementState::Pressed => {
                self.key(&event.logical_key)
            }
            WindowEvent::MouseInput { state, button, .. } => {
                self.button(*state, *button);
                None
            }
            WindowEvent::CursorMoved { position, .. } => self.moved(*position),
            WindowEvent::MouseWheel { delta, .. } => Some(Wish::Zoom(zoom(*delta))),
            _ => None,
        }
    }

    fn key(&self, key: &Key) -> Option<Wish> {
        let quits = match key {
            Key::Named(NamedKey::Escape) => true,
            Key::Character(text) => self.modifiers.control_key() && text.eq_ignore_ascii_case("q"),
            _ => false,
        };
        quits.then_some(Wish::Quit)
    }

    fn button(&mut self, state: ElementState, button: MouseButton) {
        match state {
            ElementState::Pressed => self.held = Some(button),
            ElementState::Released => self.held = self.held.filter(|&held| held != button),
        }
    }

    fn moved(&mut self, to: PhysicalPosition<f64>) -> Option<Wish> {
        let from = self.pointer.replace(to)?;
        let (right, down) = (to.x - from.x, to.y - from.y);
        match self.held? {
            // The thing follows the hand, so the eye goes the other way.
            MouseButton::Left => Some(Wish::Turn {
                yaw: -right * RADIANS_PER_PIXEL,
                pitch: down * RADIANS_PER_PIXEL,
            }),
            MouseButton::Right | MouseButton::Middle => {
                Some(Wish::Move { right: -right, up: down })
            }
            MouseButton::Back | MouseButton::Forward | MouseButton::Other(_) => None,
        }
    }
}

fn zoom(delta: MouseScrollDelta) -> f64 {
    let notches = match delta {
        MouseScrollDelta::LineDelta(_, y) => f64::from(y),
        MouseScrollDelta::PixelDelta(pixels) => pixels.y / PIXELS_PER_NOTCH,
    };
    ZOOM_PER_NOTCH.powf(notches)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a drag from (100, 100) to (130, 90) with `button` asks for.
    fn check_drag(button: MouseButton, expected: Option<Wish>) {
        let mut controls = Controls::default();
        controls.moved(PhysicalPosition::new(100.0, 100.0));
        controls.button(ElementState::Pressed, button);
        let wish = controls.moved(PhysicalPosition::new(130.0, 90.0));
        assert_eq!(wish, expected);
        controls.button(ElementState::Released, button);
        assert_eq!(controls.moved(PhysicalPosition::new(0.0, 0.0)), None);
    }

    #[test]
    fn what_is_dragged_follows_the_pointer() {
        let turn = Wish::Turn { yaw: -30.0 * RADIANS_PER_PIXEL, pitch: -10.0 * RADIANS_PER_PIXEL };
        check_drag(MouseButton::Left, Some(turn));
        check_drag(MouseButton::Right, Some(Wish::Move { right: -30.0, up: -10.0 }));
        check_drag(MouseButton::Middle, Some(Wish::Move { right: -30.0, up: -10.0 }));
        check_drag(MouseButton::Back, None);
    }

    #[test]
    fn wheel_and_touchpad_zoom_alike() {
        let touchpad = MouseScrollDelta::PixelDelta(PhysicalPosition::new(0.0, PIXELS_PER_NOTCH));
        assert_eq!(zoom(MouseScrollDelta::LineDelta(0.0, 1.0)), ZOOM_PER_NOTCH);
        assert_eq!(zoom(touchpad), ZOOM_PER_NOTCH);
        assert!(zoom(MouseScrollDelta::LineDelta(0.0, -1.0)) > 1.0);
    }

    #[test]
    fn escape_and_control_q_quit() {
        let q = Key::Character("q".into());
        let mut controls = Controls::default();
        assert_eq!(controls.key(&Key::Named(NamedKey::Escape)), Some(Wish::Quit));
        assert_eq!(controls.key(&q), None);
        controls.modifiers = ModifiersState::CONTROL;
        assert_eq!(controls.key(&q), Some(Wish::Quit));
    }
}
