//! `palpate calibrate`: options of calibration and of the commands for saved profiles.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::replace::ReplaceFlag;
use super::squeeze::DeviceOptions;

pub(super) const CALIBRATE_EXAMPLES: &str = "\
Copy each pose on the screen and hold still: the program then measures it without a key press. Keys: space
measures the pose now, s skips it, r repeats the last one, b goes back, q quits. A pose that contradicts the
others is asked for once more. The profile is saved under the name; the profile before it is kept as well.

With a tracker, four more steps measure where its transmitter stands and how its receiver sits on the wrist.
Without one, these stay as they were, and the report says so; the glove's sensors need no tracker.
Mark a spot on the desk as the middle of the scene and put the heel of the hand there.

The size of a hand is its length, from the crease of the wrist to the tip of the middle finger, and its breadth
across the knuckles; the lengths of the bones are shares of these. If you have measured single bones, joint to
joint, write them into the profile; later calibrations keep them (segment 1 is at the base, segment 3 at the tip):

  [[hand_size.measured]]
  digit = \"ring\"
  segment = 2
  length = 27.5

Examples:
  palpate calibrate --name anna --glove /dev/ttyUSB0 --tracker /dev/ttyUSB1
  palpate calibrate --name anna --glove /dev/ttyUSB0          a glove without a tracker
  palpate calibrate --name anna --plan quick     flat hand and fist, half a minute
  palpate calibrate --name anna --hand-length-mm 178 --hand-breadth-mm 79
  palpate calibrate --name demo                  a demonstration: an emulated person copies the poses
  palpate calibrate check --name anna            lists the joints that have drifted
  palpate calibrate show anna                    the profile, and how good it is
  palpate squeeze --profile anna                 squeezes with this profile";

/// Options of `palpate calibrate`.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct CalibrateOptions {
    #[command(subcommand)]
    pub command: Option<CalibrateCommand>,
    #[command(flatten)]
    pub measure: MeasureOptions,
    /// Tracker and hand size.
    #[command(flatten)]
    pub extras: CalibrationExtras,
}

/// Options for the parts of a profile besides the glove's sensors.
#[derive(Debug, Clone, Args)]
pub struct CalibrationExtras {
    /// When to measure where the tracker's transmitter stands and how its receiver sits on the
    /// wrist
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub tracker_steps: TrackerSteps,
    /// Length of the hand, from the crease of the wrist to the tip of the middle finger, in
    /// millimetres [default: as in the last profile, or that of an average hand]
    #[arg(long, value_name = "MM", allow_negative_numbers = true)]
    pub hand_length_mm: Option<f64>,
    /// Breadth of the hand across the knuckles, in millimetres [default: in proportion to the
    /// length]
    #[arg(long, value_name = "MM", allow_negative_numbers = true)]
    pub hand_breadth_mm: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TrackerSteps {
    /// With the full plan, if there is a tracker and it sends data
    Auto,
    /// With any plan; calibration fails without them
    Yes,
    /// Never: keep the tracker's values of the last profile
    No,
}

#[derive(Debug, Clone, Subcommand)]
pub enum CalibrateCommand {
    /// Compare a saved profile with a few poses, and list the joints that are off
    Check(MeasureOptions),
    /// Print and plot a saved profile; without a name, list all profiles
    Show(ShowProfile),
    /// Make a profile from a calibration file of the glove's maker (.cal)
    Import(ImportProfile),
    /// Write a profile as a calibration file of the glove's maker (.cal)
    Export(ExportProfile),
}

/// Options of a measurement: person, plan and devices.
#[derive(Debug, Clone, Args)]
pub struct MeasureOptions {
    /// Name of the person, which is also the name of the profile
    #[arg(long, value_name = "NAME", default_value = "me")]
    pub name: String,
    /// How many poses to measure
    #[arg(long, value_name = "PLAN", default_value = "full")]
    pub plan: PlanChoice,
    /// Stay in the terminal, even if a window could be opened
    #[arg(long)]
    pub tui: bool,
    #[command(flatten)]
    pub devices: DeviceOptions,
    #[command(flatten)]
    pub profiles: ProfilesFolder,
}

/// The folder of profiles.
#[derive(Debug, Clone, Default, Args)]
pub struct ProfilesFolder {
    /// Folder of saved profiles [default: palpate/profiles in the user's data folder]
    #[arg(long = "profiles", value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlanChoice {
    /// Flat hand and fist, each twice: half a minute
    Quick,
    /// Every joint, spread, thumb and wrist: about two minutes
    Full,
}

/// Options of `palpate calibrate show`.
#[derive(Debug, Clone, Args)]
pub struct ShowProfile {
    /// Name of the profile
    pub name: Option<String>,
    /// Show the profile before the newest one
    #[arg(long)]
    pub previous: bool,
    #[command(flatten)]
    pub profiles: ProfilesFolder,
}

/// Options of `palpate calibrate import`.
#[derive(Debug, Clone, Args)]
pub struct ImportProfile {
    /// The maker's file
    pub file: PathBuf,
    /// Name for the profile
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// Which hand
    #[arg(long, value_name = "HAND", default_value = "right")]
    pub hand: super::HandSide,
    /// How many sensors the glove has
    #[arg(long, value_name = "N", default_value = "22")]
    pub sensors: super::GloveSensors,
    #[command(flatten)]
    pub profiles: ProfilesFolder,
}

/// Options of `palpate calibrate export`.
#[derive(Debug, Clone, Args)]
pub struct ExportProfile {
    /// Name of the profile
    pub name: String,
    /// The maker's file to write
    pub file: PathBuf,
    /// Which hand; needed if there are profiles of both
    #[arg(long, value_name = "HAND")]
    pub hand: Option<super::HandSide>,
    #[command(flatten)]
    pub existing: ReplaceFlag,
    #[command(flatten)]
    pub profiles: ProfilesFolder,
}
