//! `palpate devices`: lists connected devices and shows their values.

mod headset_lines;
mod list;
mod watch;

use std::sync::atomic::AtomicBool;

use crate::command_line::{DevicesCommand, ListDevices};

pub use list::{FoundDevice, FoundKind, FoundPort, search};

/// Lists devices, or watches one.
pub fn run(options: &ListDevices, stop: &AtomicBool) -> anyhow::Result<()> {
    match &options.command {
        Some(DevicesCommand::Watch(watch)) => watch::watch(watch, stop),
        None => list::list(options, stop),
    }
}
