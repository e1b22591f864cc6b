//! Drivers and emulators together: every command, every fault and every loss, on real
//! pseudo-terminals.
//!
//! Nothing sleeps and no absolute time is asserted: a test waits until something is so, or fails
//! after a time that is far longer than anything takes. What a device sent is known to the last
//! record from its emulator's journal, so that what a driver hands out can be compared with it.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

mod byte_faults;
mod foreign_client;
mod glove_commands;
mod glove_records;
mod harness;
mod left_as_found;
mod one_axis;
mod opengloves;
mod reconnecting;
mod recordings;
mod sample_accounting;
mod serial_lines;
mod soak;
mod start_up;
mod tracker_commands;
mod tracker_poses;
mod vibrators;
