//! All that a person can ask of the window, with words and keys: menu, help and shortcuts are made
//! from it.

use egui::{Key, Modifiers};

use crate::ui::keys;

/// Something to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    ReadFile,
    KeepShape,
    SaveAs,
    Objects,
    Undo,
    Redo,
    Reset,
    Colours,
    Forces,
    Measures,
    Goggles,
    Align,
    Table,
    Stance,
    Larger,
    Smaller,
    Wireframe,
    SphereTree,
    RealHand,
    Sources,
    MouseHand,
    PlayPause,
    Snapshot,
    Record,
    Mark,
    Rules,
    Material,
    Preferences,
    Benchmark,
    Help,
    Exit,
}

/// What belongs together, and is kept apart from the rest by a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Thing,
    Back,
    View,
    Run,
    Window,
}

impl Command {
    /// In the order of the menu.
    pub(super) const ALL: [Self; 31] = [
        Self::ReadFile,
        Self::KeepShape,
        Self::SaveAs,
        Self::Objects,
        Self::Undo,
        Self::Redo,
        Self::Reset,
        Self::Colours,
        Self::Forces,
        Self::Measures,
        Self::Goggles,
        Self::Align,
        Self::Table,
        Self::Stance,
        Self::Larger,
        Self::Smaller,
        Self::Wireframe,
        Self::SphereTree,
        Self::RealHand,
        Self::Sources,
        Self::MouseHand,
        Self::PlayPause,
        Self::Snapshot,
        Self::Record,
        Self::Mark,
        Self::Rules,
        Self::Material,
        Self::Preferences,
        Self::Benchmark,
        Self::Help,
        Self::Exit,
    ];

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::ReadFile => "Read file ...",
            Self::KeepShape => "Keep shape",
            Self::SaveAs => "Save as ...",
            Self::Objects => "Objects ...",
            Self::Undo => "Undo",
            Self::Redo => "Redo",
            Self::Reset => "Reset",
            Self::Colours => "Colours",
            Self::Forces => "Forces and contacts",
            Self::Measures => "Measures",
            Self::Goggles => "Menu in the headset",
            Self::Align => "Align tracker and headset",
            Self::Table => "Bring the table",
            Self::Stance => "Sit down or stand up",
            Self::Larger => "Larger world",
            Self::Smaller => "Smaller world",
            Self::Wireframe => "Wireframe",
            Self::SphereTree => "Sphere tree",
            Self::RealHand => "Real hand",
            Self::Sources => "Hand ...",
            Self::MouseHand => "Mouse moves the hand",
            Self::PlayPause => "Play or pause",
            Self::Snapshot => "Snapshot",
            Self::Record => "Record",
            Self::Mark => "Mark in the recording",
            Self::Rules => "Grasp rules ...",
            Self::Material => "Material ...",
            Self::Preferences => "Settings ...",
            Self::Benchmark => "Benchmark ...",
            Self::Help => "Keys and mouse",
            Self::Exit => "Exit",
        }
    }

    /// What it does, for whoever asks for help.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::ReadFile => "puts another thing on the table",
            Self::KeepShape => "the squeezed one is the rest shape",
            Self::SaveAs => "the rest shape; .vtu: with forces",
            Self::Objects => "which things stand on the table",
            Self::Undo => "the rest shape before",
            Self::Redo => "the one that was undone",
            Self::Reset => "the original shape",
            Self::Colours => "natural, displacement, strain, stress or another field",
            Self::Forces => "arrows at the fingertips",
            Self::Measures => "bars and a graph of the forces",
            Self::Goggles => "opens it before the wearer, or closes it",
            Self::Align => "hold the gloved hand still at 16 places, seen by the headset",
            Self::Table => "to where the headset's wearer looks",
            Self::Stance => "the headset's table is below the eyes, or on the floor",
            Self::Larger => "in the headset",
            Self::Smaller => "in the headset",
            Self::Wireframe => "the triangles of the skin",
            Self::SphereTree => "what the search for contacts asks",
            Self::RealHand => "where the hand is, though the skin stops it",
            Self::Sources => "where it comes from",
            Self::MouseHand => "or the view",
            Self::PlayPause => "the recording that moves the hand",
            Self::Snapshot => "writes a picture",
            Self::Record => "from now on, or no longer",
            Self::Mark => "for whoever replays it",
            Self::Rules => "when a hand takes, deforms, lets go",
            Self::Material => "what the thing is made of",
            Self::Preferences => "solver, look, the way back",
            Self::Benchmark => "how fast this machine solves, with plots",
            Self::Help => "this page",
            Self::Exit => "closes the window",
        }
    }

    pub(super) fn group(self) -> Group {
        match self {
            Self::ReadFile | Self::KeepShape | Self::SaveAs | Self::Objects => Group::Thing,
            Self::Undo | Self::Redo | Self::Reset => Group::Back,
            Self::Colours
            | Self::Forces
            | Self::Measures
            | Self::Goggles
            | Self::Align
            | Self::Table
            | Self::Stance
            | Self::Larger
            | Self::Smaller
            | Self::Wireframe
            | Self::SphereTree
            | Self::RealHand => Group::View,
            Self::Sources
            | Self::MouseHand
            | Self::PlayPause
            | Self::Snapshot
            | Self::Record
            | Self::Mark
            | Self::Rules
            | Self::Material
            | Self::Preferences
            | Self::Benchmark => Group::Run,
            Self::Help | Self::Exit => Group::Window,
        }
    }

    fn shortcut(self) -> (Modifiers, Key) {
        let plain = |key| (Modifiers::NONE, key);
        let control = |key| (Modifiers::COMMAND, key);
        match self {
            Self::ReadFile => control(Key::O),
            Self::KeepShape => plain(Key::K),
            Self::SaveAs => control(Key::S),
            Self::Objects => plain(Key::O),
            Self::Undo => control(Key::Z),
            Self::Redo => (Modifiers::COMMAND | Modifiers::SHIFT, Key::Z),
            Self::Reset => control(Key::R),
            Self::Colours => plain(Key::C),
            Self::Forces => plain(Key::F),
            Self::Measures => plain(Key::G),
            Self::Goggles => plain(Key::X),
            Self::Align => plain(Key::A),
            Self::Table => plain(Key::V),
            Self::Stance => plain(Key::S),
            Self::Larger => plain(Key::L),
            Self::Smaller => (Modifiers::SHIFT, Key::L),
            Self::Wireframe => plain(Key::W),
            Self::SphereTree => plain(Key::T),
            Self::RealHand => plain(Key::H),
            Self::Sources => plain(Key::I),
            Self::MouseHand => plain(Key::D),
            Self::PlayPause => plain(Key::P),
            Self::Snapshot => plain(Key::F12),
            Self::Record => plain(Key::F9),
            Self::Mark => plain(Key::M),
            Self::Rules => plain(Key::R),
            Self::Material => control(Key::M),
            Self::Preferences => control(Key::Comma),
            Self::Benchmark => plain(Key::B),
            Self::Help => plain(Key::F1),
            Self::Exit => plain(Key::Escape),
        }
    }

    /// Its keys as they are written on them.
    pub(super) fn keys(self) -> String {
        let (held, key) = self.shortcut();
        let control = if held.command { "Ctrl+" } else { "" };
        let shift = if held.shift { "Shift+" } else { "" };
        format!("{control}{shift}{}", keys::name(key))
    }

    /// What was asked for by keys since the last picture, in this order: on a slow screen that may
    /// be several.
    pub(super) fn pressed(ui: &egui::Ui) -> Vec<Self> {
        keys::all_pressed(ui).into_iter().filter_map(|(held, key)| Self::of(held, key)).collect()
    }

    fn of(held: Modifiers, key: Key) -> Option<Self> {
        // Where the question mark is depends on the keyboard.
        if key == Key::Questionmark {
            return Some(Self::Help);
        }
        Self::ALL.into_iter().find(|command| {
            let (wanted, on) = command.shortcut();
            on == key && held.matches_exact(wanted)
        })
    }
}

#[cfg(test)]
mod tests;
