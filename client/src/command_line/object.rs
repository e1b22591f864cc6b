//! `palpate object`: options for making, checking, converting and filling objects.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use objects::Unit;
use objects::generate::GeneratedKind;

use super::replace::ReplaceFlag;
use crate::object_file::USUAL_NODES;

pub(super) const OBJECT_EXAMPLES: &str = "\
The extension of a file gives its format:
  solids                .obj3 (the thesis' three lists), .msh (Gmsh), .vtu         read and written
                        .node and .ele (TetGen), .vtk, .mesh and .meshb (Medit)    read
  surfaces              .obj, .stl, .glb                                           read and written
                        .ply, .gltf                                                read
A surface format keeps only the skin of a solid. Files are written in metres unless `convert --to-unit` names
another unit. Each new file is read back and compared before it gets its name.

Examples:
  palpate object new strawberry --nodes 3000            makes strawberry.obj3, coloured
  palpate object info liver.msh                         contents and defects
  palpate object info liver.msh --picture liver.png
  palpate object convert liver.msh liver.glb            the skin, for other programs
  palpate object solid bunny.stl bunny.obj3 --nodes 5000 --unit mm
  palpate squeeze bunny.obj3 --material liver";

/// Options of `palpate object`.
#[derive(Debug, Clone, Args)]
pub struct ObjectOptions {
    #[command(subcommand)]
    pub command: ObjectCommand,
}

#[derive(Debug, Clone, Subcommand)]
pub enum ObjectCommand {
    /// Make an object: cube, sphere, strawberry, toothpaste
    #[command(after_help = NEW_EXAMPLES)]
    New(NewObject),
    /// Show the contents of a file, its defects and their repairs
    #[command(after_help = INFO_EXAMPLES)]
    Info(ObjectInfo),
    /// Write an object to a file of another format
    #[command(after_help = CONVERT_EXAMPLES)]
    Convert(ConvertObject),
    /// Fill a closed surface with tetrahedra, so that it can be squeezed
    #[command(after_help = SOLID_EXAMPLES)]
    Solid(FillSurface),
}

const NEW_EXAMPLES: &str = "\
Objects are about as large as real ones: cube 6 cm, sphere 7 cm, strawberry 7.5 cm (large, so that five fingers
fit), toothpaste 14 cm. The number of nodes of a cube is rounded to the nearest cube number.

Examples:
  palpate object new cube                               cube.obj3, 1000 nodes
  palpate object new toothpaste --nodes 20000 tube.vtu  for other programs, with its colours
  palpate object new strawberry berry.glb               only the skin";

const INFO_EXAMPLES: &str = "\
Each kind of defect is listed with its count, the positions of the first few in the file (counted from 0), and the
repair: turned round, left out, joined, kept. If an object cannot be used, the command prints the reason and
fails. --json prints the same for scripts; for a file that cannot be read it prints
{\"usable\": false, \"error\": \"...\"} and fails too.

Examples:
  palpate object info part.stl --unit in
  palpate object info part.msh --json | jq .quality.smallest_angle_deg";

const CONVERT_EXAMPLES: &str = "\
All data that the new format can hold are kept exactly: positions in single precision in .stl and .glb, in double
precision in the others; colours in .obj3, .vtu, .obj and .glb; other values at nodes and elements in .vtu, in
double precision. The command lists what is lost.

Examples:
  palpate object convert old.vtk new.msh
  palpate object convert strawberry.obj3 strawberry.glb
  palpate object convert liver.msh liver.stl --to-unit mm       for 3D printing
  palpate object convert part.mesh part.obj3 --unit mm --join";

const SOLID_EXAMPLES: &str = "\
The surface should be closed; small holes, inverted triangles and parts that intersect do no harm. Tetrahedra are
small along the surface and larger inside. The command measures the distance between the new skin and the surface
in both directions and prints it. Details smaller than a cell are rounded off, so more nodes give a finer skin.
Ctrl+C stops the command; no file is written then.

Examples:
  palpate object solid bunny.stl bunny.obj3
  palpate object solid heart.ply heart.vtu --nodes 20000 --unit cm";

/// Options of `palpate object new`.
#[derive(Debug, Clone, Args)]
pub struct NewObject {
    /// cube, sphere, strawberry or toothpaste
    #[arg(value_name = "KIND")]
    pub kind: GeneratedKind,
    /// File to write [default: KIND.obj3]
    #[arg(value_name = "OUT")]
    pub out: Option<PathBuf>,
    /// Approximate number of nodes: 8 to 200 000 for a cube, 50 to 200 000 for the others
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub nodes: u32,
    #[command(flatten)]
    pub existing: ReplaceFlag,
}

/// Options of `palpate object info`.
#[derive(Debug, Clone, Args)]
pub struct ObjectInfo {
    /// File of the object
    pub file: PathBuf,
    #[command(flatten)]
    pub unit: UnitFlag,
    /// Print JSON, for scripts
    #[arg(long)]
    pub json: bool,
    /// Draw a picture of the object into this file as well
    #[arg(long, value_name = "FILE.png")]
    pub picture: Option<PathBuf>,
    #[command(flatten)]
    pub existing: ReplaceFlag,
}

/// Options of `palpate object convert`.
#[derive(Debug, Clone, Args)]
pub struct ConvertObject {
    /// File of the object
    #[arg(value_name = "IN")]
    pub from: PathBuf,
    /// File to write; its extension gives the format
    #[arg(value_name = "OUT")]
    pub to: PathBuf,
    #[command(flatten)]
    pub unit: UnitFlag,
    /// Unit of the new file: mm, cm, m or in
    #[arg(long, value_name = "UNIT", default_value = "m")]
    pub to_unit: Unit,
    /// Merge nodes at the same position; later nodes are renumbered
    #[arg(long)]
    pub join: bool,
    #[command(flatten)]
    pub existing: ReplaceFlag,
}

/// Options of `palpate object solid`.
#[derive(Debug, Clone, Args)]
pub struct FillSurface {
    /// A closed surface of triangles
    #[arg(value_name = "SURFACE")]
    pub from: PathBuf,
    /// File for the solid: .obj3, .msh or .vtu
    #[arg(value_name = "OUT")]
    pub to: PathBuf,
    /// Approximate number of nodes
    #[arg(long, value_name = "N", default_value_t = USUAL_NODES,
          value_parser = clap::value_parser!(u32).range(50..=500_000))]
    pub nodes: u32,
    #[command(flatten)]
    pub unit: UnitFlag,
    #[command(flatten)]
    pub existing: ReplaceFlag,
}

/// The unit of a file.
#[derive(Debug, Clone, Copy, Args)]
pub struct UnitFlag {
    /// Unit of the file: mm, cm, m or in [default: the unit of the format, or guessed from the
    /// size]
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<Unit>,
}
