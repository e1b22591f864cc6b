//! The request and the steps of a run, with an estimate of their time.

mod machine_speed;

use std::path::PathBuf;
use std::sync::Arc;

use crate::algorithm::Algorithm;
use crate::given_server::GivenServer;
use crate::repeated_measurement::{RepeatedMeasurement, StoppingRule};
use crate::subject::{Body, Subject, SubjectError};

pub use machine_speed::MachineSpeed;

/// Request for a run.
#[derive(Debug, Clone)]
pub struct Request {
    /// Bodies by formula.
    pub bodies: Vec<Body>,
    /// Their sizes in nodes; `None` for as many as fit into the time.
    pub nodes: Option<Vec<usize>>,
    /// Other objects, from files for example.
    pub objects: Vec<Subject>,
    /// Numbers of threads; `None` for 1, 2, 4 and so on up to the machine's cores.
    pub threads: Option<Vec<usize>>,
    /// Number of nodes under the fingers.
    pub contacts: usize,
    /// Algorithms to compare; `Ours` is always included.
    pub algorithms: Vec<Algorithm>,
    /// Number of repetitions of each measurement; `None` to choose by confidence and time.
    pub repetitions: Option<usize>,
    /// Approximate time of the whole run, in seconds.
    pub seconds: f64,
    /// Parts to measure.
    pub parts: Parts,
    /// A running server to measure, on its own threads.
    pub server: Option<GivenServer>,
    /// Program for a solver-server that the benchmark starts on this machine.
    pub server_program: Option<PathBuf>,
}

/// Parts of the measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// Everything.
    All,
    /// Only complete solutions by each algorithm, as the thesis timed them.
    Touches,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            bodies: vec![Body::Sphere],
            nodes: None,
            objects: Vec::new(),
            threads: None,
            contacts: 15,
            algorithms: Algorithm::ALL.to_vec(),
            repetitions: None,
            seconds: 120.0,
            parts: Parts::All,
            server: None,
            server_program: None,
        }
    }
}

/// The steps of a run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Rule for the number of repetitions.
    pub stopping_rule: StoppingRule,
    /// Approximate time of the whole run, in seconds.
    pub seconds: f64,
    /// Measurements that are left out, with reasons.
    pub notes: Vec<String>,
    /// Number of nodes under the fingers.
    pub contacts: usize,
    /// Numbers of threads, ascending.
    pub threads: Vec<usize>,
    pub(crate) server: Option<GivenServer>,
    pub(crate) server_program: Option<PathBuf>,
}

/// Some measurements of one object on one number of threads.
#[derive(Debug, Clone)]
pub struct Step {
    /// The object.
    pub subject: Arc<Subject>,
    /// Number of threads, here or on the given server; 0 for a server that lets no client choose.
    pub threads: usize,
    /// Kind of the measurements.
    pub kind: StepKind,
    /// Expected time, in seconds.
    pub expected: f64,
}

/// Measurements of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepKind {
    /// Solutions of one touch by these algorithms in turn, with the stages of ours.
    Touches(Vec<Algorithm>),
    /// Columns, changes of contacts and frames.
    Frames,
    /// Round trips from touch to frame in this process.
    Embedded,
    /// Round trips through a solver-server that the benchmark starts.
    Loopback,
    /// Solutions on the given server, and round trips through it.
    Server,
}

/// Sizes to choose from: those of the thesis and small ones first, then as many as fit into the
/// time.
const SIZES: [usize; 8] = [100, 270, 450, 1000, 3000, 10_000, 30_000, 100_000];

/// Expected time in seconds from which a solution is left out, unless the run has more time.
const REASONABLE: f64 = 5.0;

impl Plan {
    /// Plans a run on a machine with `n_cores` cores and this speed.
    pub fn new(
        request: &Request,
        n_cores: usize,
        speed: &MachineSpeed,
    ) -> Result<Self, SubjectError> {
        let mut threads = request.threads.clone().unwrap_or_else(|| powers_of_two(n_cores));
        threads.sort_unstable();
        threads.dedup();
        let subjects = subjects(request, &threads, speed)?;
        let mut plan = Self {
            steps: Vec::new(),
            stopping_rule: StoppingRule {
                tolerance: 0.02,
                seconds: 1.0,
                exactly: request.repetitions,
            },
            seconds: request.seconds,
            notes: Vec::new(),
            contacts: request.contacts,
            threads: threads.clone(),
            server: request.server.clone(),
            server_program: request.server_program.clone(),
        };
        for subject in subjects {
            plan.add_steps(&Arc::new(subject), request, speed);
        }
        if request.parts == Parts::All {
            plan.note_links();
            plan.note_server_threads(request);
        }
        if threads.iter().any(|n| *n > n_cores) {
            plan.notes.push(format!(
                "more threads than the {n_cores} cores were asked for: those points are marked as \
                 oversubscribed and left out of every fit"
            ));
        }
        plan.spread_time(request.seconds, speed);
        Ok(plan)
    }

    /// Expected time of all steps, in seconds.
    pub fn expected(&self) -> f64 {
        self.steps.iter().map(|step| step.expected).sum()
    }

    fn add_steps(&mut self, subject: &Arc<Subject>, request: &Request, speed: &MachineSpeed) {
        let n_nodes = subject.mesh.n_nodes();
        let limit = REASONABLE.max(0.1 * request.seconds).min(0.2 * request.seconds);
        let (mut algorithms, mut too_slow) = (vec![Algorithm::Ours], Vec::new());
        for algorithm in Algorithm::ALL.into_iter().filter(|a| *a != Algorithm::Ours) {
            if request.algorithms.contains(&algorithm) {
                let expected = speed.answer(algorithm, n_nodes, self.threads[0]);
                let fits = expected <= limit;
                if fits { algorithms.push(algorithm) } else { too_slow.push((algorithm, expected)) }
            }
        }
        for (algorithm, expected) in too_slow {
            self.notes.push(format!(
                "{} was left out for {} with {n_nodes} nodes: one answer would take about {}",
                algorithm.label(),
                subject.name,
                crate::number_format::seconds(expected)
            ));
        }
        let mut add = |threads: usize, kind: StepKind| {
            let subject = Arc::clone(subject);
            self.steps.push(Step { subject, threads, kind, expected: 0.0 });
        };
        for &threads in &self.threads {
            add(threads, StepKind::Touches(algorithms.clone()));
            if request.parts == Parts::All {
                add(threads, StepKind::Frames);
                add(threads, StepKind::Embedded);
                if request.server_program.is_some() {
                    add(threads, StepKind::Loopback);
                }
            }
        }
        if request.parts == Parts::All {
            for threads in server_threads(request) {
                add(threads, StepKind::Server);
            }
        }
    }

    fn note_links(&mut self) {
        if self.server_program.is_none() {
            self.notes.push(
                "round trips over gRPC on loopback were left out: there is no solver-server \
                 program next to this one (cargo build --release -p solver-server builds it)"
                    .to_owned(),
            );
        }
        if self.server.is_none() {
            self.notes.push(
                "no other server was measured: use --server to name a running one".to_owned(),
            );
        }
    }

    fn note_server_threads(&mut self, request: &Request) {
        let Some(server) = &self.server else { return };
        let most = server.description.most_threads;
        if most == 0 {
            self.notes.push(
                "the given server is too old to be asked for a number of threads: it was measured \
                 with its own"
                    .to_owned(),
            );
        }
        let asked = request.threads.iter().flatten();
        let too_many: Vec<String> =
            asked.filter(|n| most > 0 && **n > most).map(usize::to_string).collect();
        if !too_many.is_empty() {
            self.notes.push(format!(
                "the given server gives a client at most {most} threads, left out there: {} \
                 (solver-server --threads)",
                too_many.join(", ")
            ));
        }
    }

    /// Chooses the time for each quantity so that the whole run takes about `seconds`.
    fn spread_time(&mut self, seconds: f64, speed: &MachineSpeed) {
        let (mut least, mut most) = (0.01_f64, 10.0_f64);
        for _ in 0..20 {
            self.stopping_rule.seconds = (least * most).sqrt();
            let stopping_rule = self.stopping_rule;
            for step in &mut self.steps {
                step.expected = step.cost(&stopping_rule, speed);
            }
            if self.expected() > seconds {
                most = self.stopping_rule.seconds;
            } else {
                least = self.stopping_rule.seconds;
            }
        }
    }
}

impl Step {
    /// Description of the step.
    pub fn title(&self) -> String {
        let what = match &self.kind {
            StepKind::Touches(_) => "stages and answers",
            StepKind::Frames => "contacts and frames",
            StepKind::Embedded => "round trips, embedded",
            StepKind::Loopback => "round trips, gRPC on loopback",
            StepKind::Server => "given server",
        };
        let nodes = crate::number_format::count(self.subject.mesh.n_nodes());
        let threads = match self.threads {
            0 => String::new(),
            1 => ", 1 thread".to_owned(),
            n => format!(", {n} threads"),
        };
        format!("{} {nodes} nodes{threads}: {what}", self.subject.name)
    }

    fn cost(&self, stopping_rule: &StoppingRule, speed: &MachineSpeed) -> f64 {
        let n = self.subject.mesh.n_nodes();
        let threads = self.threads.max(1);
        let repeated = |time: f64| repeated(time, stopping_rule);
        let set_up = speed.answer(Algorithm::Ours, n, threads);
        let link = 1.5 * set_up + 0.05 + repeated(1.5e-4 + 1e-3 * set_up);
        match &self.kind {
            StepKind::Touches(algorithms) => {
                let of = |algorithm: &Algorithm| speed.answer(*algorithm, n, threads);
                // On the first number of threads, each runs once more to compare the solutions.
                algorithms.iter().map(of).map(|time| repeated(time) + 0.5 * time).sum()
            }
            StepKind::Frames => {
                set_up + repeated(0.1 * set_up) + repeated(0.12 * set_up) + repeated(1e-3 * set_up)
            }
            StepKind::Embedded | StepKind::Loopback => link,
            // The speed of this machine stands for the server's.
            StepKind::Server => link + repeated(1.2 * set_up),
        }
    }
}

/// Time of repeating a measurement that takes `time` seconds each.
fn repeated(time: f64, stopping_rule: &StoppingRule) -> f64 {
    let mut repetition = RepeatedMeasurement::new(*stopping_rule);
    let mut spent = 0.0;
    let mut n_quick = 0;
    while repetition.wants_more() {
        // Alternating times, so that the median is never known well and all repetitions are
        // counted.
        n_quick += 1;
        let noisy = time * if n_quick % 2 == 0 { 0.9 } else { 1.1 };
        repetition.add(noisy);
        spent += noisy;
    }
    spent
}

/// Numbers of threads of the given server, ascending.
fn server_threads(request: &Request) -> Vec<usize> {
    let Some(server) = &request.server else { return Vec::new() };
    let most = server.description.most_threads;
    if most == 0 {
        return vec![0];
    }
    let Some(asked) = &request.threads else { return powers_of_two(most) };
    let mut threads: Vec<usize> = asked.iter().copied().filter(|n| *n <= most).collect();
    threads.sort_unstable();
    threads.dedup();
    threads
}

/// The powers of two below `n_cores`, and `n_cores` itself.
pub fn powers_of_two(n_cores: usize) -> Vec<usize> {
    let mut threads: Vec<usize> =
        std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|n| *n < n_cores).collect();
    threads.push(n_cores.max(1));
    threads
}

fn subjects(
    request: &Request,
    threads: &[usize],
    speed: &MachineSpeed,
) -> Result<Vec<Subject>, SubjectError> {
    let mut subjects = Vec::new();
    let sizes = match &request.nodes {
        Some(nodes) => nodes.clone(),
        // Given objects replace the usual bodies.
        None if !request.objects.is_empty() => Vec::new(),
        None => {
            // Six or seven solutions by ours and two by each other algorithm on every number of
            // threads, in two thirds of the time: quantities that are known well take less than
            // planned.
            let cost = |n: usize| {
                let of = |t: &usize| 10.0 * speed.answer(Algorithm::Ours, n, *t);
                threads.iter().map(of).sum::<f64>() * request.bodies.len() as f64
            };
            let fits = |n: &usize| *n <= SIZES[2] || cost(*n) <= 0.65 * request.seconds;
            SIZES.into_iter().filter(fits).collect()
        }
    };
    for body in &request.bodies {
        for n_nodes in &sizes {
            subjects.push(Subject::body(*body, *n_nodes)?);
        }
    }
    subjects.extend(request.objects.iter().cloned());
    Ok(subjects)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given_server::ServerDescription;

    /// Speed of a desktop of 2026.
    const SPEED: MachineSpeed = MachineSpeed { ours: 0.02, thesis: 0.005, gradients: 0.03 };

    #[test]
    fn threads_double_up_to_the_machine() {
        for (n_cores, expected) in
            [(1, &[1][..]), (2, &[1, 2]), (6, &[1, 2, 4, 6]), (8, &[1, 2, 4, 8])]
        {
            assert_eq!(powers_of_two(n_cores), expected);
        }
    }

    #[test]
    fn a_server_is_measured_on_its_own_numbers_of_threads() {
        let check =
            |most_threads: usize, asked: Option<Vec<usize>>, expected: &[usize], said: &str| {
                let description =
                    ServerDescription { most_threads, ..ServerDescription::default() };
                let url = "http://127.0.0.1:1".parse().unwrap();
                let request = Request {
                    nodes: Some(vec![100]),
                    threads: asked,
                    server: Some(GivenServer { url, description }),
                    ..Request::default()
                };
                let plan = Plan::new(&request, 2, &SPEED).unwrap();
                let steps = plan.steps.iter().filter(|step| step.kind == StepKind::Server);
                let threads: Vec<usize> = steps.map(|step| step.threads).collect();
                assert_eq!(threads, expected);
                let notes = plan.notes.join("; ");
                assert_eq!(notes.contains("given server"), !said.is_empty(), "{notes}");
                assert!(notes.contains(said), "{notes}");
            };
        check(6, None, &[1, 2, 4, 6], "");
        check(6, Some(vec![3, 1, 3]), &[1, 3], "");
        check(4, Some(vec![1, 8, 16]), &[1], "at most 4 threads, left out there: 8, 16");
        check(0, None, &[0], "too old");
    }

    #[test]
    fn a_plan_takes_about_the_time_it_may() {
        for seconds in [60.0, 120.0, 600.0] {
            let plan = Plan::new(&Request { seconds, ..Request::default() }, 2, &SPEED).unwrap();
            let share = plan.expected() / seconds;
            assert!((0.6..1.1).contains(&share), "{seconds} s: {share}");
        }
    }

    #[test]
    fn points_that_would_take_too_long_are_left_out_and_listed() {
        let nodes = Some(vec![100, 3000]);
        let plan = Plan::new(&Request { nodes, ..Request::default() }, 1, &SPEED).unwrap();
        let algorithms: Vec<usize> = plan
            .steps
            .iter()
            .filter_map(|step| match &step.kind {
                StepKind::Touches(algorithms) => Some(algorithms.len()),
                _ => None,
            })
            .collect();
        assert_eq!(algorithms, [4, 3]);
        assert!(plan.notes.iter().any(|note| note.contains("dense inverse")), "{:?}", plan.notes);
        assert!(plan.notes.iter().any(|note| note.contains("gRPC on loopback")));
    }

    #[test]
    fn only_what_is_asked_for_is_planned() {
        let request = Request {
            nodes: Some(vec![100]),
            threads: Some(vec![4, 1, 4]),
            algorithms: vec![Algorithm::Direct],
            parts: Parts::Touches,
            ..Request::default()
        };
        let plan = Plan::new(&request, 2, &SPEED).unwrap();
        let asked = StepKind::Touches(vec![Algorithm::Ours, Algorithm::Direct]);
        let steps: Vec<_> = plan.steps.iter().map(|s| (s.threads, s.kind.clone())).collect();
        assert_eq!(steps, [(1, asked.clone()), (4, asked)]);
        assert!(plan.notes[0].contains("oversubscribed"), "{:?}", plan.notes);
    }
}
