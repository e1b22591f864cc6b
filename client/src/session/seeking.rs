//! Seeking in a played recording. Everything that its hands did up to the place is repeated as fast
//! as the solvers answer, so that things are as if the recording had been played up to there.

use std::io;
use std::time::{Duration, Instant};

use drivers::Side;

use super::clock::{ROUNDING, TIME_STEP};
use super::{HandSource, Session};
use crate::input::{HandHistory, HistoryEvent, HistoryMoment};

/// A seek in progress.
pub(super) struct Seeking {
    history: HandHistory,
    phase: SeekPhase,
    /// Next moment; it waits until all touches have been answered.
    next: Option<HistoryMoment>,
    /// Time reached in the recording, since it began.
    at: Duration,
    /// The time on the table that has been reached, in seconds.
    reached: f64,
    /// Step that waits for time to pass first.
    pending: Option<SeekStep>,
    /// Time of the last sample of each hand's devices, left hand first, with the index of the
    /// devices.
    last: [Option<(Duration, usize)>; 2],
}

/// Phase of a seek.
#[derive(Debug, Clone, Copy)]
enum SeekPhase {
    /// Nothing has been done yet.
    NotBegun,
    /// Things return to the beginning of the recording.
    Returning,
    /// The hands repeat what they did. The recording began at this time on the table, in seconds.
    Replaying { begin: f64 },
}

/// One step of a seek.
enum SeekStep {
    /// Return things to the beginning.
    Return,
    /// Begin to repeat.
    Begin,
    /// Lose a hand whose devices had been silent for too long at this time.
    Lose(Side, f64),
    /// Repeat a moment at this time.
    Do(HistoryMoment, f64),
    /// Arrive at the place.
    Arrive(f64),
}

impl SeekStep {
    /// Time of the step on the table, in seconds.
    fn time(&self) -> Option<f64> {
        match self {
            Self::Return | Self::Begin => None,
            Self::Lose(_, time) | Self::Do(_, time) | Self::Arrive(time) => Some(*time),
        }
    }
}

/// Longest time that a seek takes in one turn, so that the picture shows its progress.
const ONE_TURN: Duration = Duration::from_millis(12);
/// Pause between two checks for answers.
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

impl Seeking {
    fn new(history: HandHistory) -> Self {
        Self {
            history,
            phase: SeekPhase::NotBegun,
            next: None,
            at: Duration::ZERO,
            reached: 0.0,
            pending: None,
            last: [None; 2],
        }
    }

    /// Progress from 0 to 1.
    pub(super) fn share(&self) -> f64 {
        self.at.as_secs_f64() / self.history.until().as_secs_f64().max(1e-3)
    }

    /// The next step. A hand whose devices are silent for `patience`, in seconds, is lost.
    fn step(&mut self, patience: f64) -> SeekStep {
        let begin = match self.phase {
            SeekPhase::NotBegun => {
                self.phase = SeekPhase::Returning;
                return SeekStep::Return;
            }
            SeekPhase::Returning => return SeekStep::Begin,
            SeekPhase::Replaying { begin } => begin,
        };
        if self.next.is_none() {
            self.next = self.history.next_moment();
        }
        self.at = self.next.as_ref().map_or(self.history.until(), |next| next.at);
        if let Some((side, lost)) = self.next_loss(patience) {
            self.last[side as usize] = None;
            return SeekStep::Lose(side, begin + lost);
        }
        let time = begin + self.at.as_secs_f64();
        let Some(moment) = self.next.take() else { return SeekStep::Arrive(time) };
        // Hands of a journal need no such check: the journal also records their loss.
        if let HistoryEvent::Devices { index, pair } = &moment.event {
            self.last[pair.hand as usize] = Some((moment.at, *index));
        }
        SeekStep::Do(moment, time)
    }

    /// The hand that is lost first before the next moment, with the time in seconds since the
    /// recording began.
    fn next_loss(&self, patience: f64) -> Option<(Side, f64)> {
        let lost = [Side::Left, Side::Right].into_iter().filter_map(|side| {
            let (last, _) = self.last[side as usize]?;
            Some((side, last.as_secs_f64() + patience))
        });
        let first = lost.min_by(|a, b| a.1.total_cmp(&b.1));
        first.filter(|(_, lost)| *lost < self.at.as_secs_f64())
    }
}

impl Session {
    /// Begins a seek. While a new recording runs, its journal could not describe the repeated
    /// history, so held things are released instead.
    pub(super) fn begin_to_seek(
        &mut self,
        source: HandSource,
        history: HandHistory,
    ) -> io::Result<()> {
        if self.log.has_journal() {
            return self.change_hands(source);
        }
        self.take_over(source)?;
        self.seeking = Some(Seeking::new(history));
        Ok(())
    }

    /// Continues the seek for one turn.
    pub(super) fn seek_on(&mut self) -> io::Result<()> {
        let end = Instant::now() + ONE_TURN;
        while Instant::now() < end {
            if self.is_awaited() {
                self.solvers.bell().wait_for(BETWEEN_LOOKS);
                self.take_frames()?;
                self.run_solver_tasks()?;
                continue;
            }
            let patience = self.tabletop.rules().lost_hand;
            let Some(seeking) = &mut self.seeking else { break };
            let step = seeking.pending.take().unwrap_or_else(|| seeking.step(patience));
            // Moving matter goes through all the time in between, in the same steps.
            if let Some(time) = step.time()
                && self.tabletop.needs_time()
                && time - seeking.reached > TIME_STEP.as_secs_f64() + ROUNDING
            {
                seeking.reached += TIME_STEP.as_secs_f64();
                self.clock.hold(seeking.reached);
                seeking.pending = Some(step);
                self.let_time_pass()?;
                continue;
            }
            seeking.reached = step.time().unwrap_or(seeking.reached);
            match step {
                SeekStep::Return => self.return_to_beginning()?,
                SeekStep::Begin => {
                    let begin = self.clock.now();
                    seeking.phase = SeekPhase::Replaying { begin };
                    seeking.reached = begin;
                    self.clock.hold_anew(begin);
                }
                SeekStep::Lose(side, time) => {
                    self.clock.hold(time);
                    self.lose_hand(side, "the recorded hand was lost here")?;
                }
                SeekStep::Do(moment, time) => {
                    self.clock.hold(time);
                    self.do_again(moment.event)?;
                    self.let_time_pass()?;
                }
                SeekStep::Arrive(time) => {
                    self.clock.hold(time);
                    self.arrive();
                }
            }
        }
        Ok(())
    }

    /// True while the seek has to wait: for a thing, for another shape of it, or for a solver's
    /// answer.
    fn is_awaited(&self) -> bool {
        let is_there = self.tabletop.things().iter().all(|thing| thing.surface.is_some());
        !is_there || self.tabletop.is_changing() || self.solvers.has_unanswered_touches()
    }

    fn return_to_beginning(&mut self) -> io::Result<()> {
        let (sample, time) = (self.clock.next_sample(), self.clock.now());
        self.tabletop.return_to_beginning(sample, time, &mut self.effects);
        self.report_grasps(time)?;
        self.submit();
        self.solvers.go_back_to_beginning();
        self.run_solver_tasks()
    }

    fn do_again(&mut self, event: HistoryEvent) -> io::Result<()> {
        match event {
            HistoryEvent::Devices { mut pair, .. } => {
                pair.arrival = Instant::now();
                self.take_pair(&pair)
            }
            HistoryEvent::Pose(pose) => self.take_recorded(&pose),
        }
    }

    /// Ends the seek. The devices of present hands count as having just sent a sample.
    fn arrive(&mut self) {
        let Some(seeking) = self.seeking.take() else { return };
        self.clock.let_go();
        for side in [Side::Left, Side::Right] {
            if let Some((_, index)) = seeking.last[side as usize] {
                self.hands.have_seen(index, side);
            }
        }
        tracing::info!("the recording is at {:.2} s", seeking.history.until().as_secs_f64());
    }
}

#[cfg(test)]
mod tests;
