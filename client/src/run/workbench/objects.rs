//! The panel of things: which stand on the table, and which could.

use std::path::PathBuf;

use egui::{Key, Ui};
use interaction::scene::ThingOnTable;
use objects::generate::Kind;

use super::ask::Ask;
use super::files::Purpose;
use crate::ui::side::{heading, option, row, scrolled, side_panel};
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{Action, Weight, action, capitalised};

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
    things: &[ThingOnTable],
    selected: Option<usize>,
    recent: &[PathBuf],
) -> Option<Ask> {
    side_panel(ui, "Objects", WIDTH, |ui, palette| {
        let asked = scrolled(ui, |ui| contents(ui, palette, things, selected, recent));
        let close = Action { words: "Close", key: Key::Escape, weight: Weight::Primary };
        if action(ui, &close) { Some(Ask::ClosePage) } else { asked }
    })
}

fn contents(
    ui: &mut Ui,
    palette: &Palette,
    things: &[ThingOnTable],
    selected: Option<usize>,
    recent: &[PathBuf],
) -> Option<Ask> {
    let mut asked = None;
    heading(ui, palette, "on the table; orders are about the chosen one");
    for (i, thing) in things.iter().enumerate() {
        if option(ui, selected == Some(i), &capitalised(&thing.name)) {
            asked = Some(Ask::Select(i));
        }
    }
    ui.add_space(style::GAP);
    heading(ui, palette, "made here");
    let places = |ui: &mut Ui| {
        let beside = (things.len() < MOST_THINGS).then_some(Place::Beside(things.len()));
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
            asked = Some(Ask::Make(kind, place));
        }
    }
    ui.add_space(style::GAP);
    heading(ui, palette, "files of late");
    for path in recent {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some(place) = row(ui, &name, places) {
            asked = Some(Ask::Read(path.clone(), place));
        }
    }
    if ui.button("Read file ...").clicked() {
        asked = Some(Ask::Find(Purpose::Read));
    }
    asked
}
