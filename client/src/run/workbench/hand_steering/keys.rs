//! Keys that move the hand while they are held.

use egui::{Key, Ui};
use nalgebra::{UnitQuaternion, Vector3};

use super::{HandSteering, axes, places, within_reach};
use crate::input::{FingerCommand, Steering};
use crate::render::Camera;
use crate::run::workbench::user_action::UserAction;
use crate::ui::keys;

/// Speed of the hand, in metres per second.
const SPEED: f64 = 0.12;
/// Speed of a turn, in radians per second.
const TURNING: f64 = 1.4;
/// Speed of the fingers per second, from 0 (open) to 1 (closed).
const CLOSING: f64 = 0.25;
/// Longest time step, in seconds; pictures that take longer count as this.
const LONGEST_STEP: f64 = 0.1;

/// Keys that move the hand, for the page of help.
pub(in crate::run::workbench) const KEYS: [(&str, &str); 6] = [
    ("Arrows, PgUp, PgDn", "move the hand; Shift: turn it"),
    ("Q, E", "turn the hand about the vertical"),
    ("Enter", "take, or let go"),
    ("Space, Backspace", "squeeze, ease"),
    ("1 to 5, 6 to 0", "close a finger, open it"),
    ("Home", "back above the object"),
];

/// Keys that close and open each finger, thumb first.
const FINGERS: [(Key, Key); 5] = [
    (Key::Num1, Key::Num6),
    (Key::Num2, Key::Num7),
    (Key::Num3, Key::Num8),
    (Key::Num4, Key::Num9),
    (Key::Num5, Key::Num0),
];

impl HandSteering {
    /// Returns the actions of the keys that are held or pressed now.
    pub(in crate::run::workbench) fn asked_by_keys(
        &self,
        ui: &Ui,
        camera: &Camera,
        closed: &[f64; 5],
    ) -> Vec<UserAction> {
        let pressed = keys::all_pressed(ui).into_iter().filter_map(|(held, key)| match key {
            Key::Enter if held.is_none() => Some(UserAction::TakeOrLetGo),
            Key::Home if held.is_none() => Some(UserAction::GoHome(None)),
            _ => None,
        });
        self.steered(ui, camera, closed).map(UserAction::Steer).into_iter().chain(pressed).collect()
    }

    /// Returns the steering command changed by the keys that are held now.
    fn steered(&self, ui: &Ui, camera: &Camera, closed: &[f64; 5]) -> Option<Steering> {
        let mut wanted = self.wanted?;
        if !ui.is_enabled() || ui.ctx().egui_wants_keyboard_input() {
            return None;
        }
        let is_down = |key: Key| ui.input(|input| input.key_down(key));
        let between = |less: Key, more: Key| f64::from(is_down(more)) - f64::from(is_down(less));
        let (seconds, held) =
            ui.input(|input| (f64::from(input.stable_dt).min(LONGEST_STEP), input.modifiers));
        // With Ctrl or Alt, keys are for the view, the thing or commands.
        if held.command || held.alt {
            return None;
        }
        let [right, up, away] = axes(camera);
        let way = Vector3::new(
            between(Key::ArrowLeft, Key::ArrowRight),
            between(Key::ArrowDown, Key::ArrowUp),
            between(Key::PageDown, Key::PageUp),
        );
        let turn = between(Key::Q, Key::E);
        let mut is_held = way != Vector3::zeros() || turn != 0.0;
        if held.shift {
            let axis = up * way.x - right * way.y - away * way.z;
            wanted.turn =
                UnitQuaternion::from_scaled_axis(axis * (TURNING * seconds)) * wanted.turn;
        } else {
            let way = right * way.x + up * way.y + away * way.z;
            wanted.grip = within_reach(wanted.grip + way * (SPEED * seconds));
        }
        let about_upright = Vector3::y() * (turn * TURNING * seconds);
        wanted.turn = UnitQuaternion::from_scaled_axis(about_upright) * wanted.turn;

        let singly = FINGERS.map(|(close, open)| between(open, close));
        if singly != [0.0; 5] {
            is_held = true;
            let mut places = places(&wanted, closed);
            for (place, way) in places.iter_mut().zip(singly) {
                *place = (*place + way * CLOSING * seconds).clamp(0.0, 1.0);
            }
            wanted.fingers = FingerCommand::Go(places);
        }
        wanted.fingers = match (is_down(Key::Space), is_down(Key::Backspace), wanted.fingers) {
            (true, _, _) => FingerCommand::Squeeze,
            (false, true, _) => FingerCommand::Ease,
            // The key was released; a mouse button may still be held.
            (false, false, FingerCommand::Squeeze | FingerCommand::Ease)
                if self.pressed.is_none() =>
            {
                FingerCommand::Stay
            }
            (false, false, fingers) => fingers,
        };
        is_held |= matches!(wanted.fingers, FingerCommand::Squeeze | FingerCommand::Ease);
        if is_held {
            // A key that stays down causes no event, so the next picture is requested.
            ui.ctx().request_repaint();
        }
        Some(wanted).filter(|wanted| self.wanted != Some(*wanted))
    }
}
