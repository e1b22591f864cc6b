//! Measures the age of a sample when it leaves the driver: both emulated devices on real terminals
//! at 115200 baud, read by two threads through reconnecting devices as in the client, compared with
//! a plain reader of another terminal.
//!
//! The age of a sample counts from the moment just before its last byte was written into the
//! terminal.

mod floor;

use std::thread::Scope;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use drivers::device::Device;
use drivers::line_source::SystemLines;
use drivers::polhemus::RecordFormat;
use drivers::ports::SystemPorts;
use drivers::reconnect::ReconnectingDevice;
use drivers::{CyberGlove, Fastrak, GloveSample, SensorMask, TrackerSample, cyberglove, polhemus};
use emulators::{
    Emulator, GloveEmulator, LineOptions, Motion, ScriptClock, SentRecord, TrackerEmulator,
};

use super::verdict;
use crate::Arguments;
use benchmark::statistics::{least, quantile};

/// Number of samples of each device in a round, about six seconds.
const N_SAMPLES: usize = 600;
/// Usual number of rounds.
const ROUNDS: f64 = 3.0;
/// Longest wait for the samples of a round.
const DEADLINE: Duration = Duration::from_secs(60);
/// Upper limits of ages on an idle machine.
const TARGET: Target = Target { median_ms: 1.0, ninety_ninth_ms: 3.0 };

struct Target {
    median_ms: f64,
    ninety_ninth_ms: f64,
}

pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    let rounds = ((ROUNDS * arguments.rounds) as usize).max(1);
    println!(
        "\n# Age of a sample when it leaves the driver (ms), both devices streaming at 115200 \
         baud: the least of {rounds} rounds, and the most of all\n\
         {:<34}{:>10}{:>10}{:>10}  targets: median {} ms, 99th percentile {} ms",
        "", "median", "99%", "most", TARGET.median_ms, TARGET.ninety_ninth_ms,
    );
    let rounds = (0..rounds).map(|_| round()).collect::<anyhow::Result<Vec<Round>>>()?;
    let times = |of: fn(&Round) -> &Vec<f64>| rounds.iter().map(of).collect::<Vec<_>>();
    print("CyberGlove, age", &times(|round| &round.glove.ages), Some(TARGET));
    print("CyberGlove, the driver's own part", &times(|round| &round.glove.own), None);
    print("FASTRAK, age", &times(|round| &round.tracker.ages), Some(TARGET));
    print("FASTRAK, the driver's own part", &times(|round| &round.tracker.own), None);
    print("plain poll and read", &times(|round| &round.floor), None);
    Ok(())
}

/// Times of one round, in seconds.
struct Round {
    glove: Times,
    tracker: Times,
    floor: Vec<f64>,
}

struct Times {
    /// Times from just before the last byte is written to the terminal until the sample leaves the
    /// reconnecting device.
    ages: Vec<f64>,
    /// Times from the sample's arrival stamp until it leaves the reconnecting device.
    own: Vec<f64>,
}

fn round() -> anyhow::Result<Round> {
    let line = LineOptions { journal_capacity: 4 * N_SAMPLES, ..LineOptions::default() };
    let (clock, motion) = (ScriptClock::since(Instant::now()), Motion::grasp_and_squeeze());
    let start_glove = || {
        GloveEmulator::start_on(&line, emulators::GloveOptions::default(), motion.clone(), clock)
    };
    let (glove, plain) = (start_glove()?, start_glove()?);
    let options = emulators::TrackerOptions::default();
    let tracker = TrackerEmulator::start_on(&line, options, motion.clone(), clock)?;
    std::thread::scope(|scope| {
        let gloves = start::<CyberGlove>(scope, "glove", &glove)?;
        let trackers = start::<Fastrak>(scope, "tracker", &tracker)?;
        let floor = std::thread::Builder::new()
            .name("plain".to_owned())
            .spawn_scoped(scope, || floor::arrivals(plain.path(), N_SAMPLES))?;
        let floor = join(floor)?;
        Ok(Round {
            glove: paired(&join(gloves)?, &glove.journal()).context("the glove's samples")?,
            tracker: paired(&join(trackers)?, &tracker.journal())
                .context("the tracker's samples")?,
            floor: floor::ages(&floor, &plain.journal())?,
        })
    })
}

/// Samples, each with the time when it left the reconnecting device.
type Taken<S> = Vec<(S, Instant)>;
type Reader<'scope, S> = std::thread::ScopedJoinHandle<'scope, anyhow::Result<Taken<S>>>;

/// Reads a device as the client does.
fn start<'scope, D>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    emulator: &Emulator,
) -> anyhow::Result<Reader<'scope, D::Sample>>
where
    D: Device<Options: Default, Sample: Send + 'scope>,
{
    let path = emulator.path().to_owned();
    let read = move || {
        let options = D::Options::default();
        let (ports, lines) = (Box::new(SystemPorts), Box::new(SystemLines));
        let mut reconnecting = ReconnectingDevice::<D>::new(&path, options, ports, lines);
        let deadline = Instant::now() + DEADLINE;
        let mut taken = Vec::with_capacity(N_SAMPLES);
        while taken.len() < N_SAMPLES {
            let sample = reconnecting.next_sample(Duration::from_millis(100));
            let now = Instant::now();
            taken.extend(sample.map(|sample| (sample, now)));
            if now > deadline {
                bail!("{} of {N_SAMPLES} samples; {:?}", taken.len(), reconnecting.presence());
            }
        }
        Ok(taken)
    };
    Ok(std::thread::Builder::new().name(name.to_owned()).spawn_scoped(scope, read)?)
}

fn join<T>(thread: std::thread::ScopedJoinHandle<'_, anyhow::Result<T>>) -> anyhow::Result<T> {
    thread.join().map_err(|_| anyhow::anyhow!("a reading thread panicked"))?
}

/// A sample that can be matched with the emulator's journal.
trait Sample: Sized {
    fn arrival(&self) -> Instant;
    /// True if both have the same values, independent of their times.
    fn is_like(&self, other: &Self) -> bool;
    /// Sample of a journal record, if it belongs to a stream; its arrival is the time of sending.
    fn of(entry: &SentRecord) -> Option<Self>;
}

impl Sample for GloveSample {
    fn arrival(&self) -> Instant {
        self.arrival
    }

    fn is_like(&self, other: &Self) -> bool {
        self.counts == other.counts
    }

    fn of(entry: &SentRecord) -> Option<Self> {
        let shape = cyberglove::RecordShape::plain(SensorMask::GLOVE_22);
        let mut decoder = cyberglove::RecordDecoder::new(shape, cyberglove::JumpRule::Keep);
        let mut found = None;
        decoder.push(&entry.bytes, entry.sent, &mut |sample| found = Some(sample));
        found
    }
}

impl Sample for TrackerSample {
    fn arrival(&self) -> Instant {
        self.arrival
    }

    fn is_like(&self, other: &Self) -> bool {
        self.source_from_sensor == other.source_from_sensor
    }

    fn of(entry: &SentRecord) -> Option<Self> {
        let mut decoder = polhemus::RecordDecoder::new(&RecordFormat::default()).ok()?;
        let mut found = None;
        decoder.push(&entry.bytes, entry.sent, &mut |incoming| found = incoming.into_sample());
        found
    }
}

/// Matches the samples with consecutive records of the journal, and measures them.
///
/// The hand moves, so that no other sequence in the journal has the same values.
fn paired<S: Sample>(taken: &Taken<S>, journal: &[SentRecord]) -> anyhow::Result<Times> {
    let sent: Vec<S> = journal.iter().filter_map(S::of).collect();
    let is_row = |row: &&[S]| {
        let pairs = row.iter().zip(taken);
        pairs.clone().all(|(sent, (sample, _))| sent.is_like(sample))
            && pairs.clone().all(|(sent, (sample, _))| sent.arrival() <= sample.arrival())
    };
    let mut rows = sent.windows(taken.len()).filter(is_row);
    let (Some(row), None) = (rows.next(), rows.next()) else {
        bail!("the samples are not in the journal exactly once, {} records", sent.len());
    };
    let times = |from: fn(&(&S, &(S, Instant))) -> Instant| {
        let pairs = row.iter().zip(taken);
        pairs.map(|pair| (pair.1.1 - from(&pair)).as_secs_f64()).collect()
    };
    Ok(Times { ages: times(|(sent, _)| sent.arrival()), own: times(|(_, (s, _))| s.arrival()) })
}

/// Prints the least median and 99th percentile of all rounds, and the most of all.
fn print(name: &str, rounds: &[&Vec<f64>], target: Option<Target>) {
    let least_of = |share| {
        let quantiles: Vec<f64> = rounds.iter().map(|times| quantile(times, share)).collect();
        1e3 * least(&quantiles)
    };
    let (median, ninety_ninth) = (least_of(0.5), least_of(0.99));
    let most = 1e3 * rounds.iter().copied().flatten().copied().fold(0.0, f64::max);
    let judged = target.map_or("", |target| {
        verdict(median < target.median_ms && ninety_ninth < target.ninety_ninth_ms)
    });
    println!("{name:<34}{median:>10.3}{ninety_ninth:>10.3}{most:>10.3}  {judged}");
}
