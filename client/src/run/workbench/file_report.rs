//! The page that reports the contents of a file that was read.

use egui::{Id, Key, Modal, RichText, ScrollArea, Ui};

use super::user_action::UserAction;
use crate::ui::style;
use crate::ui::widgets::{ButtonWeight, KeyButton, key_button};

/// Report about a file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileReport {
    /// Name of the file.
    pub(super) name: String,
    /// Text of the report: a summary in the first line, details in the others.
    pub(super) words: String,
    /// True if the report needs more than one line.
    pub(super) is_remarkable: bool,
}

impl FileReport {
    /// Shows the report until the user closes it.
    pub(super) fn page(&self, ui: &Ui) -> Option<UserAction> {
        let palette = style::palette(ui.ctx());
        let modal = Modal::new(Id::unique("found")).frame(style::card(palette));
        let shown = modal.show(ui.ctx(), |ui| {
            ui.set_width(620.0);
            ui.label(RichText::new(format!("{} has been read", self.name)).size(style::TITLE));
            ScrollArea::vertical().max_height(420.0).show(ui, |ui| {
                for (i, line) in self.words.lines().enumerate() {
                    let colour = if i == 0 { palette.words } else { palette.quiet };
                    ui.add(egui::Label::new(RichText::new(line).color(colour)).wrap());
                }
            });
            ui.add_space(style::GAP);
            let close =
                KeyButton { words: "Close", key: Key::Enter, weight: ButtonWeight::Primary };
            key_button(ui, &close) || crate::ui::keys::pressed(ui, Key::Escape)
        });
        (shown.inner || shown.backdrop_response.clicked()).then_some(UserAction::ClosePage)
    }
}
