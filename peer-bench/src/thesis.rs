//! Comparison with the algorithm of the thesis: the dense inverse for every set of contacts, rows
//! shared by threads.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use benchmark::Body;
use physics::family::solid::{SolidModel, solve_by_inverse};
use physics::{KnownDisplacement, MemoryLimits, Progress, SolidSpec, Stage, WhenUnderdetermined};

use crate::case::Case;
use crate::{Arguments, pool};
use benchmark::statistics::{least, timed};

/// Sizes of the thesis' largest object, and of one that was out of its reach.
const NODES: [usize; 2] = [267, 1000];

pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    println!("\n# One squeeze of 15 nodes beside the dense inverse of the thesis (ms)");
    println!(
        "# whole: from the mesh on; solve: with the matrix assembled; again: other nodes, later"
    );
    let memory = MemoryLimits::default();
    for n_nodes in NODES {
        let case = Case::new(Body::Sphere, n_nodes)?;
        let (spec, nodes) = (case.subject.spec()?, case.subject.fingers(15, 0));
        let known = case.subject.squeeze(&nodes, 0).known;
        let elsewhere = case.subject.squeeze(&case.subject.fingers(15, 7), 0).known;
        for threads in [1, arguments.threads] {
            pool(threads)?.install(|| -> anyhow::Result<()> {
                let mut times = Times::default();
                for _ in 0..3 {
                    for _ in 0..5 {
                        times.add_ours(&spec, [&known, &elsewhere])?;
                    }
                    let (time, solution) =
                        timed(|| solve_by_inverse(&spec, &known, memory, &Progress::default()));
                    solution?;
                    times.thesis.push(time);
                    if time > 5.0 {
                        break;
                    }
                }
                println!("{case} nodes, {threads} threads: {times}");
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// Times of all rounds, in seconds.
#[derive(Default)]
struct Times {
    thesis: Vec<f64>,
    whole: Vec<f64>,
    solve: Vec<f64>,
    again: Vec<f64>,
}

impl Times {
    fn add_ours(
        &mut self,
        spec: &SolidSpec,
        [known, elsewhere]: [&[KnownDisplacement]; 2],
    ) -> anyhow::Result<()> {
        let assembled = Arc::new(OnceLock::new());
        let noting = Arc::clone(&assembled);
        let progress = Progress::watched(move |stage: Stage| {
            if stage == Stage::Ordering {
                noting.get_or_init(Instant::now);
            }
        });
        let (whole, model) = timed(|| -> anyhow::Result<_> {
            let model = SolidModel::new(spec, MemoryLimits::default(), &progress)?;
            model.solve(known, WhenUnderdetermined::Refuse)?;
            self.solve.extend(assembled.get().map(|assembled| assembled.elapsed().as_secs_f64()));
            Ok(model)
        });
        self.whole.push(whole);
        let model = model?;
        let (again, solution) = timed(|| model.solve(elsewhere, WhenUnderdetermined::Refuse));
        solution?;
        self.again.push(again);
        Ok(())
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thesis = least(&self.thesis);
        write!(f, "thesis {:>9.1}", 1e3 * thesis)?;
        for (name, times) in
            [("whole", &self.whole), ("solve", &self.solve), ("again", &self.again)]
        {
            write!(f, ", {name} {:.2} = {:.0}x", 1e3 * least(times), thesis / least(times))?;
        }
        Ok(())
    }
}
