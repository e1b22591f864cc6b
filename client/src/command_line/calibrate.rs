//! `palpate calibrate`: from raw counts to a hand that fits.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::squeeze::DeviceOptions;

pub(super) const CALIBRATE_EXAMPLES: &str = "\
Follow the poses on the screen and hold still: each is taken by itself. Keys: space takes the pose now,
s skips it, r takes the last one again, b goes back, q gives up. Poses that do not go with the others are
asked for once more. The profile is saved under the name, and the one before it is kept.

With a tracker, four more steps find out where its transmitter stands and how its receiver sits on the wrist.
Mark a spot on the desk that is to be the middle of the scene; the heel of the hand goes there.

A hand's size is its length from the wrist's crease to the tip of the middle finger and its breadth across the
knuckles; bones are shares of these. Single bones that were measured, joint to joint, can be written
into the profile, and stay there when the hand is calibrated again (segments from 1 at the base to 3):

  [[hand_size.measured]]
  digit = \"ring\"
  segment = 2
  length = 27.5

Examples:
  palpate calibrate --name anna --glove /dev/ttyUSB0 --tracker /dev/ttyUSB1
  palpate calibrate --name anna --plan quick     flat hand and fist, half a minute
  palpate calibrate --name anna --hand-length-mm 178 --hand-breadth-mm 79
  palpate calibrate --name demo                  an emulated person does it: watch
  palpate calibrate check --name anna            which joints are off by now
  palpate calibrate show anna                    the profile, and how good it is
  palpate squeeze --profile anna                 squeezes with it";

/// Whose hand, and how thoroughly.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct CalibrateOptions {
    #[command(subcommand)]
    pub command: Option<CalibrateCommand>,
    #[command(flatten)]
    pub measure: MeasureOptions,
    /// What to find out besides the glove's sensors.
    #[command(flatten)]
    pub extras: CalibrationExtras,
}

/// What belongs to a hand besides the glove's sensors.
#[derive(Debug, Clone, Args)]
pub struct CalibrationExtras {
    /// Whether to find out where the tracker stands and how its receiver sits on the wrist
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub tracker_steps: TrackerSteps,
    /// Length of the hand, from the wrist's crease to the tip of the middle finger [default: as in the last
    /// profile, or an average hand's]
    #[arg(long, value_name = "MM", allow_negative_numbers = true)]
    pub hand_length_mm: Option<f64>,
    /// Breadth of the hand across the knuckles [default: in proportion to the length]
    #[arg(long, value_name = "MM", allow_negative_numbers = true)]
    pub hand_breadth_mm: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TrackerSteps {
    /// With the full plan, unless the tracker says nothing
    Auto,
    /// With any plan; it is an error if they do not succeed
    Yes,
    /// The transforms of the last profile stay
    No,
}

#[derive(Debug, Clone, Subcommand)]
pub enum CalibrateCommand {
    /// Measure a saved profile against a few poses, and say which joints are off
    Check(MeasureOptions),
    /// Print and plot a saved profile; without a name, list all
    Show(ShowProfile),
    /// Take over a calibration file of the glove's maker (.cal)
    Import(ImportProfile),
    /// Write a profile as a calibration file of the glove's maker (.cal)
    Export(ExportProfile),
}

/// Whose hand is measured, with which devices.
#[derive(Debug, Clone, Args)]
pub struct MeasureOptions {
    /// Whose hand it is
    #[arg(long, value_name = "NAME", default_value = "me")]
    pub name: String,
    /// How thoroughly
    #[arg(long, value_name = "PLAN", default_value = "full")]
    pub plan: PlanChoice,
    /// Stay in the terminal, also where a window could be opened
    #[arg(long)]
    pub tui: bool,
    #[command(flatten)]
    pub devices: DeviceOptions,
    #[command(flatten)]
    pub profiles: ProfilesFolder,
}

/// Where profiles are kept.
#[derive(Debug, Clone, Default, Args)]
pub struct ProfilesFolder {
    /// Where profiles are kept [default: palpate/profiles in the user's data folder]
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

/// Which profile to show.
#[derive(Debug, Clone, Args)]
pub struct ShowProfile {
    /// Whose
    pub name: Option<String>,
    /// The one that was kept when the newest was saved
    #[arg(long)]
    pub previous: bool,
    #[command(flatten)]
    pub profiles: ProfilesFolder,
}

/// What to take over.
#[derive(Debug, Clone, Args)]
pub struct ImportProfile {
    /// The maker's file
    pub file: PathBuf,
    /// Whose hand it is
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

/// What to write, and where.
#[derive(Debug, Clone, Args)]
pub struct ExportProfile {
    /// Whose
    pub name: String,
    /// Where the maker's file goes
    pub file: PathBuf,
    /// Which hand, if there are profiles of both
    #[arg(long, value_name = "HAND")]
    pub hand: Option<super::HandSide>,
    #[command(flatten)]
    pub profiles: ProfilesFolder,
}
