//! All that panels ask of the window. Panels change nothing but what stands on them; `obey` does
//! the rest.

use std::path::PathBuf;
use std::time::Duration;

use drivers::Hand as Side;
use interaction::grasp::GraspRules;
use interaction::thing::Matter;
use nalgebra::Isometry3;
use objects::generate::Kind;

use super::command::Command;
use super::files::Purpose;
use super::objects::Place;
use super::question::Answer;
use crate::input::Steering;
use crate::settings::{Opening, ThemeChoice, Views};
use crate::wiring::{HandChoice, SolverChoice};

/// What a person asks for on a panel, in the menu or by keys.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ask {
    Command(Command),
    /// The answer to the question that stands over everything.
    Answer(Answer),
    ClosePage,
    /// Closes the menu in the headset.
    CloseBoard,

    /// Orders are about this thing from now on.
    Select(usize),
    /// Turns a thing.
    Turn {
        thing: usize,
        home: Isometry3<f64>,
    },
    Make(Kind, Place),
    Matter(Matter),
    Rules(GraspRules),

    /// Opens the page of files.
    Find(Purpose),
    /// Shows another folder on the page of files.
    List(PathBuf),
    /// Takes a file for what the page of files is open for.
    Take(PathBuf),
    Read(PathBuf, Place),
    /// How files are read from now on.
    Opening(Opening),

    Hand(HandChoice),
    /// Uses the calibration of this person; without a name, the hand is uncalibrated.
    Person(Option<String>),
    /// Asks all ports what is on them.
    SearchPorts,
    /// What mouse and keys want of the hand.
    Steer(Steering),
    /// Takes what is between the fingers, or lets it go.
    TakeOrLetGo,
    /// Opens the hand above the thing, as this one or as the same as before.
    GoHome(Option<Side>),

    /// Plays a recording from its beginning.
    Play(PathBuf),
    Seek(Duration),
    SeekBack(Duration),
    SeekOn(Duration),
    Speed(f64),
    /// Steps to take on the scale of speeds; negative is slower.
    ChangeSpeed(isize),

    Theme(ThemeChoice),
    Views(Views),
    Solver(SolverChoice),
    /// All settings as at first, if that is meant.
    ResetSettings,
}
