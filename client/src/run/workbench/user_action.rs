//! The actions that panels return. A panel changes only its own state; `apply_action` carries out
//! the actions.

use std::path::PathBuf;
use std::time::Duration;

use drivers::Side;
use interaction::grasp::GraspRules;
use interaction::thing::NamedMaterial;
use nalgebra::Isometry3;
use objects::generate::GeneratedKind;

use super::file_dialog::FilePurpose;
use super::menu_commands::Command;
use super::question::Answer;
use super::things_panel::ThingPlace;
use crate::command_line::GripChoice;
use crate::input::Steering;
use crate::settings::{ReadOptions, ThemeChoice, ViewOptions};
use crate::wiring::{HandChoice, SolverChoice};

/// An action of the user on a panel, in the menu or by keys.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum UserAction {
    Command(Command),
    /// The answer to the open question.
    Answer(Answer),
    ClosePage,
    /// Closes the menu in the headset.
    CloseBoard,

    /// Selects a thing for all following orders.
    Select(usize),
    /// Turns a thing.
    Turn {
        thing: usize,
        home: Isometry3<f64>,
    },
    Make(GeneratedKind, ThingPlace),
    Matter(NamedMaterial),
    Rules(GraspRules),
    Grip(GripChoice),

    /// Opens the file dialog.
    OpenFileDialog(FilePurpose),
    /// Lists another folder in the file dialog.
    ListFolder(PathBuf),
    /// Uses a file for the purpose of the file dialog.
    TakeFile(PathBuf),
    ReadFile(PathBuf, ThingPlace),
    /// Options for reading files from now on.
    ReadOptions(ReadOptions),

    Hand(HandChoice),
    /// Uses the calibration of this person; without a name, the hand is uncalibrated.
    Person(Option<String>),
    /// Searches all ports for devices.
    SearchPorts,
    /// Steers the hand by mouse and keys.
    Steer(Steering),
    /// Takes the thing between the fingers, or lets it go.
    TakeOrLetGo,
    /// Opens the hand above the thing, as the hand of this side or of the same side as before.
    GoHome(Option<Side>),

    /// Plays a recording from its beginning.
    Play(PathBuf),
    Seek(Duration),
    SeekBack(Duration),
    SeekOn(Duration),
    Speed(f64),
    /// Steps on the scale of speeds; negative is slower.
    ChangeSpeed(isize),

    Theme(ThemeChoice),
    ViewOptions(ViewOptions),
    Solver(SolverChoice),
    /// Asks whether to reset all settings.
    ResetSettings,
}
