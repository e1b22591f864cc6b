//! The loop that steps an object, shared by the embedded and the remote solver.

use std::sync::Arc;

use physics::{Deformable, Model, Outcome, SampleId, StepReport, SurfaceFrame, Touch};

use crate::idle::Idle;
use crate::mailbox::Mailbox;
use crate::workshop::{ThreadsError, Workshop};

/// One object in one hand.
pub struct Stepper {
    object: Box<dyn Deformable>,
    idle: Arc<Idle>,
    /// The latest time that the object has reached.
    time: Option<f64>,
}

impl Stepper {
    /// The object at rest.
    pub fn new(model: &Model) -> Self {
        Self { object: model.object(), idle: Arc::default(), time: None }
    }

    /// The object as it is before any touch.
    pub fn rest_frame(&self) -> SurfaceFrame {
        let report = StepReport::without_solve(Outcome::AtRest);
        SurfaceFrame::of(&*self.object, SampleId::default(), report)
    }

    /// Steps to the time of `touch`.
    pub fn step(&mut self, touch: &Touch) -> SurfaceFrame {
        /// A longer pause (a lost device, a stalled line) is not made up for in one stride.
        const LONGEST_STRIDE: f64 = 0.1;
        let before = self.time.unwrap_or(touch.time);
        let dt = (touch.time - before).clamp(0.0, LONGEST_STRIDE);
        let span = tracing::trace_span!("step", sample = touch.sample.0);
        let _entered = span.enter();
        let report = self.object.step(touch, dt);
        if !matches!(report.outcome, Outcome::Refused(_)) {
            // A refused touch moved nothing; its time belongs to the next one.
            self.time = Some(touch.time.max(before));
        }
        match &report.outcome {
            Outcome::AtRest | Outcome::Solved => {}
            Outcome::Underdetermined(why) | Outcome::Refused(why) => {
                tracing::debug!(sample = touch.sample.0, why, "the touch was not answered");
            }
            Outcome::Frozen => {
                tracing::error!(sample = touch.sample.0, "the solve blew up; the shape is frozen");
            }
        }
        SurfaceFrame::of(&*self.object, touch.sample, report)
    }

    /// Publishes the rest frame, then answers touches until the mailbox is closed. In between, the
    /// workshop's idle threads do what makes later steps quicker. `answered` gets each touch when it is done with.
    pub fn run(
        mut self,
        workshop: &Arc<Workshop>,
        touches: &Mailbox<Touch>,
        mut publish: impl FnMut(SurfaceFrame) + Send,
        mut answered: impl FnMut(Touch) + Send,
    ) -> Result<(), ThreadsError> {
        // The loop lives on a worker of the object's own pool: a frame changes threads only where it is
        // worth sharing.
        workshop.step_pool()?.install(|| {
            publish(self.rest_frame());
            self.offer_idle_work(workshop);
            while let Some(touch) = touches.wait() {
                let frame = self.step(&touch);
                answered(touch);
                publish(frame);
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
