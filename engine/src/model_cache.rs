//! Cache of prepared models, by the content of their descriptions.
//!
//! A second hand, a second client, or a file that is opened again finds the object ready. A model
//! that is no longer requested stays for a while: a client whose line broke comes back.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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
    /// Time at which the last request was withdrawn; `None` while there is one.
    idle_since: Option<Instant>,
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
        let make = |time| Slot::new(spec.clone(), time);
        let slot = self.slot(content_hash(spec), |other| other == spec, make);
        ModelRequest { cache: self.clone(), slot, is_withdrawn: Mutex::new(false) }
    }

    /// Finds the slot of a description, or makes one. The description is compared with others
    /// outside of the lock: that takes long for a large mesh, and every session needs the lock.
    fn slot(
        &self,
        key: u64,
        is_same: impl Fn(&ObjectSpec) -> bool,
        make: impl FnOnce(u64) -> Slot,
    ) -> Arc<Slot> {
        let mut compared: Vec<(Arc<Slot>, bool)> = Vec::new();
        loop {
            let mut cached = lock(&self.0.cached);
            let time = cached.time + 1;
            let slots = cached.slots.entry(key).or_default();
            let known = |slot: &Arc<Slot>| compared.iter().find(|it| Arc::ptr_eq(&it.0, slot));
            if let Some(unknown) = slots.iter().find(|slot| known(slot).is_none()).cloned() {
                drop(cached);
                let is_same = is_same(&unknown.spec);
                compared.push((unknown, is_same));
                continue;
            }
            let is_same = |slot: &Arc<Slot>| known(slot).is_some_and(|(_, is_same)| *is_same);
            let found = slots.iter().find(|slot| is_same(slot) && slot.take_part(time)).cloned();
            let slot = found.unwrap_or_else(|| {
                slots.retain(|slot| !is_same(slot));
                slots.push(Arc::new(make(time)));
                Arc::clone(&slots[slots.len() - 1])
            });
            cached.time = time;
            return slot;
        }
    }

    /// Makes the requested model on `threads`, or waits for another request that is making it.
    /// The caller must not be one of these threads: a thread that waits here cannot work. Threads
    /// are started only to make the model.
    pub(crate) fn prepare<E: From<BuildError>>(
        &self,
        request: &ModelRequest,
        threads: impl FnOnce() -> Result<ThreadPool, E>,
    ) -> Result<Model, E> {
        let slot = &*request.slot;
        let mut state = lock(&slot.state);
        loop {
            if let Some(outcome) = &state.outcome {
                return Ok(outcome.clone()?);
            }
            if *lock(&request.is_withdrawn) {
                return Err(BuildError::cancelled().into());
            }
            if !state.is_being_made {
                break;
            }
            state = slot.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_being_made = true;
        drop(state);
        // If the threads cannot be started or the work panics, dropping the claim lets another
        // waiting request take over.
        let claim = Claim(slot);
        let threads = threads()?;
        self.clear_idle();
        let (spec, limits) = (&slot.spec, self.0.budget.object);
        let made = threads.install(|| Model::prepare(spec, limits, &slot.progress));
        slot.times.stop();
        lock(&slot.state).outcome = Some(made.clone());
        drop(claim);
        // Its memory is known now.
        self.clear_idle();
        Ok(made?)
    }

    /// Memory of the models without a request, in bytes.
    pub fn idle_bytes(&self) -> usize {
        lock(&self.0.cached).idle().map(|(_, _, bytes)| bytes).sum()
    }

    /// Drops the failed and the abandoned models, and the idle ones for which [`MemoryBudget`] has
    /// no room or whose lease has ended. Call it from time to time.
    pub fn clear_idle(&self) {
        self.clear_idle_at(Instant::now());
    }

    fn clear_idle_at(&self, now: Instant) {
        let budget = &self.0.budget;
        // Dropped after the lock: to give gigabytes back takes long.
        let mut gone: Vec<Arc<Slot>> = Vec::new();
        let mut cached = lock(&self.0.cached);
        for slots in cached.slots.values_mut() {
            gone.extend(slots.extract_if(.., |slot| slot.is_lost()));
        }
        let mut idle: Vec<(u64, Arc<Slot>, usize)> = cached.idle().collect();
        idle.sort_by_key(|(last_used, ..)| std::cmp::Reverse(*last_used));
        let mut all_bytes = cached.bytes_in_use(budget);
        let mut idle_bytes: usize = 0;
        for (_, slot, bytes) in idle {
            let is_leased = lock(&slot.state)
                .idle_since
                .is_some_and(|since| now.saturating_duration_since(since) < budget.lease);
            let has_room = all_bytes.saturating_add(bytes) <= budget.all_models;
            if has_room && (is_leased || idle_bytes + bytes <= budget.idle_models) {
                idle_bytes += bytes;
                all_bytes += bytes;
                continue;
            }
            for slots in cached.slots.values_mut() {
                slots.retain(|other| !Arc::ptr_eq(other, &slot));
            }
            gone.push(slot);
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

    /// Memory of the models that are requested, in bytes. Those that are being made count with the
    /// memory that objects of their size usually need.
    fn bytes_in_use(&self, budget: &MemoryBudget) -> usize {
        let bytes = |slot: &Arc<Slot>| {
            let state = lock(&slot.state);
            match &state.outcome {
                _ if state.wanted == 0 => 0,
                Some(Ok(model)) => model.bytes(),
                Some(Err(_)) => 0,
                None => usual_bytes(slot.spec.n_nodes()).min(budget.object.factor_bytes),
            }
        };
        self.slots.values().flatten().map(bytes).fold(0, usize::saturating_add)
    }
}

/// Memory that the model of a compact object usually needs, in bytes. The factor of a body in three
/// dimensions grows with the power 4/3 of the number of nodes; 100 000 nodes took 3.77 GB.
fn usual_bytes(n_nodes: usize) -> usize {
    (3.77e9 * (n_nodes as f64 / 1e5).powf(4.0 / 3.0)) as usize
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
                idle_since: None,
            }),
            changed: Condvar::new(),
        }
    }

    /// True if the model has failed, or if it is not made and no longer requested.
    fn is_lost(&self) -> bool {
        let state = lock(&self.state);
        match &state.outcome {
            Some(outcome) => outcome.is_err(),
            None => state.wanted == 0 && !state.is_being_made,
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
            state.idle_since = None;
        }
        !is_lost
    }
}

impl ModelRequest {
    /// Share of the work that is done, between 0 and 1.
    pub fn share(&self) -> f64 {
        self.slot.progress.share()
    }

    /// Number of nodes of the requested object.
    pub(crate) fn n_nodes(&self) -> usize {
        self.slot.spec.n_nodes()
    }

    /// True if the request was withdrawn.
    pub(crate) fn is_withdrawn(&self) -> bool {
        *lock(&self.is_withdrawn)
    }

    /// Memory with which the model would be quicker ([`Model::bytes_for_double`]).
    pub fn bytes_for_double(&self) -> Option<usize> {
        let state = lock(&self.slot.state);
        state.outcome.as_ref()?.as_ref().ok()?.bytes_for_double()
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
        if is_idle {
            state.idle_since = Some(Instant::now());
            if state.outcome.is_none() {
                self.slot.progress.cancel();
            }
        }
        drop(state);
        self.slot.changed.notify_all();
        if is_idle {
            self.cache.clear_idle();
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

    /// Memory with which the requested model would be quicker ([`Model::bytes_for_double`]).
    pub fn bytes_for_double(&self) -> Option<usize> {
        lock(&self.0).request.as_ref()?.bytes_for_double()
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
mod tests;
