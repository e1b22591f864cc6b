//! Where objects are prepared: the threads for long work and the models that are ready.

use std::sync::Arc;

use physics::{BuildError, MemoryLimits, Model};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::cache::{ModelCache, Order};

/// The threads and the models of everything that is solved in this process.
///
/// Preparing an object may take long and must not delay another object's frames: it has workers of its
/// own, which give way to everything else on the machine. An object that is being stepped has its own
/// workers, so that frames wait for nobody.
pub struct Workshop {
    long_work: ThreadPool,
    threads: usize,
    models: ModelCache,
}

/// Why there are no threads.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {threads} solver threads: {source}")]
pub struct ThreadsError {
    threads: usize,
    source: rayon::ThreadPoolBuildError,
}

/// How much memory may be used, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// By one object.
    pub object: MemoryLimits,
    /// By models that nobody uses, kept in case they are wanted again.
    pub idle_models: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { object: MemoryLimits::default(), idle_models: 1 << 30 }
    }
}

impl Workshop {
    /// With so many threads for each thing; `None` means one per core.
    pub fn new(threads: Option<usize>, budget: Budget) -> Result<Arc<Self>, ThreadsError> {
        let long_work = pool(threads.unwrap_or(0), "prepare")?;
        let threads = long_work.current_num_threads();
        long_work.broadcast(|_| give_way());
        Ok(Arc::new(Self { long_work, threads, models: ModelCache::new(budget) }))
    }

    /// Runs long work on the threads for it.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.long_work.install(work)
    }

    /// Starts work that nobody waits for.
    pub(crate) fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        self.long_work.spawn(work);
    }

    /// New workers for one object's frames.
    pub(crate) fn step_pool(&self) -> Result<ThreadPool, ThreadsError> {
        pool(self.threads, "step")
    }

    /// How many threads work on one thing.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Delivers an order of a model: the long part.
    pub fn deliver(&self, order: &Order) -> Result<Model, BuildError> {
        self.models.deliver(order, &self.long_work)
    }

    /// The models that are ready or being prepared.
    pub fn models(&self) -> &ModelCache {
        &self.models
    }
}

fn pool(threads: usize, name: &'static str) -> Result<ThreadPool, ThreadsError> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |i| format!("{name}-{i}"))
        .build()
        .map_err(|source| ThreadsError { threads, source })
}

/// Lets this thread run only when others do not want to. Where that is not to be had, work goes on as it
/// is.
fn give_way() {
    #[cfg(target_os = "linux")]
    {
        const NICE: i32 = 10;
        let thread = rustix::thread::gettid();
        if let Err(e) = rustix::process::setpriority_process(Some(thread), NICE) {
            tracing::debug!("long work has the priority of frames: {e}");
        }
    }
}
