//! Log of a run: trace, journal, counts, delays and key moments.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use calibration::HandSize;
use drivers::Side;
use interaction::collision::TouchableSurface;
use interaction::grasp::Transition;
use interaction::scene::{Latency, Scene};
use interaction::shape_history::ShapeId;
use interaction::tabletop::{HandEffects, Order, Tabletop};
use interaction::thing::Thing;
use physics::{SampleId, SurfaceFrame};

use super::journal::Journal;
use super::latency::StageLatencies;
use super::sample_path::PosedHand;
use super::status::RunEvent;
use super::summary::Tally;
use super::{KeyMoments, Trace};

/// Log of a run.
pub(super) struct RunLog {
    /// Trace, for scripts.
    trace: Option<Trace>,
    /// Journal, for exact replay.
    journal: Option<Journal>,
    tally: Tally,
    stages: StageLatencies,
    moments: KeyMoments,
    /// Last message to the person that was logged.
    last_message: Option<String>,
}

impl RunLog {
    pub(super) fn new(trace: Option<Trace>, journal: Option<Journal>) -> Self {
        Self {
            trace,
            journal,
            tally: Tally::default(),
            stages: StageLatencies::default(),
            moments: KeyMoments::default(),
            last_message: None,
        }
    }

    /// True if a journal is being written.
    pub(super) fn has_journal(&self) -> bool {
        self.journal.is_some()
    }

    /// Starts or ends the journal.
    pub(super) fn set_journal(&mut self, journal: Option<Journal>) {
        self.journal = journal;
    }

    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Recent delays of samples, from stage to stage.
    pub(super) fn latency(&mut self) -> Latency {
        self.stages.medians()
    }

    /// Notes a new pair whose glove sample arrived at `arrival`.
    pub(super) fn pair(&mut self, arrival: Instant) {
        self.stages.paired(Instant::now(), arrival);
    }

    pub(super) fn hand(&mut self, hand: &PosedHand, sample: SampleId, time: f64) -> io::Result<()> {
        let PosedHand { side, pose, from, .. } = hand;
        if let Some(trace) = &mut self.trace {
            trace.hand(*side, sample, time, pose)?;
        }
        if let Some(journal) = &mut self.journal {
            journal.hand(*side, pose, from.as_ref(), sample, time);
        }
        Ok(())
    }

    /// Writes the touches of a hand.
    pub(super) fn touches(
        &mut self,
        side: Side,
        effects: &HandEffects,
        tabletop: &Tabletop,
    ) -> io::Result<()> {
        if let (Some(trace), Some(hand)) = (&mut self.trace, tabletop.real_hand(side)) {
            for (thing, touch) in &effects.touches {
                trace.sample(*thing, side, touch, &tabletop.things()[*thing].grasp, hand)?;
            }
        }
        Ok(())
    }

    /// Counts the touches and transitions of a sample. Not called for repeated samples.
    pub(super) fn count_touches(
        &mut self,
        effects: &HandEffects,
        sample: SampleId,
        arrival: Instant,
    ) {
        let transitions = effects.events.iter().map(|event| &event.transition);
        transitions.for_each(|transition| self.tally.count_transition(transition));
        if !effects.touches.is_empty() {
            self.tally.touch_submitted(sample, arrival);
        }
    }

    /// Notes that the touches of a sample were submitted; its pose was ready at `posed`.
    pub(super) fn submitted(&mut self, sample: SampleId, posed: Instant) {
        self.stages.submitted(sample, posed);
    }

    pub(super) fn transition(
        &mut self,
        time: f64,
        thing: usize,
        transition: &Transition,
    ) -> io::Result<()> {
        match &mut self.trace {
            Some(trace) => trace.transition(time, thing, transition),
            None => Ok(()),
        }
    }

    pub(super) fn frame(
        &mut self,
        thing: usize,
        shape: ShapeId,
        frame: &SurfaceFrame,
    ) -> io::Result<()> {
        if let Some(trace) = &mut self.trace {
            trace.frame(thing, frame)?;
        }
        if let Some(journal) = &mut self.journal {
            journal.frame(thing, shape, frame);
        }
        Ok(())
    }

    /// Counts a frame. Not called for repeated frames.
    pub(super) fn count_frame(&mut self, frame: &Arc<SurfaceFrame>) {
        self.tally.count_frame(frame);
        self.stages.frame_came(frame.sample);
    }

    /// Updates the largest displacement of any surface.
    pub(super) fn see_surfaces(&mut self, things: &[Thing]) {
        for surface in things.iter().filter_map(|thing| thing.surface.as_ref()) {
            self.tally.see_displacement(surface.largest_displacement());
        }
    }

    /// Writes the end of the computation of a shape.
    pub(super) fn made(&mut self, thing: usize, shape: ShapeId, was_found: bool) {
        if let Some(journal) = &mut self.journal {
            journal.made(thing, shape, was_found);
        }
    }

    /// Writes the loss of a hand.
    pub(super) fn gone(
        &mut self,
        side: Side,
        why: &str,
        sample: SampleId,
        time: f64,
    ) -> io::Result<()> {
        if let Some(trace) = &mut self.trace {
            trace.gone(side, why, sample, time)?;
        }
        if let Some(journal) = &mut self.journal {
            journal.gone(side, why, sample, time);
        }
        Ok(())
    }

    /// Writes a time step without a hand.
    pub(super) fn passed(&mut self, sample: SampleId, time: f64) {
        if let Some(journal) = &mut self.journal {
            journal.passed(sample, time);
        }
    }

    pub(super) fn order(&mut self, order: &Order) {
        if let Some(journal) = &mut self.journal {
            journal.order(order);
        }
    }

    /// Writes a new size of a hand.
    pub(super) fn size(&mut self, side: Side, size: &HandSize) -> io::Result<()> {
        match &mut self.trace {
            Some(trace) => trace.size(side, size),
            None => Ok(()),
        }
    }

    pub(super) fn event(&mut self, event: &RunEvent) -> io::Result<()> {
        match &mut self.trace {
            Some(trace) => trace.event(event),
            None => Ok(()),
        }
    }

    /// Logs the message of the selected thing if it is new.
    pub(super) fn log_message(&mut self, thing: Option<&Thing>) {
        let message = thing.and_then(|thing| thing.message.as_ref());
        if message != self.last_message.as_ref() {
            self.last_message = message.cloned();
            self.last_message.iter().for_each(|message| tracing::info!("shape: {message}"));
        }
    }

    /// Stores a scene if it is a key moment.
    pub(super) fn see_scene(&mut self, scene: &Arc<Scene>, thing: Option<&Thing>) {
        if let Some(thing) = thing {
            let squeeze =
                thing.surface.as_ref().map_or(0.0, TouchableSurface::largest_displacement);
            self.moments.offer(scene, thing.grasp.state(), squeeze);
        }
    }

    /// Ends the log.
    pub(super) fn finish(self) -> io::Result<(Tally, KeyMoments)> {
        if let Some(trace) = self.trace {
            trace.finish()?;
        }
        Ok((self.tally, self.moments))
    }
}
