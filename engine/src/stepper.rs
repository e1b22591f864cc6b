//! The loop that steps an object, shared by the embedded and the remote solver.

mod stride;

use std::sync::Arc;

use physics::{
    Deformable, Outcome, SampleId, Snapshot, StateError, StepReport, SurfaceFrame, Touch,
};

use crate::idle::Idle;
use crate::inbox::{Inbox, Order};
use crate::workshop::{ThreadsError, Workshop};

use stride::Stride;

/// One object and the time that has passed for it.
pub struct Stepper {
    object: Box<dyn Deformable>,
    idle: Arc<Idle>,
    stride: Stride,
    /// The last sample that was stepped.
    sample: SampleId,
}

impl Stepper {
    /// An object that nothing has happened to.
    pub fn new(object: Box<dyn Deformable>) -> Self {
        let sample = SampleId::default();
        Self { object, idle: Arc::default(), stride: Stride::default(), sample }
    }

    /// The object as it is before any touch, with its state.
    pub fn rest_frame(&self) -> SurfaceFrame {
        let mut frame = self.frame_without_step();
        frame.course.snapshot = Some(Arc::new(self.snapshot()));
        frame
    }

    /// All that the next step depends on.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { sample: self.sample, matter: self.object.state(), ..self.stride.snapshot() }
    }

    /// Puts the object into an earlier state, or into that of an equal object.
    pub fn restore(&mut self, snapshot: &Arc<Snapshot>) -> Result<SurfaceFrame, StateError> {
        self.object.restore(&snapshot.matter)?;
        self.stride.restore(snapshot);
        self.sample = snapshot.sample;
        Ok(self.frame_restored(Arc::clone(snapshot)))
    }

    /// Restores a state, or says in the frame why that cannot be: the object then stays as it is.
    fn restore_or_refuse(&mut self, snapshot: &Arc<Snapshot>) -> SurfaceFrame {
        self.restore(snapshot).unwrap_or_else(|why| {
            tracing::warn!("a state is refused: {why}");
            // It goes on from its own state, under the name that was asked for.
            self.sample = snapshot.sample;
            let mut frame = self.frame_restored(Arc::new(self.snapshot()));
            let why = format!("the object cannot go on where it was: {why}");
            frame.report.outcome = Outcome::Refused(why);
            frame
        })
    }

    /// The object in the state that it goes on from.
    fn frame_restored(&self, snapshot: Arc<Snapshot>) -> SurfaceFrame {
        let mut frame = self.frame_without_step();
        frame.course.n_shortened = self.stride.n_shortened();
        frame.course.snapshot = Some(Arc::clone(&snapshot));
        frame.course.restored = Some(snapshot);
        frame
    }

    /// The object as it is. Until its first substep, matter with inertia is reported as moving.
    fn frame_without_step(&self) -> SurfaceFrame {
        let is_moving = self.object.substep().is_some() && self.stride.is_moving();
        let report = StepReport { is_moving, ..StepReport::at_rest() };
        SurfaceFrame::of(&*self.object, self.sample, report)
    }

    /// Steps to the time of `touch`.
    pub fn step(&mut self, touch: &Touch) -> SurfaceFrame {
        let span = tracing::trace_span!("step", sample = touch.sample.0);
        let _entered = span.enter();
        let report = self.stride.step(&mut *self.object, touch);
        self.sample = touch.sample;
        match &report.outcome {
            Outcome::AtRest | Outcome::Solved => {}
            Outcome::Underdetermined(why) | Outcome::Refused(why) => {
                tracing::debug!(sample = touch.sample.0, why, "the touch was not answered");
            }
            Outcome::Frozen => {
                tracing::error!(sample = touch.sample.0, "the solve blew up; the shape is frozen");
            }
        }
        let mut frame = SurfaceFrame::of(&*self.object, touch.sample, report);
        frame.course.n_shortened = self.stride.n_shortened();
        if touch.wants_state {
            frame.course.snapshot = Some(Arc::new(self.snapshot()));
        }
        frame
    }

    /// Publishes the rest frame, then follows orders until the inbox is closed. In between, the
    /// workshop's idle threads do what makes later steps quicker. `answered` gets each touch when it
    /// is done with.
    pub fn run(
        mut self,
        workshop: &Arc<Workshop>,
        inbox: &Inbox,
        mut publish: impl FnMut(SurfaceFrame) + Send,
        mut answered: impl FnMut(Touch) + Send,
    ) -> Result<(), ThreadsError> {
        // The loop lives on a worker of the object's own pool: a frame changes threads only where it is
        // worth sharing.
        workshop.step_pool()?.install(|| {
            publish(self.rest_frame());
            self.offer_idle_work(workshop);
            while let Some(Order { restore, touch }) = inbox.wait() {
                if let Some(snapshot) = restore {
                    publish(self.restore_or_refuse(&snapshot));
                }
                if let Some(touch) = touch {
                    let frame = self.step(&touch);
                    answered(touch);
                    publish(frame);
                }
                self.offer_idle_work(workshop);
            }
        });
        Ok(())
    }

    fn offer_idle_work(&mut self, workshop: &Arc<Workshop>) {
        if let Some(work) = self.object.idle_work() {
            self.idle.offer(work, workshop);
        }
    }
}

impl Drop for Stepper {
    fn drop(&mut self) {
        self.idle.end();
    }
}
