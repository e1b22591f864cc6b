//! What is written over the picture: pure functions of state that draw with egui.

mod help;
mod overlay;
mod status;

pub use help::help_line;
pub use overlay::Overlay;
pub use status::status_panel;
