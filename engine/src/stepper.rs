//! Loop that steps an object, used by the embedded solver and by the server.

mod substeps;

use std::sync::Arc;

use physics::{
    Deformable, FrameContent, Outcome, SampleId, Snapshot, StateError, StepReport, SurfaceFrame,
    Touch,
};

use crate::idle_work::IdleQueue;
use crate::inbox::{Inbox, StepRequest};
use crate::resources::{SolverResources, ThreadsError};

use substeps::Substeps;

/// Steps one object through time.
pub struct Stepper {
    object: Box<dyn Deformable>,
    idle: Arc<IdleQueue>,
    substeps: Substeps,
    content: FrameContent,
    /// Sample of the last touch.
    sample: SampleId,
}

impl Stepper {
    /// Creates a stepper for an object at rest.
    pub fn new(object: Box<dyn Deformable>) -> Self {
        Self {
            object,
            idle: Arc::default(),
            substeps: Substeps::default(),
            content: FrameContent::default(),
            sample: SampleId::default(),
        }
    }

    /// Sets what frames carry.
    pub fn carrying(mut self, content: FrameContent) -> Self {
        self.content = content;
        self
    }

    /// Frame of the object before any touch, with its state.
    pub fn rest_frame(&self) -> SurfaceFrame {
        let mut frame = self.frame_without_step();
        frame.history.snapshot = Some(Arc::new(self.snapshot()));
        frame
    }

    /// Complete state: everything that the next step depends on.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { sample: self.sample, matter: self.object.state(), ..self.substeps.snapshot() }
    }

    /// Restores an earlier state of this object, or a state of an equal object.
    pub fn restore(&mut self, snapshot: &Arc<Snapshot>) -> Result<SurfaceFrame, StateError> {
        self.object.restore(&snapshot.matter)?;
        self.substeps.restore(snapshot);
        self.sample = snapshot.sample;
        Ok(self.frame_restored(Arc::clone(snapshot)))
    }

    /// Restores a state. If that fails, the object keeps its state and the frame reports the
    /// reason.
    fn restore_or_refuse(&mut self, snapshot: &Arc<Snapshot>) -> SurfaceFrame {
        self.restore(snapshot).unwrap_or_else(|why| {
            tracing::warn!("cannot restore a state: {why}");
            // Confirm the restore with the requested sample, but with the object's own state.
            self.sample = snapshot.sample;
            let mut frame = self.frame_restored(Arc::new(self.snapshot()));
            let why = format!("the object cannot go on where it was: {why}");
            frame.report.outcome = Outcome::Refused(why);
            frame
        })
    }

    /// Frame that confirms a restore. The object is in the state of `snapshot`.
    fn frame_restored(&self, snapshot: Arc<Snapshot>) -> SurfaceFrame {
        let mut frame = self.frame_without_step();
        frame.history.n_shortened = self.substeps.n_shortened();
        frame.history.snapshot = Some(Arc::clone(&snapshot));
        frame.history.restored = Some(snapshot);
        frame
    }

    /// Frame of the current shape. Matter with inertia is reported as moving until its first
    /// substep.
    fn frame_without_step(&self) -> SurfaceFrame {
        let is_moving = self.object.substep().is_some() && self.substeps.is_moving();
        let report = StepReport { is_moving, ..StepReport::at_rest() };
        self.frame(report)
    }

    /// Frame of the present shape, for the last touch.
    fn frame(&self, report: StepReport) -> SurfaceFrame {
        let frame = SurfaceFrame::of(&*self.object, self.sample, report);
        match self.content.displacements(|| self.object.displacements()) {
            Some(displacements) => frame.with_displacements(displacements),
            None => frame,
        }
    }

    /// Steps to the time of `touch`.
    pub fn step(&mut self, touch: &Touch) -> SurfaceFrame {
        let span = tracing::trace_span!("step", sample = touch.sample.0);
        let _entered = span.enter();
        let report = self.substeps.step(&mut *self.object, touch);
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
        let mut frame = self.frame(report);
        frame.history.n_shortened = self.substeps.n_shortened();
        if touch.wants_contact_models {
            frame.contact_models = self.object.contact_models();
        }
        if touch.wants_state {
            frame.history.snapshot = Some(Arc::new(self.snapshot()));
        }
        frame
    }

    /// Publishes the rest frame, then handles requests until the inbox is closed. Between requests
    /// it offers idle work to the resources. `answered` gets each touch after its step.
    pub fn run(
        mut self,
        resources: &Arc<SolverResources>,
        inbox: &Inbox,
        mut publish: impl FnMut(SurfaceFrame) + Send,
        mut answered: impl FnMut(Touch) + Send,
    ) -> Result<(), ThreadsError> {
        // The loop runs on a worker of the object's own pool: a step uses other threads only where
        // that pays off.
        resources.step_pool()?.install(|| {
            publish(self.rest_frame());
            self.offer_idle_work(resources);
            while let Some(StepRequest { restore, touch }) = inbox.wait() {
                resources.touch_arrived();
                if let Some(snapshot) = restore {
                    publish(self.restore_or_refuse(&snapshot));
                }
                if let Some(touch) = touch {
                    let frame = self.step(&touch);
                    answered(touch);
                    publish(frame);
                }
                self.offer_idle_work(resources);
            }
        });
        Ok(())
    }

    fn offer_idle_work(&mut self, resources: &Arc<SolverResources>) {
        if let Some(work) = self.object.idle_work() {
            self.idle.offer(work, resources);
        }
    }
}

impl Drop for Stepper {
    fn drop(&mut self) {
        self.idle.end();
    }
}
