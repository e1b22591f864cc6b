//! The parts of the `palpate` workstation. [`wiring`] puts them together.
//!
//! One glove sample comes in at [`input`]; the crate [`interaction`] makes a hand of it, which
//! touches a surface, and a `Touch` for the solver; what comes back is drawn by [`render`], [`ui`]
//! and [`window`] from a scene. [`session`] is the loop that carries it along.
//!
//! Modules know those above them in this list, never those below; `cargo xtask tidy` checks it.
//!
//! Files and the terminal:
//! - `progress_bar`: how much is done, on the terminal;
//! - `user_folders`: where a person's files are;
//! - `atomic_write`: files that are the old ones or whole new ones;
//! - `object_file`: objects in files.
//!
//! The picture:
//! - [`ui`]: the look of panels, and what they are made of;
//! - [`render`]: draws a scene, into a window, for an eye or as a picture;
//! - [`vr`]: the scene through a headset;
//! - [`window`]: the window on the desk, for any content.
//!
//! What is asked for, and what is known:
//! - [`command_line`]: what can be asked of `palpate`;
//! - `profiles`: people's calibrations on the disk;
//! - [`materials`]: what things are made of, by name.
//!
//! A run:
//! - [`input`]: devices, mouse and keys, or a recording, as samples of hands;
//! - [`session`]: the loop from samples to the solver, and to scenes;
//! - [`wiring`]: picks devices, object and solver;
//! - [`settings`]: what a person has set, kept over runs.
//!
//! The commands:
//! - [`benchmark`](mod@benchmark): how fast this machine solves;
//! - [`calibrate`]: fits the glove to a hand;
//! - [`devices`]: what is plugged in;
//! - [`record`](mod@record): records devices, and says what is in a recording;
//! - [`solve`](mod@solve): one touch of one object, from files to a file;
//! - [`run`](mod@run): a session, in the main window or without one;
//! - [`object`](mod@object): makes, checks and converts things in files;
//! - [`mod@reference`]: pages of the reference, made from all of these.

mod atomic_write;
pub mod benchmark;
pub mod calibrate;
pub mod command_line;
pub mod devices;
pub mod input;
pub mod materials;
pub mod object;
mod object_file;
mod profiles;
mod progress_bar;
pub mod record;
pub mod reference;
pub mod render;
pub mod run;
pub mod session;
pub mod settings;
pub mod solve;
pub mod ui;
mod user_folders;
pub mod vr;
pub mod window;
pub mod wiring;

pub use progress_bar::Interrupted;
