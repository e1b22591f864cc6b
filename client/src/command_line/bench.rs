//! `palpate bench`: what to measure, and which runs to compare.

use std::path::PathBuf;

use benchmark::{Algorithm, Body};
use clap::{Args, Parser, Subcommand};
use engine::ServerUrl;

use super::server::server;

pub(super) const BENCH_EXAMPLES: &str = "\
Without options it measures a ball in several sizes on 1, 2, 4, ... threads up to the machine's cores, by several
algorithms, in about two minutes, prints a table and writes report.html, results.csv and results.json. Ctrl+C
ends it early; what was measured until then is in the report, which says that it is partial.

Round trips over gRPC are measured through a solver-server program beside this one, if it is there, and through
the one that --server names.

Examples:
  palpate bench                                       about two minutes, into palpate-bench/
  palpate bench --window                              the same with plots that grow
  palpate bench --nodes 1000,5000,20000 --seconds 600
  palpate bench --object liver.msh --contacts 40 --algorithms ours,direct
  palpate bench --threads 1,2,4,8                     more than there are cores are marked
  palpate bench compare before.json after.json --threshold 5
  palpate bench reproduce --out docs/thesis-figures.md";

/// What to measure.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchOptions {
    #[command(subcommand)]
    pub command: Option<BenchCommand>,
    /// Sizes in nodes, separated by commas [default: as many as there is time for]
    #[arg(long, value_name = "N,N", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(50..=150_000))]
    pub nodes: Vec<u32>,
    /// Bodies by formula: sphere, blob, cube
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', default_value = "sphere")]
    pub bodies: Vec<Body>,
    /// Mesh files to measure instead of bodies, or beside them with --nodes
    #[arg(long = "object", value_name = "FILE")]
    pub objects: Vec<PathBuf>,
    /// Numbers of threads, separated by commas [default: 1, 2, 4, ... up to the machine's cores]
    #[arg(long, value_name = "N,N", value_delimiter = ',',
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Vec<u16>,
    /// Nodes that the fingers hold
    #[arg(long, value_name = "N", default_value_t = 15,
          value_parser = clap::value_parser!(u16).range(3..=256))]
    pub contacts: u16,
    /// What to set side by side: ours, thesis, direct, gradients
    #[arg(
        long,
        value_name = "NAME,NAME",
        value_delimiter = ',',
        default_value = "ours,thesis,direct,gradients"
    )]
    pub algorithms: Vec<Algorithm>,
    /// Repeat everything exactly so often [default: until medians are known to 2 %, or time is up]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub repetitions: Option<u16>,
    /// About how long the whole may take
    #[arg(long, value_name = "S", default_value_t = 120,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub seconds: u32,
    /// Ask how many cores it takes to be done within so many milliseconds
    #[arg(long, value_name = "MS", default_value_t = 100.0, value_parser = positive)]
    pub within: f64,
    /// A running solver-server to measure as well, with the transfer: http://127.0.0.1:PORT, or the file with the
    /// pass of one on another machine
    #[arg(long, value_name = "URL|PASS", value_parser = server)]
    pub server: Option<ServerUrl>,
    /// Show it in a window, with the plots as points come in
    #[arg(long)]
    pub window: bool,
    /// Folder for the report; made if it is not there. Results of an earlier run become results-before.json
    #[arg(long, value_name = "FOLDER", default_value = "palpate-bench")]
    pub out: PathBuf,
}

impl Default for BenchOptions {
    /// What `palpate bench` alone means.
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
    /// Say what got faster or slower from one run to another; fails beyond a threshold
    Compare(CompareRuns),
    /// Measure what the thesis measured and write a page with its figures beside today's
    Reproduce(ReproduceOptions),
}

/// Two runs.
#[derive(Debug, Clone, Args)]
pub struct CompareRuns {
    /// results.json of the earlier run
    pub before: PathBuf,
    /// results.json of the later run
    pub after: PathBuf,
    /// Fail if anything is surely slower, or larger, by more than this
    #[arg(long, value_name = "PERCENT", default_value_t = 10.0, value_parser = not_negative)]
    pub threshold: f64,
}

/// Where the page goes.
#[derive(Debug, Clone, Args)]
pub struct ReproduceOptions {
    /// The page, in Markdown
    #[arg(long, value_name = "FILE", default_value = "thesis-figures.md")]
    pub out: PathBuf,
    /// About how long it may take
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
