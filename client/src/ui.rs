//! Panels over the picture: functions that draw the state with egui and return what the user asks
//! for.

mod board;
mod help_line;
pub mod keys;
mod overlay;
pub mod side_panel;
mod status_panel;
pub mod style;
pub mod widgets;

pub use board::{Board, PaintedBoard};
pub use help_line::help_line;
pub use overlay::{LaidOut, Look, Overlay, still_input};
pub use status_panel::status_panel;
