//! The command line of `palpate`: its commands and their options.

mod bench;
mod calibrate;
mod contact;
mod devices;
mod emulate;
mod feel;
mod film;
mod material;
mod object;
mod picture;
mod replace;
mod server;
mod simulate;
mod solve;
mod squeeze;

use clap::{Parser, Subcommand};

use bench::BENCH_EXAMPLES;
pub use bench::{BenchCommand, BenchOptions, CompareRuns, ReproduceOptions};
use calibrate::CALIBRATE_EXAMPLES;
pub use calibrate::{
    CalibrateCommand, CalibrateOptions, CalibrationExtras, ExportProfile, ImportProfile,
    MeasureOptions, PlanChoice, ProfilesFolder, ShowProfile, TrackerSteps,
};
pub use contact::{ContactChoice, GripChoice};
pub(crate) use contact::{MOST_FRICTION, SKIN_SOFTNESS, skin_softness, with_skin_softness};
use devices::DEVICES_EXAMPLES;
pub use devices::{DeviceKind, DevicesCommand, ListDevices, WatchOptions};
use emulate::EMULATE_EXAMPLES;
pub use emulate::{EmulateOptions, EmulatedDevice, EmulatedModel, GloveSensors, HandSide};
pub use feel::{FeelOptions, PushFinger};
use film::FILM_EXAMPLES;
pub use film::FilmOptions;
use material::MATERIALS_EXAMPLES;
pub use material::{MaterialChoice, MaterialsFile, MaterialsOptions};
use object::OBJECT_EXAMPLES;
pub use object::{
    ConvertObject, FillSurface, NewObject, ObjectCommand, ObjectInfo, ObjectOptions, UnitFlag,
};
pub use picture::{PictureColours, PictureOptions, PictureSize};
pub use replace::ReplaceFlag;
pub use server::server;
use simulate::SIMULATE_EXAMPLES;
pub use simulate::{ScenarioName, SimulateOptions};
use solve::SOLVE_EXAMPLE;
pub use solve::{SolveAlgorithm, SolveOptions};
pub use squeeze::{
    DeviceOptions, DeviceSource, GloveModel, HandMover, HandPosition, RecordOptions, ReplayOptions,
    RunOptions, SecondHand, SqueezeOptions,
};
use squeeze::{RECORD_EXAMPLES, REPLAY_EXAMPLES, SQUEEZE_EXAMPLES};

/// Squeeze virtual objects with an instrumented glove.
///
/// Without a glove on the desk, an emulated one takes its place: a program that speaks the glove's
/// protocol through a pseudo-terminal. Its hand reaches for a soft cube, squeezes it and lets go.
#[derive(Debug, Parser)]
#[command(name = "palpate", version, args_conflicts_with_subcommands = true)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub squeeze: SqueezeOptions,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Squeeze an object (the default command)
    #[command(after_help = SQUEEZE_EXAMPLES)]
    Squeeze(Box<SqueezeOptions>),
    /// List serial ports with their devices; watch a device live
    #[command(after_help = DEVICES_EXAMPLES)]
    Devices(ListDevices),
    /// Calibrate the glove for a hand; check and show saved profiles
    #[command(after_help = CALIBRATE_EXAMPLES)]
    Calibrate(Box<CalibrateOptions>),
    /// Record the data of glove and tracker in a file
    #[command(after_help = RECORD_EXAMPLES)]
    Record(RecordOptions),
    /// Squeeze an object with a recorded hand
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(Box<ReplayOptions>),
    /// Make, check and convert objects; fill surfaces with tetrahedra
    #[command(after_help = OBJECT_EXAMPLES)]
    Object(ObjectOptions),
    /// List the materials that objects can have, with sources
    #[command(after_help = MATERIALS_EXAMPLES)]
    Materials(MaterialsOptions),
    /// Make a film of a recording: a folder of pictures or an animated one
    #[command(after_help = FILM_EXAMPLES)]
    Film(Box<FilmOptions>),
    /// Solve one touch of an object without a window, for scripts
    #[command(after_help = SOLVE_EXAMPLE)]
    Solve(SolveOptions),
    /// Press, rub, pinch and roll an object by a script, without a hand; for labs
    #[command(after_help = SIMULATE_EXAMPLES)]
    Simulate(SimulateOptions),
    /// Measure solve time by size and core count and write a report; compare two runs
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(Box<BenchOptions>),
    /// Start an emulated device on a pseudo-terminal, print its path, and serve until Ctrl+C
    #[command(after_help = EMULATE_EXAMPLES)]
    Emulate(EmulateOptions),
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
                Some(_) => panic!("{line}"),
                None => parsed.squeeze,
            };
            assert!(squeeze.run.headless && squeeze.run.grasps == Some(3));
        }
    }

    #[test]
    fn a_server_elsewhere_is_refused() {
        let line = ["palpate", "--server", "http://192.0.2.1:50551"];
        let error = CommandLine::try_parse_from(line).unwrap_err().to_string();
        assert!(error.contains("loopback"), "{error}");
    }
}
