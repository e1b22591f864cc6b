//! `ModelCache`: models by what they are made from, so that a second hand, a second client or a file that
//! is opened again finds the object ready.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use physics::{BuildError, Model, ObjectSpec, Progress, Stage};
use rayon::ThreadPool;

use crate::stage_clock::StageClock;
use crate::workshop::Budget;

/// Models that are ready or being prepared. Clones share them.
#[derive(Clone)]
pub struct ModelCache(Arc<Shared>);

struct Shared {
    budget: Budget,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// By content hash. Equal hashes are told apart by the whole description.
    slots: HashMap<u64, Vec<Arc<Slot>>>,
    /// Grows with every use.
    time: u64,
}

/// One model, on its way or ready.
struct Slot {
    spec: ObjectSpec,
    progress: Progress,
    clock: Arc<StageClock>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    outcome: Option<Result<Model, BuildError>>,
    is_being_made: bool,
    /// How many want it.
    wanted: usize,
    last_used: u64,
}

/// Somebody's wish for a model. The last one to withdraw it ends the work.
pub struct Order {
    cache: ModelCache,
    slot: Arc<Slot>,
    is_withdrawn: Mutex<bool>,
}

impl ModelCache {
    pub(crate) fn new(budget: Budget) -> Self {
        Self(Arc::new(Shared { budget, kept: Mutex::default() }))
    }

    /// Asks for a model; [`crate::Workshop::deliver`] delivers it.
    pub fn order(&self, spec: &ObjectSpec) -> Order {
        let key = content_hash(spec);
        let mut kept = lock(&self.0.kept);
        kept.time += 1;
        let time = kept.time;
        let slots = kept.slots.entry(key).or_default();
        let found = slots.iter().find(|slot| slot.spec == *spec && slot.take_part(time)).cloned();
        let slot = found.unwrap_or_else(|| {
            slots.retain(|slot| slot.spec != *spec);
            slots.push(Arc::new(Slot::new(spec.clone(), time)));
            Arc::clone(&slots[slots.len() - 1])
        });
        Order { cache: self.clone(), slot, is_withdrawn: Mutex::new(false) }
    }

    /// Delivers an order: makes the model on `threads`, or waits for whoever makes it. The caller must not
    /// be one of those threads: waiting would keep it from working.
    pub(crate) fn deliver(&self, order: &Order, threads: &ThreadPool) -> Result<Model, BuildError> {
        let slot = &*order.slot;
        let mut state = lock(&slot.state);
        loop {
            if let Some(outcome) = &state.outcome {
                return outcome.clone();
            }
            if *lock(&order.is_withdrawn) {
                return Err(BuildError::cancelled());
            }
            if !state.is_being_made {
                break;
            }
            state = slot.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_being_made = true;
        drop(state);
        // Should the work panic, another who waits takes it over.
        let claim = Claim(slot);
        self.forget_beyond_budget();
        let (spec, limits) = (&slot.spec, self.0.budget.object);
        let made = threads.install(|| Model::prepare(spec, limits, &slot.progress));
        slot.clock.stop();
        lock(&slot.state).outcome = Some(made.clone());
        drop(claim);
        made
    }

    /// Memory of the models that nobody uses, in bytes.
    pub fn idle_bytes(&self) -> usize {
        lock(&self.0.kept).idle().map(|(_, _, bytes)| bytes).sum()
    }

    /// Drops failed ones, and idle ones that were used longest ago, until the rest fits.
    fn forget_beyond_budget(&self) {
        let mut kept = lock(&self.0.kept);
        for slots in kept.slots.values_mut() {
            slots.retain(|slot| !matches!(lock(&slot.state).outcome, Some(Err(_))));
        }
        let mut idle: Vec<(u64, Arc<Slot>, usize)> = kept.idle().collect();
        idle.sort_by_key(|(last_used, ..)| *last_used);
        let mut bytes: usize = idle.iter().map(|(.., bytes)| bytes).sum();
        for (_, slot, its_bytes) in idle {
            if bytes <= self.0.budget.idle_models {
                break;
            }
            bytes -= its_bytes;
            for slots in kept.slots.values_mut() {
                slots.retain(|other| !Arc::ptr_eq(other, &slot));
            }
        }
        kept.slots.retain(|_, slots| !slots.is_empty());
    }
}

impl Kept {
    /// When each model that nobody uses was used last, and its memory.
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

/// Says that somebody works on a model, as long as it is there.
struct Claim<'a>(&'a Slot);

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).is_being_made = false;
        self.0.changed.notify_all();
    }
}

impl Slot {
    fn new(spec: ObjectSpec, time: u64) -> Self {
        let clock = Arc::new(StageClock::default());
        let watching = Arc::clone(&clock);
        Self {
            spec,
            progress: Progress::watched(move |stage: Stage| watching.enter(&stage.to_string())),
            clock,
            state: Mutex::new(State {
                outcome: None,
                is_being_made: false,
                wanted: 1,
                last_used: time,
            }),
            changed: Condvar::new(),
        }
    }

    /// Joins those who want it, unless it has failed or been given up.
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

impl Order {
    /// The share of the work that is done, between 0 and 1.
    pub fn share(&self) -> f64 {
        self.slot.progress.share()
    }

    /// Whether there is nothing to wait for.
    pub fn is_ready(&self) -> bool {
        lock(&self.slot.state).outcome.is_some()
    }

    /// How long each stage of the preparation has taken, in their order.
    pub fn stages(&self) -> Vec<(String, Duration)> {
        self.slot.clock.stages()
    }

    /// Says that the model is no longer wanted here. Whoever waits for it here soon returns; who makes it
    /// goes on as long as others want it.
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

impl Drop for Order {
    fn drop(&mut self) {
        self.withdraw();
    }
}

/// A wish that may be given up from elsewhere before it has become an order.
#[derive(Default)]
pub struct Wish(Mutex<Wished>);

#[derive(Default)]
struct Wished {
    order: Option<Arc<Order>>,
    /// Of work that needs no model.
    progress: Arc<Progress>,
}

impl Wish {
    /// Makes an order of it.
    pub fn place(&self, cache: &ModelCache, spec: &ObjectSpec) -> Arc<Order> {
        let order = Arc::new(cache.order(spec));
        let mut wished = lock(&self.0);
        wished.order = Some(Arc::clone(&order));
        if wished.progress.is_cancelled() {
            order.withdraw();
        }
        order
    }

    /// Gives it up: the order, if there is one, is withdrawn; if not, it will be.
    pub fn give_up(&self) {
        let wished = lock(&self.0);
        wished.progress.cancel();
        if let Some(order) = &wished.order {
            order.withdraw();
        }
    }

    /// For work that needs no model: is cancelled when the wish is given up.
    pub(crate) fn progress(&self) -> Arc<Progress> {
        Arc::clone(&lock(&self.0).progress)
    }

    /// The share of the work that is done, between 0 and 1.
    pub fn share(&self) -> f64 {
        let wished = lock(&self.0);
        wished.order.as_ref().map_or_else(|| wished.progress.share(), |order| order.share())
    }
}

/// Nothing is left half done under a lock, so a panic elsewhere does no harm.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Equal descriptions have equal hashes; that different ones differ is likely, not certain.
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

    fn delivered(cache: &ModelCache, order: &Order) -> Result<Model, BuildError> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        cache.deliver(order, &threads)
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
        let cache = ModelCache::new(Budget::default());
        let made = delivered(&cache, &cache.order(&spec(1e4))).unwrap();
        assert!(is_same(&made, &delivered(&cache, &cache.order(&spec(1e4))).unwrap()));
        assert!(!is_same(&made, &delivered(&cache, &cache.order(&spec(2e4))).unwrap()));
    }

    #[test]
    fn models_that_nobody_uses_are_forgotten_beyond_the_budget() {
        let budget = Budget { idle_models: 0, object: MemoryLimits::default() };
        let cache = ModelCache::new(budget);
        let order = cache.order(&spec(1e4));
        let made = delivered(&cache, &order).unwrap();
        assert!(is_same(&made, &delivered(&cache, &cache.order(&spec(1e4))).unwrap()), "in use");
        drop(order);
        assert_eq!(cache.idle_bytes(), 0);
        assert!(!is_same(&made, &delivered(&cache, &cache.order(&spec(1e4))).unwrap()));
    }

    #[test]
    fn a_failure_is_not_kept() {
        let object = MemoryLimits { factor_bytes: 0, column_bytes: 0 };
        let cache = ModelCache::new(Budget { object, ..Budget::default() });
        for _ in 0..2 {
            let error = delivered(&cache, &cache.order(&spec(1e4))).err().unwrap();
            assert!(error.to_string().contains("expected at most 0 MB"), "{error}");
        }
    }

    #[test]
    fn the_work_ends_only_when_the_last_wish_is_withdrawn() {
        let cache = ModelCache::new(Budget::default());
        let (first, second) = (cache.order(&spec(1e4)), cache.order(&spec(1e4)));
        first.withdraw();
        assert!(!first.slot.progress.is_cancelled());
        second.withdraw();
        assert!(delivered(&cache, &first).is_err());
        assert!(delivered(&cache, &cache.order(&spec(1e4))).is_ok(), "a new wish starts anew");
    }

    #[test]
    fn several_who_want_the_same_wait_for_one_who_makes_it() {
        let cache = ModelCache::new(Budget::default());
        let orders: Vec<Order> = (0..4).map(|_| cache.order(&spec(1e4))).collect();
        let models: Vec<Model> = std::thread::scope(|scope| {
            let cache = &cache;
            let wait = |order| scope.spawn(move || delivered(cache, order).unwrap());
            let threads: Vec<_> = orders.iter().map(wait).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(models.iter().all(|model| is_same(model, &models[0])));
    }

    #[test]
    fn a_wish_that_was_given_up_too_early_becomes_no_work() {
        let cache = ModelCache::new(Budget::default());
        let wish = Wish::default();
        wish.give_up();
        let order = wish.place(&cache, &spec(1e4));
        assert!(delivered(&cache, &order).is_err_and(|error| error.is_cancelled()));
    }
}
