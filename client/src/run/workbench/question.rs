//! Questions that block the window until they are answered.

use std::path::PathBuf;

use egui::{Id, Key, Modal, RichText, Ui};
use interaction::thing::ThingParts;

use crate::ui::widgets::{ButtonWeight, KeyButton, key_button};
use crate::ui::{keys, style};

/// A question before something is lost.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Question {
    /// A new thing would replace one whose kept shape is not saved.
    LoseShape(ThingParts),
    /// A file with this name exists.
    Replace(PathBuf),
    /// The window would close while kept shapes of these things are not saved.
    Exit(Vec<String>),
    /// All settings would be reset.
    Reset,
}

/// The user's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    No,
}

impl Question {
    /// Shows the question; returns the answer as soon as there is one.
    pub(super) fn ask(&self, ui: &Ui) -> Option<Answer> {
        let palette = style::palette(ui.ctx());
        let (title, words, yes, no) = match self {
            Self::LoseShape(parts) => (
                "Lose the kept shape?",
                format!(
                    "The kept shape is not saved. It is lost when {} takes its place.",
                    parts.name
                ),
                "Lose it",
                "Keep it",
            ),
            Self::Replace(path) => (
                "Replace the file?",
                format!("{} exists already.", path.display()),
                "Replace",
                "Leave it",
            ),
            Self::Exit(names) => (
                "Exit without saving?",
                match names.as_slice() {
                    [_, _, ..] => format!("Kept shapes are not saved: {}.", names.join(", ")),
                    _ => format!("The kept shape is not saved: {}.", names.concat()),
                },
                "Exit",
                "Stay",
            ),
            Self::Reset => (
                "Reset all settings?",
                "Colours, overlays, rules, solver, recent files and the source of the hand go back \
                 to the defaults."
                    .to_owned(),
                "Reset",
                "Keep them",
            ),
        };
        let modal = Modal::new(Id::unique("question")).frame(style::card(palette));
        let answer = modal.show(ui.ctx(), |ui| {
            ui.set_width(420.0);
            ui.label(RichText::new(title).size(style::TITLE));
            ui.add(egui::Label::new(RichText::new(words).color(palette.quiet)).wrap());
            ui.add_space(style::GAP);
            ui.horizontal(|ui| {
                // Enter is often pressed without reading, so it answers No.
                let no = KeyButton { words: no, key: Key::Escape, weight: ButtonWeight::Primary };
                let yes = KeyButton { words: yes, key: Key::Y, weight: ButtonWeight::Plain };
                let is_no = key_button(ui, &no) || keys::pressed(ui, Key::Enter);
                let is_yes = key_button(ui, &yes);
                // If both are pressed at once, nothing is lost.
                match (is_no, is_yes) {
                    (true, _) => Some(Answer::No),
                    (false, true) => Some(Answer::Yes),
                    (false, false) => None,
                }
            })
            .inner
        });
        answer.inner
    }
}
