//! Tests the path from samples to a profile, with an emulated glove and an emulated person.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]
#![allow(clippy::print_stdout, reason = "results for --nocapture, in addition to the checked ones")]

mod accuracy;
mod glove;
mod person;
mod random;
mod tracker;
mod uncertainty;
mod unseen_poses;
