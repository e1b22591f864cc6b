//! Connects the devices with the calibration procedure: passes samples on and returns what to show.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use calibration::procedure::{Command, Event, State, Step};
use calibration::{GloveData, GloveModel, JointAngles, Procedure, Sample};
use drivers::{SensorCounts, Side, TrackerSample};
use engine::Bell;

use crate::command_line::{GloveModel as GloveKind, MeasureOptions};
use crate::input::{DeviceState, Feed, GloveReading};
use crate::wiring::emulated_person::EmulatedPerson;
use crate::wiring::{HandDevices, live_devices};

/// A calibration with its devices.
pub(super) struct Guide {
    pub(super) procedure: Procedure,
    /// Newest message for the screen.
    pub(super) news: String,
    devices: HandDevices,
    /// The emulated person who wears the emulated devices, if they are emulated.
    person: EmulatedPerson,
    bell: Arc<Bell>,
    start: Instant,
    newest: Option<GloveReading>,
    silence: Silence,
    /// Damaged records of the glove before the newest reading.
    n_damaged_before: u64,
    tracker: Option<TrackerSample>,
    /// Start of the wait for a silent tracker.
    no_tracker_since: Option<Instant>,
}

/// Result of a round of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoundEnding {
    Finished,
    GivenUp,
}

/// Silence of the glove after which the screen reports it instead of showing the step.
const GIVE_UP_AFTER: Duration = Duration::from_secs(8);
/// Wait for a silent tracker after which its steps are skipped.
const LEAVE_OUT_AFTER: Duration = Duration::from_secs(8);
/// Largest age of a tracker's pose that is combined with a glove's sample.
const OLDEST_POSE: Duration = Duration::from_millis(100);

/// Longest time between two looks that counts as silence of the glove.
const LONGEST_LOOK: Duration = Duration::from_millis(200);

/// Time for which the program looked for samples of the glove and found none.
///
/// A program that was stopped, or had no processor, could not look: that time is no silence of the
/// glove.
#[derive(Debug)]
struct Silence {
    last_look: Instant,
    lasts: Duration,
}

impl Silence {
    fn since(now: Instant) -> Self {
        Self { last_look: now, lasts: Duration::ZERO }
    }

    /// Counts the time since the last look, or begins anew if there is a sample.
    fn look(&mut self, now: Instant, has_sample: bool) {
        let passed = now.saturating_duration_since(self.last_look).min(LONGEST_LOOK);
        self.last_look = now;
        self.lasts = if has_sample { Duration::ZERO } else { self.lasts + passed };
    }
}

impl Guide {
    /// Starts the devices. An emulated glove gets an emulated person who copies the poses.
    pub(super) fn start(options: &MeasureOptions, procedure: Procedure) -> anyhow::Result<Self> {
        if options.devices.glove_model == GloveKind::Opengloves {
            bail!("a glove with the OpenGloves encoding calibrates itself; there is nothing to do");
        }
        let bell = Arc::new(Bell::default());
        let person = EmulatedPerson::new();
        let devices = live_devices(&options.devices, None, &person.motion(), &bell)
            .context("cannot start the devices")?;
        tracing::info!("{}", devices.description);
        Ok(Self {
            procedure,
            news: String::new(),
            devices,
            person,
            bell,
            start: Instant::now(),
            newest: None,
            silence: Silence::since(Instant::now()),
            n_damaged_before: 0,
            tracker: None,
            no_tracker_since: None,
        })
    }

    /// Waits briefly for a sample and processes it. Returns the result when the round is over.
    pub(super) fn turn(&mut self, stop: &AtomicBool) -> anyhow::Result<Option<RoundEnding>> {
        self.bell.wait_for(Duration::from_millis(20));
        if stop.load(Ordering::Relaxed) {
            return Ok(Some(RoundEnding::GivenUp));
        }
        if let Some(sample) = self.devices.tracker.as_ref().and_then(Feed::take) {
            self.tracker = Some(sample);
        }
        let reading = self.devices.glove.take();
        self.silence.look(Instant::now(), reading.is_some());
        let Some(reading) = reading else {
            self.check_glove()?;
            return Ok(None);
        };
        let GloveData::Counts(counts) = reading.data else {
            bail!("this glove sends no counts, expected a CyberGlove");
        };
        let pose = self.tracker.filter(|pose| pose.arrival.elapsed() < OLDEST_POSE);
        let sample = Sample {
            counts,
            source_from_sensor: pose.map(|pose| pose.source_from_sensor),
            seconds: reading.arrival.saturating_duration_since(self.start).as_secs_f64(),
        };
        self.newest = Some(reading);
        self.n_damaged_before = self.devices.glove.n_lost();
        let event = self.procedure.feed(&sample);
        let ending = self.note(event).or_else(|| self.leave_out_without_tracker());
        self.person.follow(&self.procedure.view());
        Ok(ending)
    }

    /// Runs a command of the person.
    pub(super) fn command(&mut self, command: Command) -> Option<RoundEnding> {
        let event = self.procedure.command(command);
        self.note(event)
    }

    /// Returns the glove's hand and its newest counts; `None` before the first sample.
    pub(super) fn hand(&self) -> Option<(Side, &SensorCounts)> {
        self.newest.as_ref().and_then(|reading| match &reading.data {
            GloveData::Counts(counts) => Some((reading.hand, counts)),
            GloveData::Curls(_) => None,
        })
    }

    /// Returns the live hand, fitted with the poses captured so far.
    pub(super) fn live(&self) -> Option<JointAngles> {
        let (_, counts) = self.hand()?;
        Some(self.procedure.fit(&GloveModel::uncalibrated()).model.joint_angles(counts))
    }

    /// Returns the time for which no sample of the glove was found, if there was one before.
    pub(super) fn silence(&self) -> Duration {
        if self.newest.is_some() { self.silence.lasts } else { Duration::ZERO }
    }

    /// What the glove has sent since its last sample.
    pub(super) fn sent_since(&self) -> &'static str {
        match self.devices.glove.n_lost() > self.n_damaged_before + 1 {
            true => "only damaged data",
            false => "nothing",
        }
    }

    /// True if the glove is calibrated without a tracker.
    pub(super) fn is_without_tracker(&self) -> bool {
        self.devices.tracker.is_none()
    }

    pub(super) fn glove_state(&self) -> DeviceState {
        self.devices.glove.state()
    }

    fn note(&mut self, event: Option<Event>) -> Option<RoundEnding> {
        match event? {
            Event::Captured(_) => self.news = "taken".to_owned(),
            Event::NotStill => self.news = "not taken: the hand moves".to_owned(),
            Event::Finished => return Some(RoundEnding::Finished),
        }
        None
    }

    /// Skips the tracker's steps if the tracker stays silent.
    fn leave_out_without_tracker(&mut self) -> Option<RoundEnding> {
        if self.procedure.view().state != State::NoTracker {
            self.no_tracker_since = None;
            return None;
        }
        let since = *self.no_tracker_since.get_or_insert_with(Instant::now);
        if since.elapsed() < LEAVE_OUT_AFTER {
            return None;
        }
        let state = self.devices.tracker.as_ref().map_or(DeviceState::Silent, Feed::state);
        let why = match state {
            DeviceState::Missing(why) | DeviceState::Lost(why) => format!("not found: {why}"),
            DeviceState::Faulty(why) => why.to_owned(),
            DeviceState::Garbled => "it sends only damaged data".to_owned(),
            DeviceState::Opening
            | DeviceState::Live(_)
            | DeviceState::Doubtful(_)
            | DeviceState::Late
            | DeviceState::Silent
            | DeviceState::Ended => "it sends nothing".to_owned(),
        };
        let ending = loop {
            let needs_tracker = |step: &Step| step.needs_tracker();
            if !self.procedure.view().step.is_some_and(needs_tracker) {
                break None;
            }
            if let Some(ending) = self.command(Command::Skip) {
                break Some(ending);
            }
        };
        self.news = format!("the tracker's steps are left out: {why}");
        tracing::warn!("{}", self.news);
        ending
    }

    fn check_glove(&self) -> anyhow::Result<()> {
        if self.newest.is_some() || self.start.elapsed() < GIVE_UP_AFTER {
            return Ok(());
        }
        match self.devices.glove.state() {
            DeviceState::Missing(why) | DeviceState::Lost(why) => bail!("glove not found: {why}"),
            DeviceState::Faulty(why) => bail!("{why}"),
            DeviceState::Opening
            | DeviceState::Live(_)
            | DeviceState::Doubtful(_)
            | DeviceState::Late
            | DeviceState::Silent
            | DeviceState::Garbled
            | DeviceState::Ended => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_program_does_not_call_the_glove_silent() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut silence = Silence::since(start);
        for i in 1..=100 {
            silence.look(at(i * 50), false);
        }
        assert_eq!(silence.lasts, Duration::from_secs(5));
        silence.look(at(5050), true);
        assert_eq!(silence.lasts, Duration::ZERO);
        // The program was stopped for an hour.
        silence.look(at(3_605_050), false);
        assert_eq!(silence.lasts, LONGEST_LOOK);
        silence.look(at(3_605_070), false);
        assert_eq!(silence.lasts, LONGEST_LOOK + Duration::from_millis(20));
    }
}
