//! `palpate solve`: what to solve, and how.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use engine::ServerUrl;
use objects::Unit;

use super::material::MaterialChoice;
use super::object::ReplaceFlag;
use super::server::server;

pub(super) const SOLVE_EXAMPLE: &str = "\
TOUCH.json holds what is known; null leaves a component free, lengths are metres. Nodes count from 0 in
the order of their lines in the mesh file, whatever numbers the file gives them; so do elements, less those that
are left out, which is said:
  {\"supports\": [0, 1, 2], \"known\": [{\"node\": 7, \"displacement\": [0, 0, -0.001]},
                                     {\"node\": 8, \"displacement\": [0.002, null, null]}]}

The result holds displacements (every node), reactions (node and force, N), strain_energy (J), residual
(largest force at a free node, as a share of the largest reaction), threads and seconds for each stage;
with --stress also stresses (each element: xx, yy, zz, yz, xz, xy, in Pa; other than in a .vtu).
Supports never move and must hold their body by themselves: three nodes that are not in line. Fewer
nodes that only help to hold it go under known, with zeros. Reactions list known nodes, then supports.
An object may have several bodies; those that nothing touches stay where they are. The least motion of a
loose body is the one without the free motion, as seen from the mean of the touched nodes.

A result that ends in .vtu holds the mesh with displacement, reaction and stress as fields, for ParaView and the
like; its stress is in VTK's order, xx, yy, zz, xy, yz, xz, and the file names the components. The simplest mesh
file is .obj3: a line \"vertices N\" and N lines x y z, then \"elements M\" and M lines of four vertices, counted
from 0.

Examples:
  palpate solve liver.msh --young 5000 --poisson 0.45 --touch touch.json --out result.json
  palpate solve liver.msh --material liver --unit mm --touch touch.json --out result.vtu
  palpate solve liver.msh ... --server http://127.0.0.1:50551   on a solver-server
  palpate solve liver.msh ... --algorithm invert --threads 1    as in 1998: takes n^3 operations";

/// What to solve, and where it goes.
#[derive(Debug, Clone, Args)]
pub struct SolveOptions {
    /// A mesh of tetrahedra, in any format that `palpate object --help` lists
    pub object: PathBuf,
    /// What the mesh file's numbers count: mm, cm, m or in [default: as the file or its format says, else m; never
    /// guessed from the size here]
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<Unit>,
    #[command(flatten)]
    pub material: MaterialChoice,
    /// Supports and known displacements, as JSON
    #[arg(long, value_name = "TOUCH.json")]
    pub touch: PathBuf,
    /// Threads to solve on in this process [default: one per core]
    #[arg(long, value_name = "N", conflicts_with = "server",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Solve on this solver-server instead of in this process: http://127.0.0.1:PORT, or the file with the pass of
    /// one on another machine
    #[arg(long, value_name = "URL|PASS", value_parser = server)]
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
    /// Where the result goes: .json, or .vtu with fields [default: standard output]
    #[arg(long, value_name = "RESULT")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub existing: ReplaceFlag,
}

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SolveAlgorithm {
    /// Factorise the sparse stiffness, then a small system
    Factorise,
    /// Invert the dense stiffness with Gauss-Jordan elimination, as the thesis did: for comparison
    Invert,
}
