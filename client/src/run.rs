//! The two ways to run a session: in front of a person, and without a window.

mod dresser;
mod exact;
mod film;
mod headless;
mod pictures;
mod portrait;
mod windowed;
mod workbench;

pub use exact::exact;
pub use film::film;
pub use headless::headless;
pub(crate) use pictures::encode as encode_png;
pub use windowed::{Preset, windowed};

/// What is said of a recording of which nothing more reaches the disk; why, is said when it is ended.
const BROKEN_OFF: &str = "nothing more is recorded, since the disk takes no more";
