//! The path of one sample of a hand: steps 3 to 9 of "The path of one glove sample" in
//! ARCHITECTURE.md, in their order.
//!
//! Every hand takes this path. Samples of devices, live or in a recording that is played or sought
//! in, begin with step 3. A hand that already has a pose, from mouse and keys, a headset or a
//! journal, begins with step 5.

use std::io;
use std::time::Instant;

use calibration::HandPose;
use drivers::Side;
use interaction::tabletop::GraspEvent;
use physics::SampleId;

use super::Session;
use super::thing_solver::SolverOutput;
use crate::input::{HandPlace, PairedRecords, SamplePair};

/// A pose of a hand in the world, from any source.
#[derive(Debug, Clone, Copy)]
pub(super) struct PosedHand {
    pub(super) side: Side,
    pub(super) pose: HandPose,
    /// Records of a recording from which the pose was made.
    pub(super) from: Option<PairedRecords>,
    /// Arrival of the data from which the pose was made.
    pub(super) arrival: Instant,
}

impl Session {
    /// Processes a pair of glove and tracker samples, up to the solvers.
    pub(super) fn take_pair(&mut self, pair: &SamplePair) -> io::Result<()> {
        self.look_at_pair(pair)?;
        let hand = self.pose_of(pair);
        self.take_pose(&hand)
    }

    /// Processes a pose of a hand, up to the solvers.
    pub(super) fn take_pose(&mut self, hand: &PosedHand) -> io::Result<()> {
        let posed = Instant::now();
        let (sample, time) = (self.clock.next_sample(), self.clock.time_of(hand.arrival));
        let span = tracing::trace_span!("hand", sample = sample.0);
        let _entered = span.enter();
        self.log.hand(hand, sample, time)?;
        self.felt.see_hand(hand.side, hand.arrival);
        self.move_hand(hand, sample, time);
        self.write_touches(hand, sample)?;
        self.report_grasps(time)?;
        self.submit();
        self.log.submitted(sample, posed);
        Ok(())
    }

    /// Step 3, the pair that `input::Pairing` has made: checks if the profile fits the glove, and
    /// passes the pair to the alignment with the headset.
    fn look_at_pair(&mut self, pair: &SamplePair) -> io::Result<()> {
        self.log.pair(pair.arrival);
        if let Some(complaint) = self.profiles_in_use.check_glove(pair.hand, &pair.glove) {
            let event = self.watch.note(self.clock.elapsed().as_secs_f64(), complaint);
            self.log.event(&event)?;
        }
        if self.seeking.is_none() {
            self.aligner.take(pair, &self.profiles_in_use, &self.clock);
        }
        Ok(())
    }

    /// Step 4, the pose: `calibration::Profile` converts counts to angles and places the wrist.
    fn pose_of(&self, pair: &SamplePair) -> PosedHand {
        let profile = self.profiles_in_use.of(pair.hand);
        PosedHand {
            side: pair.hand,
            pose: match &pair.place {
                HandPlace::Tracked(source_from_sensor) => {
                    profile.hand_pose(&pair.glove, source_from_sensor)
                }
                HandPlace::Placed(world_from_wrist) => HandPose {
                    angles: profile.angles(&pair.glove),
                    world_from_wrist: *world_from_wrist,
                },
            },
            from: pair.from,
            arrival: pair.arrival,
        }
    }

    /// Steps 5 and 6, hand, contact and grasp: `Tabletop` makes the hand's shapes, finds their
    /// contacts and updates the grasps. The touches and the transitions are in `effects`.
    fn move_hand(&mut self, hand: &PosedHand, sample: SampleId, time: f64) {
        self.tabletop.take_hand(hand.side, &hand.pose, sample, time, &mut self.effects);
    }

    /// The end of step 6: writes the touches to the log.
    fn write_touches(&mut self, hand: &PosedHand, sample: SampleId) -> io::Result<()> {
        self.log.touches(hand.side, &self.effects, &self.tabletop)?;
        // Repeated samples of a seek were counted when they first happened, or in another run.
        if self.seeking.is_none() {
            self.log.count_touches(&self.effects, sample, hand.arrival);
        }
        Ok(())
    }

    /// The end of step 6 for transitions of grasps: logs them, with or without a hand.
    pub(super) fn report_grasps(&mut self, time: f64) -> io::Result<()> {
        for GraspEvent { thing, transition } in &self.effects.events {
            let (from, to) = (transition.from.name(), transition.to.name());
            // With several things, the name of the thing comes first.
            match self.tabletop.things() {
                [_] => tracing::info!("{from} -> {to}: {}", transition.reason),
                things => {
                    let name = &things[*thing].name;
                    tracing::info!("{name}: {from} -> {to}: {}", transition.reason);
                }
            }
            self.log.transition(time, *thing, transition)?;
        }
        Ok(())
    }

    /// Step 7: submits each touch to the solver of its thing, without waiting.
    pub(super) fn submit(&mut self) {
        // The order does not matter: each touch is of another thing.
        while let Some((thing, touch)) = self.effects.touches.pop() {
            if let Some(done) = self.solvers.submit(thing, touch) {
                self.effects.reuse(done);
            }
        }
    }

    // Step 8 is the stepper's, on a thread of its own or in a server.

    /// Step 9: takes the newest frames. Returns true if there are any.
    pub(super) fn take_frames(&mut self) -> io::Result<bool> {
        let mut is_new = false;
        for thing in 0..self.solvers.n_things() {
            while let Some(output) = self.solvers.take(thing)? {
                is_new = true;
                self.take_from_solver(thing, output)?;
            }
        }
        self.log.see_surfaces(self.tabletop.things());
        let is_there = self.tabletop.things().iter().all(|thing| thing.surface.is_some());
        if is_there && self.seeking.is_none() && !self.solvers.are_restoring() {
            self.hands.begin();
        }
        Ok(is_new)
    }

    /// Takes an output of a thing's solver, nearly always a frame.
    fn take_from_solver(&mut self, thing: usize, output: SolverOutput) -> io::Result<()> {
        match output {
            SolverOutput::Frame(shape, frame) => {
                if self.seeking.is_none() {
                    self.log.count_frame(&frame);
                }
                self.log.frame(thing, shape, &frame)?;
                if self.tabletop.take_frame(thing, shape, frame) {
                    self.felt.see_frame(thing);
                }
            }
            SolverOutput::ShapeMade(shape, found) => {
                self.log.made(thing, shape, found.is_ok());
                self.tabletop.shape_made(thing, shape, found);
            }
            SolverOutput::MoveFailed(why) => {
                self.tabletop.show_message(thing, format!("the solver stays as it was: {why}"));
            }
        }
        Ok(())
    }
}
