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
    threads: Arc<Threads>,
    /// The latest time that the object has reached.
    time: Option<f64>,
}

/// The threads of everything that is solved in this process. Building an object may take long and must
/// not delay another object's frames, so it has workers of its own.
#[derive(Debug)]
pub struct Threads {
    build: ThreadPool,
    step: ThreadPool,
}

/// Why there is no thread pool.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {threads} solver threads: {source}")]
pub struct ThreadsError {
    threads: usize,
    source: rayon::ThreadPoolBuildError,
}

impl Threads {
    /// So many threads; `None` means one per core.
    pub fn new(threads: Option<usize>) -> Result<Arc<Self>, ThreadsError> {
        let threads = threads.unwrap_or(0);
        let pool = |name: &'static str| {
            ThreadPoolBuilder::new()
                .num_threads(threads)
                .thread_name(move |i| format!("{name}-{i}"))
                .build()
                .map_err(|source| ThreadsError { threads, source })
        };
        Ok(Arc::new(Self { build: pool("build")?, step: pool("step")? }))
    }

    /// Runs long work on the threads for it.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.build.install(work)
    }

    /// How many work on one thing.
    pub fn count(&self) -> usize {
        self.step.current_num_threads()
    }
}

impl Stepper {
    /// Builds the object: the long part.
    pub fn prepare(spec: &ObjectSpec, threads: Arc<Threads>) -> Result<Self, BuildError> {
        let object = threads.install(|| build(spec))?;
        Ok(Self { object, threads, time: None })
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
        let report = self.threads.step.install(|| self.object.step(touch, dt));
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

    /// Publishes the rest frame, then answers touches until the mailbox is closed.
    pub fn run(mut self, touches: &Mailbox<Touch>, mut publish: impl FnMut(SurfaceFrame)) {
        publish(self.rest_frame());
        while let Some(touch) = touches.wait() {
            publish(self.step(&touch));
        }
    }
}
