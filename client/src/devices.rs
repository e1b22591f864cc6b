//! `palpate devices`: what is plugged in, and what it says.

use std::sync::atomic::AtomicBool;

use crate::command_line::ListDevices;

/// Lists, or watches one.
pub fn run(_options: &ListDevices, _stop: &AtomicBool) -> anyhow::Result<()> {
    Ok(())
}
