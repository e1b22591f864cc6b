//! Resources of the solvers of one process: threads, memory budget and models.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use physics::{BuildError, Deformable, MemoryLimits, Model};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::fair_share::FairShare;
use crate::model_cache::{ModelCache, ModelRequest};

/// Threads and models of all solvers of this process.
///
/// Every piece of long work and every object has worker threads of its own, so that none waits for
/// another. Long work has a lower priority than frames, and idle work has the lowest. While touches
/// arrive, both leave some cores to frames; large objects are prepared one after another.
pub struct SolverResources {
    threads: usize,
    idle_work: Arc<ThreadPool>,
    share: Arc<FairShare>,
    models: ModelCache,
    budget: MemoryBudget,
    make: MakeObject,
}

/// Function that makes an object from its model.
pub type MakeObject = fn(&Model) -> Box<dyn Deformable>;

/// Threads cannot be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {threads} solver threads: {source}")]
pub struct ThreadsError {
    threads: usize,
    source: Box<dyn Error + Send + Sync>,
}

impl ThreadsError {
    /// Creates the error for this number of threads.
    pub fn new(threads: usize, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { threads, source: source.into() }
    }
}

/// Memory limits, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryBudget {
    /// Limits for one object.
    pub object: MemoryLimits,
    /// Limit for all models without a request, which are kept for later requests.
    pub idle_models: usize,
    /// Time for which a model is kept beyond that limit after its last request, for a client that
    /// comes back after a break.
    pub lease: Duration,
    /// Limit for all models together. Idle ones leave when those in use need their memory.
    pub all_models: usize,
}

impl Default for MemoryBudget {
    fn default() -> Self {
        Self {
            object: MemoryLimits::default(),
            idle_models: 1 << 30,
            lease: Duration::ZERO,
            all_models: usize::MAX,
        }
    }
}

impl SolverResources {
    /// Creates resources with `threads` threads for each piece of work; `None` means one per core.
    pub fn new(threads: Option<usize>, budget: MemoryBudget) -> Result<Arc<Self>, ThreadsError> {
        Self::making(threads, budget, Model::object)
    }

    /// [`SolverResources::new`] with another way to make objects: a family that has no description
    /// yet can be tried through every link.
    pub fn making(
        threads: Option<usize>,
        budget: MemoryBudget,
        make: MakeObject,
    ) -> Result<Arc<Self>, ThreadsError> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or_else(cores);
        let share = FairShare::new();
        let idle_work = pool(1, "idle")?;
        idle_work.broadcast(|_| {
            give_way(IDLE);
            share.stay_off();
        });
        let (idle_work, models) = (Arc::new(idle_work), ModelCache::new(budget));
        Ok(Arc::new(Self { threads, idle_work, share, models, budget, make }))
    }

    /// The same resources with at most `wish` threads for each piece of work; zero means no wish.
    /// Models and idle thread are shared. Results do not depend on the number.
    pub fn at_most(self: &Arc<Self>, wish: usize) -> Arc<Self> {
        if wish == 0 || wish >= self.threads {
            return Arc::clone(self);
        }
        let Self { idle_work, share, models, budget, make, .. } = &**self;
        Arc::new(Self {
            threads: wish,
            idle_work: Arc::clone(idle_work),
            share: Arc::clone(share),
            models: models.clone(),
            budget: *budget,
            make: *make,
        })
    }

    /// Runs long work on new threads.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, ThreadsError> {
        Ok(self.long_work()?.install(work))
    }

    /// Prepares the requested model. This takes long, unless the model is ready.
    pub fn prepare(&self, request: &ModelRequest) -> Result<Model, PrepareError> {
        let turn = match request.is_ready() {
            true => None,
            false => {
                let need_not_wait = || request.is_withdrawn() || request.is_ready();
                self.share.turn(request.n_nodes(), need_not_wait)
            }
        };
        let model = self.models.prepare(request, || Ok::<_, PrepareError>(self.long_work()?))?;
        drop(turn);
        if let Some(bytes) = model.bytes_for_double() {
            tracing::info!(
                "an object is in single precision for want of memory, so new contacts are slower; \
                 {} MB are needed for double",
                bytes.div_ceil(1_000_000)
            );
        }
        Ok(model)
    }

    /// Creates an object at rest.
    pub fn object(&self, model: &Model) -> Box<dyn Deformable> {
        (self.make)(model)
    }

    /// Queues work for the idle thread.
    pub(crate) fn spawn_idle(&self, work: impl FnOnce() + Send + 'static) {
        self.idle_work.spawn(work);
    }

    /// A touch has arrived: long work leaves some cores to its frame.
    pub(crate) fn touch_arrived(&self) {
        self.share.touch_arrived();
    }

    /// Creates worker threads for the steps of one object.
    pub(crate) fn step_pool(&self) -> Result<ThreadPool, ThreadsError> {
        pool(self.threads, "step")
    }

    fn long_work(&self) -> Result<ThreadPool, ThreadsError> {
        let pool = self.share.long_work(builder(self.threads, "prepare"), || give_way(LONG_WORK));
        pool.map_err(|source| ThreadsError::new(self.threads, source))
    }

    /// Number of threads for each piece of work.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Models that are ready or being prepared.
    pub fn models(&self) -> &ModelCache {
        &self.models
    }

    /// Memory limits.
    pub fn budget(&self) -> &MemoryBudget {
        &self.budget
    }
}

/// A model cannot be prepared.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The model cannot be made, or its request was withdrawn.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
}

impl PrepareError {
    /// True if the preparation ended because its request was withdrawn.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Build(error) if error.is_cancelled())
    }
}

fn pool(threads: usize, name: &'static str) -> Result<ThreadPool, ThreadsError> {
    builder(threads, name).build().map_err(|source| ThreadsError::new(threads, source))
}

fn builder(threads: usize, name: &'static str) -> ThreadPoolBuilder {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |i| format!("{name}-{i}"))
        // A panic in idle work has no caller that receives it; it must not end the process.
        .panic_handler(move |_| tracing::error!("a thread for {name} work panicked"))
}

/// Niceness of threads that prepare models. Higher values mean lower priority.
const LONG_WORK: i32 = 5;

/// Niceness of the thread for idle work.
const IDLE: i32 = 15;

/// Lowers the priority of this thread. If the system does not allow that, the priority stays.
fn give_way(niceness: i32) {
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
    #[cfg(target_os = "linux")]
    {
        let thread = rustix::thread::gettid();
        if let Err(e) = rustix::process::setpriority_process(Some(thread), niceness) {
            tracing::debug!("long work keeps the priority of frames: {e}");
        }
    }
}
