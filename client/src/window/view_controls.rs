//! Mouse and keys as commands to the view, where no panel uses them.

use std::f64::consts::TAU;

use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::{Key, ModifiersState, NamedKey};

/// A command to the view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ViewCommand {
    /// Turns the view by these angles, in radians.
    Turn { yaw: f64, pitch: f64 },
    /// Multiplies the distance.
    Zoom(f64),
    /// Moves the target, in pixels of the picture.
    Move { right: f64, up: f64 },
    /// Restores the view of the beginning.
    LookAsAtFirst,
    /// Closes the window.
    Quit,
}

/// The events that the panels claim for themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PanelClaim {
    /// True if the pointer is over a panel or drags a part of one.
    pub(super) pointer: bool,
    /// True if a field of a panel has the keyboard.
    pub(super) keys: bool,
}

impl PanelClaim {
    /// Returns the panels' claim while the pointer is at `pointer` and the panels leave `free` to
    /// the picture, both in points.
    pub(super) fn of(
        context: &egui::Context,
        free: egui::Rect,
        pointer: Option<egui::Pos2>,
    ) -> Self {
        let is_over = |at: egui::Pos2| match context.layer_id_at(at) {
            // Panels at the edges are in the background layer, like the picture.
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

/// Button that is held, last position of the pointer, and modifier keys.
#[derive(Debug, Default)]
pub(super) struct ViewControls {
    held: Option<MouseButton>,
    pointer: Option<PhysicalPosition<f64>>,
    modifiers: ModifiersState,
}

const RADIANS_PER_PIXEL: f64 = TAU / 1200.0;
/// Distance after one notch of the wheel towards the picture.
const ZOOM_PER_NOTCH: f64 = 0.9;
const PIXELS_PER_NOTCH: f64 = 40.0;
/// Drag in pixels that one press of a key stands for.
const PIXELS_PER_PRESS: f64 = 20.0;

/// Keys that change the view, for the page of help.
pub const VIEW_KEYS: [(&str, &str); 4] = [
    ("Ctrl+Arrows", "turn the view"),
    ("Ctrl+Shift+Arrows", "move the view"),
    ("Ctrl+PgUp, PgDn", "zoom in, zoom out"),
    ("Ctrl+Home", "reset the view"),
];

impl ViewControls {
    /// Returns the command of an event, if it has one.
    pub(super) fn command(
        &mut self,
        event: &WindowEvent,
        claim: PanelClaim,
    ) -> Option<ViewCommand> {
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
                Some(ViewCommand::Zoom(zoom(*delta)))
            }
            _ => None,
        }
    }

    /// True while the view is being dragged.
    pub(super) fn is_dragging(&self) -> bool {
        self.held.is_some()
    }

    /// Keys with Ctrl are commands to the view; the panels handle all others.
    fn key(&self, key: &Key) -> Option<ViewCommand> {
        if !self.modifiers.control_key() {
            return None;
        }
        let drag = |right: f64, down: f64| {
            let button =
                if self.modifiers.shift_key() { MouseButton::Right } else { MouseButton::Left };
            dragged(button, right * PIXELS_PER_PRESS, down * PIXELS_PER_PRESS)
        };
        match key {
            Key::Character(text) => text.eq_ignore_ascii_case("q").then_some(ViewCommand::Quit),
            Key::Named(NamedKey::ArrowLeft) => drag(-1.0, 0.0),
            Key::Named(NamedKey::ArrowRight) => drag(1.0, 0.0),
            Key::Named(NamedKey::ArrowUp) => drag(0.0, -1.0),
            Key::Named(NamedKey::ArrowDown) => drag(0.0, 1.0),
            Key::Named(NamedKey::PageUp) => Some(ViewCommand::Zoom(ZOOM_PER_NOTCH)),
            Key::Named(NamedKey::PageDown) => Some(ViewCommand::Zoom(1.0 / ZOOM_PER_NOTCH)),
            Key::Named(NamedKey::Home) => Some(ViewCommand::LookAsAtFirst),
            Key::Named(_) | Key::Unidentified(_) | Key::Dead(_) => None,
        }
    }

    /// A drag that begins on a panel belongs to the panel. A drag that begins beside a panel
    /// continues over it.
    fn button(&mut self, state: ElementState, button: MouseButton, claim: PanelClaim) {
        match state {
            ElementState::Pressed if claim.pointer => self.held = None,
            ElementState::Pressed => self.held = Some(button),
            ElementState::Released => self.held = self.held.filter(|&held| held != button),
        }
    }

    fn moved(&mut self, to: PhysicalPosition<f64>) -> Option<ViewCommand> {
        let from = self.pointer.replace(to)?;
        dragged(self.held?, to.x - from.x, to.y - from.y)
    }
}

/// The command of a drag of the picture by this distance, in pixels.
fn dragged(button: MouseButton, right: f64, down: f64) -> Option<ViewCommand> {
    match button {
        // The scene follows the pointer, so the camera moves the other way.
        MouseButton::Left => Some(ViewCommand::Turn {
            yaw: -right * RADIANS_PER_PIXEL,
            pitch: down * RADIANS_PER_PIXEL,
        }),
        MouseButton::Right | MouseButton::Middle => {
            Some(ViewCommand::Move { right: -right, up: down })
        }
        MouseButton::Back | MouseButton::Forward | MouseButton::Other(_) => None,
    }
}

fn zoom(delta: MouseScrollDelta) -> f64 {
    ZOOM_PER_NOTCH.powf(notches(delta))
}

/// Notches of the wheel; positive is away from the user.
pub(super) fn notches(delta: MouseScrollDelta) -> f64 {
    match delta {
        MouseScrollDelta::LineDelta(_, y) => f64::from(y),
        MouseScrollDelta::PixelDelta(pixels) => pixels.y / PIXELS_PER_NOTCH,
    }
}

#[cfg(test)]
mod tests;
