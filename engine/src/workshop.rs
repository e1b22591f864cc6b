//! Where objects are prepared: the threads for long work and the models that are ready.

use std::sync::Arc;

use physics::{BuildError, Deformable, MemoryLimits, Model};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::cache::{ModelCache, Order};

/// The threads and the models of everything that is solved in this process.
///
/// Every piece of long work and every object that is stepped has workers of its own, so that none waits
/// for another. Long work gives way to frames, and fetching ahead to both.
pub struct Workshop {
    threads: usize,
    idle_work: ThreadPool,
    models: ModelCache,
    budget: Budget,
    make: MakeObject,
}

/// How an object is made of its model.
pub type MakeObject = fn(&Model) -> Box<dyn Deformable>;

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
        Self::making(threads, budget, Model::object)
    }

    /// The same, with objects made in another way: matter that no description speaks of yet can be
    /// tried through every link.
    pub fn making(
        threads: Option<usize>,
        budget: Budget,
        make: MakeObject,
    ) -> Result<Arc<Self>, ThreadsError> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or_else(cores);
        let idle_work = pool(1, "idle")?;
        idle_work.broadcast(|_| give_way(IDLE));
        let models = ModelCache::new(budget);
        Ok(Arc::new(Self { threads, idle_work, models, budget, make }))
    }

    /// Runs long work on new threads for it.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, ThreadsError> {
        Ok(self.long_work()?.install(work))
    }

    /// Delivers an order of a model: the long part.
    pub fn deliver(&self, order: &Order) -> Result<Model, DeliveryError> {
        Ok(self.models.deliver(order, &self.long_work()?)?)
    }

    /// An object at rest.
    pub fn object(&self, model: &Model) -> Box<dyn Deformable> {
        (self.make)(model)
    }

    /// Starts work that nobody waits for.
    pub(crate) fn spawn_idle(&self, work: impl FnOnce() + Send + 'static) {
        self.idle_work.spawn(work);
    }

    /// New workers for one object's frames.
    pub(crate) fn step_pool(&self) -> Result<ThreadPool, ThreadsError> {
        pool(self.threads, "step")
    }

    fn long_work(&self) -> Result<ThreadPool, ThreadsError> {
        let threads = pool(self.threads, "prepare")?;
        threads.broadcast(|_| give_way(LONG_WORK));
        Ok(threads)
    }

    /// How many threads work on one thing.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The models that are ready or being prepared.
    pub fn models(&self) -> &ModelCache {
        &self.models
    }

    /// How much memory may be used.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }
}

/// Why an ordered model is not delivered.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryError {
    /// It cannot be made, or nobody wants it any more.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// There is nobody to make it.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
}

impl DeliveryError {
    /// Whether it ended because nobody wants the object any more.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Build(error) if error.is_cancelled())
    }
}

fn pool(threads: usize, name: &'static str) -> Result<ThreadPool, ThreadsError> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |i| format!("{name}-{i}"))
        // What nobody waits for cannot hand its panic to anybody; it must not take the process along.
        .panic_handler(move |_| tracing::error!("a thread for {name} work panicked"))
        .build()
        .map_err(|source| ThreadsError { threads, source })
}

/// How far a thread lets others go first: the more, the farther.
const LONG_WORK: i32 = 5;
const IDLE: i32 = 15;

/// Lets this thread run only when others do not want to. Where that is not to be had, work goes on as it
/// is.
fn give_way(niceness: i32) {
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
    #[cfg(target_os = "linux")]
    {
        let thread = rustix::thread::gettid();
        if let Err(e) = rustix::process::setpriority_process(Some(thread), niceness) {
            tracing::debug!("long work has the priority of frames: {e}");
        }
    }
}
