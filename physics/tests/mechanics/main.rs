//! Mechanics against something independent: closed forms, a dense algorithm, physical laws.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

mod bodies;
mod contract;
mod dense;
mod determinism;
mod solid;
