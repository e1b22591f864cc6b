//! Measures what was planned and tells, point by point, what was found.

mod cancellation;
mod frames;
mod round_trips;
mod touches;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::algorithm::Algorithm;
use crate::bandwidth::triad;
use crate::machine::{self, Machine, OtherPrograms};
use crate::plan::{Plan, Step, StepKind};
use crate::repeated_measurement::StoppingRule;
use crate::results::{Completeness, Measure, Place, Point, Results};
use crate::subject::Subject;
use cancellation::Cancellation;

/// What happens during a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// A step begins.
    Began {
        /// What it does, in words.
        title: &'a str,
        /// The share of the run that is done, between 0 and 1.
        share: f64,
        /// About how long the rest takes.
        remaining: Duration,
    },
    /// A quantity is known.
    Measured(&'a Point),
    /// Something that the reader of the results should know.
    Noted(&'a str),
}

/// Hears what happens, with all that was found so far.
pub type Observer<'a> = dyn FnMut(Event<'_>, &Results) + 'a;

/// What a reader must know of figures that were made while developing.
pub(crate) const DEVELOPMENT: &str = "this is a development build, which checks itself as it goes: a release build is faster \
                           (cargo run --release -- bench)";

/// From this share of the machine on, other programs spoil the figures.
pub(crate) const BUSY: f64 = 0.05;

/// Why a run cannot go on at all. What concerns one object only becomes a note.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The system gives no threads.
    #[error("cannot start threads to measure with: {0}")]
    Threads(#[from] ThreadPoolBuildError),
    /// Nor this one.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// Why a step ended early.
enum StepError {
    /// Somebody wants the run to end.
    Stopped,
    /// It cannot be done, for this reason.
    Failed(String),
}

impl<E: std::error::Error> From<E> for StepError {
    fn from(error: E) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Measures; ends early, with what there is, when `stop` becomes true.
pub fn run(
    plan: &Plan,
    stop: &AtomicBool,
    observe: &mut Observer<'_>,
) -> Result<Results, RunError> {
    let mut results = Results::new(Machine::this());
    let others = OtherPrograms::since_now();
    results.notes.clone_from(&plan.notes);
    if cfg!(debug_assertions) {
        results.notes.push(DEVELOPMENT.to_owned());
    }
    let cancellation = Cancellation::new(stop);
    std::thread::scope(|scope| -> Result<(), RunError> {
        let watch = || cancellation.watch();
        std::thread::Builder::new().name("stop-watch".to_owned()).spawn_scoped(scope, watch)?;
        let _ended = cancellation.ending();
        let mut running = Running {
            plan,
            stopping_rule: plan.stopping_rule,
            cancellation: &cancellation,
            results: &mut results,
            observe,
        };
        let ended = running.all_steps();
        running.note_load(others);
        ended
    })?;
    Ok(results)
}

/// A run under way.
struct Running<'a, 'o> {
    plan: &'a Plan,
    /// Those of the plan, with less time if the machine is slower than was expected.
    stopping_rule: StoppingRule,
    cancellation: &'a Cancellation<'a>,
    results: &'a mut Results,
    observe: &'a mut Observer<'o>,
}

impl Running<'_, '_> {
    fn all_steps(&mut self) -> Result<(), RunError> {
        let start = Instant::now();
        let cache = self.results.machine.largest_cache();
        for &threads in &self.plan.threads {
            if self.cancellation.is_stopped() {
                return Ok(());
            }
            let rate = triad(&pool(threads)?, cache);
            self.results.machine.triad.push((threads, rate));
        }
        let whole = self.plan.expected();
        let mut done = 0.0;
        for step in &self.plan.steps {
            if self.cancellation.is_stopped() {
                return Ok(());
            }
            // What was slower than expected so far will be so later; but one step proves little.
            let spent = start.elapsed().as_secs_f64();
            let slower = ((spent + 0.1 * whole) / (done + 0.1 * whole)).clamp(0.3, 10.0);
            let remaining = Duration::from_secs_f64((whole - done) * slower);
            let in_time = (self.plan.seconds - spent) / remaining.as_secs_f64().max(1e-9);
            self.stopping_rule.seconds = self.plan.stopping_rule.seconds * in_time.clamp(0.02, 1.0);
            let event = Event::Began { title: &step.title(), share: done / whole, remaining };
            (self.observe)(event, self.results);
            match self.step(step, &pool(step.threads.max(1))?) {
                Ok(()) => {}
                Err(StepError::Stopped) => return Ok(()),
                Err(StepError::Failed(why)) => self.note(format!("{}: {why}", step.title())),
            }
            done += step.expected;
        }
        self.results.completeness = Completeness::Whole;
        Ok(())
    }

    fn step(&mut self, step: &Step, pool: &ThreadPool) -> Result<(), StepError> {
        match &step.kind {
            StepKind::Touches(algorithms) => self.touches(step, algorithms, pool),
            StepKind::Frames => self.frames(step, pool),
            StepKind::Embedded => self.embedded(step),
            StepKind::Loopback => self.loopback(step),
            StepKind::Server => self.given_server(step),
        }
    }

    fn publish(&mut self, step: &Step, algorithm: Algorithm, measure: Measure, samples: Vec<f64>) {
        if samples.is_empty() || !samples.iter().all(|sample| measure.unit().can_be(*sample)) {
            return self.note(format!("{}: no {} was found", step.title(), measure.label()));
        }
        let place = place(&step.subject, self.plan.contacts);
        let point = Point { place, algorithm, measure, threads: step.threads, samples };
        self.results.points.push(point);
        let point = &self.results.points[self.results.points.len() - 1];
        (self.observe)(Event::Measured(point), self.results);
    }

    fn note(&mut self, note: String) {
        // The same trouble on every number of threads is told once.
        if !self.results.notes.contains(&note) {
            self.results.notes.push(note.clone());
            (self.observe)(Event::Noted(&note), self.results);
        }
    }

    /// Whether the run had the machine to itself.
    fn note_load(&mut self, others: Option<OtherPrograms>) {
        let machine = &mut self.results.machine;
        machine.load.extend(machine::load());
        machine.others = others.and_then(|others| others.busy_cores());
        let (others, n_cores) = (machine.others, machine.n_cores);
        let before = machine.load.first().copied().unwrap_or(0.0);
        if before > 0.5 {
            self.note(format!(
                "before the run, {before:.1} other threads wanted to run on average: times may be too long"
            ));
        }
        if let Some(busy) = others.filter(|busy| *busy > BUSY * n_cores as f64) {
            self.note(format!(
                "other programs kept {busy:.1} of {n_cores} cores busy during the run: times are too long, \
                 those on many threads most of all, and slopes over threads are too flat"
            ));
        }
    }
}

/// Where a step's points belong.
fn place(subject: &Arc<Subject>, contacts: usize) -> Place {
    Place {
        object: subject.name.clone(),
        n_nodes: subject.mesh.n_nodes(),
        n_surface: subject.surface.len(),
        n_contacts: subject.fingers(contacts, 0).len(),
    }
}

/// A pool like the solver's.
fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("benchmark-{i}")).build()
}

#[cfg(test)]
mod tests;
