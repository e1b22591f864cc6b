//! The menu and its pages as the wearer of a headset has them: the same as in the window, on a board.

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{Event, Modifiers, PointerButton, Pos2, pos2};

use super::ask::Ask;
use super::panels::{Known, Panels};
use super::{Bench, Page, menu};
use crate::ui::Board;
use crate::vr::Pointing;
use crate::window::Going;

/// The board with the menu that the wearer has, while it is open.
pub(super) struct Goggles {
    board: Board,
    /// The device that shows it; another one has nothing of what was painted before.
    device: u32,
    at: Option<Pos2>,
    is_pressed: bool,
    /// When it was laid out last.
    laid_out: Option<Instant>,
}

/// What is on it may change without the wearer: so often it is laid out anew.
const PERIOD: Duration = Duration::from_millis(100);

impl Goggles {
    fn new(device: u32) -> Self {
        Self { board: Board::new(), device, at: None, is_pressed: false, laid_out: None }
    }

    /// What the wearer has done, as a mouse would have.
    fn events(&mut self, pointed: Vec<Pointing>) -> Vec<Event> {
        let mut events = Vec::new();
        for Pointing { at, is_pressed } in pointed {
            let [width, height] = Board::POINTS;
            let at = at.map(|[x, y]| pos2(x * width, y * height));
            if let Some(at) = at.filter(|at| self.at != Some(*at)) {
                events.push(Event::PointerMoved(at));
            }
            // A finger that leaves the board presses nothing any more.
            if let Some(pos) = at.or(self.at).filter(|_| is_pressed != self.is_pressed) {
                let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
                events.push(Event::PointerButton { pos, button, pressed: is_pressed, modifiers });
                self.is_pressed = is_pressed;
            }
            if at.is_none() && self.at.is_some() {
                events.push(Event::PointerGone);
            }
            self.at = at;
        }
        events
    }
}

impl Bench<'_> {
    /// Lays out the board if it is open in the headset and something may have changed on it; says whether the window
    /// would look different now.
    pub(super) fn lay_out_board(&mut self) -> bool {
        let Some(headset) = &mut self.headset else { return false };
        let link = Arc::clone(&headset.link);
        let menu = &link.menu;
        let pointed = menu.take_pointed();
        if !menu.is_open() {
            headset.goggles = None;
            return false;
        }
        let device = menu.n_devices();
        let known = headset.goggles.take().filter(|goggles| goggles.device == device);
        let mut goggles = known.unwrap_or_else(|| Goggles::new(device));
        let events = goggles.events(pointed);
        let is_due = goggles.laid_out.is_none_or(|at| at.elapsed() > PERIOD);
        let is_new = !events.is_empty();
        if is_new || is_due {
            goggles.laid_out = Some(Instant::now());
            let at = goggles.at;
            let mut going = Going::On;
            let painted = goggles.board.lay_out(events, |ui| {
                // The board may be laid out twice.
                if self.lay_out(ui, Panels::on_board) == Going::Over {
                    going = Going::Over;
                }
                if let Some(at) = at {
                    cursor(ui, at);
                }
            });
            menu.put(painted);
            if let (Some(headset), Going::Over) = (&mut self.headset, going) {
                headset.going = going;
            }
        }
        if let Some(headset) = &mut self.headset {
            headset.goggles = Some(goggles);
        }
        is_new
    }
}

impl Panels {
    /// The page that is open, or the menu.
    fn on_board(&mut self, ui: &mut egui::Ui, known: &Known<'_>) -> Vec<Ask> {
        if self.question.is_some() || !matches!(self.page, Page::None) {
            return self.pages(ui, known);
        }
        let [width, height] = Board::POINTS;
        let item = |command| self.item(known, command);
        let corner = menu::corner_in(egui::vec2(width, height), item);
        match menu::menu(ui, corner, item) {
            menu::Chosen::Nothing => Vec::new(),
            menu::Chosen::Closed => vec![Ask::CloseBoard],
            menu::Chosen::Command(command) => vec![Ask::Command(command)],
        }
    }
}

/// Where the wearer points.
fn cursor(ui: &egui::Ui, at: Pos2) {
    let layer = egui::LayerId::new(egui::Order::Tooltip, egui::Id::unique("cursor"));
    let painter = ui.ctx().layer_painter(layer);
    painter.circle_filled(at, 5.0, egui::Color32::from_white_alpha(200));
    painter.circle_stroke(at, 5.0, egui::Stroke::new(1.5, egui::Color32::BLACK));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_wearer_does_is_what_a_mouse_would_do() {
        let mut goggles = Goggles::new(1);
        let point = |at: Option<[f32; 2]>, is_pressed: bool| Pointing { at, is_pressed };
        let pressed = |event: &Event| match event {
            Event::PointerButton { pressed, pos, .. } => Some((*pressed, pos.x, pos.y)),
            _ => None,
        };
        let events = goggles.events(vec![point(Some([0.5, 0.25]), false)]);
        let at = pos2(0.5 * Board::POINTS[0], 0.25 * Board::POINTS[1]);
        assert_eq!(events, [Event::PointerMoved(at)]);
        // Pressed and let go within one look.
        let both = vec![point(Some([0.5, 0.25]), true), point(Some([0.5, 0.25]), false)];
        let events = goggles.events(both);
        let found: Vec<_> = events.iter().filter_map(pressed).collect();
        assert_eq!(found, [(true, at.x, at.y), (false, at.x, at.y)]);
        // Leaves the board while it presses.
        let events = goggles.events(vec![point(Some([0.5, 0.25]), true), point(None, false)]);
        assert_eq!(events.iter().filter_map(pressed).count(), 2);
        assert_eq!(events.last(), Some(&Event::PointerGone));
    }
}
