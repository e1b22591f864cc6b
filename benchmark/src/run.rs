//! Executes a plan, and notifies an observer of every measured point.

mod cancellation;
mod frames;
mod round_trips;
mod server_solves;
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

/// Event during a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// A step begins.
    Began {
        /// Description of the step.
        title: &'a str,
        /// Share of the run that is done, between 0 and 1.
        share: f64,
        /// Estimated time of the rest.
        remaining: Duration,
    },
    /// A quantity was measured.
    Measured(&'a Point),
    /// A note for the reader of the results was added.
    Noted(&'a str),
}

/// Function that is called with every event and with all results so far.
pub type Observer<'a> = dyn FnMut(Event<'_>, &Results) + 'a;

/// Note on figures of a development build. Stored in result files, and recognised in them: it must
/// not change.
pub(crate) const DEVELOPMENT: &str = "this is a development build, which checks itself as it goes: a release build is faster \
     (cargo run --release -- bench)";

/// Share of the machine that other programs may use without a warning.
pub(crate) const BUSY: f64 = 0.05;

/// Error that ends a run. Errors that concern only one object become notes.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The system provides no threads for a pool.
    #[error("cannot start threads to measure with: {0}")]
    Threads(#[from] ThreadPoolBuildError),
    /// The system provides no further thread.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// Reason why a step ended early.
enum StepError {
    /// The run was stopped.
    Stopped,
    /// The step failed, for this reason.
    Failed(String),
}

impl<E: std::error::Error> From<E> for StepError {
    fn from(error: E) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Executes a plan; ends early, with the results so far, when `stop` becomes true.
pub fn run(
    plan: &Plan,
    stop: &AtomicBool,
    observe: &mut Observer<'_>,
) -> Result<Results, RunError> {
    let mut results = Results::new(Machine::this());
    let others = OtherPrograms::since_now();
    results.notes.clone_from(&plan.notes);
    results.server = plan.server.as_ref().map(|server| server.description.clone());
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

/// A run in progress.
struct Running<'a, 'o> {
    plan: &'a Plan,
    /// Rule of the plan, with less time if the machine is slower than expected.
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
            // The rest is estimated from the speed so far; a constant damps the influence of the
            // first steps.
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
        // The same note from several numbers of threads is added once.
        if !self.results.notes.contains(&note) {
            self.results.notes.push(note.clone());
            (self.observe)(Event::Noted(&note), self.results);
        }
    }

    /// Notes the load of other programs, if it was high.
    fn note_load(&mut self, others: Option<OtherPrograms>) {
        let machine = &mut self.results.machine;
        machine.load.extend(machine::load());
        machine.others = others.and_then(|others| others.busy_cores());
        let (others, n_cores) = (machine.others, machine.n_cores);
        let before = machine.load.first().copied().unwrap_or(0.0);
        if before > 0.5 {
            self.note(format!(
                "before the run, {before:.1} other threads were runnable on average: times may be \
                 too long"
            ));
        }
        if let Some(busy) = others.filter(|busy| *busy > BUSY * n_cores as f64) {
            self.note(format!(
                "other programs kept {busy:.1} of {n_cores} cores busy during the run: times are \
                 too long, especially those on many threads, and slopes over threads are too flat"
            ));
        }
    }
}

/// Object and contacts of a step's points.
fn place(subject: &Arc<Subject>, contacts: usize) -> Place {
    Place {
        object: subject.name.clone(),
        n_nodes: subject.mesh.n_nodes(),
        n_surface: subject.surface.len(),
        n_contacts: subject.fingers(contacts, 0).len(),
    }
}

/// A thread pool like the solver's.
fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("benchmark-{i}")).build()
}

#[cfg(test)]
mod tests;
