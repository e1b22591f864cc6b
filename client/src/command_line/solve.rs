//! `palpate solve`: the object, the touch and the algorithm.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use engine::ServerUrl;
use objects::Unit;

use super::material::MaterialChoice;
use super::replace::ReplaceFlag;
use super::server::server;

pub(super) const SOLVE_EXAMPLE: &str = "\
TOUCH.json holds the known displacements, in metres; null leaves a component free. Nodes are numbered from 0 in
the order of their lines in the mesh file; numbers in the file do not count. Elements are numbered in the same
way, without defective ones; the command lists these:
  {\"supports\": [0, 1, 2], \"known\": [{\"node\": 7, \"displacement\": [0, 0, -0.001]},
                                     {\"node\": 8, \"displacement\": [0.002, null, null]}]}

The result holds displacements (every node), reactions (node and force, N), strain_energy (J), residual
(largest force at a free node, as a share of the largest reaction), threads and seconds for each stage;
with --stress also stresses (each element: xx, yy, zz, yz, xz, xy, in Pa; other than in a .vtu).
Supports never move and must fix their body completely: at least three nodes that are not in line. List fewer
fixed nodes under known, with zeros. Reactions list known nodes first, then supports.
An object may have several bodies; untouched bodies stay in place. The least motion of a loose body contains no
free rigid motion about the mean of its touched nodes.

A result that ends in .vtu holds the mesh with displacement, reaction and stress as fields, for ParaView and
similar programs. Its stress is in VTK's order, xx, yy, zz, xy, yz, xz; the file names the components. The
simplest mesh file is .obj3: a line \"vertices N\" and N lines x y z, then \"elements M\" and M lines of four
vertex numbers, counted from 0.

Examples:
  palpate solve liver.msh --young 5000 --poisson 0.45 --touch touch.json --out result.json
  palpate solve liver.msh --material liver --unit mm --touch touch.json --out result.vtu
  palpate solve liver.msh ... --server http://127.0.0.1:50551   on a solver-server
  palpate solve liver.msh ... --algorithm invert --threads 1    as in the thesis of 1998: n^3 operations";

/// Options of `palpate solve`.
#[derive(Debug, Clone, Args)]
pub struct SolveOptions {
    /// A mesh of tetrahedra, in any format that `palpate object --help` lists
    pub object: PathBuf,
    /// Unit of the mesh file: mm, cm, m or in [default: the unit of the file or its format, or m;
    /// this command never guesses from the size]
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
    /// Solve on this solver-server instead of in this process: http://127.0.0.1:PORT, or the pass
    /// file of a server on another machine
    #[arg(long, value_name = "URL|PASS", value_parser = server)]
    pub server: Option<ServerUrl>,
    /// Algorithm; both give the same result
    #[arg(long, value_name = "NAME", default_value = "factorise")]
    pub algorithm: SolveAlgorithm,
    /// If the known nodes leave the object loose, return the least motion instead of an error;
    /// `supports` must be empty then
    #[arg(long)]
    pub least_motion: bool,
    /// Compute the stress in each element as well
    #[arg(long)]
    pub stress: bool,
    /// Memory for the factorised stiffness (or the inverse) in this process, in MB
    #[arg(long, aliases = ["memory", "max-memory"], value_name = "MB", default_value_t = 6000,
          conflicts_with = "server")]
    pub memory_mb: u32,
    /// File for the result: .json, or .vtu with fields [default: standard output]
    #[arg(long, value_name = "RESULT")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub existing: ReplaceFlag,
}

/// Algorithms of `palpate solve`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SolveAlgorithm {
    /// Factorise the sparse stiffness, then solve a small system
    Factorise,
    /// Invert the dense stiffness with Gauss-Jordan elimination, as in the thesis; for comparison
    Invert,
}
