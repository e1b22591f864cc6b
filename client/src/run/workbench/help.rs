//! The page that lists all keys.

use egui::{Id, Key, Modal, RichText, Ui};

use super::command::Command;
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{Action, Weight, action};
use crate::window::Going;

/// What the mouse does where no panel is.
const MOUSE: [(&str, &str); 4] = [
    ("Left drag", "turns the view"),
    ("Right drag", "moves it"),
    ("Wheel", "nearer and farther"),
    ("Right click", "the menu"),
];

/// Lists all keys until somebody has read enough.
pub(super) fn help(ui: &Ui) -> Going {
    let palette = style::palette(ui.ctx());
    let modal = Modal::new(Id::unique("help")).frame(style::card(palette));
    let shown = modal.show(ui.ctx(), |ui| {
        ui.set_width(760.0);
        ui.spacing_mut().item_spacing.y = 4.0;
        ui.label(RichText::new("Keys and mouse").size(style::TITLE));
        ui.add_space(6.0);
        let half = Command::ALL.len().div_ceil(2) + 1;
        ui.columns(2, |columns| {
            for command in &Command::ALL[..half] {
                let what = command.words().trim_end_matches(" ...");
                line(&mut columns[0], palette, &command.keys(), what, command.meaning());
            }
            for command in &Command::ALL[half..] {
                let what = command.words().trim_end_matches(" ...");
                line(&mut columns[1], palette, &command.keys(), what, command.meaning());
            }
            for (mouse, what) in MOUSE {
                line(&mut columns[1], palette, mouse, what, "");
            }
        });
        ui.add_space(style::GAP);
        let close = Action { words: "Close", key: Key::Escape, weight: Weight::Primary };
        let again = crate::ui::keys::pressed(ui, Key::F1);
        action(ui, &close) || again
    });
    if shown.inner || shown.backdrop_response.clicked() { Going::Over } else { Going::On }
}

fn line(ui: &mut Ui, palette: &Palette, keys: &str, what: &str, meaning: &str) {
    ui.horizontal(|ui| {
        let size = egui::vec2(100.0, 34.0);
        ui.allocate_ui_with_layout(size, egui::Layout::left_to_right(egui::Align::Center), |ui| {
            ui.set_min_width(size.x);
            ui.label(RichText::new(keys).color(palette.accent));
        });
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.label(what);
            ui.label(RichText::new(meaning).size(style::SMALL).color(palette.quiet));
        });
    });
}
