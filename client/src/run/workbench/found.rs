//! The page that says what was found in a file, in words.

use egui::{Id, Key, Modal, RichText, ScrollArea, Ui};

use super::ask::Ask;
use crate::ui::style;
use crate::ui::widgets::{Action, Weight, action};

/// What to say about a file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Of the file.
    pub(super) name: String,
    /// The first line says what it is, the others what is worth knowing.
    pub(super) words: String,
    /// Whether that is more than can be said in a line.
    pub(super) is_remarkable: bool,
}

impl Found {
    /// Says it until somebody has read enough.
    pub(super) fn page(&self, ui: &Ui) -> Option<Ask> {
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
            let close = Action { words: "Close", key: Key::Enter, weight: Weight::Primary };
            action(ui, &close) || crate::ui::keys::pressed(ui, Key::Escape)
        });
        (shown.inner || shown.backdrop_response.clicked()).then_some(Ask::ClosePage)
    }
}
