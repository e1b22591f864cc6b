//! Guarantees for moving matter with every kind of solver: its time, its state, and the forces on
//! hands. Tried with a body on a damped spring, embedded and behind a server.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

mod contact_models;
mod forces;
mod solver_links;
mod state;
mod table;
mod time;
