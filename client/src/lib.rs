//! The parts of the `palpate` workstation; [`wiring`] connects them.
//!
//! The path of a glove sample: [`input`] reads it, the crate [`interaction`] turns it into a hand
//! and its contacts into a `Touch`, the solver answers with a frame, and [`render`], [`ui`] and
//! [`window`] draw the scene. [`session`] is the loop that runs these steps.
//!
//! A module may use the modules above it in this list, never those below; `cargo xtask tidy` checks
//! this.
//!
//! Files and the terminal:
//! - `progress_bar`: progress of long work, on the terminal;
//! - `user_folders`: folders of the user's files;
//! - `atomic_write`: replaces files completely or not at all;
//! - `object_file`: reads and writes objects.
//!
//! The picture:
//! - [`ui`]: style and widgets of panels;
//! - [`render`]: draws a scene into a window, for an eye of a headset, or into a picture;
//! - [`vr`]: shows the scene in a headset;
//! - [`window`]: the window on the desktop, for any content.
//!
//! Options and stored data:
//! - [`command_line`]: commands and options of `palpate`;
//! - `profiles`: calibration profiles on the disk;
//! - [`materials`]: materials of objects, by name.
//!
//! A run:
//! - [`input`]: samples of hands from devices, mouse and keys, or a recording;
//! - [`feedback`]: force feedback: contact forces for the devices on the hands;
//! - [`session`]: the loop from samples to the solver and to scenes;
//! - [`wiring`]: chooses and connects devices, objects and solver;
//! - [`settings`]: the user's settings, kept between runs.
//!
//! The commands:
//! - [`benchmark`](mod@benchmark): measures how fast this machine solves;
//! - [`calibrate`]: calibrates the glove for a hand;
//! - [`devices`]: lists and watches devices;
//! - [`record`](mod@record): records devices, and shows the contents of recordings;
//! - [`solve`](mod@solve): solves one touch of one object, from files to a file;
//! - [`run`](mod@run): runs a session, in the main window or without one;
//! - [`object`](mod@object): makes, checks and converts objects in files;
//! - [`simulate`](mod@simulate): runs an object under scripted contact;
//! - [`mod@reference`]: generates pages of the reference manual from all of these.

mod atomic_write;
pub mod benchmark;
pub mod calibrate;
pub mod command_line;
pub mod devices;
pub mod feedback;
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
pub mod simulate;
pub mod solve;
pub mod ui;
mod user_folders;
pub mod vr;
pub mod window;
pub mod wiring;

pub use progress_bar::Interrupted;
