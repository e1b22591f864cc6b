//! What the solvers of a run that is run again are asked, and what they answer.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::LinkState;
use interaction::shapes::ShapeId;
use physics::{Snapshot, SurfaceFrame};

use super::ExactError;
use super::table::{Said, Table};
use crate::session::links::{FromSolver, Links};

/// Longest time to wait for a frame.
const PATIENCE: Duration = Duration::from_secs(60);

impl Table {
    /// Puts a thing into a state; the frame of that is the last that it has said.
    pub(super) fn restore(
        &mut self,
        thing: usize,
        shape: ShapeId,
        snapshot: Snapshot,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), ExactError> {
        if self.said.get(thing).is_some_and(|said| said[0].is_none()) {
            // The first frame of an object is always its rest frame.
            self.frame(thing, shape, 0, goes_on)?;
        }
        let links = self.solvers.get_mut(thing).ok_or(ExactError::NoThing(thing))?;
        let snapshot = Arc::new(snapshot);
        links.restore(Arc::clone(&snapshot));
        let is_it = |frame: &SurfaceFrame| frame.course.restored.as_ref() == Some(&snapshot);
        let frame = self.wait_for_frame(thing, shape, is_it, goes_on)?;
        self.said[thing][1] = Some((shape, frame));
        Ok(())
    }

    /// The frame of this sample: the object at rest, or the answer to a touch.
    pub(super) fn frame(
        &mut self,
        thing: usize,
        shape: ShapeId,
        sample: u64,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Arc<SurfaceFrame>, ExactError> {
        let waiting = self.waiting.get_mut(thing).ok_or(ExactError::NoThing(thing))?;
        let is_it = |said: &&Said| said.0 == shape && said.1.sample.0 == sample;
        if let Some((_, frame)) = self.said[thing].iter().flatten().find(is_it) {
            return Ok(Arc::clone(frame));
        }
        if sample > 0 {
            let mut later = waiting.split_off(&sample);
            let again = || self.last[thing].clone().filter(|last| last.sample.0 == sample);
            let touch = later.remove(&sample).or_else(again);
            let touch = touch.ok_or(ExactError::NoTouch(sample))?;
            *waiting = later;
            self.last[thing] = Some(touch.clone());
            let links = self.solvers.get_mut(thing).ok_or(ExactError::NoThing(thing))?;
            links.submit(touch);
        }
        let is_it = |frame: &SurfaceFrame| frame.sample.0 == sample;
        let frame = self.wait_for_frame(thing, shape, is_it, goes_on)?;
        let place = usize::from(sample > 0);
        self.said[thing][place] = Some((shape, Arc::clone(&frame)));
        Ok(frame)
    }

    fn wait_for_frame(
        &mut self,
        thing: usize,
        shape: ShapeId,
        is_it: impl Fn(&SurfaceFrame) -> bool,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Arc<SurfaceFrame>, ExactError> {
        let links = self.solvers.get(thing).ok_or(ExactError::NoThing(thing))?;
        let is_next = links.shape() != shape;
        loop {
            let news = self.wait(thing, goes_on, |links| {
                if is_next { links.take_next() } else { Ok(links.take_current()) }
            })?;
            match news {
                FromSolver::Frame(from, frame) if from == shape && is_it(&frame) => {
                    return Ok(frame);
                }
                FromSolver::Frame(..) => {}
                FromSolver::Made(..) | FromSolver::Stays(_) => return Err(ExactError::Shape),
            }
        }
    }

    pub(super) fn wait(
        &mut self,
        thing: usize,
        goes_on: &dyn Fn() -> bool,
        mut take: impl FnMut(&mut Links) -> io::Result<Option<FromSolver>>,
    ) -> Result<FromSolver, ExactError> {
        let bell = Arc::clone(self.solvers.bell());
        let links = self.solvers.get_mut(thing).ok_or(ExactError::NoThing(thing))?;
        let mut since = Instant::now();
        loop {
            if let Some(news) = take(links)? {
                return Ok(news);
            }
            if !goes_on() {
                return Err(ExactError::Stopped);
            }
            match links.state() {
                LinkState::Failed(why) => return Err(ExactError::Solver(why)),
                LinkState::Lost(why) if since.elapsed() > PATIENCE => {
                    return Err(ExactError::Solver(why));
                }
                // Preparing a large object may take long.
                LinkState::Preparing(_) => {}
                LinkState::Ready(_) if links.has_next() => since = Instant::now(),
                LinkState::Lost(_) | LinkState::Ready(_) if since.elapsed() > PATIENCE => {
                    let silence = format!("nothing came for {} s", PATIENCE.as_secs());
                    return Err(ExactError::Solver(silence));
                }
                LinkState::Lost(_) | LinkState::Ready(_) => {}
            }
            bell.wait_for(Duration::from_millis(20));
        }
    }
}
