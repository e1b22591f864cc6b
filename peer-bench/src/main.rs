//! `peer-bench`: compares the solver with other solvers and with the limits of the machine, the
//! drivers with the lines that they read, and a calibration's fit with a frame.
//!
//! - `load`: factor and columns, compared with other solvers; `frame`: one frame, compared with a
//!   plain loop;
//! - `closed_loop`: from touch to frame through a server, compared with the bare socket;
//! - `fairness`: frames beside the preparation of another object, compared with frames alone;
//! - `flex`: a pressed body beside MuJoCo's flex;
//! - `thesis`: compared with the dense inverse of 1998; `meshing`: from a surface to a solid;
//! - `devices`: the drivers; `calibration`: the fit;
//! - `case`: the objects that are measured; `peer`: another solver in its own process.
//!
//! Machines are noisy: everything that is compared is measured alternately in one run, and only the
//! ratios count. `cargo xtask bench` sets up the peers and starts this program.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool prints")]

mod calibration;
mod case;
mod closed_loop;
mod devices;
mod fairness;
mod flex;
mod frame;
mod load;
mod meshing;
mod peer;
mod thesis;

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use benchmark::Body;

/// Measure the solver and the drivers. All times are wall-clock; a ratio above 1 means that our
/// solver is faster.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Arguments {
    /// Parts to measure
    #[arg(
        value_enum,
        default_values_t = [
            Part::Load,
            Part::Frame,
            Part::Loop,
            Part::Fairness,
            Part::Flex,
            Part::Thesis,
            Part::Devices,
            Part::Calibration,
            Part::Meshing,
        ]
    )]
    parts: Vec<Part>,
    /// Sizes in nodes, separated by commas
    #[arg(long, value_delimiter = ',', default_values_t = [270, 1000, 5000, 20_000])]
    nodes: Vec<usize>,
    /// Bodies, separated by commas
    #[arg(long, value_delimiter = ',', default_values_t = [Body::Sphere, Body::Blob])]
    bodies: Vec<Body>,
    /// Number of threads, for our solver and for the peers
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Factor on the usual number of rounds
    #[arg(long, default_value_t = 1.0)]
    rounds: f64,
    /// Python interpreters that can import MKL; each gives two peers, with usual and with tuned
    /// settings
    #[arg(long, value_name = "PYTHON")]
    mkl: Vec<PathBuf>,
    /// A Python interpreter on a system with CHOLMOD
    #[arg(long, value_name = "PYTHON")]
    cholmod: Option<PathBuf>,
    /// A Python interpreter that can import MuJoCo
    #[arg(long, value_name = "PYTHON")]
    flex: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// From the assembled matrix to the factor, and the columns of 15 nodes, compared with other
    /// direct solvers
    Load,
    /// One frame, compared with a plain loop over the same numbers
    Frame,
    /// Touch to frame through a solver-server, compared with the bare socket
    Loop,
    /// Frames of one object alone, and beside the preparation of a large one
    Fairness,
    /// A body that a fingertip presses, compared with MuJoCo's flex
    Flex,
    /// Compared with the dense inverse of the thesis
    Thesis,
    /// The drivers: decoding compared with the line, and the age of samples of emulated devices
    Devices,
    /// The fit of a full calibration, compared with a frame of the screen and plain least squares
    Calibration,
    /// From a surface of triangles to a solid
    Meshing,
}

/// The same allocator as in the measured programs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    println!(
        "{} threads on {} cores; times in ms, the least of all rounds; ratios: of the least \
         times, and in brackets the median of the rounds",
        arguments.threads,
        std::thread::available_parallelism()?
    );
    each(&arguments.parts, |part| match part {
        Part::Load => load::measure(&arguments),
        Part::Frame => frame::measure(&arguments),
        Part::Loop => closed_loop::measure(&arguments),
        Part::Fairness => fairness::measure(&arguments),
        Part::Flex => flex::measure(&arguments),
        Part::Thesis => thesis::measure(&arguments),
        Part::Devices => devices::measure(&arguments),
        Part::Calibration => calibration::measure(&arguments),
        Part::Meshing => meshing::measure(&arguments),
    })
}

/// Measures every part. A part that fails does not end the others; at the end the error names those
/// that failed.
fn each(parts: &[Part], measure: impl Fn(Part) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let mut failed = Vec::new();
    for part in parts {
        if let Err(error) = measure(*part) {
            let name =
                part.to_possible_value().expect("every part has a name").get_name().to_owned();
            eprintln!("warning: {name}: {error:#}");
            failed.push(name);
        }
    }
    anyhow::ensure!(failed.is_empty(), "could not be measured: {}", failed.join(", "));
    Ok(())
}

impl Arguments {
    /// All bodies in all sizes.
    fn cases(&self) -> impl Iterator<Item = anyhow::Result<case::Case>> {
        self.bodies.iter().flat_map(|body| self.nodes.iter().map(|n| case::Case::new(*body, *n)))
    }

    /// Number of rounds for a size: more for small objects.
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

/// A thread pool like the solver's.
fn pool(threads: usize) -> anyhow::Result<rayon::ThreadPool> {
    Ok(rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("bench-{i}"))
        .build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_cannot_be_measured_does_not_end_the_others() {
        let measured = std::cell::RefCell::new(Vec::new());
        let parts = [Part::Load, Part::Frame, Part::Meshing];
        let error = each(&parts, |part| {
            measured.borrow_mut().push(part);
            anyhow::ensure!(part != Part::Frame, "no solver-server");
            Ok(())
        });
        assert_eq!(error.expect_err("one fails").to_string(), "could not be measured: frame");
        assert_eq!(*measured.borrow(), parts);
    }
}
