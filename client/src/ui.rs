//! What is written over the picture: functions of state that draw with egui and give back what the person
//! asks for.

mod board;
mod help;
pub mod keys;
mod overlay;
pub mod side;
mod status;
pub mod style;
pub mod widgets;

pub use board::{Board, PaintedBoard};
pub use help::help_line;
pub use overlay::{LaidOut, Look, Overlay, still_input};
pub use status::status_panel;
