//! The parts of the `palpate` workstation. `wiring` puts them together.
//!
//! One glove sample comes in at [`input`]; the crate [`interaction`] makes a hand of it, which touches a
//! surface, and a `Touch` for the solver; what comes back is drawn by [`render`], [`ui`] and [`window`]
//! from a scene. [`session`] is the loop that carries it along.

mod bar;
pub mod benchmark;
pub mod calibrate;
pub mod command_line;
pub mod devices;
mod folders;
pub mod input;
pub mod materials;
pub mod object;
mod object_file;
pub mod record;
pub mod render;
mod replace;
pub mod run;
pub mod session;
pub mod settings;
pub mod solve;
pub mod ui;
pub mod vr;
pub mod window;
pub mod wiring;

pub use bar::Interrupted;
