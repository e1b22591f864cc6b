//! The menu and its pages in the headset: the same as in the window, on a board.

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{Event, Modifiers, PointerButton, Pos2, pos2};

use super::panels::{PanelContext, Panels};
use super::user_action::UserAction;
use super::{Page, Workbench, menu};
use crate::ui::Board;
use crate::vr::PointerState;
use crate::window::WindowFlow;

/// The board with the menu, while it is open in the headset.
pub(super) struct HeadsetMenu {
    board: Board,
    /// Number of the graphics device that shows the board. Another device has none of the textures.
    device: u32,
    /// Last position of the wearer's pointer.
    at: Option<Pos2>,
    is_pressed: bool,
    /// Time of the last layout.
    laid_out: Option<Instant>,
}

/// Longest time between two layouts: the board's contents may change without the wearer.
const PERIOD: Duration = Duration::from_millis(100);

impl HeadsetMenu {
    fn new(device: u32) -> Self {
        Self { board: Board::new(), device, at: None, is_pressed: false, laid_out: None }
    }

    /// Translates the wearer's pointing into events of a mouse.
    fn events(&mut self, pointed: Vec<PointerState>) -> Vec<Event> {
        let mut events = Vec::new();
        for PointerState { at, is_pressed } in pointed {
            let [width, height] = Board::POINTS;
            let at = at.map(|[x, y]| pos2(x * width, y * height));
            if let Some(at) = at.filter(|at| self.at != Some(*at)) {
                events.push(Event::PointerMoved(at));
            }
            // A finger that leaves the board ends its press.
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

impl Workbench<'_> {
    /// Lays out the board if it is open in the headset and may have changed. Returns true if the
    /// wearer did something, which may change the window too.
    pub(super) fn lay_out_board(&mut self) -> bool {
        let Some(headset) = &mut self.headset else { return false };
        let link = Arc::clone(&headset.link);
        let menu = &link.menu;
        let pointed = menu.take_pointed();
        if !menu.is_open() {
            headset.menu = None;
            return false;
        }
        let device = menu.n_devices();
        let known = headset.menu.take().filter(|headset_menu| headset_menu.device == device);
        let mut headset_menu = known.unwrap_or_else(|| HeadsetMenu::new(device));
        let events = headset_menu.events(pointed);
        let is_due = headset_menu.laid_out.is_none_or(|at| at.elapsed() > PERIOD);
        let is_new = !events.is_empty();
        if is_new || is_due {
            headset_menu.laid_out = Some(Instant::now());
            let at = headset_menu.at;
            let mut flow = WindowFlow::Continue;
            let painted = headset_menu.board.lay_out(events, |ui| {
                // egui may lay out the board twice.
                if self.lay_out(ui, Panels::on_board) == WindowFlow::Close {
                    flow = WindowFlow::Close;
                }
                if let Some(at) = at {
                    cursor(ui, at);
                }
            });
            menu.put(painted);
            if let (Some(headset), WindowFlow::Close) = (&mut self.headset, flow) {
                headset.flow = flow;
            }
        }
        if let Some(headset) = &mut self.headset {
            headset.menu = Some(headset_menu);
        }
        is_new
    }
}

impl Panels {
    /// Lays out the open page, or the menu.
    fn on_board(&mut self, ui: &mut egui::Ui, context: &PanelContext<'_>) -> Vec<UserAction> {
        if self.question.is_some() || !matches!(self.page, Page::None) {
            return self.pages(ui, context);
        }
        let [width, height] = Board::POINTS;
        let item = |command| self.item(context, command);
        let corner = menu::corner_in(egui::vec2(width, height), item);
        match menu::menu(ui, corner, item) {
            menu::MenuChoice::Nothing => Vec::new(),
            menu::MenuChoice::Closed => vec![UserAction::CloseBoard],
            menu::MenuChoice::Command(command) => vec![UserAction::Command(command)],
        }
    }
}

/// Draws a cursor at the wearer's pointer.
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
        let mut headset_menu = HeadsetMenu::new(1);
        let point = |at: Option<[f32; 2]>, is_pressed: bool| PointerState { at, is_pressed };
        let pressed = |event: &Event| match event {
            Event::PointerButton { pressed, pos, .. } => Some((*pressed, pos.x, pos.y)),
            _ => None,
        };
        let events = headset_menu.events(vec![point(Some([0.5, 0.25]), false)]);
        let at = pos2(0.5 * Board::POINTS[0], 0.25 * Board::POINTS[1]);
        assert_eq!(events, [Event::PointerMoved(at)]);
        // Pressed and released between two layouts.
        let both = vec![point(Some([0.5, 0.25]), true), point(Some([0.5, 0.25]), false)];
        let events = headset_menu.events(both);
        let found: Vec<_> = events.iter().filter_map(pressed).collect();
        assert_eq!(found, [(true, at.x, at.y), (false, at.x, at.y)]);
        // The pointer leaves the board while it presses.
        let events = headset_menu.events(vec![point(Some([0.5, 0.25]), true), point(None, false)]);
        assert_eq!(events.iter().filter_map(pressed).count(), 2);
        assert_eq!(events.last(), Some(&Event::PointerGone));
    }
}
