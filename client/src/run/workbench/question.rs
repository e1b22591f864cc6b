//! Questions that stand over everything until they are answered.

use std::path::PathBuf;

use egui::{Id, Key, Modal, RichText, Ui};
use interaction::thing::ThingParts;

use crate::ui::widgets::{Action, Weight, action};
use crate::ui::{keys, style};

/// What is asked before something is lost.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Question {
    /// A shape that was kept and not saved would go with its thing.
    LoseShape(ThingParts),
    /// There is a file of this name.
    Replace(PathBuf),
    /// The window is to be closed with shapes of these things that were kept and not saved.
    Exit(Vec<String>),
    /// All settings are to be as at first.
    Reset,
}

/// What the person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    No,
}

impl Question {
    /// Asks; nothing until there is an answer.
    pub(super) fn ask(&self, ui: &Ui) -> Option<Answer> {
        let palette = style::palette(ui.ctx());
        let (title, words, yes, no) = match self {
            Self::LoseShape(parts) => (
                "Lose the kept shape?",
                format!(
                    "The shape that was kept is not saved. It goes when {} takes its place.",
                    parts.name
                ),
                "Lose it",
                "Keep it",
            ),
            Self::Replace(path) => (
                "Replace the file?",
                format!("{} is there already.", path.display()),
                "Replace",
                "Leave it",
            ),
            Self::Exit(names) => (
                "Exit without saving?",
                match names.as_slice() {
                    [_, _, ..] => format!("Kept shapes are not saved: {}.", names.join(", ")),
                    _ => format!("The shape that was kept is not saved: {}.", names.concat()),
                },
                "Exit",
                "Stay",
            ),
            Self::Reset => (
                "Everything as in the beginning?",
                "Colours, overlays, rules, solver, files of late and where the hand comes from are forgotten."
                    .to_owned(),
                "Forget them",
                "Leave them",
            ),
        };
        let modal = Modal::new(Id::unique("question")).frame(style::card(palette));
        let answer = modal.show(ui.ctx(), |ui| {
            ui.set_width(420.0);
            ui.label(RichText::new(title).size(style::TITLE));
            ui.add(egui::Label::new(RichText::new(words).color(palette.quiet)).wrap());
            ui.add_space(style::GAP);
            ui.horizontal(|ui| {
                // Enter is pressed without reading, so it loses nothing either.
                let no = Action { words: no, key: Key::Escape, weight: Weight::Primary };
                let yes = Action { words: yes, key: Key::Y, weight: Weight::Plain };
                let is_no = action(ui, &no) || keys::pressed(ui, Key::Enter);
                let is_yes = action(ui, &yes);
                // Whoever wants both at once had better lose nothing.
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
