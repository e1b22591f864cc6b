use physics::material::IsotropicElastic;
use physics::{MemoryLimits, NodeId, SolidSpec, TetMesh};

use super::*;

fn prepared(cache: &ModelCache, request: &ModelRequest) -> Result<Model, BuildError> {
    let threads = || Ok(rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap());
    cache.prepare(request, threads)
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
fn unused_models_are_forgotten_beyond_the_budget() {
    let budget = MemoryBudget { idle_models: 0, ..MemoryBudget::default() };
    let cache = ModelCache::new(budget);
    let request = cache.request(&spec(1e4));
    let made = prepared(&cache, &request).unwrap();
    assert!(is_same(&made, &prepared(&cache, &cache.request(&spec(1e4))).unwrap()), "in use");
    drop(request);
    assert_eq!(cache.idle_bytes(), 0);
    assert!(!is_same(&made, &prepared(&cache, &cache.request(&spec(1e4))).unwrap()));
}

/// Prepares models of these stiffnesses one after another; each is withdrawn when it is ready.
fn left_idle(cache: &ModelCache, stiffnesses: &[f64]) {
    for &young in stiffnesses {
        prepared(cache, &cache.request(&spec(young))).unwrap();
    }
}

/// True if a request finds the model of this stiffness ready.
fn is_kept(cache: &ModelCache, young: f64) -> bool {
    let is_same = |slot: &Arc<Slot>| slot.spec == spec(young);
    lock(&cache.0.cached).slots.values().flatten().any(is_same)
}

#[test]
fn a_model_of_any_size_outlives_a_short_break_but_not_its_lease() {
    let lease = Duration::from_secs(600);
    let budget = MemoryBudget { idle_models: 0, lease, ..MemoryBudget::default() };
    let cache = ModelCache::new(budget);
    left_idle(&cache, &[1e4]);
    cache.clear_idle_at(Instant::now() + lease / 2);
    assert!(is_kept(&cache, 1e4));
    // A new request begins a new lease.
    let again = cache.request(&spec(1e4));
    assert!(again.is_ready());
    cache.clear_idle_at(Instant::now() + 2 * lease);
    drop(again);
    assert!(is_kept(&cache, 1e4));
    cache.clear_idle_at(Instant::now() + lease + Duration::from_secs(1));
    assert!(!is_kept(&cache, 1e4));
}

#[test]
fn leased_models_leave_oldest_first_when_all_models_need_their_memory() {
    let lease = Duration::from_secs(600);
    let size = {
        let cache = ModelCache::new(MemoryBudget::default());
        left_idle(&cache, &[1e4]);
        cache.idle_bytes()
    };
    // A model that is being made counts with no more than its limit.
    let object = MemoryLimits { factor_bytes: size, ..MemoryLimits::default() };
    let budget = MemoryBudget { idle_models: 0, lease, all_models: 5 * size / 2, object };
    let cache = ModelCache::new(budget);
    let kept = || [1e4, 2e4, 3e4].map(|young| is_kept(&cache, young));
    left_idle(&cache, &[1e4, 2e4]);
    assert_eq!(kept(), [true, true, false]);
    left_idle(&cache, &[3e4]);
    assert_eq!(kept(), [false, true, true]);
    // Models in use have priority, also those that are still being made.
    let requests = [4e4, 5e4].map(|young| cache.request(&spec(young)));
    requests.iter().for_each(|request| drop(prepared(&cache, request)));
    assert_eq!(kept(), [false; 3]);
}

#[test]
fn idle_models_leave_when_all_models_may_take_no_memory() {
    let cache = ModelCache::new(MemoryBudget { all_models: 0, ..MemoryBudget::default() });
    left_idle(&cache, &[1e4]);
    assert!(!is_kept(&cache, 1e4));
}

#[test]
fn descriptions_are_compared_while_others_may_use_the_cache() {
    let cache = ModelCache::new(MemoryBudget::default());
    let first = cache.request(&spec(1e4));
    let n_compared = std::cell::Cell::new(0);
    let compare = |other: &ObjectSpec| {
        assert!(cache.0.cached.try_lock().is_ok(), "compared under the lock");
        n_compared.set(n_compared.get() + 1);
        *other == spec(1e4)
    };
    let key = content_hash(&spec(1e4));
    let found = cache.slot(key, compare, |_| panic!("there is one"));
    assert!(Arc::ptr_eq(&found, &first.slot));
    assert_eq!(n_compared.get(), 1);
}

#[test]
fn a_model_that_is_ready_starts_no_threads() {
    let cache = ModelCache::new(MemoryBudget::default());
    let request = cache.request(&spec(1e4));
    // Without threads, the request remains and another attempt succeeds.
    let no_threads = || Err(BuildError::cancelled());
    assert!(cache.prepare(&request, no_threads).is_err());
    let made = prepared(&cache, &request).unwrap();
    let no_threads = || -> Result<ThreadPool, BuildError> { panic!("threads are started") };
    assert!(is_same(&made, &cache.prepare(&request, no_threads).unwrap()));
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
fn preparing_ends_only_when_the_last_request_is_withdrawn() {
    let cache = ModelCache::new(MemoryBudget::default());
    let (first, second) = (cache.request(&spec(1e4)), cache.request(&spec(1e4)));
    first.withdraw();
    assert!(!first.slot.progress.is_cancelled());
    second.withdraw();
    assert!(prepared(&cache, &first).is_err());
    assert!(prepared(&cache, &cache.request(&spec(1e4))).is_ok(), "a new request starts again");
}

#[test]
fn several_requests_for_one_model_wait_for_one_preparation() {
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
fn a_request_withdrawn_before_it_starts_is_not_prepared() {
    let cache = ModelCache::new(MemoryBudget::default());
    let handle = WorkHandle::default();
    handle.cancel();
    let request = handle.request_model(&cache, &spec(1e4));
    assert!(prepared(&cache, &request).is_err_and(|error| error.is_cancelled()));
    assert!(lock(&cache.0.cached).slots.is_empty(), "its description stays in memory");
}
