//! The whole road, from serial bytes to a picture, through the real programs.
//!
//! The programs must have been built; `cargo xtask test` sees to that.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

mod bench;
mod bench_window;
mod calibration_window;
mod device_and_server_loss;
mod devices;
mod examples;
mod film;
mod foreign_client;
mod friction;
mod full_disk;
mod glove_without_tracker;
mod headset;
mod keyboard_only;
mod keys;
mod logging;
mod object;
mod panels;
mod person;
mod program;
mod recording;
mod repeated_grasps;
mod run_trace;
mod same_frames;
mod screen;
mod server_limits;
mod server_pass;
mod simulate;
mod solve;
mod squeeze;
mod stalls;
mod two_hands;
mod window;
mod workbench;
