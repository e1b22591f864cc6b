//! The panel of things: those on the table, and those that can be added.

use std::path::PathBuf;

use egui::{Key, Ui};
use interaction::scene::ThingOnTable;
use objects::generate::GeneratedKind;

use super::file_dialog::FilePurpose;
use super::user_action::UserAction;
use crate::ui::side_panel::{heading, option, row, scrolled, side_panel};
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{ButtonWeight, KeyButton, capitalised, key_button};

/// Place of a new thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThingPlace {
    /// In the place of the selected thing, which is removed.
    Instead,
    /// Beside this number of other things.
    Beside(usize),
}

const WIDTH: f32 = 320.0;
/// Largest number of things on the table.
const MOST_THINGS: usize = 6;

/// Lays out the panel at the right: the things on the table, kinds, recent files.
pub(super) fn panel(
    ui: &mut Ui,
    things: &[ThingOnTable],
    selected: Option<usize>,
    recent: &[PathBuf],
) -> Option<UserAction> {
    side_panel(ui, "Objects", WIDTH, |ui, palette| {
        let asked = scrolled(ui, |ui| contents(ui, palette, things, selected, recent));
        let close = KeyButton { words: "Close", key: Key::Escape, weight: ButtonWeight::Primary };
        if key_button(ui, &close) { Some(UserAction::ClosePage) } else { asked }
    })
}

fn contents(
    ui: &mut Ui,
    palette: &Palette,
    things: &[ThingOnTable],
    selected: Option<usize>,
    recent: &[PathBuf],
) -> Option<UserAction> {
    let mut asked = None;
    heading(ui, palette, "on the table; select one to work on");
    for (i, thing) in things.iter().enumerate() {
        if option(ui, selected == Some(i), &capitalised(&thing.name)) {
            asked = Some(UserAction::Select(i));
        }
    }
    ui.add_space(style::GAP);
    heading(ui, palette, "new objects");
    let places = |ui: &mut Ui| {
        let beside = (things.len() < MOST_THINGS).then_some(ThingPlace::Beside(things.len()));
        let mut place = None;
        if let Some(beside) = beside
            && ui.button("beside").clicked()
        {
            place = Some(beside);
        }
        if ui.button("instead").clicked() {
            place = Some(ThingPlace::Instead);
        }
        place
    };
    for kind in GeneratedKind::ALL {
        if let Some(place) = row(ui, &capitalised(kind.name()), places) {
            asked = Some(UserAction::Make(kind, place));
        }
    }
    ui.add_space(style::GAP);
    heading(ui, palette, "recent files");
    for path in recent {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some(place) = row(ui, &name, places) {
            asked = Some(UserAction::ReadFile(path.clone(), place));
        }
    }
    if ui.button("Read file ...").clicked() {
        asked = Some(UserAction::OpenFileDialog(FilePurpose::Read));
    }
    asked
}
