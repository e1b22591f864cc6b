//! Solver answers of a replay.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::LinkState;
use interaction::shape_history::ShapeId;
use physics::{Snapshot, SurfaceFrame};

use super::ExactReplayError;
use super::replay_table::{ReceivedFrame, ReplayTable};
use crate::session::thing_solver::{SolverOutput, ThingSolver};

/// Longest time to wait for a frame.
const PATIENCE: Duration = Duration::from_secs(60);

impl ReplayTable {
    /// Restores a state of a thing. The frame of that state then is the thing's last frame.
    pub(super) fn restore(
        &mut self,
        thing: usize,
        shape: ShapeId,
        snapshot: Snapshot,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), ExactReplayError> {
        if self.received.get(thing).is_some_and(|received| received[0].is_none()) {
            // The first frame of an object is always its rest frame.
            self.frame(thing, shape, 0, goes_on)?;
        }
        let solver = self.solvers.get_mut(thing).ok_or(ExactReplayError::NoThing(thing))?;
        let snapshot = Arc::new(snapshot);
        solver.restore(Arc::clone(&snapshot));
        let is_it = |frame: &SurfaceFrame| frame.history.restored.as_ref() == Some(&snapshot);
        let frame = self.wait_for_frame(thing, shape, is_it, goes_on)?;
        self.received[thing][1] = Some((shape, frame));
        Ok(())
    }

    /// The frame of this sample: the rest frame, or the answer to a touch.
    pub(super) fn frame(
        &mut self,
        thing: usize,
        shape: ShapeId,
        sample: u64,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Arc<SurfaceFrame>, ExactReplayError> {
        let waiting = self.waiting.get_mut(thing).ok_or(ExactReplayError::NoThing(thing))?;
        let is_it =
            |received: &&ReceivedFrame| received.0 == shape && received.1.sample.0 == sample;
        if let Some((_, frame)) = self.received[thing].iter().flatten().find(is_it) {
            return Ok(Arc::clone(frame));
        }
        if sample > 0 {
            let mut later = waiting.split_off(&sample);
            let again = || self.last[thing].clone().filter(|last| last.sample.0 == sample);
            let touch = later.remove(&sample).or_else(again);
            let touch = touch.ok_or(ExactReplayError::NoTouch(sample))?;
            *waiting = later;
            self.last[thing] = Some(touch.clone());
            let solver = self.solvers.get_mut(thing).ok_or(ExactReplayError::NoThing(thing))?;
            solver.submit(touch);
        }
        let is_it = |frame: &SurfaceFrame| frame.sample.0 == sample;
        let frame = self.wait_for_frame(thing, shape, is_it, goes_on)?;
        let place = usize::from(sample > 0);
        self.received[thing][place] = Some((shape, Arc::clone(&frame)));
        Ok(frame)
    }

    fn wait_for_frame(
        &mut self,
        thing: usize,
        shape: ShapeId,
        is_it: impl Fn(&SurfaceFrame) -> bool,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Arc<SurfaceFrame>, ExactReplayError> {
        let solver = self.solvers.get(thing).ok_or(ExactReplayError::NoThing(thing))?;
        let is_next = solver.shape() != shape;
        loop {
            let output = self.wait(thing, goes_on, |solver| {
                if is_next { solver.take_next() } else { Ok(solver.take_current()) }
            })?;
            match output {
                SolverOutput::Frame(from, frame) if from == shape && is_it(&frame) => {
                    return Ok(frame);
                }
                SolverOutput::Frame(..) => {}
                SolverOutput::ShapeMade(..) | SolverOutput::MoveFailed(_) => {
                    return Err(ExactReplayError::Shape);
                }
            }
        }
    }

    pub(super) fn wait(
        &mut self,
        thing: usize,
        goes_on: &dyn Fn() -> bool,
        mut take: impl FnMut(&mut ThingSolver) -> io::Result<Option<SolverOutput>>,
    ) -> Result<SolverOutput, ExactReplayError> {
        let bell = Arc::clone(self.solvers.bell());
        let solver = self.solvers.get_mut(thing).ok_or(ExactReplayError::NoThing(thing))?;
        let mut since = Instant::now();
        loop {
            if let Some(output) = take(solver)? {
                return Ok(output);
            }
            if !goes_on() {
                return Err(ExactReplayError::Stopped);
            }
            match solver.state() {
                LinkState::Failed(why) => return Err(ExactReplayError::Solver(why)),
                LinkState::Lost(why) if since.elapsed() > PATIENCE => {
                    return Err(ExactReplayError::Solver(why));
                }
                // Preparing a large object may take long.
                LinkState::Preparing(_) => {}
                LinkState::Ready(_) if solver.has_next() => since = Instant::now(),
                LinkState::Lost(_) | LinkState::Ready(_) if since.elapsed() > PATIENCE => {
                    let silence = format!("no answer for {} s", PATIENCE.as_secs());
                    return Err(ExactReplayError::Solver(silence));
                }
                LinkState::Lost(_) | LinkState::Ready(_) => {}
            }
            bell.wait_for(Duration::from_millis(20));
        }
    }
}
