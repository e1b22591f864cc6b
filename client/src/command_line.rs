//! What can be asked of `palpate`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use engine::ServerUrl;

/// Squeeze virtual things with an instrumented glove.
///
/// Without a glove on the desk, an emulated one (a real serial peer on a pseudo-terminal) reaches for a
/// soft cube, squeezes it and lets go.
#[derive(Debug, Parser)]
#[command(name = "palpate", version, args_conflicts_with_subcommands = true)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub squeeze: Squeeze,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Squeeze an object (what happens without a command, too)
    #[command(after_help = SQUEEZE_EXAMPLES)]
    Squeeze(Box<Squeeze>),
    /// Solve one touch of an object file, for scripts
    #[command(after_help = SOLVE_EXAMPLE)]
    Solve(Solve),
    /// Start an emulated device on a pseudo-terminal, print its path, and serve until Ctrl+C
    #[command(after_help = EMULATE_EXAMPLES)]
    Emulate(Emulate),
}

const SQUEEZE_EXAMPLES: &str = "\
Examples:
  palpate squeeze                                   in a window, with emulated devices
  palpate squeeze --headless                        without one: a summary and four pictures
  palpate squeeze --glove /dev/ttyUSB0 --tracker /dev/ttyUSB1
  palpate squeeze --server http://127.0.0.1:50551   solved by a solver-server";

const SOLVE_EXAMPLE: &str = "\
TOUCH.json holds what is known; null leaves a component free, lengths are metres. Nodes count from 0 in
the order of their lines in the mesh file, whatever numbers the file gives them; so do elements:
  {\"supports\": [0, 1, 2], \"known\": [{\"node\": 7, \"displacement\": [0, 0, -0.001]},
                                     {\"node\": 8, \"displacement\": [0.002, null, null]}]}

The result holds displacements (every node), reactions (node and force, N), strain_energy (J), residual
(largest force at a free node, as a share of the largest reaction), threads and seconds for each stage;
with --stress also stresses (each element: xx, yy, zz, yz, xz, xy, in Pa).
Supports never move and must hold their body by themselves: three nodes that are not in line. Fewer
nodes that only help to hold it go under known, with zeros. Reactions list known nodes, then supports.
An object may have several bodies; those that nothing touches stay where they are. The least motion of a
loose body is the one without the free motion, as seen from the mean of the touched nodes.

Meshes: Gmsh 2.2 ASCII (.msh) with four-node tetrahedra, or three lists (.obj3): a line \"vertices N\" and
N lines x y z, then \"elements M\" and M lines of four vertices, counted from 0.

Examples:
  palpate solve liver.msh --young 5000 --poisson 0.45 --touch touch.json --out result.json
  palpate solve liver.msh ... --server http://127.0.0.1:50551   on a solver-server
  palpate solve liver.msh ... --algorithm invert --threads 1    as in 1998: takes n^3 operations";

const EMULATE_EXAMPLES: &str = "\
The device repeats a scripted grasp. Emulators of different processes keep step, so that a glove and
a tracker started by themselves still make one hand.

Example, in three terminals:
  palpate emulate glove          prints, say, /dev/pts/4
  palpate emulate tracker        prints, say, /dev/pts/5
  palpate squeeze --glove /dev/pts/4 --tracker /dev/pts/5";

/// How to squeeze, and what.
#[derive(Debug, Clone, Args)]
pub struct Squeeze {
    /// Serial port of the CyberGlove, or `emulated`
    #[arg(long, value_name = "PORT", default_value = "emulated")]
    pub glove: Source,
    /// Serial port of the FASTRAK, or `emulated`
    #[arg(long, value_name = "PORT", default_value = "emulated")]
    pub tracker: Source,
    /// Line speed of the glove's port
    #[arg(long, value_name = "BAUD", default_value_t = 115_200,
          value_parser = clap::value_parser!(u32).range(300..=4_000_000))]
    pub glove_baud: u32,
    /// Line speed of the tracker's port
    #[arg(long, value_name = "BAUD", default_value_t = 115_200,
          value_parser = clap::value_parser!(u32).range(300..=4_000_000))]
    pub tracker_baud: u32,
    /// Solve on this solver-server instead of in this process
    #[arg(long, value_name = "URL")]
    pub server: Option<ServerUrl>,
    /// Threads to solve on in this process [default: one per core]
    #[arg(long, value_name = "N", conflicts_with = "server",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Fineness of the cube: cells along an edge. A fingertip holds one node, so a finer cube yields more
    /// easily to it; 30 take some ten seconds to prepare
    #[arg(long, value_name = "N", default_value_t = 6, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u16).range(2..=40))]
    pub cells: u16,
    /// Young's modulus of the cube, in Pa
    #[arg(long, value_name = "PA", default_value_t = 10_000.0, allow_negative_numbers = true)]
    pub young: f64,
    /// Poisson's ratio of the cube
    #[arg(long, value_name = "NU", default_value_t = 0.4, allow_negative_numbers = true)]
    pub poisson: f64,
    /// Write everything that happens to this file, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Run without a window (what happens without a display, too)
    #[arg(long)]
    pub headless: bool,
    /// Without a window: where the pictures of the key moments go
    #[arg(long, value_name = "DIR", default_value = "palpate-run")]
    pub pictures: PathBuf,
    /// Without a window: end after this many grasps
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub grasps: u64,
    /// Without a window: end after this many seconds at the latest
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub seconds: u32,
}

/// Where a device is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Emulated,
    Port(String),
}

impl FromStr for Source {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "" => Err("expected a serial port such as /dev/ttyUSB0, or `emulated`"),
            "emulated" => Ok(Self::Emulated),
            path => Ok(Self::Port(path.to_owned())),
        }
    }
}

/// What to solve.
#[derive(Debug, Clone, Args)]
pub struct Solve {
    /// A mesh of tetrahedra: Gmsh 2.2 (.msh) or three lists (.obj3), in metres
    pub object: PathBuf,
    /// Young's modulus, in Pa
    #[arg(long, value_name = "PA", allow_negative_numbers = true)]
    pub young: f64,
    /// Poisson's ratio
    #[arg(long, value_name = "NU", allow_negative_numbers = true)]
    pub poisson: f64,
    /// Supports and known displacements, as JSON
    #[arg(long, value_name = "TOUCH.json")]
    pub touch: PathBuf,
    /// Threads to solve on in this process [default: one per core]
    #[arg(long, value_name = "N", conflicts_with = "server",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Solve on this solver-server instead of in this process
    #[arg(long, value_name = "URL")]
    pub server: Option<ServerUrl>,
    /// How to solve: where both can answer, they give the same
    #[arg(long, value_name = "NAME", default_value = "factorise")]
    pub algorithm: SolveAlgorithm,
    /// If what is known leaves the object loose, answer with the least motion instead of refusing
    #[arg(long)]
    pub least_motion: bool,
    /// Find the stress in each element as well
    #[arg(long)]
    pub stress: bool,
    /// Memory for the factorised stiffness (or the inverse) in this process
    #[arg(long, value_name = "MB", default_value_t = 6000, conflicts_with = "server")]
    pub memory: u32,
    /// Where the result goes [default: standard output]
    #[arg(long, value_name = "RESULT.json")]
    pub out: Option<PathBuf>,
}

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SolveAlgorithm {
    /// Factorise the sparse stiffness, then a small system
    Factorise,
    /// Invert the dense stiffness with Gauss-Jordan elimination, as the thesis did: for comparison
    Invert,
}

/// Which device to emulate.
#[derive(Debug, Clone, Args)]
pub struct Emulate {
    /// Which device
    pub device: EmulatedDevice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmulatedDevice {
    /// A CyberGlove with 22 sensors, on a right hand
    Glove,
    /// A Polhemus FASTRAK with one station
    Tracker,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn flags_work_with_and_without_the_command() {
        for line in ["palpate --headless --grasps 3", "palpate squeeze --headless --grasps 3"] {
            let parsed = CommandLine::try_parse_from(line.split(' ')).unwrap();
            let squeeze = match parsed.command {
                Some(Command::Squeeze(squeeze)) => *squeeze,
                Some(Command::Emulate(_) | Command::Solve(_)) => panic!("{line}"),
                None => parsed.squeeze,
            };
            assert!(squeeze.headless && squeeze.grasps == 3);
        }
    }

    #[test]
    fn a_server_elsewhere_is_refused() {
        let line = ["palpate", "--server", "http://192.0.2.1:50551"];
        let error = CommandLine::try_parse_from(line).unwrap_err().to_string();
        assert!(error.contains("loopback"), "{error}");
    }
}
