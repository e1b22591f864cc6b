//! Calibration over the wire: gloves with gains, offsets, coupling and noise of their own on real
//! pseudo-terminals, read by the real driver, on the hands of people who hold poses imperfectly.
//!
//! The devices' clock is hurried and the procedure's with it, so that two minutes of poses take
//! seconds. Nothing sleeps and no absolute time is asserted; people wait for what the procedure
//! says.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]
#![allow(
    clippy::print_stdout,
    reason = "numbers beyond the ones that are checked, with --nocapture"
)]

mod accuracy;
mod command;
#[path = "../system/program.rs"]
#[allow(dead_code, reason = "the tests of whole runs use the rest")]
mod program;
#[path = "../../calibration/tests/calibration/random.rs"]
mod random;
mod tracker;
/// The hands by which the calibration's own tests judge.
#[path = "../../calibration/tests/calibration/unseen_poses.rs"]
mod unseen_poses;
mod wearer;
mod wrong_pose;
