//! All commands of the window, with their words and keys. Menu, help and shortcuts are made from
//! this list.

use egui::{Key, Modifiers};

use crate::ui::keys;

/// A command of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    ReadFile,
    KeepShape,
    SaveAs,
    Things,
    Undo,
    Redo,
    Reset,
    Colours,
    Forces,
    Measures,
    HeadsetMenu,
    Align,
    Table,
    Stance,
    Larger,
    Smaller,
    Wireframe,
    SphereTree,
    RealHand,
    HandSource,
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

/// A group of commands; the menu draws a line between groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandGroup {
    Thing,
    Back,
    View,
    Run,
    Window,
}

impl Command {
    /// All commands in the order of the menu.
    pub(super) const ALL: [Self; 31] = [
        Self::ReadFile,
        Self::KeepShape,
        Self::SaveAs,
        Self::Things,
        Self::Undo,
        Self::Redo,
        Self::Reset,
        Self::Colours,
        Self::Forces,
        Self::Measures,
        Self::HeadsetMenu,
        Self::Align,
        Self::Table,
        Self::Stance,
        Self::Larger,
        Self::Smaller,
        Self::Wireframe,
        Self::SphereTree,
        Self::RealHand,
        Self::HandSource,
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
            Self::Things => "Objects ...",
            Self::Undo => "Undo",
            Self::Redo => "Redo",
            Self::Reset => "Reset",
            Self::Colours => "Colours",
            Self::Forces => "Forces and contacts",
            Self::Measures => "Measures",
            Self::HeadsetMenu => "Menu in the headset",
            Self::Align => "Align tracker and headset",
            Self::Table => "Bring the table",
            Self::Stance => "Sit down or stand up",
            Self::Larger => "Larger world",
            Self::Smaller => "Smaller world",
            Self::Wireframe => "Wireframe",
            Self::SphereTree => "Sphere tree",
            Self::RealHand => "Real hand",
            Self::HandSource => "Hand ...",
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

    /// The command's effect, for the page of help.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::ReadFile => "puts another object on the table",
            Self::KeepShape => "the squeezed shape becomes the rest shape",
            Self::SaveAs => "the rest shape; .vtu: also forces",
            Self::Things => "the objects on the table",
            Self::Undo => "back to the rest shape before",
            Self::Redo => "the shape that was undone",
            Self::Reset => "back to the original shape",
            Self::Colours => "natural, displacement, strain, stress or another field",
            Self::Forces => "arrows at the fingertips",
            Self::Measures => "bars and a graph of the forces",
            Self::HeadsetMenu => "opens or closes it",
            Self::Align => "hold the gloved hand still at 16 places, seen by the headset",
            Self::Table => "moves it to where the wearer looks",
            Self::Stance => "the headset's table is below the eyes, or on the floor",
            Self::Larger => "in the headset",
            Self::Smaller => "in the headset",
            Self::Wireframe => "the triangles of the skin",
            Self::SphereTree => "the spheres that find contacts",
            Self::RealHand => "where the hand is, even inside an object",
            Self::HandSource => "the source of the hand",
            Self::MouseHand => "off: the mouse turns the view",
            Self::PlayPause => "the recording that moves the hand",
            Self::Snapshot => "writes a picture",
            Self::Record => "starts or ends a recording",
            Self::Mark => "marks this moment",
            Self::Rules => "friction, or when a hand takes, deforms, lets go",
            Self::Material => "stiffness, density and friction of the object",
            Self::Preferences => "solver, colours, reset",
            Self::Benchmark => "how fast this machine solves, with plots",
            Self::Help => "this page",
            Self::Exit => "closes the window",
        }
    }

    pub(super) fn group(self) -> CommandGroup {
        match self {
            Self::ReadFile | Self::KeepShape | Self::SaveAs | Self::Things => CommandGroup::Thing,
            Self::Undo | Self::Redo | Self::Reset => CommandGroup::Back,
            Self::Colours
            | Self::Forces
            | Self::Measures
            | Self::HeadsetMenu
            | Self::Align
            | Self::Table
            | Self::Stance
            | Self::Larger
            | Self::Smaller
            | Self::Wireframe
            | Self::SphereTree
            | Self::RealHand => CommandGroup::View,
            Self::HandSource
            | Self::MouseHand
            | Self::PlayPause
            | Self::Snapshot
            | Self::Record
            | Self::Mark
            | Self::Rules
            | Self::Material
            | Self::Preferences
            | Self::Benchmark => CommandGroup::Run,
            Self::Help | Self::Exit => CommandGroup::Window,
        }
    }

    fn shortcut(self) -> (Modifiers, Key) {
        let plain = |key| (Modifiers::NONE, key);
        let control = |key| (Modifiers::COMMAND, key);
        match self {
            Self::ReadFile => control(Key::O),
            Self::KeepShape => plain(Key::K),
            Self::SaveAs => control(Key::S),
            Self::Things => plain(Key::O),
            Self::Undo => control(Key::Z),
            Self::Redo => (Modifiers::COMMAND | Modifiers::SHIFT, Key::Z),
            Self::Reset => control(Key::R),
            Self::Colours => plain(Key::C),
            Self::Forces => plain(Key::F),
            Self::Measures => plain(Key::G),
            Self::HeadsetMenu => plain(Key::X),
            Self::Align => plain(Key::A),
            Self::Table => plain(Key::V),
            Self::Stance => plain(Key::S),
            Self::Larger => plain(Key::L),
            Self::Smaller => (Modifiers::SHIFT, Key::L),
            Self::Wireframe => plain(Key::W),
            Self::SphereTree => plain(Key::T),
            Self::RealHand => plain(Key::H),
            Self::HandSource => plain(Key::I),
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

    /// The command's keys as printed on a keyboard.
    pub(super) fn keys(self) -> String {
        let (held, key) = self.shortcut();
        let control = if held.command { "Ctrl+" } else { "" };
        let shift = if held.shift { "Shift+" } else { "" };
        format!("{control}{shift}{}", keys::name(key))
    }

    /// Commands of the keys pressed since the last picture, in order. On a slow screen there may be
    /// several.
    pub(super) fn pressed(ui: &egui::Ui) -> Vec<Self> {
        keys::all_pressed(ui).into_iter().filter_map(|(held, key)| Self::of(held, key)).collect()
    }

    fn of(held: Modifiers, key: Key) -> Option<Self> {
        // The key of the question mark depends on the keyboard.
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
