//! Runs a session: in a window, without one, or again from a recording.

mod film;
mod headless;
mod headset_scenes;
mod outputs;
mod picture_painter;
mod pictures;
mod replay_command;
mod windowed;
mod workbench;

pub use film::film;
pub use headless::headless;
pub use outputs::{check_files, check_pictures};
pub use replay_command::exact_replay;
pub use windowed::{WindowSetup, windowed};
pub(crate) use workbench::{KeyGroup, key_groups};

/// Message about a recording that has stopped early. The error itself is reported at the end of the
/// run.
const BROKEN_OFF: &str = "the recording has stopped, because it cannot be written to the disk";
