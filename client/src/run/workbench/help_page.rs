//! The page that lists all keys.

use egui::{Id, Key, Modal, RichText, ScrollArea, Ui};

use super::hand_steering::KEYS;
use super::menu_commands::Command;
use super::user_action::UserAction;
use super::{thing_rotation, timeline};
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{ButtonWeight, KeyButton, key_button};
use crate::window::VIEW_KEYS;

/// Mouse actions outside the panels.
const MOUSE: [(&str, &str); 5] = [
    ("Left drag", "turns the view"),
    ("Drag an object", "turns the object"),
    ("Right drag", "moves the view"),
    ("Wheel", "zooms"),
    ("Right click", "the menu; also Shift+F10"),
];

/// Mouse actions while the mouse moves the hand.
const MOUSE_HAND: [(&str, &str); 4] = [
    ("Mouse, wheel", "the hand follows, nearer and farther"),
    ("Click", "take, or let go"),
    ("Hold left", "squeeze"),
    ("Shift", "turn; with the wheel: close and open"),
];

const WIDTH: f32 = 1120.0;
/// Height of the window that the list leaves free, in points.
const AROUND: f32 = 144.0;

/// A group of keys.
pub(crate) struct KeyGroup {
    pub(crate) title: &'static str,
    /// Keys, command and effect.
    pub(crate) keys: Vec<[String; 3]>,
}

/// Lists all keys until the user closes the page.
pub(super) fn help(ui: &Ui) -> Option<UserAction> {
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
        let close = KeyButton { words: "Close", key: Key::Escape, weight: ButtonWeight::Primary };
        let again = crate::ui::keys::pressed(ui, Key::F1);
        key_button(ui, &close) || again
    });
    (shown.inner || shown.backdrop_response.clicked()).then_some(UserAction::ClosePage)
}

/// Distance by which the keys scroll the page, in points.
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

/// All keys in groups, each as keys, command and effect.
pub(crate) fn key_groups() -> Vec<KeyGroup> {
    let command = |command: Command| {
        let name = command.words().trim_end_matches(" ...").to_owned();
        [command.keys(), name, command.meaning().to_owned()]
    };
    let plain = |(keys, what): (&str, &str)| [keys.to_owned(), String::new(), what.to_owned()];
    let view = MOUSE.into_iter().chain(VIEW_KEYS).chain(thing_rotation::KEYS);
    let hand = MOUSE_HAND.into_iter().chain(KEYS);
    vec![
        KeyGroup { title: "Commands", keys: Command::ALL.into_iter().map(command).collect() },
        KeyGroup { title: "View and objects", keys: view.map(plain).collect() },
        KeyGroup { title: "A hand without a glove", keys: hand.map(plain).collect() },
        KeyGroup { title: "A recording", keys: timeline::KEYS.into_iter().map(plain).collect() },
    ]
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
        for (keys, what) in MOUSE.into_iter().chain(VIEW_KEYS).chain(thing_rotation::KEYS) {
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
