//! `solver-server`: gRPC server for the solver, for this machine or for others.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Parser;
use engine::{MemoryBudget, SolverResources};
use solver_server::{Access, Arguments, Limits, machine};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// With the system's allocator, loading a small object takes one and a half times as long: that
/// allocator returns pages to the kernel and gets them one by one again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Time for which a model is kept beyond --idle-memory-mb, for a client that comes back.
const LEASE: Duration = Duration::from_secs(600);

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let filter = log_filter().unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    tracing_subscriber::registry().with(lines).with(filter).init();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let served = runtime.context("cannot start the network loop").and_then(|runtime| {
        let served = runtime.block_on(serve(arguments));
        // Do not wait for unfinished work.
        runtime.shutdown_background();
        served
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            // Nothing can be done if standard error is gone as well.
            let _ = writeln!(std::io::stderr(), "error: {e:#}");
            ExitCode::FAILURE
        }
    }
}

/// Reads the log filter from `RUST_LOG`. Reports a filter that cannot be read, and ignores it.
fn log_filter() -> Option<Targets> {
    let text = std::env::var("RUST_LOG").ok().filter(|text| !text.is_empty())?;
    let report = |e| {
        // Nothing can be done if standard error is gone.
        let _ = writeln!(
            std::io::stderr(),
            "warning: RUST_LOG is `{text}`, which cannot be read: {e}. Expected something like \
             `warn,engine=debug`. The server ignores RUST_LOG."
        );
    };
    text.parse().map_err(report).ok()
}

async fn serve(arguments: Arguments) -> anyhow::Result<()> {
    ensure!(
        arguments.listen.ip().is_loopback() || arguments.pass.is_some(),
        "{} can be reached from other machines, which needs TLS and a pass: add --pass FILE, or \
         listen on a loopback address such as 127.0.0.1:50551",
        arguments.listen
    );
    let mut budget = MemoryBudget::default();
    budget.object.factor_bytes = arguments.memory_mb as usize * 1_000_000;
    budget.idle_models = arguments.idle_memory_mb as usize * 1_000_000;
    budget.lease = LEASE;
    budget.all_models = match arguments.total_memory_mb {
        Some(mb) => mb as usize * 1_000_000,
        None => machine::memory().map_or(usize::MAX, |bytes| bytes / 10 * 7),
    };
    let resources = SolverResources::new(arguments.threads.map(usize::from), budget)?;
    let n_threads = resources.threads();
    let limits =
        Limits { sessions: arguments.max_sessions.into(), nodes: arguments.max_nodes as usize };

    let listener = TcpListener::bind(arguments.listen)
        .await
        .with_context(|| format!("cannot listen on {}", arguments.listen))?;
    let address = listener.local_addr().context("cannot find the port")?;
    let access = match &arguments.pass {
        Some(file) => {
            let host = arguments.known_as.clone().unwrap_or_else(machine::host_name);
            Access::with_pass(file, &host, address)?
        }
        None => Access::on_loopback(),
    };
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot wait for Ctrl+C")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot wait for SIGTERM")?;
    // Scripts wait for this line and read the port from it.
    let scheme = if access.tls.is_some() { "https" } else { "http" };
    writeln!(
        std::io::stdout(),
        "solver-server listens on {scheme}://{address}, {n_threads} threads"
    )
    .context("cannot write to standard output")?;

    let (stop, is_stopped) = oneshot::channel::<()>();
    // An error says that the sender is dropped, which is the signal.
    let is_stopped = async { drop(is_stopped.await) };
    let drain = Duration::from_secs(arguments.drain.into());
    let server = solver_server::serve(listener, resources, limits, access, is_stopped, drain);
    let mut signal = async || {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    };
    let two_signals = async {
        signal().await;
        drop(stop);
        signal().await;
    };
    tokio::select! {
        served = server => served,
        // The second signal ends the program at once.
        () = two_signals => Ok(()),
    }
}
