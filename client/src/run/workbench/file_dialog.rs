//! The file dialog: a page to choose a file to read or to write.

use std::path::{Path, PathBuf};
use std::time::Duration;

use egui::text::{CCursor, CCursorRange};
use egui::{DragValue, Id, Key, Modal, RichText, ScrollArea, TextEdit, Ui};
use objects::Unit;

use super::jobs::{FolderEntry, FolderListing};
use super::user_action::UserAction;
use crate::settings::{ReadOptions, RecentFiles};
use crate::ui::side_panel::option;
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{ButtonWeight, KeyButton, key_button};

/// Purpose of the chosen file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FilePurpose {
    /// Read a thing.
    Read,
    /// Save a rest shape.
    Save,
    /// Play a recording.
    Play,
    /// Perform a script with emulated devices.
    Script,
}

impl FilePurpose {
    /// Recent files for this purpose.
    pub(super) fn recent(self, recent: &RecentFiles) -> &[PathBuf] {
        match self {
            Self::Read | Self::Save => &recent.things,
            Self::Play => &recent.recordings,
            Self::Script => &[],
        }
    }
}

/// State of the page.
#[derive(Debug)]
pub(super) struct FileDialog {
    pub(super) purpose: FilePurpose,
    pub(super) listing: Option<FolderListing>,
    /// Error of the last chosen file.
    pub(super) trouble: Option<String>,
    typed: String,
    /// True until the field has requested the keyboard.
    is_new: bool,
}

const WIDTH: f32 = 560.0;
/// Height of the list, in points.
const LIST: f32 = 260.0;
/// Extension of a shape whose name has none.
const ENDING: &str = "obj3";

impl FileDialog {
    pub(super) fn new(purpose: FilePurpose, name: &str) -> Self {
        let typed = match purpose {
            FilePurpose::Read | FilePurpose::Play | FilePurpose::Script => String::new(),
            FilePurpose::Save => format!("{name}.{ENDING}"),
        };
        Self { purpose, listing: None, trouble: None, typed, is_new: true }
    }

    /// Gives the keyboard to the field again.
    pub(super) fn ask_again(&mut self) {
        self.is_new = true;
    }

    /// Lays out the page; returns the user's action. `share` is the progress of a file that is
    /// being read.
    pub(super) fn page(
        &mut self,
        ui: &Ui,
        recent: &RecentFiles,
        read_options: &mut ReadOptions,
        share: Option<f64>,
    ) -> Option<UserAction> {
        let palette = style::palette(ui.ctx());
        let modal = Modal::new(Id::unique("files")).frame(style::card(palette));
        let shown = modal.show(ui.ctx(), |ui| {
            ui.set_width(WIDTH);
            match share {
                Some(share) => busy(ui, palette, share),
                None => self.contents(ui, palette, recent, read_options),
            }
        });
        shown.inner
    }

    fn contents(
        &mut self,
        ui: &mut Ui,
        palette: &Palette,
        recent: &RecentFiles,
        read_options: &mut ReadOptions,
    ) -> Option<UserAction> {
        let (title, words) = match self.purpose {
            FilePurpose::Read => ("Read file", "Read"),
            FilePurpose::Save => ("Save as", "Save"),
            FilePurpose::Play => ("Play a recording", "Play"),
            FilePurpose::Script => ("Script of the emulated devices", "Perform"),
        };
        ui.label(RichText::new(title).size(style::TITLE));
        let folder = self.listing.as_ref().map(|listing| listing.folder.clone());
        let place = folder.as_deref().map_or_else(String::new, |f| f.display().to_string());
        ui.add(egui::Label::new(RichText::new(place).color(palette.quiet)).truncate());
        let mut asked = self.list(ui, palette);
        let recent = self.purpose.recent(recent);
        if self.purpose != FilePurpose::Save && !recent.is_empty() {
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new("recent").color(palette.quiet));
                for path in recent {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    if ui.button(name).clicked() {
                        asked = Some(UserAction::TakeFile(path.clone()));
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
        // After an error, Escape also closes the page before the field has the keyboard again.
        let leaves = field.lost_focus() || (begins && self.trouble.is_some());
        let escapes = leaves && ui.input(|input| input.key_pressed(Key::Escape));
        match self.purpose {
            FilePurpose::Read => opening_row(ui, palette, read_options),
            FilePurpose::Save => {
                let words =
                    "The extension sets the format: .obj3, .msh, .vtu; skin only: .obj, .stl, .glb";
                ui.label(RichText::new(words).size(style::SMALL).color(palette.quiet));
            }
            FilePurpose::Play => {
                let words = "Made by palpate record, by squeeze --record, or by F9 in this window";
                ui.label(RichText::new(words).size(style::SMALL).color(palette.quiet));
            }
            FilePurpose::Script => {
                let words = "A file of keyframes, as for palpate emulate --script";
                ui.label(RichText::new(words).size(style::SMALL).color(palette.quiet));
            }
        }
        if let Some(trouble) = &self.trouble {
            ui.add(egui::Label::new(RichText::new(trouble).color(palette.bad)).wrap());
        }
        ui.add_space(style::GAP / 2.0);
        let (takes, closes) = ui
            .horizontal(|ui| {
                let take = KeyButton { words, key: Key::Enter, weight: ButtonWeight::Primary };
                let close =
                    KeyButton { words: "Cancel", key: Key::Escape, weight: ButtonWeight::Plain };
                (key_button(ui, &take), key_button(ui, &close))
            })
            .inner;
        if closes || escapes {
            return Some(UserAction::ClosePage);
        }
        let typed = self.typed.trim();
        if (takes || is_entered) && !typed.is_empty() {
            let folder = folder.unwrap_or_default();
            return Some(UserAction::TakeFile(meant(self.purpose, &folder, typed)));
        }
        asked
    }

    fn list(&mut self, ui: &mut Ui, palette: &Palette) -> Option<UserAction> {
        let mut asked = None;
        let area = ScrollArea::vertical().max_height(LIST).min_scrolled_height(LIST);
        area.auto_shrink([false, false]).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            let Some(listing) = &self.listing else {
                ui.label(RichText::new("loading ...").color(palette.quiet));
                return;
            };
            let folder = &listing.folder;
            if let Some(above) = folder.parent()
                && ui.selectable_label(false, "..  (the folder above)").clicked()
            {
                asked = Some(UserAction::ListFolder(above.to_owned()));
            }
            match &listing.entries {
                Err(why) => {
                    ui.label(RichText::new(why).color(palette.bad));
                }
                Ok(entries) => {
                    for FolderEntry { is_file, name } in entries {
                        let words = if *is_file { name.clone() } else { format!("{name}/") };
                        let colour = if *is_file { palette.words } else { palette.accent };
                        let is_typed = *is_file && *name == self.typed;
                        let label =
                            ui.selectable_label(is_typed, RichText::new(words).color(colour));
                        match (label.clicked(), label.double_clicked(), is_file) {
                            (true, false, false) => {
                                asked = Some(UserAction::ListFolder(folder.join(name)))
                            }
                            (true, false, true) => self.typed.clone_from(name),
                            (_, true, true) => {
                                asked = Some(UserAction::TakeFile(folder.join(name)))
                            }
                            (_, true, false) | (false, false, _) => {}
                        }
                    }
                }
            }
        });
        asked
    }
}

/// A row with the options for reading files.
fn opening_row(ui: &mut Ui, palette: &Palette, read_options: &mut ReadOptions) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("unit").color(palette.quiet));
        let guessed = (None, "guess");
        let units = Unit::ALL.map(|unit| (Some(unit), unit.symbol()));
        for (unit, words) in std::iter::once(guessed).chain(units) {
            if option(ui, read_options.unit == unit, words) {
                read_options.unit = unit;
            }
        }
        ui.add_space(style::GAP);
        ui.label(RichText::new("fill surfaces with").color(palette.quiet));
        let field = DragValue::new(&mut read_options.n_nodes).range(50..=200_000).speed(20);
        ui.add(field.suffix(" nodes"));
    });
}

/// The progress of a file that is being read.
fn busy(ui: &mut Ui, palette: &Palette, share: f64) -> Option<UserAction> {
    const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
    ui.ctx().request_repaint_after(BETWEEN_LOOKS);
    ui.label(RichText::new("Reading ...").size(style::TITLE));
    let words = "A surface is filled with tetrahedra so that it can be squeezed.";
    ui.label(RichText::new(words).color(palette.quiet));
    ui.add_space(style::GAP);
    ui.add(egui::ProgressBar::new(share as f32).desired_width(WIDTH).show_percentage());
    ui.add_space(style::GAP);
    let cancel = KeyButton { words: "Cancel", key: Key::Escape, weight: ButtonWeight::Plain };
    key_button(ui, &cancel).then_some(UserAction::ClosePage)
}

/// Selects the whole text of a field, so that typed letters replace it.
fn select_all(context: &egui::Context, field: Id, n_letters: usize) {
    let mut state = TextEdit::load_state(context, field).unwrap_or_default();
    let all = CCursorRange::two(CCursor::new(0), CCursor::new(n_letters));
    state.cursor.set_char_range(Some(all));
    state.store(context, field);
}

/// The path of a typed name, relative to the listed folder.
fn meant(purpose: FilePurpose, folder: &Path, typed: &str) -> PathBuf {
    let mut path = folder.join(typed);
    if purpose == FilePurpose::Save && path.extension().is_none() && !typed.ends_with('/') {
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
            (FilePurpose::Read, "liver.msh", "/home/anna/liver.msh"),
            (FilePurpose::Read, "/tmp/liver.msh", "/tmp/liver.msh"),
            (FilePurpose::Read, "shapes", "/home/anna/shapes"),
            (FilePurpose::Save, "dented", "/home/anna/dented.obj3"),
            (FilePurpose::Save, "dented.obj3", "/home/anna/dented.obj3"),
            (FilePurpose::Save, "shapes/", "/home/anna/shapes/"),
        ] {
            assert_eq!(meant(purpose, folder, typed), Path::new(expected), "{typed}");
        }
    }
}
