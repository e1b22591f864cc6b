//! The page on which a file is chosen, to be read or to be written.

use std::path::{Path, PathBuf};
use std::time::Duration;

use egui::text::{CCursor, CCursorRange};
use egui::{DragValue, Id, Key, Modal, RichText, ScrollArea, TextEdit, Ui};
use objects::Unit;

use super::ask::Ask;
use super::clerk::{Entry, Listing};
use crate::settings::{Opening, Recent};
use crate::ui::side::option;
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{Action, Weight, action};

/// What a file is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A thing.
    Read,
    /// A rest shape.
    Save,
    /// A recording.
    Play,
    /// What emulated devices do.
    Script,
}

impl Purpose {
    /// Files of late that are good for it.
    pub(super) fn recent(self, recent: &Recent) -> &[PathBuf] {
        match self {
            Self::Read | Self::Save => &recent.things,
            Self::Play => &recent.recordings,
            Self::Script => &[],
        }
    }
}

/// What stands on the page.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) purpose: Purpose,
    pub(super) listing: Option<Listing>,
    /// Why the last file could not be taken.
    pub(super) trouble: Option<String>,
    typed: String,
    /// The field wants the keyboard at first.
    is_new: bool,
}

const WIDTH: f32 = 560.0;
const LIST: f32 = 260.0;
/// What a shape is called that was given no ending.
const ENDING: &str = "obj3";

impl Files {
    pub(super) fn new(purpose: Purpose, name: &str) -> Self {
        let typed = match purpose {
            Purpose::Read | Purpose::Play | Purpose::Script => String::new(),
            Purpose::Save => format!("{name}.{ENDING}"),
        };
        Self { purpose, listing: None, trouble: None, typed, is_new: true }
    }

    /// The name is to be typed again.
    pub(super) fn ask_again(&mut self) {
        self.is_new = true;
    }

    /// Lays out the page; gives what the person asks for.
    /// `share` is how much is done of a file that is being read.
    pub(super) fn page(
        &mut self,
        ui: &Ui,
        recent: &Recent,
        opening: &mut Opening,
        share: Option<f64>,
    ) -> Option<Ask> {
        let palette = style::palette(ui.ctx());
        let modal = Modal::new(Id::unique("files")).frame(style::card(palette));
        let shown = modal.show(ui.ctx(), |ui| {
            ui.set_width(WIDTH);
            match share {
                Some(share) => busy(ui, palette, share),
                None => self.contents(ui, palette, recent, opening),
            }
        });
        shown.inner
    }

    fn contents(
        &mut self,
        ui: &mut Ui,
        palette: &Palette,
        recent: &Recent,
        opening: &mut Opening,
    ) -> Option<Ask> {
        let (title, words) = match self.purpose {
            Purpose::Read => ("Read file", "Read"),
            Purpose::Save => ("Save as", "Save"),
            Purpose::Play => ("Play a recording", "Play"),
            Purpose::Script => ("What emulated devices do", "Perform"),
        };
        ui.label(RichText::new(title).size(style::TITLE));
        let folder = self.listing.as_ref().map(|listing| listing.folder.clone());
        let place = folder.as_deref().map_or_else(String::new, |f| f.display().to_string());
        ui.add(egui::Label::new(RichText::new(place).color(palette.quiet)).truncate());
        let mut asked = self.list(ui, palette);
        let recent = self.purpose.recent(recent);
        if self.purpose != Purpose::Save && !recent.is_empty() {
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new("lately").color(palette.quiet));
                for path in recent {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    if ui.button(name).clicked() {
                        asked = Some(Ask::Take(path.clone()));
                    }
                }
            });
        }
        let hint = "file or folder";
        let field = TextEdit::singleline(&mut self.typed).hint_text(hint).desired_width(WIDTH);
        let field = ui.add(field.margin(egui::Margin::symmetric(10, 7)));
        let begins = std::mem::take(&mut self.is_new);
        if begins {
            field.request_focus();
            select_all(ui.ctx(), field.id, self.typed.chars().count());
        }
        let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        // Whoever has read why it cannot be may leave before the field has the keyboard again.
        let leaves = field.lost_focus() || (begins && self.trouble.is_some());
        let escapes = leaves && ui.input(|input| input.key_pressed(Key::Escape));
        match self.purpose {
            Purpose::Read => opening_row(ui, palette, opening),
            Purpose::Save => {
                let words =
                    "The ending says the format: .obj3, .msh, .vtu; its skin: .obj, .stl, .glb";
                ui.label(RichText::new(words).size(style::SMALL).color(palette.quiet));
            }
            Purpose::Play => {
                let words = "Of palpate record, squeeze --record, or F9 in this window";
                ui.label(RichText::new(words).size(style::SMALL).color(palette.quiet));
            }
            Purpose::Script => {
                let words = "A file of keyframes, as palpate emulate --script reads it";
                ui.label(RichText::new(words).size(style::SMALL).color(palette.quiet));
            }
        }
        if let Some(trouble) = &self.trouble {
            ui.add(egui::Label::new(RichText::new(trouble).color(palette.bad)).wrap());
        }
        ui.add_space(style::GAP / 2.0);
        let (takes, closes) = ui
            .horizontal(|ui| {
                let take = Action { words, key: Key::Enter, weight: Weight::Primary };
                let close = Action { words: "Cancel", key: Key::Escape, weight: Weight::Plain };
                (action(ui, &take), action(ui, &close))
            })
            .inner;
        if closes || escapes {
            return Some(Ask::ClosePage);
        }
        let typed = self.typed.trim();
        if (takes || is_entered) && !typed.is_empty() {
            let folder = folder.unwrap_or_default();
            return Some(Ask::Take(meant(self.purpose, &folder, typed)));
        }
        asked
    }

    fn list(&mut self, ui: &mut Ui, palette: &Palette) -> Option<Ask> {
        let mut asked = None;
        let area = ScrollArea::vertical().max_height(LIST).min_scrolled_height(LIST);
        area.auto_shrink([false, false]).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            let Some(listing) = &self.listing else {
                ui.label(RichText::new("looking ...").color(palette.quiet));
                return;
            };
            let folder = &listing.folder;
            if let Some(above) = folder.parent()
                && ui.selectable_label(false, "..  (the folder above)").clicked()
            {
                asked = Some(Ask::List(above.to_owned()));
            }
            match &listing.entries {
                Err(why) => {
                    ui.label(RichText::new(why).color(palette.bad));
                }
                Ok(entries) => {
                    for Entry { is_file, name } in entries {
                        let words = if *is_file { name.clone() } else { format!("{name}/") };
                        let colour = if *is_file { palette.words } else { palette.accent };
                        let is_typed = *is_file && *name == self.typed;
                        let label =
                            ui.selectable_label(is_typed, RichText::new(words).color(colour));
                        match (label.clicked(), label.double_clicked(), is_file) {
                            (true, false, false) => asked = Some(Ask::List(folder.join(name))),
                            (true, false, true) => self.typed.clone_from(name),
                            (_, true, true) => asked = Some(Ask::Take(folder.join(name))),
                            (_, true, false) | (false, false, _) => {}
                        }
                    }
                }
            }
        });
        asked
    }
}

/// A line in which it can be changed how files are read.
fn opening_row(ui: &mut Ui, palette: &Palette, opening: &mut Opening) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("numbers count").color(palette.quiet));
        let guessed = (None, "guess");
        let units = Unit::ALL.map(|unit| (Some(unit), unit.symbol()));
        for (unit, words) in std::iter::once(guessed).chain(units) {
            if option(ui, opening.unit == unit, words) {
                opening.unit = unit;
            }
        }
        ui.add_space(style::GAP);
        ui.label(RichText::new("surfaces get").color(palette.quiet));
        let field = DragValue::new(&mut opening.n_nodes).range(50..=200_000).speed(20);
        ui.add(field.suffix(" nodes"));
    });
}

/// How far a file has come that is being read.
fn busy(ui: &mut Ui, palette: &Palette, share: f64) -> Option<Ask> {
    const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
    ui.ctx().request_repaint_after(BETWEEN_LOOKS);
    ui.label(RichText::new("Reading ...").size(style::TITLE));
    let words = "A surface is filled with tetrahedra, so that it can be squeezed.";
    ui.label(RichText::new(words).color(palette.quiet));
    ui.add_space(style::GAP);
    ui.add(egui::ProgressBar::new(share as f32).desired_width(WIDTH).show_percentage());
    ui.add_space(style::GAP);
    let cancel = Action { words: "Cancel", key: Key::Escape, weight: Weight::Plain };
    action(ui, &cancel).then_some(Ask::ClosePage)
}

/// So that whatever is typed takes the place of what is there.
fn select_all(context: &egui::Context, field: Id, n_letters: usize) {
    let mut state = TextEdit::load_state(context, field).unwrap_or_default();
    let all = CCursorRange::two(CCursor::new(0), CCursor::new(n_letters));
    state.cursor.set_char_range(Some(all));
    state.store(context, field);
}

/// The path that somebody means who types this while looking at a folder.
fn meant(purpose: Purpose, folder: &Path, typed: &str) -> PathBuf {
    let mut path = folder.join(typed);
    if purpose == Purpose::Save && path.extension().is_none() && !typed.ends_with('/') {
        path.set_extension(ENDING);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_meant_from_the_folder_on_the_page() {
        let folder = Path::new("/home/anna");
        for (purpose, typed, expected) in [
            (Purpose::Read, "liver.msh", "/home/anna/liver.msh"),
            (Purpose::Read, "/tmp/liver.msh", "/tmp/liver.msh"),
            (Purpose::Read, "shapes", "/home/anna/shapes"),
            (Purpose::Save, "dented", "/home/anna/dented.obj3"),
            (Purpose::Save, "dented.obj3", "/home/anna/dented.obj3"),
            (Purpose::Save, "shapes/", "/home/anna/shapes/"),
        ] {
            assert_eq!(meant(purpose, folder, typed), Path::new(expected), "{typed}");
        }
    }
}
