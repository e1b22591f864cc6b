//! The loop that steps an object, shared by the embedded and the remote solver.

use std::sync::Arc;

use physics::{
    BuildError, Deformable, ObjectSpec, Outcome, SampleId, StepReport, SurfaceFrame, Touch, build,
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::mailbox::Mailbox;

/// One object and the threads that it is solved on.
pub struct Stepper {
    object: Box<dyn Deformable>,
    pool: Arc<ThreadPool>,
    /// Time of the last touch.
    time: Option<f64>,
}

/// Why there is no thread pool.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {threads} solver threads: {source}")]
pub struct ThreadsError {
    threads: usize,
    source: rayon::ThreadPoolBuildError,
}

/// One pool for everything that is solved; `None` means one thread per core.
pub fn thread_pool(threads: Option<usize>) -> Result<Arc<ThreadPool>, ThreadsError> {
    let threads = threads.unwrap_or(0);
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("solve-{i}"))
        .build()
        .map(Arc::new)
        .map_err(|source| ThreadsError { threads, source })
}

impl Stepper {
    /// Builds the object: the long part.
    pub fn prepare(spec: &ObjectSpec, pool: Arc<ThreadPool>) -> Result<Self, BuildError> {
        let object = pool.install(|| build(spec))?;
        Ok(Self { object, pool, time: None })
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
        let dt = (touch.time - self.time.unwrap_or(touch.time)).clamp(0.0, LONGEST_STRIDE);
        self.time = Some(touch.time);
        let span = tracing::trace_span!("step", sample = touch.sample.0);
        let _entered = span.enter();
        let report = self.pool.install(|| self.object.step(touch, dt));
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

    /// Publishes the rest frame, then answers touches until the mailbox is closed.
    pub fn run(mut self, touches: &Mailbox<Touch>, mut publish: impl FnMut(SurfaceFrame)) {
        publish(self.rest_frame());
        while let Some(touch) = touches.wait() {
            publish(self.step(&touch));
        }
    }
}
