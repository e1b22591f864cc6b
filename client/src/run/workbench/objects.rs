//! The panel of things: which stand on the table, and which could.

use std::path::PathBuf;

use egui::{Key, Panel, RichText, ScrollArea, Ui};
use objects::generate::Kind;

use crate::ui::style::{self, Palette};
use crate::ui::widgets::{Action, Weight, action, capitalised};

/// What the person does in the panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    /// Orders are about this thing from now on.
    Select(usize),
    Make(Kind, Place),
    Read(PathBuf, Place),
    /// Look for a file.
    Look,
    Close,
}

/// Where a new thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Where the chosen one stands, which goes.
    Instead,
    /// Beside so many others.
    Beside(usize),
}

const WIDTH: f32 = 320.0;
/// More would be a crowd.
const MOST_THINGS: usize = 6;

/// At the right: the things on the table, kinds, files of late.
pub(super) fn panel(
    ui: &mut Ui,
    names: &[String],
    selected: Option<usize>,
    recent: &[PathBuf],
) -> Option<Asked> {
    let palette = style::palette(ui.ctx());
    Panel::right("objects")
        .frame(style::panel(palette))
        .resizable(false)
        .show_separator_line(false)
        .exact_size(WIDTH)
        .show(ui, |ui| {
            ui.spacing_mut().button_padding = egui::vec2(8.0, 4.0);
            ui.label(RichText::new("Objects").size(style::TITLE));
            let mut asked = None;
            let room = ui.available_height() - style::BUTTON_HEIGHT - 2.0 * style::GAP;
            ScrollArea::vertical().max_height(room).auto_shrink([false, false]).show(ui, |ui| {
                asked = contents(ui, palette, names, selected, recent);
            });
            ui.add_space(style::GAP / 2.0);
            let close = Action { words: "Close", key: Key::Escape, weight: Weight::Primary };
            if action(ui, &close) {
                asked = Some(Asked::Close);
            }
            asked
        })
        .inner
}

fn contents(
    ui: &mut Ui,
    palette: &Palette,
    names: &[String],
    selected: Option<usize>,
    recent: &[PathBuf],
) -> Option<Asked> {
    let mut asked = None;
    heading(ui, palette, "on the table; orders are about the chosen one");
    for (i, name) in names.iter().enumerate() {
        let is_chosen = selected == Some(i);
        let colour = if is_chosen { palette.on_accent } else { palette.words };
        let words = RichText::new(capitalised(name)).color(colour);
        if ui.selectable_label(is_chosen, words).clicked() {
            asked = Some(Asked::Select(i));
        }
    }
    ui.add_space(style::GAP);
    heading(ui, palette, "made here");
    let places = |ui: &mut Ui| {
        let beside = (names.len() < MOST_THINGS).then_some(Place::Beside(names.len()));
        let mut place = None;
        if let Some(beside) = beside
            && ui.button("beside").clicked()
        {
            place = Some(beside);
        }
        if ui.button("instead").clicked() {
            place = Some(Place::Instead);
        }
        place
    };
    for kind in Kind::ALL {
        if let Some(place) = row(ui, &capitalised(kind.name()), places) {
            asked = Some(Asked::Make(kind, place));
        }
    }
    ui.add_space(style::GAP);
    heading(ui, palette, "files of late");
    for path in recent {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some(place) = row(ui, &name, places) {
            asked = Some(Asked::Read(path.clone(), place));
        }
    }
    if ui.button("Read file ...").clicked() {
        asked = Some(Asked::Look);
    }
    asked
}

fn heading(ui: &mut Ui, palette: &Palette, words: &str) {
    ui.label(RichText::new(words).size(style::SMALL).color(palette.quiet));
}

/// A name, and at its right where that could stand.
fn row(ui: &mut Ui, name: &str, places: impl FnOnce(&mut Ui) -> Option<Place>) -> Option<Place> {
    ui.horizontal(|ui| {
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        let width = ui.available_width();
        ui.allocate_ui_with_layout(egui::vec2(width, 28.0), layout, |ui| {
            let place = places(ui);
            let left = egui::Layout::left_to_right(egui::Align::Center);
            ui.with_layout(left, |ui| ui.add(egui::Label::new(name).truncate()));
            place
        })
        .inner
    })
    .inner
}
