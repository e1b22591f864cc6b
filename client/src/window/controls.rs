//! What mouse and keys ask of the view, where no panel has a claim on them.

use std::f64::consts::TAU;

use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::{Key, ModifiersState};

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

/// Whose an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Claim {
    /// The pointer is over a panel, or drags something of it.
    pub(super) pointer: bool,
    /// Somebody types into a panel.
    pub(super) keys: bool,
}

impl Claim {
    /// What the panels claim while the pointer is at `pointer` and they leave `free` to the picture, both in
    /// points.
    pub(super) fn of(
        context: &egui::Context,
        free: egui::Rect,
        pointer: Option<egui::Pos2>,
    ) -> Self {
        let is_over = |at: egui::Pos2| match context.layer_id_at(at) {
            // All that is fixed to an edge is in the background, as is the picture.
            Some(layer) if layer.order == egui::Order::Background => !free.contains(at),
            Some(_) => true,
            None => !free.contains(at),
        };
        Self {
            pointer: context.egui_is_using_pointer() || pointer.is_some_and(is_over),
            keys: context.egui_wants_keyboard_input(),
        }
    }
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
    pub(super) fn wish(&mut self, event: &WindowEvent, claim: Claim) -> Option<Wish> {
        match event {
            WindowEvent::ModifiersChanged(modifiers) => {
                self.modifiers = modifiers.state();
                None
            }
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. }
                if event.state == ElementState::Pressed && !claim.keys =>
            {
                self.key(&event.logical_key)
            }
            WindowEvent::MouseInput { state, button, .. } => {
                self.button(*state, *button, claim);
                None
            }
            WindowEvent::CursorMoved { position, .. } => self.moved(*position),
            WindowEvent::MouseWheel { delta, .. } if !claim.pointer => {
                Some(Wish::Zoom(zoom(*delta)))
            }
            _ => None,
        }
    }

    /// Whether the view is being dragged.
    pub(super) fn is_dragging(&self) -> bool {
        self.held.is_some()
    }

    /// All other keys are the panels' business.
    fn key(&self, key: &Key) -> Option<Wish> {
        let Key::Character(text) = key else { return None };
        let quits = self.modifiers.control_key() && text.eq_ignore_ascii_case("q");
        quits.then_some(Wish::Quit)
    }

    /// A drag that begins on a panel is the panel's; one that began beside it goes on over it.
    fn button(&mut self, state: ElementState, button: MouseButton, claim: Claim) {
        match state {
            ElementState::Pressed if claim.pointer => self.held = None,
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
    ZOOM_PER_NOTCH.powf(notches(delta))
}

/// How far the wheel was rolled, away from the person.
pub(super) fn notches(delta: MouseScrollDelta) -> f64 {
    match delta {
        MouseScrollDelta::LineDelta(_, y) => f64::from(y),
        MouseScrollDelta::PixelDelta(pixels) => pixels.y / PIXELS_PER_NOTCH,
    }
}

#[cfg(test)]
mod tests;
