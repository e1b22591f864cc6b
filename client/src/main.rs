//! `palpate`: reads the command line, runs the command, reports errors.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use client::command_line::{Command, CommandLine, EmulateOptions, HandMover};
use client::run::WindowSetup;
use client::session::RunLimits;
use client::settings::Settings;
use client::window::Display;
use client::wiring::{SolverChoice, WorkstationOptions};
use client::{run, wiring};
use engine::ServerUrl;
use interaction::grasp::GraspRules;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The system's allocator returns pages to the kernel and fetches them again one by one. With it,
/// loading a small object would take 1.5 times as long.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    calm_graphics();
    match palpate(CommandLine::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output has closed the pipe.
        Err(e) if is_broken_pipe(&e) => ExitCode::SUCCESS,
        Err(e) => {
            // An error on standard error cannot be reported.
            let _ = writeln!(std::io::stderr(), "error: {e:#}");
            // To shells, 130 means that Ctrl+C ended the program.
            if e.is::<client::Interrupted>() { ExitCode::from(130) } else { ExitCode::FAILURE }
        }
    }
}

/// Keeps Mesa's choice of a graphics card from asking a Wayland display: without a runtime folder
/// there is none, and the library prints an error twice for each picture although all is well.
#[expect(unsafe_code, reason = "there is no safe way to set a variable for a library")]
fn calm_graphics() {
    if std::env::var_os("XDG_RUNTIME_DIR").is_some() {
        return;
    }
    // SAFETY: the first thing that the program does, so there is no other thread.
    unsafe {
        std::env::set_var("NODEVICE_SELECT", "1");
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    io.into_iter().any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}

fn palpate(CommandLine { command, squeeze }: CommandLine) -> anyhow::Result<()> {
    // Graphics libraries log a lot; by default only our own messages are shown.
    let ours = match &command {
        // Log lines would damage a text display.
        Some(Command::Calibrate(_) | Command::Devices(_)) if std::io::stdout().is_terminal() => {
            "off,left_behind=warn"
        }
        _ => "warn,winit=error,palpate=info,client=info,engine=info",
    };
    let filter = log_filter().map_or_else(|| ours.parse(), Ok)?;
    let lines = tracing_subscriber::fmt::layer()
        .with_target(false)
        .with_ansi(std::io::stderr().is_terminal())
        .with_timer(tracing_subscriber::fmt::time::uptime())
        .with_writer(std::io::stderr);
    tracing_subscriber::registry().with(lines).with(filter).init();

    // A file that grows beyond the user's limit is an error to report; the signal would end the
    // program silently.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    let stop = || stop_flag().context("cannot wait for Ctrl+C");
    match command {
        Some(Command::Emulate(emulate)) => serve_emulator(&emulate, &*stop()?),
        Some(Command::Devices(devices)) => client::devices::run(&devices, &*stop()?),
        Some(Command::Calibrate(calibrate)) => client::calibrate::run(&calibrate, &*stop()?),
        Some(Command::Record(record)) => client::record::record(&record, &*stop()?),
        Some(Command::Replay(replay)) if replay.summary || replay.events => {
            client::record::show(&replay)
        }
        Some(Command::Replay(replay)) if replay.exact => {
            run::exact_replay(&replay, &wiring::solvers(&replay.run)?)
        }
        Some(Command::Replay(replay)) => {
            squeeze_object(WorkstationOptions::Replay(&replay), &stop()?)
        }
        Some(Command::Object(object)) => client::object::run(&object, &*stop()?),
        Some(Command::Materials(materials)) => client::materials::run(&materials),
        Some(Command::Film(film)) => run::film(&film, &*stop()?),
        Some(Command::Solve(solve)) => client::solve::solve(&solve, &*stop()?),
        Some(Command::Simulate(simulate)) => client::simulate::simulate(&simulate, &*stop()?),
        Some(Command::Bench(bench)) => client::benchmark::run(&bench, &*stop()?),
        Some(Command::Squeeze(squeeze)) => {
            squeeze_object(WorkstationOptions::Squeeze(&squeeze), &stop()?)
        }
        None => squeeze_object(WorkstationOptions::Squeeze(&squeeze), &stop()?),
    }
}

/// Returns the filter in `RUST_LOG`. An unreadable one is reported and ignored.
fn log_filter() -> Option<Targets> {
    let text = std::env::var("RUST_LOG").ok().filter(|text| !text.is_empty())?;
    let report = |e| {
        // Nothing can be done if standard error is gone.
        let _ = writeln!(
            std::io::stderr(),
            "warning: RUST_LOG is `{text}`, which cannot be read: {e}. Expected something like \
             `warn,client=debug`. The default filter is used."
        );
    };
    text.parse().map_err(report).ok()
}

/// Returns a flag that becomes true at Ctrl+C, at SIGTERM, or when the terminal is closed. After a
/// second signal the program has one second to release the devices: a force glove must not go on
/// holding fingers.
fn stop_flag() -> std::io::Result<Arc<AtomicBool>> {
    const TO_LET_GO: Duration = Duration::from_secs(1);
    let stop = Arc::new(AtomicBool::new(false));
    let stopping = Arc::clone(&stop);
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for _ in signals.forever() {
            if stopping.swap(true, Ordering::Relaxed) {
                std::thread::sleep(TO_LET_GO);
                std::process::exit(1);
            }
        }
    })?;
    Ok(stop)
}

fn squeeze_object(hand: WorkstationOptions<'_>, stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
    let options = hand.run();
    if options.rules.iter().any(|rule| rule == "help") {
        return Ok(write!(std::io::stdout(), "{}", GraspRules::help())?);
    }
    let record = match hand {
        WorkstationOptions::Squeeze(squeeze) => squeeze.record.as_deref(),
        WorkstationOptions::Replay(_) => None,
    };
    run::check_files(options, record)?;
    if Display::is_named() && !options.headless {
        match Display::connect() {
            Ok(display) => {
                if options.snapshot.is_some() {
                    tracing::warn!("--snapshot is for --headless; in a window, F12 takes pictures");
                }
                return in_window(display, hand, stop);
            }
            Err(error) => tracing::warn!("{error}; running without a window"),
        }
    }
    if matches!(hand, WorkstationOptions::Squeeze(squeeze) if squeeze.hand == Some(HandMover::Mouse))
    {
        anyhow::bail!(
            "`--hand mouse` needs a window to move the mouse in, and there is no display"
        );
    }
    run::check_pictures(options)?;
    if wiring::HandChoice::of(hand).is_glove_moved_by_mouse() {
        tracing::warn!(
            "without a window, no mouse moves the gloved hand: it stays above the first object \
             (a --tracker or --hand-position headset moves it)"
        );
    }
    // A recording is played to its end.
    let is_replay = matches!(hand, WorkstationOptions::Replay(_));
    let seconds = options.seconds.map_or(if is_replay { u64::MAX } else { 60 }, u64::from);
    let limits = RunLimits {
        // With --frames, the number of grasps is not limited.
        grasps: options.grasps.unwrap_or(match is_replay || options.frames.is_some() {
            true => u64::MAX,
            false => 1,
        }),
        frames: options.frames.unwrap_or(u64::MAX),
        time: Duration::from_secs(seconds),
    };
    run::headless(wiring::workstation(hand)?, &limits, options, stop)
}

/// Runs in a window. Options that are missing on the command line come from the settings. Unusable
/// settings are reported, and the window opens without them.
fn in_window(
    display: Display,
    hand: WorkstationOptions<'_>,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let (settings, broken) = Settings::load();
    let (mut squeeze, mut replay);
    let (filled, result) = match hand {
        WorkstationOptions::Squeeze(said) => {
            squeeze = said.clone();
            let result = settings.fill_squeeze(&mut squeeze);
            (WorkstationOptions::Squeeze(&squeeze), result)
        }
        WorkstationOptions::Replay(said) => {
            replay = said.clone();
            let result = settings.fill_replay(&mut replay);
            (WorkstationOptions::Replay(&replay), result)
        }
    };
    let (run, workstation, trouble) = match wiring::workstation(filled) {
        Ok(workstation) => (filled.run(), workstation, broken.or(result.err())),
        Err(error) => {
            // If it fails without the settings as well, they are not the cause.
            let workstation = wiring::workstation(hand)?;
            (hand.run(), workstation, Some(format!("without your settings, because {error:#}")))
        }
    };
    let solver = SolverChoice {
        server: run.server.as_ref().map(ServerUrl::name),
        threads: run.threads,
        memory_mb: run.memory_mb,
    };
    run::windowed(display, workstation, WindowSetup { settings, trouble, solver }, stop)
}

fn serve_emulator(emulate: &EmulateOptions, stop: &AtomicBool) -> anyhow::Result<()> {
    let emulator = wiring::emulator(emulate)?;
    // Scripts read this line.
    writeln!(std::io::stdout(), "{}", emulator.path())?;
    while !stop.load(Ordering::Relaxed) {
        std::thread::park_timeout(Duration::from_millis(100));
    }
    let report = emulator.report();
    let (n_damaged, n_withheld) = (report.n_damaged(), report.records_withheld.total());
    tracing::info!(
        "{} records sent, {n_damaged} of them damaged; {n_withheld} held back",
        report.n_sent()
    );
    Ok(())
}
