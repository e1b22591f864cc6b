//! `solver-server`: gRPC server for the solver, for this machine or for others.

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Parser;
use engine::{MemoryBudget, SolverResources};
use solver_server::{Access, Limits};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// With the system's allocator, loading a small object takes one and a half times as long: that
/// allocator returns pages to the kernel and gets them one by one again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Solves deformable objects for Palpate workstations over gRPC.
///
/// Start it, then start a workstation with the address that it prints:
///
///     palpate squeeze --server http://127.0.0.1:50551
///
/// Workstations on other machines connect over TLS with a pass. The server makes the
/// pass file at its first start. Copy that file, not its .key, to the workstations:
///
///     solver-server --listen 0.0.0.0:50551 --pass lab.pass
///     palpate squeeze --server lab.pass
#[derive(Parser)]
#[command(version, verbatim_doc_comment)]
struct Arguments {
    /// Address and port to listen on. Port 0 picks a free port. Addresses other than loopback
    /// need --pass.
    #[arg(long, default_value = "127.0.0.1:50551", value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
    /// Use TLS, and admit only clients with this pass. If the file does not exist, the server
    /// makes it, and its private key in FILE.key.
    #[arg(long, value_name = "FILE")]
    pass: Option<PathBuf>,
    /// Name or address of this machine in a new pass [default: the host's name]
    #[arg(long, value_name = "HOST", requires = "pass")]
    known_as: Option<String>,
    /// Threads for the frames of each object, and for each preparation [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Largest number of objects that are open at the same time.
    #[arg(long, default_value_t = 4, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    max_sessions: u16,
    /// Size of the largest object that is accepted, in nodes. 20 000 nodes take about half a
    /// gigabyte.
    #[arg(long, default_value_t = 100_000, value_name = "N",
          value_parser = clap::value_parser!(u32).range(4..))]
    max_nodes: u32,
    /// Memory for the factorised stiffness of one object. Larger objects are refused.
    #[arg(long, default_value_t = 6000, value_name = "MB")]
    max_memory: u32,
    /// Memory for the models of closed objects, kept for clients that open the same objects again.
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
    budget.object.factor_bytes = arguments.max_memory as usize * 1_000_000;
    budget.idle_models = arguments.idle_memory as usize * 1_000_000;
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
            let host = arguments.known_as.clone().unwrap_or_else(host_name);
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

    let server = solver_server::serve(listener, resources, limits, access);
    // Do not wait for open sessions: their clients see a broken stream and report it.
    tokio::select! {
        served = server => served,
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    }
}

/// Host name of this machine.
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
