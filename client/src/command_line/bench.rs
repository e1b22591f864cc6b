//! `palpate bench`: sizes, algorithms and limits of a measurement, and the runs to compare.

use std::path::PathBuf;

use benchmark::{Algorithm, Body};
use clap::{Args, Parser, Subcommand};
use engine::ServerUrl;

use super::replace::ReplaceFlag;
use super::server::server;

pub(super) const BENCH_EXAMPLES: &str = "\
Without options the command measures a ball in several sizes on 1, 2, 4, ... threads, up to the number of cores,
with several algorithms. This takes about two minutes. The command prints a table and writes report.html,
results.csv and results.json. Ctrl+C ends it early; the report then holds all results so far and is marked as
partial.

Round trips over gRPC are measured too, through the solver-server program in the folder of this program, if
there is one. With --server, a running server is measured as well: set-up and touches on 1, 2, 4, ... of its own
threads, up to its --threads, and round trips. The report shows its machine apart from this one.

Examples:
  palpate bench                                       about two minutes, into palpate-bench/
  palpate bench --window                              the same, with live plots in a window
  palpate bench --nodes 1000,5000,20000 --seconds 600
  palpate bench --object liver.msh --contacts 40 --algorithms ours,direct
  palpate bench --threads 1,2,4,8                     the report marks counts above the number of cores
  palpate bench --server lab.pass                     the threads of a server, beside those of this machine
  palpate bench compare before.json after.json --threshold 5
  palpate bench reproduce --out docs/thesis-figures.md --replace";

/// Options of `palpate bench`.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchOptions {
    #[command(subcommand)]
    pub command: Option<BenchCommand>,
    /// Sizes in nodes, separated by commas [default: as many sizes as fit into --seconds]
    #[arg(long, value_name = "N,N", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(50..=150_000))]
    pub nodes: Vec<u32>,
    /// Generated bodies to measure: sphere, blob, cube
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', default_value = "sphere")]
    pub bodies: Vec<Body>,
    /// Mesh file to measure instead of generated bodies; with --nodes, in addition to them. May be
    /// given several times
    #[arg(long = "object", value_name = "FILE")]
    pub objects: Vec<PathBuf>,
    /// Numbers of threads, here and on --server, separated by commas [default: 1, 2, 4, ... up to
    /// the number of cores, and to the --threads of the server]
    #[arg(long, value_name = "N,N", value_delimiter = ',',
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Vec<u16>,
    /// Number of nodes that the fingers hold
    #[arg(long, value_name = "N", default_value_t = 15,
          value_parser = clap::value_parser!(u16).range(3..=256))]
    pub contacts: u16,
    /// Algorithms to compare: ours, thesis, direct, gradients
    #[arg(
        long,
        value_name = "NAME,NAME",
        value_delimiter = ',',
        default_value = "ours,thesis,direct,gradients"
    )]
    pub algorithms: Vec<Algorithm>,
    /// Number of repetitions of each measurement [default: until medians are known to 2 %, or time
    /// is up]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub repetitions: Option<u16>,
    /// Approximate duration of the whole measurement, in seconds
    #[arg(long, value_name = "S", default_value_t = 120,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub seconds: u32,
    /// Time limit of one solution, in milliseconds; the report says how many cores meet it
    #[arg(long, value_name = "MS", default_value_t = 100.0, value_parser = positive)]
    pub within: f64,
    /// A running solver-server to measure as well, on its own threads: http://127.0.0.1:PORT, or the
    /// pass file of a server on another machine
    #[arg(long, value_name = "URL|PASS", value_parser = server)]
    pub server: Option<ServerUrl>,
    /// Show the measurement in a window, with live plots
    #[arg(long)]
    pub window: bool,
    /// Folder for the report; created if it does not exist. Results of an earlier run are renamed
    /// to results-before.json
    #[arg(long, value_name = "FOLDER", default_value = "palpate-bench")]
    pub out: PathBuf,
}

impl Default for BenchOptions {
    /// Returns the options of `palpate bench` without arguments.
    fn default() -> Self {
        #[derive(clap::Parser)]
        struct Alone {
            #[command(flatten)]
            bench: BenchOptions,
        }
        Alone::parse_from(["palpate bench"]).bench
    }
}

#[derive(Debug, Clone, Subcommand)]
pub enum BenchCommand {
    /// List what got faster or slower between two runs; fails beyond a threshold
    Compare(CompareRuns),
    /// Repeat the measurements of the thesis and write a page with both sets of figures
    Reproduce(ReproduceOptions),
}

/// Options of `palpate bench compare`: two runs.
#[derive(Debug, Clone, Args)]
pub struct CompareRuns {
    /// results.json of the earlier run
    pub before: PathBuf,
    /// results.json of the later run
    pub after: PathBuf,
    /// Fail if any result is significantly slower or larger, by more than this percentage
    #[arg(long, value_name = "PERCENT", default_value_t = 10.0, value_parser = not_negative)]
    pub threshold: f64,
}

/// Options of `palpate bench reproduce`.
#[derive(Debug, Clone, Args)]
pub struct ReproduceOptions {
    /// File for the page, in Markdown
    #[arg(long, value_name = "FILE", default_value = "thesis-figures.md")]
    pub out: PathBuf,
    #[command(flatten)]
    pub existing: ReplaceFlag,
    /// Approximate duration, in seconds
    #[arg(long, value_name = "S", default_value_t = 120,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub seconds: u32,
}

fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if number.is_finite() && number > 0.0 {
        Ok(number)
    } else {
        Err("expected a positive number".to_owned())
    }
}

fn not_negative(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if number.is_finite() && number >= 0.0 {
        Ok(number)
    } else {
        Err("expected zero or more".to_owned())
    }
}
