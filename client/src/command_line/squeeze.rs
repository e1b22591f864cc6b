//! `palpate squeeze`, `record` and `replay`: devices, object and run.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use engine::ServerUrl;

use super::HandSide;
use super::calibrate::ProfilesFolder;
use super::material::MaterialChoice;
use super::object::UnitFlag;
use super::picture::PictureOptions;
use super::server::server;
use crate::vr::{Stance, WorldPlacement};

pub(super) const SQUEEZE_EXAMPLES: &str = "\
Examples:
  palpate squeeze                                   in a window, with emulated devices
  palpate squeeze strawberry                        taken from two sides
  palpate squeeze strawberry --hand mouse           by yourself, without a glove
  palpate squeeze cube strawberry                   two things, one of them in the hand
  palpate squeeze liver.msh --unit mm --material liver
  palpate squeeze bunny.stl --nodes 3000            a surface, which is filled first
  palpate squeeze --headless                        without one: a summary and four pictures
  palpate squeeze --headless --frames 300 --snapshot now.png --size 1920x1080 --colours stress
  palpate squeeze --vr                              in a headset and in a window
  palpate squeeze --hand openxr                     the same, with bare hands that the headset sees, or its controllers
  palpate squeeze --vr --standing --world-scale 2   at a workbench, things twice as large
  palpate squeeze --glove /dev/ttyUSB0 --tracker /dev/ttyUSB1
  palpate squeeze --glove /dev/ttyUSB0 --second-glove /dev/ttyUSB2 --tracker /dev/ttyUSB1    both hands
  palpate squeeze --second-glove emulated           both hands, emulated
  palpate squeeze --glove-model opengloves --glove /dev/ttyUSB0 --tracker /dev/ttyUSB1
  palpate squeeze --server http://127.0.0.1:50551   solved by a solver-server
  palpate squeeze --rule release=keeps --rule patch=disc    clay, held by whole fingertips
  palpate squeeze --record run.palpate              keeps the whole run for palpate replay

With two gloves, the receiver of the FASTRAK's first station is on the first hand, that of its second station
on the other. `palpate devices` finds out which port has which device.";

pub(super) const RECORD_EXAMPLES: &str = "\
The file holds the raw bytes of all devices with their times. It is safe against a crash at any moment:
what was written before can be replayed. `palpate devices` finds ports and line speeds.

Examples:
  palpate record run.palpate --glove /dev/ttyUSB0 --tracker /dev/ttyUSB1
  palpate record both.palpate --glove /dev/ttyUSB0 --second-glove /dev/ttyUSB2 --tracker /dev/ttyUSB1
  palpate record demo.palpate --seconds 20          of the emulated devices
  palpate replay run.palpate";

pub(super) const REPLAY_EXAMPLES: &str = "\
Examples:
  palpate replay run.palpate                        in a window, as it was
  palpate replay run.palpate --speed 0.25           four times slower
  palpate replay run.palpate --headless --speed 10  a summary and pictures, soon
  palpate replay run.palpate --exact --threads 1    again, to the same bits?
  palpate replay run.palpate --summary              what is in the file
  palpate replay run.palpate --events               every byte, with its time";

/// Of both devices, as they leave their makers.
pub(crate) const USUAL_BAUD: u32 = 115_200;

/// How to squeeze, and what.
#[derive(Debug, Clone, Args)]
pub struct SqueezeOptions {
    /// What is squeezed: cube, sphere, strawberry, toothpaste, or a file of tetrahedra (.msh, .vtu, .mesh, .obj3, ...)
    /// or of a closed surface (.stl, .obj, .ply, .glb, ...). Several stand side by side [default: cube]
    #[arg(value_name = "OBJECT")]
    pub objects: Vec<String>,
    /// Who moves the hand [default: devices]
    #[arg(long, value_name = "WHO", conflicts_with_all =
          ["glove", "tracker", "second_glove", "second_tracker"])]
    pub hand: Option<HandMover>,
    /// Which hand mouse and keys move [default: right]
    #[arg(long, value_name = "SIDE")]
    pub side: Option<HandSide>,
    /// What emulated devices do: flat, fist, pinch, grasp, spread, or a file of keyframes [default: take the thing,
    /// squeeze it and put it back]
    #[arg(long, value_name = "NAME|FILE")]
    pub script: Option<String>,
    #[command(flatten)]
    pub devices: DeviceOptions,
    #[command(flatten)]
    pub second: SecondHand,
    /// Record the run in this file: the devices' bytes, and all that is needed to run it again
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunOptions,
}

impl SqueezeOptions {
    /// Which hand mouse and keys move.
    pub fn side(&self) -> HandSide {
        self.side.unwrap_or(HandSide::Right)
    }
}

/// Who moves a hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HandMover {
    /// Glove and tracker, real or emulated
    Devices,
    /// Mouse and keys, in the window
    Mouse,
    /// Bare hands that a headset sees, through OpenXR, or its controllers, whose triggers close the fingers; shows
    /// the scene in it, as with --vr
    Openxr,
}

/// What to record.
#[derive(Debug, Clone, Args)]
pub struct RecordOptions {
    /// Where the recording goes; one that is there already is not written over
    pub file: PathBuf,
    #[command(flatten)]
    pub devices: DeviceOptions,
    #[command(flatten)]
    pub second: SecondHand,
    /// End after this many seconds [default: at Ctrl+C]
    #[arg(long, value_name = "S")]
    pub seconds: Option<u32>,
    /// Replace a file that is there already
    #[arg(long)]
    pub replace: bool,
}

/// What to replay.
#[derive(Debug, Clone, Args)]
pub struct ReplayOptions {
    /// A recording
    pub file: PathBuf,
    /// What is squeezed instead of what was recorded; may be given several times [default: what was recorded; a
    /// cube if only devices were]
    #[arg(long = "object", value_name = "OBJECT", conflicts_with = "exact")]
    pub objects: Vec<String>,
    /// How many times as fast as it was, from 0.1 to 20
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true,
          value_parser = speed)]
    pub speed: f64,
    /// Run it again as fast as it goes, with the objects and rules that it had, and compare every bit of every
    /// frame with what was recorded
    #[arg(long, conflicts_with_all =
          ["speed", "rules", "material", "young", "poisson", "density", "unit", "cells", "nodes",
           "profile", "trace", "grasps", "seconds", "vr"])]
    pub exact: bool,
    /// Only say what is in the file
    #[arg(long, conflicts_with = "exact")]
    pub summary: bool,
    /// Only print every event of the file, a line each
    #[arg(long, conflicts_with_all = ["summary", "exact"])]
    pub events: bool,
    #[command(flatten)]
    pub run: RunOptions,
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(speed) if (0.1..=20.0).contains(&speed) => Ok(speed),
        Ok(_) | Err(_) => Err("expected a number from 0.1 to 20".to_owned()),
    }
}

/// Where glove and tracker are.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct DeviceOptions {
    /// Serial port of the glove, or `emulated`; needed if a tracker's port is given [default: emulated]
    #[arg(long, value_name = "PORT")]
    pub glove: Option<DeviceSource>,
    /// What kind of glove it is
    #[arg(long, value_name = "MODEL", default_value = "cyberglove")]
    pub glove_model: GloveModel,
    /// Serial port of the FASTRAK, or `emulated`; needed if a glove's port is given [default: emulated]
    #[arg(long, value_name = "PORT")]
    pub tracker: Option<DeviceSource>,
    /// Line speed of the glove's port
    #[arg(long, value_name = "BAUD", default_value_t = USUAL_BAUD,
          value_parser = clap::value_parser!(u32).range(300..=4_000_000))]
    pub glove_baud: u32,
    /// Line speed of the tracker's port
    #[arg(long, value_name = "BAUD", default_value_t = USUAL_BAUD,
          value_parser = clap::value_parser!(u32).range(300..=4_000_000))]
    pub tracker_baud: u32,
}

impl Default for DeviceOptions {
    /// As if nothing were said.
    fn default() -> Self {
        let (glove_baud, tracker_baud) = (USUAL_BAUD, USUAL_BAUD);
        let (glove, tracker) = (None, None);
        Self { glove, glove_model: GloveModel::Cyberglove, tracker, glove_baud, tracker_baud }
    }
}

/// Where the devices of a second hand are, if it has any.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct SecondHand {
    /// Serial port of a glove on the other hand, or `emulated`; of the same kind and line speed as the first
    #[arg(long, value_name = "PORT")]
    pub second_glove: Option<DeviceSource>,
    /// Serial port of a FASTRAK for the other hand, or `emulated` [default: the second station of the first]
    #[arg(long, value_name = "PORT")]
    pub second_tracker: Option<DeviceSource>,
}

/// A kind of glove.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GloveModel {
    /// CyberGlove, 18 or 22 sensors
    Cyberglove,
    /// LucidGloves and others with the OpenGloves encoding
    Opengloves,
}

impl GloveModel {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cyberglove => "cyberglove",
            Self::Opengloves => "opengloves",
        }
    }
}

/// What is squeezed, who solves it, and where it is shown.
#[derive(Debug, Clone, Args)]
pub struct RunOptions {
    /// Whose calibration to use [default: that of nobody in particular]
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    #[command(flatten)]
    pub profiles: ProfilesFolder,
    /// Solve on this solver-server instead of in this process: http://127.0.0.1:PORT, or the file with the pass of
    /// one on another machine
    #[arg(long, value_name = "URL|PASS", value_parser = server)]
    pub server: Option<ServerUrl>,
    /// Threads to solve on in this process [default: one per core]
    #[arg(long, value_name = "N", conflicts_with = "server",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Memory for the factorised stiffness of one thing in this process, in MB; a thing that needs more is factorised
    /// in single precision, or refused [default: 6144]
    #[arg(long, value_name = "MB", conflicts_with = "server",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub memory_mb: Option<u32>,
    /// Fineness of the cube: cells along an edge. A fingertip holds one node, so a finer cube yields more
    /// easily to it; 30 take some ten seconds to prepare
    #[arg(long, value_name = "N", default_value_t = 6, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u16).range(2..=40))]
    pub cells: u16,
    /// Fineness of other things, and of surfaces from files, which are filled: about so many nodes [default: 800;
    /// 2000 for files]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(30..=200_000))]
    pub nodes: Option<u32>,
    #[command(flatten)]
    pub material: MaterialChoice,
    #[command(flatten)]
    pub unit: UnitFlag,
    /// A rule of grasping, such as `patch=disc` or `release=keeps`; may be given several times. `--rule help`
    /// lists all
    #[arg(long = "rule", value_name = "RULE=VALUE")]
    pub rules: Vec<String>,
    /// Write everything that happens to this file, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Show it in a headset as well, through OpenXR; the window shows what its wearer sees
    #[arg(long)]
    pub vr: bool,
    #[command(flatten)]
    pub headset: HeadsetPlacement,
    /// Run without a window (what happens without a display, too)
    #[arg(long)]
    pub headless: bool,
    /// Without a window: where the pictures of the key moments go
    #[arg(long, value_name = "DIR", default_value = "palpate-run")]
    pub pictures: PathBuf,
    /// Without a window: end after this many grasps [default: 1; a recording is played to its end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub grasps: Option<u64>,
    /// Without a window: end after this many seconds at the latest [default: 60; a recording is played to
    /// its end]
    #[arg(long, value_name = "S")]
    pub seconds: Option<u32>,
    /// Without a window: end after this many frames of the solver, whatever the hand does then
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub frames: Option<u64>,
    /// Without a window: write a picture of the last moment to this file
    #[arg(long, value_name = "FILE.png")]
    pub snapshot: Option<PathBuf>,
    #[command(flatten)]
    pub picture_options: PictureOptions,
}

/// How a headset puts the world before its wearer.
#[derive(Debug, Clone, Copy, Args)]
pub struct HeadsetPlacement {
    /// In a headset: the wearer stands, and the table stands on the floor, as high as a workbench [default: the wearer
    /// sits, and the table is below the eyes]
    #[arg(long)]
    pub standing: bool,
    /// In a headset: how many times as large things look, from 0.1 to 10
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true,
          value_parser = world_scale)]
    pub world_scale: f64,
}

impl From<HeadsetPlacement> for WorldPlacement {
    fn from(flags: HeadsetPlacement) -> Self {
        let stance = if flags.standing { Stance::Standing } else { Stance::Seated };
        Self { stance, scale: flags.world_scale }
    }
}

fn world_scale(text: &str) -> Result<f64, String> {
    let (least, most) = WorldPlacement::SCALES;
    match text.parse() {
        Ok(scale) if (least..=most).contains(&scale) => Ok(scale),
        Ok(_) | Err(_) => Err(format!("expected a number from {least} to {most}")),
    }
}

/// Where a device is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceSource {
    Emulated,
    Port(String),
}

impl FromStr for DeviceSource {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "" => Err("expected a serial port such as /dev/ttyUSB0, or `emulated`"),
            "emulated" => Ok(Self::Emulated),
            path => Ok(Self::Port(path.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::command_line::CommandLine;

    #[test]
    fn what_is_run_again_exactly_has_its_own_matter() {
        for flag in ["--young", "--poisson", "--density"] {
            let line = ["palpate", "replay", "run.palpate", "--exact", flag, "0.3"];
            let error = CommandLine::try_parse_from(line).unwrap_err().to_string();
            assert!(error.contains("cannot be used with") && error.contains(flag), "{error}");
        }
    }
}
