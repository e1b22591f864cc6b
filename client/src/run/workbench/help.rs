//! The page that lists all keys.

use egui::{Id, Key, Modal, RichText, ScrollArea, Ui};

use super::ask::Ask;
use super::command::Command;
use super::drive::KEYS;
use super::{timeline, turning};
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{Action, Weight, action};
use crate::window::VIEW_KEYS;

/// What the mouse does where no panel is.
const MOUSE: [(&str, &str); 5] = [
    ("Left drag", "turns the view"),
    ("Drag a thing", "turns the thing"),
    ("Right drag", "moves it"),
    ("Wheel", "nearer and farther"),
    ("Right click", "the menu; also Shift+F10"),
];

/// What it does while it moves the hand.
const MOUSE_HAND: [(&str, &str); 4] = [
    ("Mouse, wheel", "the hand follows, nearer and farther"),
    ("Click", "take, or let go"),
    ("Hold left", "squeeze"),
    ("Shift", "turn; with the wheel: close and open"),
];

const WIDTH: f32 = 1120.0;
/// What is left of the window above and below.
const AROUND: f32 = 144.0;

/// Lists all keys until somebody has read enough.
pub(super) fn help(ui: &Ui) -> Option<Ask> {
    let palette = style::palette(ui.ctx());
    let screen = ui.ctx().content_rect().size();
    let modal = Modal::new(Id::unique("help")).frame(style::card(palette));
    let shown = modal.show(ui.ctx(), |ui| {
        ui.set_width(WIDTH.min(screen.x - 80.0));
        ui.spacing_mut().item_spacing.y = 3.0;
        ui.spacing_mut().interact_size.y = 20.0;
        ui.label(RichText::new("Keys and mouse").size(style::TITLE));
        ui.add_space(6.0);
        ScrollArea::vertical().max_height(screen.y - AROUND).show(ui, |ui| {
            ui.scroll_with_delta(egui::vec2(0.0, scrolled(ui)));
            contents(ui, palette);
        });
        ui.add_space(style::GAP);
        let close = Action { words: "Close", key: Key::Escape, weight: Weight::Primary };
        let again = crate::ui::keys::pressed(ui, Key::F1);
        action(ui, &close) || again
    });
    (shown.inner || shown.backdrop_response.clicked()).then_some(Ask::ClosePage)
}

/// How far the keys move the page, in points.
fn scrolled(ui: &Ui) -> f32 {
    let (line, page) = (24.0, 240.0);
    let by = |(_, key): (egui::Modifiers, Key)| match key {
        Key::ArrowUp => line,
        Key::ArrowDown => -line,
        Key::PageUp => page,
        Key::PageDown => -page,
        _ => 0.0,
    };
    crate::ui::keys::all_pressed(ui).into_iter().map(by).sum()
}

fn contents(ui: &mut Ui, palette: &Palette) {
    let half = Command::ALL.len().div_ceil(2);
    ui.columns(3, |columns| {
        for (column, commands) in columns.iter_mut().zip(Command::ALL.chunks(half)) {
            for command in commands {
                let what = command.words().trim_end_matches(" ...");
                line(column, palette, &command.keys(), what, command.meaning());
            }
        }
        let last = &mut columns[2];
        for (keys, what) in MOUSE.into_iter().chain(VIEW_KEYS).chain(turning::KEYS) {
            line(last, palette, keys, what, "");
        }
        last.add_space(8.0);
        last.label(RichText::new("A hand without a glove").color(palette.quiet));
        for (keys, what) in MOUSE_HAND.into_iter().chain(KEYS) {
            line(last, palette, keys, what, "");
        }
        last.add_space(8.0);
        last.label(RichText::new("A recording").color(palette.quiet));
        for (keys, what) in timeline::KEYS {
            line(last, palette, keys, what, "");
        }
    });
}

fn line(ui: &mut Ui, palette: &Palette, keys: &str, what: &str, meaning: &str) {
    ui.horizontal(|ui| {
        let size = egui::vec2(108.0, if meaning.is_empty() { 20.0 } else { 34.0 });
        ui.allocate_ui_with_layout(size, egui::Layout::left_to_right(egui::Align::Center), |ui| {
            ui.set_min_width(size.x);
            let size = if keys.len() > 14 { style::SMALL } else { style::BODY };
            ui.label(RichText::new(keys).size(size).color(palette.accent));
        });
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.label(what);
            if !meaning.is_empty() {
                ui.label(RichText::new(meaning).size(style::SMALL).color(palette.quiet));
            }
        });
    });
}
