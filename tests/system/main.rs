//! The whole road, from serial bytes to a picture, through the real programs.
//!
//! The programs must have been built; `cargo xtask test` sees to that.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

mod again;
mod bench;
mod bench_window;
mod by_keys;
mod devices;
mod film;
mod full_disk;
mod headset;
mod keys;
mod logging;
mod losses;
mod object;
mod panels;
mod pass;
mod person;
mod program;
mod run_trace;
mod same_frames;
mod screen;
mod solve;
mod squeeze;
mod stalls;
mod studio;
mod two_hands;
mod window;
mod workbench;
