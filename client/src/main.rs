//! `palpate`: reads the command line, calls the wiring, reports the error.

use std::env;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use client::command_line::{Command, CommandLine, Emulate, Squeeze};
use client::session::Limits;
use client::{run, wiring};
use emulators::ScriptClock;
use tracing_subscriber::EnvFilter;

fn main() -> anyhow::Result<()> {
    let CommandLine { command, squeeze } = CommandLine::parse();
    // Graphics libraries tell a lot about themselves; ours is for the person at the desk.
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new("warn,client=info,engine=info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_target(false)
        .with_writer(std::io::stderr)
        .init();

    let stop = Arc::new(AtomicBool::new(false));
    let on_signal = Arc::clone(&stop);
    let main_thread = std::thread::current();
    ctrlc::set_handler(move || {
        on_signal.store(true, Ordering::Relaxed);
        main_thread.unpark();
    })
    .context("cannot wait for Ctrl+C")?;

    match command {
        Some(Command::Emulate(emulate)) => serve_emulator(&emulate, &stop),
        Some(Command::Squeeze(squeeze)) => squeeze_object(&squeeze, &stop),
        None => squeeze_object(&squeeze, &stop),
    }
}

fn squeeze_object(options: &Squeeze, stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()));
    if has_display && !options.headless {
        match run::windowed(wiring::workstation(options)?, stop)? {
            run::Outcome::Closed => return Ok(()),
            run::Outcome::NoDisplay => {
                tracing::warn!("the display cannot be reached; running without a window");
                stop.store(false, Ordering::Relaxed);
            }
        }
    }
    let limits =
        Limits { grasps: options.grasps, time: Duration::from_secs(u64::from(options.seconds)) };
    run::headless(wiring::workstation(options)?, &limits, &options.pictures, stop)
}

fn serve_emulator(emulate: &Emulate, stop: &AtomicBool) -> anyhow::Result<()> {
    let emulator = wiring::emulated(emulate.device, ScriptClock::wall())?;
    // Scripts read this line.
    writeln!(std::io::stdout(), "{}", emulator.path())?;
    while !stop.load(Ordering::Relaxed) {
        std::thread::park_timeout(Duration::from_secs(1));
    }
    Ok(())
}
