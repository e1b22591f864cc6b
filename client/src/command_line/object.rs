//! `palpate object`: things made, looked at, converted, filled.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use objects::Unit;
use objects::generate::GeneratedKind;

use crate::object_file::USUAL_NODES;

pub(super) const OBJECT_EXAMPLES: &str = "\
Files are known by their extensions:
  solids                .obj3 (the thesis' three lists), .msh (Gmsh), .vtu         read and written
                        .node and .ele (TetGen), .vtk, .mesh and .meshb (Medit)    read
  surfaces              .obj, .stl, .glb                                           read and written
                        .ply, .gltf                                                read
A solid that is written to a format of surfaces leaves its skin there. Files are written in metres, unless `convert
--to-unit` says otherwise. What was written is read back and compared before it takes its name.

Examples:
  palpate object new strawberry --nodes 3000            makes strawberry.obj3, coloured
  palpate object info liver.msh                         what is in it, what is wrong with it
  palpate object info liver.msh --picture liver.png
  palpate object convert liver.msh liver.glb            its skin, for other programs
  palpate object solid bunny.stl bunny.obj3 --nodes 5000 --unit mm
  palpate squeeze bunny.obj3 --material liver";

/// What to do with objects.
#[derive(Debug, Clone, Args)]
pub struct ObjectOptions {
    #[command(subcommand)]
    pub command: ObjectCommand,
}

#[derive(Debug, Clone, Subcommand)]
pub enum ObjectCommand {
    /// Make a thing by formula: cube, sphere, strawberry, toothpaste
    #[command(after_help = NEW_EXAMPLES)]
    New(NewObject),
    /// Say what is in a file, what is wrong with it and what was done about it
    #[command(after_help = INFO_EXAMPLES)]
    Info(ObjectInfo),
    /// Write the object of one file to another, in its format
    #[command(after_help = CONVERT_EXAMPLES)]
    Convert(ConvertObject),
    /// Fill a closed surface with tetrahedra, so that it can be squeezed
    #[command(after_help = SOLID_EXAMPLES)]
    Solid(FillSurface),
}

const NEW_EXAMPLES: &str = "\
Things have the sizes of real ones: cube 6 cm, sphere 7 cm, strawberry 7.5 cm (a giant, so that five fingers find
room), toothpaste 14 cm. A cube has as many nodes as the nearest third power.

Examples:
  palpate object new cube                               cube.obj3, 1000 nodes
  palpate object new toothpaste --nodes 20000 tube.vtu  to look at elsewhere, with its colours
  palpate object new strawberry berry.glb               only the skin";

const INFO_EXAMPLES: &str = "\
Whatever is wrong is said with its count, the first offenders by their places in the file (from 0), and what was
done about it: turned round, left out, joined, kept. What cannot be used is refused, with the reason, and the
command fails. With --json the same goes to scripts; a file that cannot even be read is
{\"usable\": false, \"error\": \"...\"}, and the command fails as well.

Examples:
  palpate object info part.stl --unit in
  palpate object info part.msh --json | jq .quality.smallest_angle_deg";

const CONVERT_EXAMPLES: &str = "\
Everything that the new format can hold is kept to the last bit: single precision in .stl and .glb, double in the
others; colours in .obj3, .vtu, .obj and .glb; other values at nodes and elements in .vtu, as floating-point numbers
of double precision. What is lost is said.

Examples:
  palpate object convert old.vtk new.msh
  palpate object convert strawberry.obj3 strawberry.glb
  palpate object convert liver.msh liver.stl --to-unit mm       as programs for printers expect it
  palpate object convert part.mesh part.obj3 --unit mm --join";

const SOLID_EXAMPLES: &str = "\
The surface should be closed; small holes, triangles that are turned round and parts that run through each other do
no harm. Tetrahedra are small along the surface and larger inside. How far the new skin is from the surface is
measured in both directions and printed; what is smaller than a cell is rounded off, so more nodes mean a finer
skin. Ctrl+C ends it, and nothing is written.

Examples:
  palpate object solid bunny.stl bunny.obj3
  palpate object solid heart.ply heart.vtu --nodes 20000 --unit cm";

/// What to make.
#[derive(Debug, Clone, Args)]
pub struct NewObject {
    /// cube, sphere, strawberry or toothpaste
    #[arg(value_name = "KIND")]
    pub kind: GeneratedKind,
    /// Where it goes [default: KIND.obj3]
    #[arg(value_name = "OUT")]
    pub out: Option<PathBuf>,
    /// About how many nodes: 8 to 200 000 for a cube, 50 to 200 000 for the others
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub nodes: u32,
    #[command(flatten)]
    pub existing: ReplaceFlag,
}

/// What to look at.
#[derive(Debug, Clone, Args)]
pub struct ObjectInfo {
    /// An object
    pub file: PathBuf,
    #[command(flatten)]
    pub unit: UnitFlag,
    /// As JSON, for scripts
    #[arg(long)]
    pub json: bool,
    /// Draw it into this file as well
    #[arg(long, value_name = "FILE.png")]
    pub picture: Option<PathBuf>,
    #[command(flatten)]
    pub existing: ReplaceFlag,
}

/// What to convert.
#[derive(Debug, Clone, Args)]
pub struct ConvertObject {
    /// An object
    #[arg(value_name = "IN")]
    pub from: PathBuf,
    /// Where it goes; the extension says the format
    #[arg(value_name = "OUT")]
    pub to: PathBuf,
    #[command(flatten)]
    pub unit: UnitFlag,
    /// What the new file's numbers count: mm, cm, m or in, for programs that expect something else than metres
    #[arg(long, value_name = "UNIT", default_value = "m")]
    pub to_unit: Unit,
    /// Make one node of those in the same place; later nodes get other numbers
    #[arg(long)]
    pub join: bool,
    #[command(flatten)]
    pub existing: ReplaceFlag,
}

/// What to fill.
#[derive(Debug, Clone, Args)]
pub struct FillSurface {
    /// A closed surface of triangles
    #[arg(value_name = "SURFACE")]
    pub from: PathBuf,
    /// Where the solid goes: .obj3, .msh or .vtu
    #[arg(value_name = "OUT")]
    pub to: PathBuf,
    /// About how many nodes
    #[arg(long, value_name = "N", default_value_t = USUAL_NODES,
          value_parser = clap::value_parser!(u32).range(50..=500_000))]
    pub nodes: u32,
    #[command(flatten)]
    pub unit: UnitFlag,
    #[command(flatten)]
    pub existing: ReplaceFlag,
}

/// What a file's numbers count.
#[derive(Debug, Clone, Copy, Args)]
pub struct UnitFlag {
    /// What the file's numbers count: mm, cm, m or in [default: as the format has it, or guessed from the size]
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<Unit>,
}

/// Whether files may be replaced.
#[derive(Debug, Clone, Copy, Args)]
pub struct ReplaceFlag {
    /// Replace a file that is there already
    #[arg(long)]
    pub replace: bool,
}
