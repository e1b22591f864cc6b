//! `peer-bench`: how fast the solver is, beside other solvers and beside what the machine could do;
//! how fast the drivers are, beside the lines that they read; and how long a calibration's fit
//! takes, beside a frame.
//!
//! - `load`: factor and columns, beside other solvers; `frame`: one frame, beside a plain loop;
//! - `closed_loop`: from touch to frame through a server, beside the bare socket;
//! - `thesis`: beside the dense inverse of 1998; `meshing`: from a surface to a solid;
//! - `devices`: the drivers; `calibration`: the fit;
//! - `case`: the objects that are measured; `peer`: another solver in a process of its own.
//!
//! Machines are noisy: what is compared is measured in turn within one run, and what counts are the
//! ratios. `cargo xtask bench` sets up the peers and starts this.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool talks to the person who started it"
)]

mod calibration;
mod case;
mod closed_loop;
mod devices;
mod frame;
mod load;
mod meshing;
mod peer;
mod thesis;

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use benchmark::Body;

/// Measure the solver and the drivers. All times are wall-clock; a ratio above 1 means that ours is faster.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Arguments {
    /// What to measure
    #[arg(value_enum, default_values_t = [Part::Load, Part::Frame, Part::Loop, Part::Thesis, Part::Devices, Part::Calibration, Part::Meshing])]
    parts: Vec<Part>,
    /// Sizes in nodes, separated by commas
    #[arg(long, value_delimiter = ',', default_values_t = [270, 1000, 5000, 20_000])]
    nodes: Vec<usize>,
    /// Bodies, separated by commas
    #[arg(long, value_delimiter = ',', default_values_t = [Body::Sphere, Body::Blob])]
    bodies: Vec<Body>,
    /// Threads, for us and for the peers
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Rounds, times what is usual for a size
    #[arg(long, default_value_t = 1.0)]
    rounds: f64,
    /// Python interpreters that can import MKL; each is one peer, in its usual and its tuned setting
    #[arg(long, value_name = "PYTHON")]
    mkl: Vec<PathBuf>,
    /// A Python interpreter on a system with CHOLMOD
    #[arg(long, value_name = "PYTHON")]
    cholmod: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// From the assembled matrix to the factor, and the columns of 15 nodes, beside other direct solvers
    Load,
    /// One frame, beside a plain loop over the same numbers
    Frame,
    /// Touch to frame through a solver-server, beside the bare socket
    Loop,
    /// Beside the dense inverse of the thesis
    Thesis,
    /// The drivers: decoding beside what a line delivers, and the age of samples of emulated devices
    Devices,
    /// The fit of a full calibration, beside a frame of the screen and a plain least-squares solve
    Calibration,
    /// From a surface of triangles to a solid
    Meshing,
}

/// As in the programs that are measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    println!(
        "{} threads on {} cores; times in ms, the least of all rounds; ratios: of the least times, and \
         in brackets the median of the rounds",
        arguments.threads,
        std::thread::available_parallelism()?
    );
    for part in &arguments.parts {
        match part {
            Part::Load => load::measure(&arguments)?,
            Part::Frame => frame::measure(&arguments)?,
            Part::Loop => closed_loop::measure(&arguments)?,
            Part::Thesis => thesis::measure(&arguments)?,
            Part::Devices => devices::measure(&arguments)?,
            Part::Calibration => calibration::measure(&arguments)?,
            Part::Meshing => meshing::measure(&arguments)?,
        }
    }
    Ok(())
}

impl Arguments {
    /// Every body in every size.
    fn cases(&self) -> impl Iterator<Item = anyhow::Result<case::Case>> {
        self.bodies.iter().flat_map(|body| self.nodes.iter().map(|n| case::Case::new(*body, *n)))
    }

    /// More rounds for what is quick.
    fn rounds(&self, n_nodes: usize) -> usize {
        let usual = match n_nodes {
            0..2_000 => 40,
            2_000..10_000 => 12,
            10_000..50_000 => 4,
            _ => 1,
        };
        ((self.rounds * f64::from(usual)) as usize).max(1)
    }
}

/// A pool like the solver's.
fn pool(threads: usize) -> anyhow::Result<rayon::ThreadPool> {
    Ok(rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("bench-{i}"))
        .build()?)
}
