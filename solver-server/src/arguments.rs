//! The command line of `solver-server`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Parser;

/// Solves deformable objects for Palpate workstations over gRPC.
///
/// Start it, then start a workstation with the address that it prints:
///
///   palpate squeeze --server http://127.0.0.1:50551
///
/// Workstations on other machines connect over TLS with a pass. The server makes the
/// pass file at its first start. Copy that file, not its .key, to the workstations:
///
///   solver-server --listen 0.0.0.0:50551 --pass lab.pass
///   palpate squeeze --server lab.pass
#[derive(Debug, Parser)]
#[command(name = "solver-server", version, verbatim_doc_comment)]
pub struct Arguments {
    /// Address and port to listen on. Port 0 picks a free port. Addresses other than loopback
    /// need --pass.
    #[arg(long, default_value = "127.0.0.1:50551", value_name = "ADDRESS:PORT")]
    pub listen: SocketAddr,
    /// Use TLS, and admit only clients with this pass. If the file does not exist, the server
    /// makes it, and its private key in FILE.key.
    #[arg(long, value_name = "FILE")]
    pub pass: Option<PathBuf>,
    /// Name or address of this machine in a new pass [default: the host's name]
    #[arg(long, value_name = "HOST", requires = "pass")]
    pub known_as: Option<String>,
    /// Threads for the frames of each object, and for each preparation [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Largest number of objects that are open at the same time. Each object on a table is one.
    #[arg(long, default_value_t = 64, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub max_sessions: u16,
    /// Size of the largest object that is accepted, in nodes. 20 000 nodes take about half a
    /// gigabyte.
    #[arg(long, default_value_t = 100_000, value_name = "N",
          value_parser = clap::value_parser!(u32).range(4..))]
    pub max_nodes: u32,
    /// Memory for the factorised stiffness of one object, in MB. An object that needs more is
    /// factorised in single precision, or refused.
    #[arg(long, aliases = ["memory", "max-memory"], default_value_t = 6000, value_name = "MB")]
    pub memory_mb: u32,
    /// Memory for the models of closed objects, in MB, kept for clients that open the same objects
    /// again. For ten minutes the model of a closed object is kept even if it exceeds this, within
    /// --total-memory-mb.
    #[arg(long, alias = "idle-memory", default_value_t = 1000, value_name = "MB")]
    pub idle_memory_mb: u32,
    /// Memory for all models together, in MB. Models of closed objects leave when open objects need
    /// their memory; open objects are never refused for it [default: 70 % of this machine's memory]
    #[arg(long, value_name = "MB")]
    pub total_memory_mb: Option<u32>,
    /// Longest time that single solves may take to end when the server is stopped by SIGTERM or
    /// Ctrl+C. A second signal ends the server at once.
    #[arg(long, default_value_t = 20, value_name = "SECONDS")]
    pub drain: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_names_of_options_still_work() {
        let line = "solver-server --max-memory 70 --idle-memory 7";
        let arguments = Arguments::try_parse_from(line.split(' ')).unwrap();
        assert_eq!((arguments.memory_mb, arguments.idle_memory_mb), (70, 7));
    }
}
