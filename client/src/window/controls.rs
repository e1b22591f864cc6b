//! What mouse and keys ask of the view, where no panel has a claim on them.

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
    /// The view as it was at first.
    LookAsAtFirst,
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
/// One press of a key is a drag over so many pixels.
const PIXELS_PER_PRESS: f64 = 20.0;

/// Keys and what they do to the view, for a page of help.
pub const VIEW_KEYS: [(&str, &str); 4] = [
    ("Ctrl+Arrows", "turn the view"),
    ("Ctrl+Shift+Arrows", "move it"),
    ("Ctrl+PgUp, PgDn", "nearer and farther"),
    ("Ctrl+Home", "as it was at first"),
];

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

    /// With Ctrl they are the view's; all others are the panels' business.
    fn key(&self, key: &Key) -> Option<Wish> {
        if !self.modifiers.control_key() {
            return None;
        }
        let drag = |right: f64, down: f64| {
            let button =
                if self.modifiers.shift_key() { MouseButton::Right } else { MouseButton::Left };
            dragged(button, right * PIXELS_PER_PRESS, down * PIXELS_PER_PRESS)
        };
        match key {
            Key::Character(text) => text.eq_ignore_ascii_case("q").then_some(Wish::Quit),
            Key::Named(NamedKey::ArrowLeft) => drag(-1.0, 0.0),
            Key::Named(NamedKey::ArrowRight) => drag(1.0, 0.0),
            Key::Named(NamedKey::ArrowUp) => drag(0.0, -1.0),
            Key::Named(NamedKey::ArrowDown) => drag(0.0, 1.0),
            Key::Named(NamedKey::PageUp) => Some(Wish::Zoom(ZOOM_PER_NOTCH)),
            Key::Named(NamedKey::PageDown) => Some(Wish::Zoom(1.0 / ZOOM_PER_NOTCH)),
            Key::Named(NamedKey::Home) => Some(Wish::LookAsAtFirst),
            Key::Named(_) | Key::Unidentified(_) | Key::Dead(_) => None,
        }
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
        dragged(self.held?, to.x - from.x, to.y - from.y)
    }
}

/// What it means to drag the picture so far, in pixels.
fn dragged(button: MouseButton, right: f64, down: f64) -> Option<Wish> {
    match button {
        // The thing follows the hand, so the eye goes the other way.
        MouseButton::Left => {
            Some(Wish::Turn { yaw: -right * RADIANS_PER_PIXEL, pitch: down * RADIANS_PER_PIXEL })
        }
        MouseButton::Right | MouseButton::Middle => Some(Wish::Move { right: -right, up: down }),
        MouseButton::Back | MouseButton::Forward | MouseButton::Other(_) => None,
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
