//! The drivers on a real pseudo-terminal, against a peer that follows a written script.
#![cfg(unix)]

mod glove;
mod opengloves;
mod peer;
mod tracker;
