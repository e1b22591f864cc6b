//! The way of one sample of a hand: to a pose, to the table, to the solvers.

use std::io;
use std::time::Instant;

use calibration::HandPose;
use drivers::Hand as Side;
use interaction::tabletop::GraspEvent;
use physics::SampleId;

use super::Session;
use crate::input::{PairedRecords, SamplePair};

impl Session {
    /// Takes what glove and tracker said.
    pub(super) fn take_pair(&mut self, pair: &SamplePair) -> io::Result<()> {
        self.stages.paired(Instant::now(), pair.arrival);
        if let Some(news) = self.fitting.judge(pair.hand, &pair.glove) {
            let event = self.watch.note(self.begun.elapsed().as_secs_f64(), news);
            if let Some(trace) = &mut self.trace {
                trace.event(&event)?;
            }
        }
        if self.seeking.is_none() {
            self.align_with(pair.hand, &pair.source_from_sensor, self.time_of(pair.arrival));
        }
        let profile = self.fitting.of(pair.hand);
        let pose = profile.hand_pose(&pair.glove, &pair.source_from_sensor);
        self.take_pose(pair.hand, &pose, pair.from.as_ref(), pair.arrival)
    }

    pub(super) fn time_of(&self, moment: Instant) -> f64 {
        moment.saturating_duration_since(self.start).as_secs_f64()
    }

    /// Takes a pose of a hand, made from what arrived at `arrival`.
    pub(super) fn take_pose(
        &mut self,
        side: Side,
        pose: &HandPose,
        from: Option<&PairedRecords>,
        arrival: Instant,
    ) -> io::Result<()> {
        let posed = Instant::now();
        let sample = self.next_sample();
        let span = tracing::trace_span!("hand", sample = sample.0);
        let _entered = span.enter();
        let time = self.time_of(arrival);
        if let Some(trace) = &mut self.trace {
            trace.hand(side, sample, time, pose)?;
        }
        if let Some(journal) = &mut self.journal {
            journal.hand(side, pose, from, sample, time);
        }
        self.tabletop.take_hand(side, pose, sample, time, &mut self.news);
        // What is done again was counted when it was done, or in another run.
        if self.seeking.is_none() {
            let transitions = self.news.events.iter().map(|event| &event.transition);
            transitions.for_each(|transition| self.tally.count_transition(transition));
        }
        if let (Some(trace), Some(hand)) = (&mut self.trace, self.tabletop.real_hand(side)) {
            for (thing, touch) in &self.news.touches {
                let grasp = &self.tabletop.things()[*thing].grasp;
                trace.sample(*thing, side, touch, grasp, hand)?;
            }
        }
        if !self.news.touches.is_empty() && self.seeking.is_none() {
            self.tally.touch_submitted(sample, arrival);
        }
        self.take_news(time)?;
        self.stages.submitted(sample, posed);
        Ok(())
    }

    /// Tells what happened to the things, and asks their solvers.
    pub(super) fn take_news(&mut self, time: f64) -> io::Result<()> {
        for GraspEvent { thing, transition } in &self.news.events {
            let (from, to) = (transition.from.name(), transition.to.name());
            let name = self.named(*thing);
            tracing::info!("{name}{from} -> {to}: {}", transition.reason);
            if let Some(trace) = &mut self.trace {
                trace.transition(time, *thing, transition)?;
            }
        }
        // They are of different things, in whichever order.
        while let Some((thing, mut touch)) = self.news.touches.pop() {
            touch.wants_stresses = self.asks_for_stresses;
            if let Some(done) = self.links[thing].submit(touch) {
                self.news.reuse(done);
            }
        }
        Ok(())
    }

    /// A name for what happens next.
    pub(super) fn next_sample(&mut self) -> SampleId {
        self.n_samples += 1;
        SampleId(self.n_samples)
    }

    /// A thing's name before what happens to it, if there are several.
    fn named(&self, thing: usize) -> String {
        match self.tabletop.things() {
            [_] => String::new(),
            things => format!("{}: ", things[thing].name),
        }
    }
}
