//! `palpate squeeze`, `record` and `replay`: devices, object and run.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use engine::ServerUrl;

use super::HandSide;
use super::calibrate::ProfilesFolder;
use super::contact::ContactChoice;
use super::feel::FeelOptions;
use super::material::MaterialChoice;
use super::object::UnitFlag;
use super::picture::PictureOptions;
use super::replace::ReplaceFlag;
use super::server::server;
use crate::vr::{Stance, WorldPlacement};

pub(super) const SQUEEZE_EXAMPLES: &str = "\
Examples:
  palpate squeeze                                   in a window, with emulated devices
  palpate squeeze strawberry                        a strawberry, taken from two sides
  palpate squeeze strawberry --hand mouse           with your mouse, without a glove
  palpate squeeze cube strawberry                   two objects, one of them in the hand
  palpate squeeze liver.msh --unit mm --material liver
  palpate squeeze bunny.stl --nodes 3000            a surface; the program fills it with tetrahedra first
  palpate squeeze --headless                        without a window: a summary and four pictures
  palpate squeeze --headless --frames 300 --snapshot now.png --size 1920x1080 --colours stress
  palpate squeeze --vr                              in a headset and in a window
  palpate squeeze --hand openxr                     the same, with hand tracking or controllers of the headset
  palpate squeeze --vr --standing --world-scale 2   at a workbench, objects twice as large
  palpate squeeze --glove /dev/ttyUSB0 --tracker /dev/ttyUSB1
  palpate squeeze --glove /dev/ttyUSB0              no tracker: the mouse moves the hand, the glove bends it
  palpate squeeze --glove /dev/ttyUSB0 --hand-position headset
  palpate squeeze --glove /dev/ttyUSB0 --second-glove /dev/ttyUSB2 --tracker /dev/ttyUSB1    both hands
  palpate squeeze --second-glove emulated           both hands, emulated
  palpate squeeze --glove-model opengloves --glove /dev/ttyUSB0 --tracker /dev/ttyUSB1
  palpate squeeze --server http://127.0.0.1:50551   solved by a solver-server
  palpate squeeze strawberry --grip friction        it has weight, and friction holds it
  palpate squeeze strawberry --grip friction --friction 0.2    slippery: it slides out of a weak grip
  palpate squeeze --rule release=keeps --rule patch=disc    clay, held by whole fingertips
  palpate squeeze --record run.palpate              keeps the whole run for palpate replay

With two gloves, put the receiver of the FASTRAK's first station on the first hand and that of its second station
on the other hand. `palpate devices` shows which device is on which port.";

pub(super) const RECORD_EXAMPLES: &str = "\
The file holds the raw bytes of all devices with their times. After a crash, everything up to the crash can be
replayed. `palpate devices` shows ports and line speeds.

Examples:
  palpate record run.palpate --glove /dev/ttyUSB0 --tracker /dev/ttyUSB1
  palpate record fingers.palpate --glove /dev/ttyUSB0    a glove without a tracker
  palpate record both.palpate --glove /dev/ttyUSB0 --second-glove /dev/ttyUSB2 --tracker /dev/ttyUSB1
  palpate record demo.palpate --seconds 20          records the emulated devices
  palpate replay run.palpate";

pub(super) const REPLAY_EXAMPLES: &str = "\
Examples:
  palpate replay run.palpate                        in a window, in real time
  palpate replay run.palpate --speed 0.25           four times slower
  palpate replay run.palpate --headless --speed 10  without a window: a summary and pictures
  palpate replay run.palpate --exact --threads 1    checks that the results are the same, bit for bit
  palpate replay run.palpate --summary              contents of the file
  palpate replay run.palpate --events               every byte, with its time";

/// Factory setting of the line speed, for both devices.
pub(crate) const USUAL_BAUD: u32 = 115_200;

/// Options of `palpate squeeze`.
#[derive(Debug, Clone, Args)]
pub struct SqueezeOptions {
    /// Object to squeeze: cube, sphere, strawberry, toothpaste, or a file with tetrahedra (.msh,
    /// .vtu, .mesh, .obj3, ...) or with a closed surface (.stl, .obj, .ply, .glb, ...). Several
    /// objects stand side by side [default: cube]
    #[arg(value_name = "OBJECT")]
    pub objects: Vec<String>,
    /// Input that moves the virtual hand [default: devices]
    #[arg(long, value_name = "INPUT", conflicts_with_all =
          ["glove", "tracker", "second_glove", "second_tracker"])]
    pub hand: Option<HandMover>,
    /// Source of the place of a gloved hand, instead of a tracker; the glove bends the fingers
    /// [default without a tracker: headset with --vr, otherwise mouse]
    #[arg(long, value_name = "SOURCE", conflicts_with_all = ["hand", "tracker", "second_tracker"])]
    pub hand_position: Option<HandPosition>,
    /// The hand that mouse and keys move [default: right]
    #[arg(long, value_name = "SIDE")]
    pub side: Option<HandSide>,
    /// Motion of the emulated devices: flat, fist, pinch, grasp, spread, or a file of keyframes
    /// [default: take the object, squeeze it and put it back]
    #[arg(long, value_name = "NAME|FILE")]
    pub script: Option<String>,
    #[command(flatten)]
    pub devices: DeviceOptions,
    #[command(flatten)]
    pub second: SecondHand,
    #[command(flatten)]
    pub feel: FeelOptions,
    /// Record the run in this file: the bytes of the devices, and all data to repeat the run
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunOptions,
}

impl SqueezeOptions {
    /// The hand that mouse and keys move.
    pub fn side(&self) -> HandSide {
        self.side.unwrap_or(HandSide::Right)
    }
}

/// Input that moves a hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HandMover {
    /// Glove and tracker, real or emulated
    Devices,
    /// Mouse and keys, in the window
    Mouse,
    /// A headset, through OpenXR: its hand tracking, or its controllers, whose triggers close the
    /// fingers. Shows the scene in the headset, as with --vr
    Openxr,
}

/// Source of the place of a hand whose glove has no tracker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HandPosition {
    /// Mouse and keys, in the window
    Mouse,
    /// A headset, through OpenXR, that sees the hand or a controller in it. Shows the scene in the
    /// headset, as with --vr
    Headset,
}

impl HandPosition {
    pub fn name(self) -> &'static str {
        match self {
            Self::Mouse => "mouse",
            Self::Headset => "headset",
        }
    }
}

/// Options of `palpate record`.
#[derive(Debug, Clone, Args)]
pub struct RecordOptions {
    /// File for the recording
    pub file: PathBuf,
    #[command(flatten)]
    pub devices: DeviceOptions,
    #[command(flatten)]
    pub second: SecondHand,
    /// End after this many seconds [default: at Ctrl+C]
    #[arg(long, value_name = "S")]
    pub seconds: Option<u32>,
    #[command(flatten)]
    pub existing: ReplaceFlag,
}

/// Options of `palpate replay`.
#[derive(Debug, Clone, Args)]
pub struct ReplayOptions {
    /// A recording
    pub file: PathBuf,
    /// Object to squeeze instead of the recorded one; may be given several times [default: the
    /// recorded objects; a cube if only devices were recorded]
    #[arg(long = "object", value_name = "OBJECT", conflicts_with = "exact")]
    pub objects: Vec<String>,
    /// Playback speed: 0.1 to 20 times the recorded speed
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true,
          value_parser = speed)]
    pub speed: f64,
    /// Compute the run again as fast as possible, with its own objects and rules, and compare every
    /// bit of every frame with the recording
    #[arg(long, conflicts_with_all =
          ["speed", "rules", "material", "young", "poisson", "density", "grip", "friction",
           "skin_softness", "unit", "cells", "nodes", "profile", "trace", "grasps", "seconds", "vr"])]
    pub exact: bool,
    /// Only print a summary of the file
    #[arg(long, conflicts_with = "exact")]
    pub summary: bool,
    /// Only print every event of the file, one per line
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

/// Ports and line speeds of glove and tracker.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct DeviceOptions {
    /// Serial port of the glove, or `emulated` [default: emulated; required if --tracker
    /// names a port]
    #[arg(long, value_name = "PORT")]
    pub glove: Option<DeviceSource>,
    /// Kind of glove
    #[arg(long, value_name = "MODEL", default_value = "cyberglove")]
    pub glove_model: GloveModel,
    /// Serial port of the FASTRAK, or `emulated` [default: emulated if the glove is; none beside a
    /// glove's port]
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
    /// Source of the hand's place, if there is no tracker.
    #[arg(skip)]
    pub position: Option<HandPosition>,
}

impl Default for DeviceOptions {
    /// Returns the options of a command line without device options.
    fn default() -> Self {
        let (glove_baud, tracker_baud) = (USUAL_BAUD, USUAL_BAUD);
        let (glove, tracker, position) = (None, None, None);
        let glove_model = GloveModel::Cyberglove;
        Self { glove, glove_model, tracker, glove_baud, tracker_baud, position }
    }
}

/// Ports of the devices of a second hand, if there are any.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct SecondHand {
    /// Serial port of a glove on the other hand, or `emulated`; the kind and line speed of the
    /// first glove apply
    #[arg(long, value_name = "PORT")]
    pub second_glove: Option<DeviceSource>,
    /// Serial port of a FASTRAK for the other hand, or `emulated` [default: the second station of
    /// the first]
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

/// Options of every run: profile, solver, fineness, material and output.
#[derive(Debug, Clone, Args)]
pub struct RunOptions {
    /// Name of the calibration profile to use [default: an average calibration]
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    #[command(flatten)]
    pub profiles: ProfilesFolder,
    /// Solve on this solver-server instead of in this process: http://127.0.0.1:PORT, or the pass
    /// file of a server on another machine
    #[arg(long, value_name = "URL|PASS", value_parser = server)]
    pub server: Option<ServerUrl>,
    /// Threads to solve on in this process [default: one per core]
    #[arg(long, value_name = "N", conflicts_with = "server",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Memory for the factorised stiffness of one object in this process, in MB; an object that
    /// needs more is factorised in single precision, or refused [default: 6000]
    #[arg(long, aliases = ["memory", "max-memory"], value_name = "MB", conflicts_with = "server",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub memory_mb: Option<u32>,
    /// Fineness of the cube: cells along an edge. Under `--grip thesis` a fingertip holds one node,
    /// so a finer cube yields more easily to it; 30 cells take about ten seconds to prepare
    #[arg(long, value_name = "N", default_value_t = 6, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u16).range(2..=40))]
    pub cells: u16,
    /// Fineness of other objects and of filled surfaces: approximate number of nodes [default: 800;
    /// 2000 for files]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(30..=200_000))]
    pub nodes: Option<u32>,
    #[command(flatten)]
    pub material: MaterialChoice,
    #[command(flatten)]
    pub contact: ContactChoice,
    #[command(flatten)]
    pub unit: UnitFlag,
    /// A rule of grasping under `--grip thesis`, such as `patch=disc` or `release=keeps`; may be
    /// given several times. `--rule help` lists all
    #[arg(long = "rule", value_name = "RULE=VALUE")]
    pub rules: Vec<String>,
    /// Write a trace of the run to this file, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Show the scene in a headset as well, through OpenXR; the window shows the wearer's view
    #[arg(long)]
    pub vr: bool,
    #[command(flatten)]
    pub headset: HeadsetPlacement,
    /// Run without a window (the default without a display)
    #[arg(long)]
    pub headless: bool,
    /// Without a window: folder for the pictures of the key moments [default: palpate-run, which
    /// holds those of the newest run]
    #[arg(long, value_name = "DIR")]
    pub pictures: Option<PathBuf>,
    /// Without a window: end after this many grasps [default: 1; a recording is played to its end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub grasps: Option<u64>,
    /// Without a window: end after this many seconds at the latest [default: 60; a recording is
    /// played to its end]
    #[arg(long, value_name = "S")]
    pub seconds: Option<u32>,
    /// Without a window: end after this many frames of the solver
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub frames: Option<u64>,
    /// Without a window: write a picture of the end of the run to this file
    #[arg(long, value_name = "FILE.png")]
    pub snapshot: Option<PathBuf>,
    #[command(flatten)]
    pub existing: ReplaceFlag,
    #[command(flatten)]
    pub picture_options: PictureOptions,
}

/// Posture of a headset's wearer, and scale of the world.
#[derive(Debug, Clone, Copy, Args)]
pub struct HeadsetPlacement {
    /// In a headset: the wearer stands, and the table has the height of a workbench above the floor
    /// [default: the wearer sits, and the table is below the eyes]
    #[arg(long)]
    pub standing: bool,
    /// In a headset: scale of the world, from 0.1 to 10 times its size
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

/// Source of a device's data.
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
    fn an_exact_replay_takes_no_other_material() {
        for flag in ["--young", "--poisson", "--density"] {
            let line = ["palpate", "replay", "run.palpate", "--exact", flag, "0.3"];
            let error = CommandLine::try_parse_from(line).unwrap_err().to_string();
            assert!(error.contains("cannot be used with") && error.contains(flag), "{error}");
        }
    }
}
