//! Lines of the status panel, and events of a run.

use std::time::{Duration, Instant};

use interaction::grasp::{Grasp, GraspState};
use interaction::scene::{StatusLevel, StatusLine};
use physics::{Outcome, SurfaceFrame};

use super::health::{PartHealth, WatchedPart};

/// A loss or a return that the person should know.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEvent {
    /// Seconds since the run began.
    pub time: f64,
    /// Name of the part that was lost or returned; `None` for other events.
    pub part: Option<&'static str>,
    pub text: String,
}

/// Result of an update of the watch.
#[derive(Debug)]
pub(super) struct HealthUpdate {
    /// Losses and returns.
    pub(super) events: Vec<RunEvent>,
    /// True if the panel changes.
    pub(super) is_change: bool,
}

/// Health of each part, whose changes become events.
#[derive(Debug)]
pub(super) struct HealthWatch {
    /// Health of each part; `None` for parts that this run does not use.
    health: [Option<PartHealth>; WatchedPart::ALL.len()],
    /// Time since which each part is lost.
    lost_since: [Option<Instant>; WatchedPart::ALL.len()],
    /// Description of each part when it last worked.
    last_ready: [String; WatchedPart::ALL.len()],
    /// Reason why each part is doubtful, as it was said last.
    doubts: [Option<String>; WatchedPart::ALL.len()],
    rates: [Rate; WatchedPart::N_DEVICES],
    events: Vec<RunEvent>,
    /// Time of the last log line about the solver's progress, in seconds.
    told_progress: f64,
}

impl Default for HealthWatch {
    fn default() -> Self {
        Self {
            health: [const { None }; WatchedPart::ALL.len()],
            lost_since: [None; WatchedPart::ALL.len()],
            last_ready: [const { String::new() }; WatchedPart::ALL.len()],
            doubts: [const { None }; WatchedPart::ALL.len()],
            rates: [Rate::default(); WatchedPart::N_DEVICES],
            events: Vec::new(),
            told_progress: f64::NEG_INFINITY,
        }
    }
}

impl HealthWatch {
    /// Shortest time between two log lines about the solver's progress, in seconds; a small object
    /// is ready sooner.
    const BETWEEN_PROGRESS: f64 = 1.0;
    /// Greatest number of stored events: a loose cable must not fill the memory.
    const MOST_EVENTS: usize = 1000;

    /// Takes the present health of the parts, and the number of samples of each device, in order.
    pub(super) fn update(
        &mut self,
        time: f64,
        states: impl IntoIterator<Item = (WatchedPart, PartHealth)>,
        n_samples: impl IntoIterator<Item = u64>,
    ) -> HealthUpdate {
        let mut is_change = false;
        for (rate, n) in self.rates.iter_mut().zip(n_samples) {
            is_change |= rate.update(time, n);
        }
        let mut texts: Vec<(&'static str, String)> = Vec::new();
        for (part, health) in states {
            let i = part as usize;
            if self.health[i].as_ref() == Some(&health) {
                continue;
            }
            is_change = true;
            let was_lost = self.lost_since[i].is_some();
            match &health {
                PartHealth::Missing(why) | PartHealth::Lost(why) | PartHealth::Failed(why)
                    if !was_lost =>
                {
                    let how = match health {
                        PartHealth::Missing(_) => "not found",
                        PartHealth::Failed(_) => self.failed_in_words(part),
                        _ => "lost",
                    };
                    texts.push((part.name(), format!("{} {how}: {why}", part.name())));
                    tracing::warn!("{} {how}: {why}", part.name());
                    if matches!(health, PartHealth::Missing(_))
                        && (part as usize) < WatchedPart::N_DEVICES
                    {
                        tracing::info!("`palpate devices` finds ports, kinds and line speeds");
                    }
                    self.lost_since[i] = Some(Instant::now());
                }
                PartHealth::Good(what) => {
                    if was_lost {
                        texts.push((part.name(), format!("{} is back", part.name())));
                        tracing::info!("{} is back: {what}", part.name());
                    }
                    if self.doubts[i].take().is_some() {
                        texts.push((
                            part.name(),
                            format!("{}: its {} are good again", part.name(), part.gives()),
                        ));
                        tracing::info!("{}: its {} are good again", part.name(), part.gives());
                    }
                    self.last_ready[i].clone_from(what);
                    self.lost_since[i] = None;
                }
                PartHealth::Doubtful(why) => {
                    if was_lost {
                        texts.push((part.name(), format!("{} is back", part.name())));
                        tracing::info!("{} is back", part.name());
                    }
                    if self.doubts[i].as_ref() != Some(why) {
                        texts.push((
                            part.name(),
                            format!("{}: its {} are doubtful: {why}", part.name(), part.gives()),
                        ));
                        tracing::warn!("{}: its {} are doubtful: {why}", part.name(), part.gives());
                        self.doubts[i] = Some(why.clone());
                    }
                    self.lost_since[i] = None;
                }
                PartHealth::Waiting(what) if part == WatchedPart::Solver => {
                    if time >= self.told_progress + Self::BETWEEN_PROGRESS {
                        self.told_progress = time;
                        tracing::info!("{}: {what}", part.name());
                    }
                }
                PartHealth::Ended => self.lost_since[i] = None,
                PartHealth::Missing(_)
                | PartHealth::Lost(_)
                | PartHealth::Failed(_)
                | PartHealth::Waiting(_) => {}
            }
            self.health[i] = Some(health);
        }
        let event = |(part, text)| RunEvent { time, part: Some(part), text };
        let events: Vec<RunEvent> = texts.into_iter().map(event).collect();
        let room = Self::MOST_EVENTS.saturating_sub(self.events.len());
        self.events.extend(events.iter().take(room).cloned());
        HealthUpdate { events, is_change }
    }

    /// Words for a part that has failed: it is lost only if it has worked before.
    fn failed_in_words(&self, part: WatchedPart) -> &'static str {
        if self.last_ready(part).is_empty() { "not available" } else { "lost" }
    }

    /// Forgets the devices of hands: another source has taken over.
    pub(super) fn forget_hands(&mut self) {
        for part in WatchedPart::HANDS.into_iter().flatten().chain([WatchedPart::Hand]) {
            self.health[part as usize] = None;
            self.lost_since[part as usize] = None;
            self.doubts[part as usize] = None;
        }
        self.rates = [Rate::default(); WatchedPart::N_DEVICES];
    }

    /// Adds another event that the person should know.
    pub(super) fn note(&mut self, time: f64, text: String) -> RunEvent {
        tracing::warn!("{text}");
        let event = RunEvent { time, part: None, text };
        if self.events.len() < Self::MOST_EVENTS {
            self.events.push(event.clone());
        }
        event
    }

    /// The part that has failed, or been lost for longer than `patience`, with the reason.
    pub(super) fn lost_for(&self, patience: Duration) -> Option<(&'static str, String)> {
        WatchedPart::ALL.into_iter().filter(|part| !part.is_spare()).find_map(|part| {
            let since = self.lost_since[part as usize]?;
            match self.health[part as usize].as_ref()? {
                PartHealth::Missing(why) if since.elapsed() >= patience => {
                    Some((part.name(), format!("not found: {why}")))
                }
                PartHealth::Lost(why) if since.elapsed() >= patience => {
                    Some((part.name(), format!("lost: {why}")))
                }
                PartHealth::Failed(why) => {
                    Some((part.name(), format!("{}: {why}", self.failed_in_words(part))))
                }
                PartHealth::Missing(_)
                | PartHealth::Lost(_)
                | PartHealth::Good(_)
                | PartHealth::Doubtful(_)
                | PartHealth::Waiting(_)
                | PartHealth::Ended => None,
            }
        })
    }

    /// True if the recordings of all devices have ended.
    pub(super) fn has_ended(&self) -> bool {
        let mut hands = self.health[..=WatchedPart::Hand as usize].iter().flatten().peekable();
        hands.peek().is_some() && hands.all(|health| *health == PartHealth::Ended)
    }

    pub(super) fn last_ready(&self, part: WatchedPart) -> &str {
        &self.last_ready[part as usize]
    }

    pub(super) fn into_events(self) -> Vec<RunEvent> {
        self.events
    }

    /// One line per part for the status panel.
    pub(super) fn lines(&self) -> Vec<StatusLine> {
        WatchedPart::ALL
            .into_iter()
            .filter_map(|part| {
                let rate = self.rates.get(part as usize).map(|rate| rate.per_second);
                let (level, text) = match self.health[part as usize].as_ref()? {
                    PartHealth::Waiting(what) => (StatusLevel::Waiting, what.clone()),
                    PartHealth::Good(what) => match rate {
                        Some(rate) => (StatusLevel::Good, format!("{what}, {rate:.0} Hz")),
                        None => (StatusLevel::Good, what.clone()),
                    },
                    PartHealth::Doubtful(why) => {
                        let rate = rate.map_or_else(String::new, |rate| format!(", {rate:.0} Hz"));
                        (StatusLevel::Waiting, format!("doubtful {}: {why}{rate}", part.gives()))
                    }
                    PartHealth::Missing(why) => {
                        (StatusLevel::Bad, format!("not found: {why}; trying again"))
                    }
                    PartHealth::Lost(why) => {
                        (StatusLevel::Bad, format!("lost: {why}; trying again"))
                    }
                    PartHealth::Ended => {
                        (StatusLevel::Waiting, "the recording has ended".to_owned())
                    }
                    PartHealth::Failed(why) => (StatusLevel::Bad, why.clone()),
                };
                Some(StatusLine { name: part.name(), level, text })
            })
            .collect()
    }
}

/// Samples per second, over about a second.
#[derive(Debug, Clone, Copy, Default)]
struct Rate {
    per_second: f64,
    since: f64,
    n_then: u64,
}

impl Rate {
    /// Returns true if there is a new figure.
    fn update(&mut self, time: f64, n: u64) -> bool {
        let elapsed = time - self.since;
        let is_due = elapsed >= 1.0;
        if is_due {
            *self = Self {
                per_second: n.saturating_sub(self.n_then) as f64 / elapsed,
                since: time,
                n_then: n,
            };
        }
        is_due
    }
}

/// Line for the result of an order.
pub(super) fn shape_line(message: &str) -> StatusLine {
    StatusLine { name: "shape", level: StatusLevel::Waiting, text: message.to_owned() }
}

/// Line for pauses that moving matter has skipped.
pub(super) fn pauses_line(frame: &SurfaceFrame) -> Option<StatusLine> {
    let n = frame.history.n_shortened;
    let plural = if n == 1 { "" } else { "s" };
    let text = format!("{n} long pause{plural} skipped: the matter goes on from where it was");
    (n > 0).then_some(StatusLine { name: "time", level: StatusLevel::Waiting, text })
}

/// Line for a touch that the solver could not answer.
pub(super) fn trouble_line(outcome: &Outcome) -> Option<StatusLine> {
    let (level, text) = match outcome {
        Outcome::AtRest | Outcome::Solved => return None,
        Outcome::Underdetermined(free) => (StatusLevel::Waiting, free.clone()),
        Outcome::Refused(why) => (StatusLevel::Bad, format!("the touch was refused: {why}")),
        Outcome::Frozen => {
            (StatusLevel::Bad, "the solve blew up; the last good shape is kept".to_owned())
        }
    };
    Some(StatusLine { name: "shape", level, text })
}

/// The grasp's line of the status panel.
pub(super) fn grasp_line(grasp: &Grasp) -> StatusLine {
    let (level, state) = match grasp.state() {
        GraspState::Approach => (StatusLevel::Waiting, "approaching"),
        GraspState::Touching => (StatusLevel::Waiting, "touching"),
        GraspState::Attached => (StatusLevel::Good, "holding"),
        GraspState::Deforming => (StatusLevel::Good, "squeezing"),
        GraspState::Releasing => (StatusLevel::Waiting, "released"),
        GraspState::Pushed => (StatusLevel::Good, "pushing"),
        GraspState::Lifted => (StatusLevel::Good, "carrying"),
    };
    StatusLine { name: "grasp", level, text: format!("{state}: {}", grasp.reason()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(solver: PartHealth) -> [(WatchedPart, PartHealth); 3] {
        let live = PartHealth::Good("live".to_owned());
        [
            (WatchedPart::Glove, live.clone()),
            (WatchedPart::Tracker, live),
            (WatchedPart::Solver, solver),
        ]
    }

    #[test]
    fn a_loss_and_a_return_are_one_event_each() {
        let mut watch = HealthWatch::default();
        let lost = || PartHealth::Lost("gone".to_owned());
        let good = || PartHealth::Good("here".to_owned());
        let mut texts = |time: f64, solver: PartHealth| -> Vec<String> {
            let update = watch.update(time, states(solver), [0, 0]);
            update.events.into_iter().map(|event| event.text).collect()
        };
        assert!(texts(0.0, good()).is_empty());
        assert_eq!(texts(1.0, lost()), ["solver lost: gone"]);
        assert!(texts(2.0, lost()).is_empty());
        // Trying again in between is not a return.
        assert!(texts(2.5, PartHealth::Waiting("again".into())).is_empty());
        assert!(texts(2.7, lost()).is_empty());
        assert_eq!(watch.lost_for(Duration::ZERO), Some(("solver", "lost: gone".to_owned())));
        let back = watch.update(3.0, states(good()), [0, 0]);
        assert_eq!(back.events[0].text, "solver is back");
        assert_eq!(watch.lost_for(Duration::ZERO), None);
        assert_eq!(watch.into_events().len(), 2);
    }

    #[test]
    fn a_part_that_never_worked_is_not_called_lost() {
        let text = |first: Option<PartHealth>| {
            let mut watch = HealthWatch::default();
            let failed = PartHealth::Failed("no runtime".to_owned());
            for health in first.into_iter().chain([failed]) {
                watch.update(0.0, [(WatchedPart::Headset, health)], []);
            }
            watch.into_events().pop().unwrap().text
        };
        assert_eq!(text(None), "headset not available: no runtime");
        assert_eq!(text(Some(PartHealth::Good("it".to_owned()))), "headset lost: no runtime");
    }

    #[test]
    fn a_doubt_is_logged_once_until_it_changes_or_ends() {
        let mut watch = HealthWatch::default();
        let mut texts = |solver: PartHealth| -> Vec<String> {
            let update = watch.update(0.0, states(solver), [0, 0]);
            update.events.into_iter().map(|event| event.text).collect()
        };
        let doubtful = |why: &str| PartHealth::Doubtful(why.to_owned());
        let late = || PartHealth::Waiting("late".to_owned());
        assert_eq!(texts(doubtful("far")), ["solver: its poses are doubtful: far"]);
        assert!(texts(late()).is_empty() && texts(doubtful("far")).is_empty());
        assert_eq!(texts(doubtful("near")), ["solver: its poses are doubtful: near"]);
        assert_eq!(
            texts(PartHealth::Good("here".to_owned())),
            ["solver: its poses are good again"]
        );
        texts(PartHealth::Lost("gone".to_owned()));
        assert_eq!(texts(doubtful("far"))[0], "solver is back");
        let line = watch.lines().pop().unwrap();
        assert_eq!((line.level, &*line.text), (StatusLevel::Waiting, "doubtful poses: far"));
    }

    #[test]
    fn a_run_goes_on_without_its_push_device_and_says_so() {
        let mut watch = HealthWatch::default();
        let mut texts = |part: WatchedPart, health: PartHealth| -> Vec<String> {
            let update = watch.update(0.0, [(part, health)], []);
            update.events.into_iter().map(|event| event.text).collect()
        };
        let good = || PartHealth::Good("at a port".to_owned());
        assert!(texts(WatchedPart::PushDevice, good()).is_empty());
        let softer = texts(WatchedPart::PushDevice, PartHealth::Doubtful("softer".to_owned()));
        assert_eq!(softer, ["push device: its forces are doubtful: softer"]);
        let lost = texts(WatchedPart::PushDevice, PartHealth::Lost("gone".to_owned()));
        assert_eq!(lost, ["push device lost: gone"]);
        let ended = texts(WatchedPart::Feedback, PartHealth::Failed("see the log".to_owned()));
        assert_eq!(ended, ["force feedback not available: see the log"]);
        assert_eq!(watch.lost_for(Duration::ZERO), None);
        let levels: Vec<StatusLevel> = watch.lines().iter().map(|line| line.level).collect();
        assert_eq!(levels, [StatusLevel::Bad, StatusLevel::Bad]);
    }

    #[test]
    fn a_lost_part_stands_out_in_the_panel() {
        let mut watch = HealthWatch::default();
        watch.update(0.0, states(PartHealth::Lost("connection refused".to_owned())), [0, 0]);
        let lines = watch.lines();
        assert_eq!(lines[2].level, StatusLevel::Bad);
        assert!(lines[2].text.contains("connection refused"));
        assert_eq!(lines[0].level, StatusLevel::Good);
    }

    #[test]
    fn rates_are_measured_over_a_second() {
        let mut watch = HealthWatch::default();
        let good = || PartHealth::Good("here".to_owned());
        watch.update(0.5, states(good()), [50, 60]);
        watch.update(1.0, states(good()), [100, 120]);
        assert_eq!(watch.lines()[0].text, "live, 100 Hz");
        assert_eq!(watch.lines()[1].text, "live, 120 Hz");
    }
}
