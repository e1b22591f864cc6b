//! The whole way from samples to a profile, with a glove and a person made of numbers.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]
#![allow(
    clippy::print_stdout,
    reason = "numbers beyond the ones that are checked, with --nocapture"
)]

mod accuracy;
mod glove;
mod person;
mod random;
mod tracker;
mod uncertainty;
mod unseen_poses;
