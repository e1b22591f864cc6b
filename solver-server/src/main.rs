//! `solver-server`: the gRPC door to the solver.

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Parser;
use engine::{Budget, Workshop};
use solver_server::{Door, Limits};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The system's allocator hands pages back to the kernel and fetches them one by one again: with it, loading a
/// small object would take half as long again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Solves deformable objects for Palpate workstations over gRPC.
///
/// Start it, then point a workstation at the address that it prints:
///
///     palpate squeeze --server http://127.0.0.1:50551
///
/// For workstations on other machines it speaks TLS and asks for a pass, a file that it makes at the first start.
/// Copy that file, not its .key, to them:
///
///     solver-server --listen 0.0.0.0:50551 --pass lab.pass
///     palpate squeeze --server lab.pass
#[derive(Parser)]
#[command(version, verbatim_doc_comment)]
struct Arguments {
    /// Where to listen. Port 0 picks a free one. Others than loopback addresses need --pass.
    #[arg(long, default_value = "127.0.0.1:50551", value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
    /// Speak TLS, and only with those who have this pass. Made if it is not there, with its private key beside it.
    #[arg(long, value_name = "FILE")]
    pass: Option<PathBuf>,
    /// What workstations call this machine, for a new pass: a name or an address [default: the host's name]
    #[arg(long, value_name = "HOST", requires = "pass")]
    known_as: Option<String>,
    /// Threads for each object's frames, and for everything that is being prepared [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// How many objects may be open at the same time.
    #[arg(long, default_value_t = 4, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    max_sessions: u16,
    /// Largest object that is accepted, in nodes. 20 000 take about half a gigabyte.
    #[arg(long, default_value_t = 100_000, value_name = "N",
          value_parser = clap::value_parser!(u32).range(4..))]
    max_nodes: u32,
    /// Memory for the factorised stiffness of one object. What does not fit is refused.
    #[arg(long, default_value_t = 6000, value_name = "MB")]
    max_memory: u32,
    /// Memory for objects that nobody holds any more, kept ready for the next one who opens them.
    #[arg(long, default_value_t = 1000, value_name = "MB")]
    idle_memory: u32,
}

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
        // Work that is still going on does not hold up the end.
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

/// The filter that the environment names. One that cannot be read is reported and not used.
fn log_filter() -> Option<Targets> {
    let text = std::env::var("RUST_LOG").ok().filter(|text| !text.is_empty())?;
    let report = |e| {
        // Nothing can be done if standard error is gone.
        let _ = writeln!(
            std::io::stderr(),
            "warning: RUST_LOG is `{text}`, which cannot be read: {e}. Expected something like \
             `warn,engine=debug`. The server logs as without it."
        );
    };
    text.parse().map_err(report).ok()
}

async fn serve(arguments: Arguments) -> anyhow::Result<()> {
    ensure!(
        arguments.listen.ip().is_loopback() || arguments.pass.is_some(),
        "{} can be reached from other machines, which needs TLS and a pass: add --pass FILE, or listen on a \
         loopback address such as 127.0.0.1:50551",
        arguments.listen
    );
    let mut budget = Budget::default();
    budget.object.factor_bytes = arguments.max_memory as usize * 1_000_000;
    budget.idle_models = arguments.idle_memory as usize * 1_000_000;
    let workshop = Workshop::new(arguments.threads.map(usize::from), budget)?;
    let n_threads = workshop.threads();
    let limits =
        Limits { sessions: arguments.max_sessions.into(), nodes: arguments.max_nodes as usize };

    let listener = TcpListener::bind(arguments.listen)
        .await
        .with_context(|| format!("cannot listen on {}", arguments.listen))?;
    let address = listener.local_addr().context("cannot tell the port")?;
    let door = match &arguments.pass {
        Some(file) => {
            let host = arguments.known_as.clone().unwrap_or_else(host_name);
            Door::with_pass(file, &host, address)?
        }
        None => Door::on_loopback(),
    };
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot wait for Ctrl+C")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot wait for SIGTERM")?;
    // Scripts wait for this line to learn the port.
    let scheme = if door.tls.is_some() { "https" } else { "http" };
    writeln!(
        std::io::stdout(),
        "solver-server listens on {scheme}://{address}, {n_threads} threads"
    )
    .context("cannot write to standard output")?;

    let server = solver_server::serve(listener, workshop, limits, door);
    // Open sessions do not hold up the end: their clients see a broken stream and say so.
    tokio::select! {
        served = server => served,
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    }
}

/// What this machine calls itself.
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
