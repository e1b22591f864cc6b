//! `solver-server`: the gRPC door to the solver.

mod connections;
mod door;
mod service;

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Parser;
use engine::{Budget, Workshop};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tracing_subscriber::EnvFilter;

use door::Door;
use service::{Limits, SolverService};

/// The system's allocator hands pages back to the kernel and fetches them one by one again: with it, loading a
/// small object would take half as long again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Connections beside those of the sessions: of single questions, of those who wait for a place, and of strangers who have
/// not been asked for their pass yet.
const WITHOUT_SESSION: usize = 32;

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
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .init();
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
    let service = SolverService::new(workshop, limits);

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

    // Without it a surface of 100 kB takes 40 ms.
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let n_connections = usize::from(arguments.max_sessions) + WITHOUT_SESSION;
    let connections = connections::limited(incoming, n_connections);
    let mut server = Server::builder();
    if let Some(tls) = door.tls {
        server =
            server.tls_config(tls).context("the pass and its private key do not go together")?;
    }
    let server = server
        // A client that has died or stopped without a word gives its place back.
        .http2_keepalive_interval(Some(Duration::from_secs(5)))
        .http2_keepalive_timeout(Some(Duration::from_secs(10)))
        .max_concurrent_streams(Some(u32::from(arguments.max_sessions)))
        .add_service(InterceptedService::new(service.into_server(), door.keeper))
        .serve_with_incoming(connections);
    // Open sessions do not hold up the end: their clients see a broken stream and say so.
    tokio::select! {
        served = server => served.context("the server broke down"),
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    }
}

/// What this machine calls itself.
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
