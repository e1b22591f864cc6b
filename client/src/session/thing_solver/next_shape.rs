//! The next shape of a thing, or another solver of its present shape: found, started and prepared
//! in the background.

use std::io;
use std::sync::Arc;

use engine::{LinkState, SolverLink, SolverLocation};
use interaction::shape_history::ShapeId;
use physics::{KnownDisplacement, ObjectSpec, SurfaceFrame};

use super::background::{Answers, drop_in_background, in_background};
use super::no_solver::NoSolver;
use super::{NO_SHAPE, SolverOutput, ThingSolver};
use crate::session::keep_shape::kept_spec;

/// A shape in preparation.
pub(super) enum NextShape {
    /// The rest positions are being computed.
    Finding(Answers<Arc<ObjectSpec>>),
    /// The solver is being started: the object is checked and copied, which takes a while.
    Starting(Answers<Box<dyn SolverLink>>, Arc<ObjectSpec>),
    /// The solver prepares the shape.
    Preparing(Box<dyn SolverLink>, Arc<ObjectSpec>),
}

impl ThingSolver {
    /// Begins to compute the shape with these displacements, on a background thread.
    pub(in crate::session) fn keep(
        &mut self,
        shape: ShapeId,
        spec: Arc<ObjectSpec>,
        known: Vec<KnownDisplacement>,
    ) -> io::Result<()> {
        let solvers = self.solvers.clone();
        let find = move || kept_spec(&solvers, &spec, known);
        let found = in_background("keep shape", &self.bell, find)?;
        self.next = Some((shape, NextShape::Finding(found)));
        Ok(())
    }

    /// Begins to prepare a shape: with `is_as_left` in the state in which it was left, otherwise at
    /// rest.
    pub(in crate::session) fn prepare(
        &mut self,
        shape: ShapeId,
        spec: Arc<ObjectSpec>,
        is_as_left: bool,
    ) -> io::Result<()> {
        if !is_as_left {
            self.states.forget(shape);
        }
        let (solvers, bell) = (self.solvers.clone(), Arc::clone(&self.bell));
        let of = Arc::clone(&spec);
        let start = move || solvers.link(&of, bell).map_err(|e| e.to_string());
        let started = in_background("start solver", &self.bell, start)?;
        self.next = Some((shape, NextShape::Starting(started, spec)));
        Ok(())
    }

    /// Begins to prepare the present or the next shape at another location, and stops its
    /// preparation at the old one.
    pub(in crate::session) fn move_to(
        &mut self,
        solvers: &SolverLocation,
        shape: ShapeId,
        spec: &Arc<ObjectSpec>,
    ) -> io::Result<()> {
        self.solvers = solvers.clone();
        match self.next.take() {
            // The shape is prepared at the new location as soon as it is found.
            Some((coming, finding @ NextShape::Finding(_))) => {
                self.next = Some((coming, finding));
                Ok(())
            }
            Some((coming, NextShape::Starting(old, spec))) => {
                drop_in_background(old)?;
                self.prepare(coming, spec, true)
            }
            Some((coming, NextShape::Preparing(old, spec))) => {
                drop_in_background(old)?;
                self.prepare(coming, spec, true)
            }
            None => self.prepare(shape, Arc::clone(spec), true),
        }
    }

    /// The next output of the shape in preparation.
    pub(in crate::session) fn take_next(&mut self) -> io::Result<Option<SolverOutput>> {
        let Some((shape, next)) = &mut self.next else { return Ok(None) };
        let shape = *shape;
        match next {
            NextShape::Finding(found) => {
                let Some(found) = found.take() else { return Ok(None) };
                match &found {
                    Ok(spec) => self.prepare(shape, Arc::clone(spec), false)?,
                    Err(_) => self.next = None,
                }
                Ok(Some(SolverOutput::ShapeMade(shape, found)))
            }
            NextShape::Starting(started, spec) => {
                match started.take() {
                    Some(Ok(link)) => *next = NextShape::Preparing(link, Arc::clone(spec)),
                    Some(Err(why)) => return Ok(self.give_up(shape, why)),
                    None => {}
                }
                Ok(None)
            }
            NextShape::Preparing(link, _) => {
                if let Some(frame) = link.latest() {
                    // The same shape on a new solver is on screen already, so no frame is reported.
                    let is_known = shape == self.shape && self.has_answered;
                    self.change_over(shape, &frame)?;
                    if is_known {
                        return Ok(None);
                    }
                    return Ok(Some(SolverOutput::Frame(shape, frame)));
                }
                if let LinkState::Failed(why) = link.state() {
                    return Ok(self.give_up(shape, why));
                }
                Ok(None)
            }
        }
    }

    /// Gives up the next shape. A thing without any shape stays without a solver.
    fn give_up(&mut self, shape: ShapeId, why: String) -> Option<SolverOutput> {
        self.next = None;
        if self.shape == shape {
            return Some(SolverOutput::MoveFailed(why));
        }
        if self.shape == NO_SHAPE {
            self.current = Box::new(NoSolver(LinkState::Failed(why.clone())));
        }
        Some(SolverOutput::ShapeMade(shape, Err(why)))
    }

    /// The next shape's link becomes the present one.
    fn change_over(&mut self, shape: ShapeId, first: &SurfaceFrame) -> io::Result<()> {
        if let Some((_, NextShape::Preparing(link, _))) = self.next.take() {
            let old = std::mem::replace(&mut self.current, link);
            let left = self.states.change_over(self.shape, shape, first);
            self.shape = shape;
            self.has_answered = true;
            self.last = None;
            self.is_restoring = false;
            if let Some(left) = left {
                self.restore(Arc::new(left.with_new_time(left.sample)));
            }
            drop_in_background(old)?;
        }
        Ok(())
    }
}
