//! A person in a glove of their own, on a pseudo-terminal, who follows the procedure.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use calibration::procedure::{Event, Step};
use calibration::{Command, JointAngles, PoseId, Procedure, Sample};
use drivers::{CyberGlove, Sensor, SensorCounts};
use emulators::{
    Emulator, GloveEmulator, HandState, Keyframe, LineOptions, Puppet, ScriptClock, SensorSet,
};

use crate::random::Random;

/// Factor by which time runs faster than real time.
pub(crate) const RATE: f64 = 10.0;
/// Standard deviation of each joint in each hold, in degrees.
pub(crate) const SPREAD_DEG: f64 = 2.0;
/// Duration of the motion from pose to pose, in seconds of the script.
const MOVE_SECONDS: f64 = 0.6;
/// Longer than anything here takes, even on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(40);
/// Number of samples after which a person insists on a rejected pose.
const INSISTS_AFTER: usize = 400;
/// Least change of some sensor when the hand has moved, in counts; noise is half a count.
const ELSEWHERE_COUNTS: u8 = 6;

pub(crate) struct Wearer {
    pub(crate) random: Random,
    pub(crate) hand: Puppet,
    /// A pose that is mistaken for another one, the first time it comes.
    pub(crate) mistake: Option<(PoseId, PoseId)>,
    glove: CyberGlove,
    _emulator: Emulator,
    clock: ScriptClock,
    last: SensorCounts,
}

impl Wearer {
    pub(crate) fn new(seed: u64) -> Self {
        let clock = ScriptClock::since(Instant::now()).hurried(RATE);
        Self::in_glove(seed, Puppet::new(relaxed()), clock)
    }

    /// A hand that others can move as well.
    pub(crate) fn in_glove(seed: u64, hand: Puppet, clock: ScriptClock) -> Self {
        let options = emulators::GloveOptions {
            sensors: SensorSet::Glove22,
            noise_counts: 0.5,
            coupling: 1.0,
            seed,
            ..emulators::GloveOptions::default()
        };
        let line = LineOptions { baud: None, ..LineOptions::default() };
        let emulator =
            GloveEmulator::start_on(&line, options.worn_by(seed), hand.motion(), clock).unwrap();
        let mut glove = CyberGlove::open(emulator.path(), &drivers::GloveOptions::default())
            .unwrap_or_else(|error| panic!("{error}"));
        glove.start_stream().unwrap();
        let random = Random::new(seed);
        let last = SensorCounts::from_slots([0; 24]);
        Self { random, hand, mistake: None, glove, _emulator: emulator, clock, last }
    }

    /// Performs all steps of the procedure.
    pub(crate) fn follow(&mut self, procedure: &mut Procedure) {
        while let Some(step) = procedure.view().step {
            let Step::Hold(target) = step else { panic!("no tracker here") };
            let pose = match self.mistake {
                Some((asked, done)) if asked == target.pose => {
                    self.mistake = None;
                    done
                }
                _ => target.pose,
            };
            let state = self.about(&pose.pose().angles());
            self.hand.lead([Keyframe { seconds: MOVE_SECONDS, state, name: "".into() }]);
            self.hold(procedure);
        }
    }

    /// Holds still until the pose is captured.
    fn hold(&mut self, procedure: &mut Procedure) {
        let deadline = Instant::now() + DEADLINE;
        for n in 1.. {
            assert!(Instant::now() < deadline, "never captured: {:?}", procedure.view());
            let sample = self.sample();
            let event = procedure.feed(&sample).or_else(|| {
                let insists = n % INSISTS_AFTER == 0;
                insists.then(|| procedure.command(Command::Accept)).flatten()
            });
            match event {
                Some(Event::Captured(_) | Event::Finished) => {
                    assert!(self.hand.has_arrived(), "captured while the hand moved");
                    return;
                }
                Some(Event::NotStill) | None => {}
            }
        }
    }

    /// Moves the hand at once, and returns some samples from there.
    pub(crate) fn counts_at(&mut self, state: HandState, n_samples: usize) -> Vec<SensorCounts> {
        self.hand.lead([Keyframe { seconds: 0.0, state, name: "".into() }]);
        let before = self.last;
        let is_elsewhere = |counts: &SensorCounts| {
            let off = |sensor| counts.get(sensor).zip(before.get(sensor));
            Sensor::ALL
                .into_iter()
                .filter_map(off)
                .any(|(now, then)| now.abs_diff(then) > ELSEWHERE_COUNTS)
        };
        let deadline = Instant::now() + DEADLINE;
        let mut counts = Vec::with_capacity(n_samples);
        while counts.len() < n_samples {
            assert!(Instant::now() < deadline, "the hand never came there");
            let sample = self.sample();
            if !counts.is_empty() || is_elsewhere(&sample.counts) {
                counts.push(sample.counts);
            }
        }
        counts
    }

    /// A pose as this person holds it.
    pub(crate) fn about(&mut self, picture: &JointAngles) -> HandState {
        let angles_deg = angles_deg(picture).map(|deg| deg + SPREAD_DEG * self.random.normal());
        HandState { angles_deg, ..HandState::FLAT }
    }

    /// Returns the driver's next sample, on the procedure's accelerated clock.
    pub(crate) fn sample(&mut self) -> Sample {
        let sample = self.glove.next_sample(DEADLINE).unwrap().expect("samples come");
        self.last = sample.counts;
        let seconds = self.clock.seconds_at(sample.arrival);
        Sample { counts: sample.counts, source_from_sensor: None, seconds }
    }
}

/// A hand in no pose at all.
pub(crate) fn relaxed() -> HandState {
    HandState { angles_deg: [25.0; 24], ..HandState::FLAT }
}

/// In the order of the glove's mask bits.
pub(crate) fn angles_deg(angles: &JointAngles) -> [f64; 24] {
    Sensor::ALL.map(|sensor| angles.measured_by(sensor).unwrap_or(0.0).to_degrees())
}

/// Lets many people calibrate at the same time, each with a thread and a terminal of their own;
/// gives what came out, in order.
pub(crate) fn at_once<T: Send>(
    people: impl IntoIterator<Item = u64>,
    calibrate: impl Fn(u64) -> T + Sync,
) -> Vec<T> {
    let _turn = turn();
    std::thread::scope(|scope| {
        let threads: Vec<_> = people
            .into_iter()
            .map(|person| {
                let thread = std::thread::Builder::new().name(format!("person {person}"));
                let calibrate = &calibrate;
                thread.spawn_scoped(scope, move || calibrate(person)).unwrap()
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// One group after the other: all at once would slow everyone down.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
