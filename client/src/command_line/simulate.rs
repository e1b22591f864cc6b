//! `palpate simulate`: the scenario and its results.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::material::MaterialsFile;
use super::picture::PictureSize;
use super::replace::ReplaceFlag;

pub(super) const SIMULATE_EXAMPLES: &str = "\
A scenario is a text file (TOML) with an object and shapes that touch it: spheres, cylinders, boxes and planes,
each with friction, a soft pad and a path over time. The object is glued below or free; free objects have weight
and inertia: they fall, slide, roll, and are lifted by friction. Units are metres, kilograms, seconds, newtons.

The result is a table (CSV). Each step has a row for each shape and a row for the body:
  shape   force on the body and moment about the shape's origin, area in contact, number of points, share of them
          that stick, depth below the skin at rest, slip speed
  body    pose of its centre of mass, velocity, energies, work of the shapes, sweeps and residual of the solver
docs/reference/scenario.md lists all keys and columns; docs/guide/simulate.md goes through an example.

Examples:
  palpate simulate --example indent > indent.toml       a scenario to start from
  palpate simulate indent.toml --out indent.csv
  palpate simulate indent.toml --out indent.csv --replace --picture end.png
  palpate simulate pinch.toml --out pinch.csv --pictures frames --picture-every 0.02";

/// Options of `palpate simulate`.
#[derive(Debug, Clone, Args)]
pub struct SimulateOptions {
    /// The scenario
    #[arg(value_name = "SCENARIO.toml", required_unless_present = "example")]
    pub scenario: Option<PathBuf>,
    /// Print a scenario to start from, and do nothing else
    #[arg(long, value_name = "NAME", conflicts_with = "scenario")]
    pub example: Option<ScenarioName>,
    /// File for the result [default: standard output]
    #[arg(long, value_name = "RESULT.csv")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub existing: ReplaceFlag,
    /// Draw the last moment
    #[arg(long, value_name = "FILE.png")]
    pub picture: Option<PathBuf>,
    /// Draw moments into this folder: 00001.png, 00002.png, ...
    #[arg(long, value_name = "FOLDER")]
    pub pictures: Option<PathBuf>,
    /// Time between two of these pictures, in seconds
    #[arg(long, value_name = "S", default_value_t = 0.04, value_parser = seconds)]
    pub picture_every: f64,
    /// Width and height of pictures, in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x960")]
    pub size: PictureSize,
    #[command(flatten)]
    pub materials: MaterialsFile,
}

/// Scenarios that the program prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScenarioName {
    /// A fingertip presses a glued soft block
    Indent,
    /// Two jaws pinch a cube and lift it by friction
    Pinch,
    /// A block slides on a table until friction stops it
    Slide,
    /// A ball rolls between two plates
    Roll,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds > 0.0 => Ok(seconds),
        Ok(_) | Err(_) => Err("expected a positive number of seconds".to_owned()),
    }
}
