//! Cache of prepared models, by the content of their descriptions.
//!
//! A second hand, a second client, or a file that is opened again finds the object ready.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use physics::{BuildError, Model, ObjectSpec, Progress, Stage};
use rayon::ThreadPool;

use crate::resources::MemoryBudget;
use crate::stage_times::StageTimes;

/// Models that are ready or being prepared. Clones share the models.
#[derive(Clone)]
pub struct ModelCache(Arc<Shared>);

struct Shared {
    budget: MemoryBudget,
    cached: Mutex<CachedModels>,
}

#[derive(Default)]
struct CachedModels {
    /// Models by content hash. Models with equal hashes are told apart by their whole descriptions.
    slots: HashMap<u64, Vec<Arc<Slot>>>,
    /// Counts the requests.
    time: u64,
}

/// One model, being prepared or ready.
struct Slot {
    spec: ObjectSpec,
    progress: Progress,
    times: Arc<StageTimes>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    outcome: Option<Result<Model, BuildError>>,
    is_being_made: bool,
    /// Number of requests that are not withdrawn.
    wanted: usize,
    /// `CachedModels::time` of the newest request.
    last_used: u64,
}

/// A request for a model. Withdrawing the last request for a model ends its preparation.
pub struct ModelRequest {
    cache: ModelCache,
    slot: Arc<Slot>,
    is_withdrawn: Mutex<bool>,
}

impl ModelCache {
    pub(crate) fn new(budget: MemoryBudget) -> Self {
        Self(Arc::new(Shared { budget, cached: Mutex::default() }))
    }

    /// Requests a model. [`crate::SolverResources::prepare`] prepares it.
    pub fn request(&self, spec: &ObjectSpec) -> ModelRequest {
        let key = content_hash(spec);
        let mut cached = lock(&self.0.cached);
        cached.time += 1;
        let time = cached.time;
        let slots = cached.slots.entry(key).or_default();
        let found = slots.iter().find(|slot| slot.spec == *spec && slot.take_part(time)).cloned();
        let slot = found.unwrap_or_else(|| {
            slots.retain(|slot| slot.spec != *spec);
            slots.push(Arc::new(Slot::new(spec.clone(), time)));
            Arc::clone(&slots[slots.len() - 1])
        });
        ModelRequest { cache: self.clone(), slot, is_withdrawn: Mutex::new(false) }
    }

    /// Makes the requested model on `threads`, or waits for another request that is making it.
    /// The caller must not be one of `threads`: a thread that waits here cannot work.
    pub(crate) fn prepare(
        &self,
        request: &ModelRequest,
        threads: &ThreadPool,
    ) -> Result<Model, BuildError> {
        let slot = &*request.slot;
        let mut state = lock(&slot.state);
        loop {
            if let Some(outcome) = &state.outcome {
                return outcome.clone();
            }
            if *lock(&request.is_withdrawn) {
                return Err(BuildError::cancelled());
            }
            if !state.is_being_made {
                break;
            }
            state = slot.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_being_made = true;
        drop(state);
        // If the work panics, dropping the claim lets another waiting request take over.
        let claim = Claim(slot);
        self.forget_beyond_budget();
        let (spec, limits) = (&slot.spec, self.0.budget.object);
        let made = threads.install(|| Model::prepare(spec, limits, &slot.progress));
        slot.times.stop();
        lock(&slot.state).outcome = Some(made.clone());
        drop(claim);
        made
    }

    /// Memory of the models without a request, in bytes.
    pub fn idle_bytes(&self) -> usize {
        lock(&self.0.cached).idle().map(|(_, _, bytes)| bytes).sum()
    }

    /// Drops the failed models. Then drops idle models, least recently used first, until the rest
    /// fits `MemoryBudget::idle_models`.
    fn forget_beyond_budget(&self) {
        let mut cached = lock(&self.0.cached);
        for slots in cached.slots.values_mut() {
            slots.retain(|slot| !matches!(lock(&slot.state).outcome, Some(Err(_))));
        }
        let mut idle: Vec<(u64, Arc<Slot>, usize)> = cached.idle().collect();
        idle.sort_by_key(|(last_used, ..)| *last_used);
        let mut bytes: usize = idle.iter().map(|(.., bytes)| bytes).sum();
        for (_, slot, its_bytes) in idle {
            if bytes <= self.0.budget.idle_models {
                break;
            }
            bytes -= its_bytes;
            for slots in cached.slots.values_mut() {
                slots.retain(|other| !Arc::ptr_eq(other, &slot));
            }
        }
        cached.slots.retain(|_, slots| !slots.is_empty());
    }
}

impl CachedModels {
    /// Models without a request: time of the last use, slot, and memory in bytes.
    fn idle(&self) -> impl Iterator<Item = (u64, Arc<Slot>, usize)> {
        self.slots.values().flatten().filter_map(|slot| {
            let state = lock(&slot.state);
            match &state.outcome {
                Some(Ok(model)) if state.wanted == 0 => {
                    Some((state.last_used, Arc::clone(slot), model.bytes()))
                }
                _ => None,
            }
        })
    }
}

/// Marks a model as being made until it is dropped.
struct Claim<'a>(&'a Slot);

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).is_being_made = false;
        self.0.changed.notify_all();
    }
}

impl Slot {
    fn new(spec: ObjectSpec, time: u64) -> Self {
        let times = Arc::new(StageTimes::default());
        let watching = Arc::clone(&times);
        Self {
            spec,
            progress: Progress::watched(move |stage: Stage| watching.enter(&stage.to_string())),
            times,
            state: Mutex::new(State {
                outcome: None,
                is_being_made: false,
                wanted: 1,
                last_used: time,
            }),
            changed: Condvar::new(),
        }
    }

    /// Counts one more request, unless the model has failed or was cancelled. Returns true if it
    /// counted.
    fn take_part(&self, time: u64) -> bool {
        let mut state = lock(&self.state);
        let is_lost = matches!(state.outcome, Some(Err(_))) || self.progress.is_cancelled();
        if !is_lost {
            state.wanted += 1;
            state.last_used = time;
        }
        !is_lost
    }
}

impl ModelRequest {
    /// Share of the work that is done, between 0 and 1.
    pub fn share(&self) -> f64 {
        self.slot.progress.share()
    }

    /// True if the preparation has ended, with a model or with an error.
    pub fn is_ready(&self) -> bool {
        lock(&self.slot.state).outcome.is_some()
    }

    /// Duration of each stage of the preparation that is over, in order.
    pub fn stages(&self) -> Vec<(String, Duration)> {
        self.slot.times.stages()
    }

    /// Withdraws the request. A `prepare` that waits for this request returns soon. The preparation
    /// goes on while other requests for the model remain.
    pub fn withdraw(&self) {
        let was_withdrawn = std::mem::replace(&mut *lock(&self.is_withdrawn), true);
        if was_withdrawn {
            return;
        }
        let mut state = lock(&self.slot.state);
        state.wanted -= 1;
        let is_idle = state.wanted == 0;
        if is_idle && state.outcome.is_none() {
            self.slot.progress.cancel();
        }
        drop(state);
        self.slot.changed.notify_all();
        if is_idle {
            self.cache.forget_beyond_budget();
        }
    }
}

impl Drop for ModelRequest {
    fn drop(&mut self) {
        self.withdraw();
    }
}

/// Cancels work from another thread, also before the work has requested its model, and reports the
/// share that is done.
#[derive(Default)]
pub struct WorkHandle(Mutex<HandleState>);

#[derive(Default)]
struct HandleState {
    request: Option<Arc<ModelRequest>>,
    /// Progress of work that needs no model.
    progress: Arc<Progress>,
}

impl WorkHandle {
    /// Requests the model that the work needs.
    pub fn request_model(&self, cache: &ModelCache, spec: &ObjectSpec) -> Arc<ModelRequest> {
        let request = Arc::new(cache.request(spec));
        let mut state = lock(&self.0);
        state.request = Some(Arc::clone(&request));
        if state.progress.is_cancelled() {
            request.withdraw();
        }
        request
    }

    /// Cancels the work: withdraws its request, now or as soon as there is one.
    pub fn cancel(&self) {
        let state = lock(&self.0);
        state.progress.cancel();
        if let Some(request) = &state.request {
            request.withdraw();
        }
    }

    /// Progress for work that needs no model. It is cancelled with the handle.
    pub(crate) fn progress(&self) -> Arc<Progress> {
        Arc::clone(&lock(&self.0).progress)
    }

    /// Share of the work that is done, between 0 and 1.
    pub fn share(&self) -> f64 {
        let state = lock(&self.0);
        state.request.as_ref().map_or_else(|| state.progress.share(), |request| request.share())
    }
}

/// Locks, also after a panic elsewhere: no code panics between two changes that belong together.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hash of a description. Equal descriptions have equal hashes; different ones can collide.
fn content_hash(spec: &ObjectSpec) -> u64 {
    let mut hasher = DefaultHasher::new();
    spec.hash_content(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use physics::material::IsotropicElastic;
    use physics::{MemoryLimits, NodeId, SolidSpec, TetMesh};

    use super::*;

    fn prepared(cache: &ModelCache, request: &ModelRequest) -> Result<Model, BuildError> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        cache.prepare(request, &threads)
    }

    fn spec(young: f64) -> ObjectSpec {
        let corners = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]];
        let mesh =
            TetMesh::new(corners.map(Into::into).to_vec(), vec![[0, 1, 2, 3].map(NodeId)]).unwrap();
        let material = IsotropicElastic::new(young, 0.3).unwrap();
        ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap())
    }

    fn is_same(a: &Model, b: &Model) -> bool {
        a.is_shared_with(b)
    }

    #[test]
    fn the_same_description_gives_the_same_model_and_another_gives_another() {
        let cache = ModelCache::new(MemoryBudget::default());
        let made = prepared(&cache, &cache.request(&spec(1e4))).unwrap();
        assert!(is_same(&made, &prepared(&cache, &cache.request(&spec(1e4))).unwrap()));
        assert!(!is_same(&made, &prepared(&cache, &cache.request(&spec(2e4))).unwrap()));
    }

    #[test]
    fn models_that_nobody_uses_are_forgotten_beyond_the_budget() {
        let budget = MemoryBudget { idle_models: 0, object: MemoryLimits::default() };
        let cache = ModelCache::new(budget);
        let request = cache.request(&spec(1e4));
        let made = prepared(&cache, &request).unwrap();
        assert!(is_same(&made, &prepared(&cache, &cache.request(&spec(1e4))).unwrap()), "in use");
        drop(request);
        assert_eq!(cache.idle_bytes(), 0);
        assert!(!is_same(&made, &prepared(&cache, &cache.request(&spec(1e4))).unwrap()));
    }

    #[test]
    fn a_failure_is_not_kept() {
        let object = MemoryLimits { factor_bytes: 0, column_bytes: 0 };
        let cache = ModelCache::new(MemoryBudget { object, ..MemoryBudget::default() });
        for _ in 0..2 {
            let error = prepared(&cache, &cache.request(&spec(1e4))).err().unwrap();
            assert!(error.to_string().contains("expected at most 0 MB"), "{error}");
        }
    }

    #[test]
    fn the_work_ends_only_when_the_last_wish_is_withdrawn() {
        let cache = ModelCache::new(MemoryBudget::default());
        let (first, second) = (cache.request(&spec(1e4)), cache.request(&spec(1e4)));
        first.withdraw();
        assert!(!first.slot.progress.is_cancelled());
        second.withdraw();
        assert!(prepared(&cache, &first).is_err());
        assert!(prepared(&cache, &cache.request(&spec(1e4))).is_ok(), "a new request starts again");
    }

    #[test]
    fn several_who_want_the_same_wait_for_one_who_makes_it() {
        let cache = ModelCache::new(MemoryBudget::default());
        let requests: Vec<ModelRequest> = (0..4).map(|_| cache.request(&spec(1e4))).collect();
        let models: Vec<Model> = std::thread::scope(|scope| {
            let cache = &cache;
            let wait = |request| scope.spawn(move || prepared(cache, request).unwrap());
            let threads: Vec<_> = requests.iter().map(wait).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(models.iter().all(|model| is_same(model, &models[0])));
    }

    #[test]
    fn a_wish_that_was_given_up_too_early_becomes_no_work() {
        let cache = ModelCache::new(MemoryBudget::default());
        let handle = WorkHandle::default();
        handle.cancel();
        let request = handle.request_model(&cache, &spec(1e4));
        assert!(prepared(&cache, &request).is_err_and(|error| error.is_cancelled()));
    }
}
