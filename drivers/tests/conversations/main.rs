//! Tests of the drivers on a real pseudo-terminal, against a peer that follows a script.
#![cfg(unix)]

mod glove;
mod opengloves;
mod scripted_peer;
mod tracker;
