//! Starts emulated devices from options of the command line.

use std::path::Path;

use anyhow::{Context, anyhow};
use emulators::{
    Emulator, ErrorReport, FaultPlan, GloveEmulator, GloveModel, GloveOptions, LineOptions,
    LucidGloveEmulator, LucidGloveOptions, LucidKeys, Motion, ScriptClock, SensorSet,
    TrackerEmulator, TrackerOptions, WrongBaud,
};

use crate::command_line::{EmulateOptions, EmulatedDevice, EmulatedModel, GloveSensors, HandSide};

/// Starts one emulated device of a hand that repeats a script.
pub(super) fn performing(
    line: &LineOptions,
    device: EmulatedDevice,
    hand: HandSide,
    script: Motion,
    clock: ScriptClock,
) -> anyhow::Result<Emulator> {
    let traits =
        EmulatedTraits { is_right_hand: hand == HandSide::Right, ..EmulatedTraits::default() };
    start(device, script, clock, line, &traits)
}

/// Starts an emulated tracker with a receiver on each of two hands.
pub(super) fn tracking_both(
    line: &LineOptions,
    scripts: [Motion; 2],
    clock: ScriptClock,
) -> anyhow::Result<Emulator> {
    let options = TrackerOptions {
        receivers_cm: [Some([0.0; 3]), Some([0.0; 3]), None, None],
        ..TrackerOptions::default()
    };
    TrackerEmulator::start_on_both_hands(line, options, scripts, clock)
        .context("cannot emulate a tracker")
}

/// Starts the device that the options describe.
pub fn emulator(options: &EmulateOptions) -> anyhow::Result<Emulator> {
    let line = LineOptions {
        baud: Some(options.baud),
        wrong_baud: match options.strict_baud {
            true => WrongBaud::Garbage,
            false => WrongBaud::Harmless,
        },
        faults: FaultPlan::new(options.seed, options.faults.clone())?,
        ..LineOptions::default()
    };
    let traits = EmulatedTraits {
        sensors: match options.sensors {
            GloveSensors::Eighteen => SensorSet::Glove18,
            GloveSensors::TwentyTwo => SensorSet::Glove22,
        },
        is_right_hand: options.hand == HandSide::Right,
        lifelike: options.lifelike.then_some(options.seed),
        n_stations: options.stations.into(),
        model: match options.model {
            EmulatedModel::Wired => GloveModel::Classic,
            EmulatedModel::Three => GloveModel::Third,
        },
        error_report: match options.latch_faults {
            true => ErrorReport::Latched,
            false => ErrorReport::PerRecord,
        },
    };
    start(options.device, script(&options.script)?, ScriptClock::wall(), &line, &traits)
}

/// Reads a script by name, or from a file.
pub(super) fn script(name_or_file: &str) -> anyhow::Result<Motion> {
    if let Ok(motion) = Motion::named(name_or_file) {
        return Ok(motion);
    }
    let text = std::fs::read_to_string(Path::new(name_or_file)).with_context(|| {
        let names = Motion::NAMES.join(", ");
        format!("the script {name_or_file} is neither one of {names} nor a readable file")
    })?;
    Motion::from_text(&text)
        .map_err(|error| anyhow!("cannot use the script {name_or_file}: {error}"))
}

/// Properties of an emulated device.
struct EmulatedTraits {
    sensors: SensorSet,
    is_right_hand: bool,
    /// The seed of its noise.
    lifelike: Option<u64>,
    n_stations: usize,
    model: GloveModel,
    error_report: ErrorReport,
}

impl Default for EmulatedTraits {
    fn default() -> Self {
        Self {
            sensors: SensorSet::Glove22,
            is_right_hand: true,
            lifelike: None,
            n_stations: 1,
            model: GloveModel::Classic,
            error_report: ErrorReport::PerRecord,
        }
    }
}

/// Positions of the receivers of stations 2 to 4 relative to that of the wrist, in centimetres.
const OTHER_RECEIVERS_CM: [[f64; 3]; 3] = [[10.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 10.0]];

fn start(
    device: EmulatedDevice,
    motion: Motion,
    clock: ScriptClock,
    line: &LineOptions,
    traits: &EmulatedTraits,
) -> anyhow::Result<Emulator> {
    match device {
        EmulatedDevice::Glove => {
            let options = GloveOptions {
                sensors: traits.sensors,
                is_right_hand: traits.is_right_hand,
                model: traits.model,
                ..GloveOptions::default()
            };
            let options = traits.lifelike.map_or(options, |seed| options.lifelike(seed));
            GloveEmulator::start_on(line, options, motion, clock).context("cannot emulate a glove")
        }
        EmulatedDevice::Tracker => {
            let error_report = traits.error_report;
            let mut options = TrackerOptions { error_report, ..TrackerOptions::default() };
            let others = options.receivers_cm.iter_mut().skip(1).zip(OTHER_RECEIVERS_CM);
            for (receiver, place) in others.take(traits.n_stations - 1) {
                *receiver = Some(place);
            }
            TrackerEmulator::start_on(line, options, motion, clock)
                .context("cannot emulate a tracker")
        }
        EmulatedDevice::Lucidglove => {
            let options = LucidGloveOptions {
                // One curl per finger could not show the demonstration's grip.
                keys: LucidKeys::Joints,
                is_right_hand: traits.is_right_hand,
                ..LucidGloveOptions::default()
            };
            LucidGloveEmulator::start_on(line, options, motion, clock)
                .context("cannot emulate a LucidGlove")
        }
    }
}
