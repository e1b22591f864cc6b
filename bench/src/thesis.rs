//! Beside the algorithm of the thesis: the dense inverse for every set of contacts, rows shared by threads.

use physics::family::solid::{SolidModel, solve_by_inverse};
use physics::{Loose, MemoryLimits, Progress};

use crate::case::{Body, Case};
use crate::statistics::{least, timed};
use crate::{Arguments, pool};

/// The thesis' largest object, and one that it could only dream of.
const NODES: [usize; 2] = [267, 1000];

pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    println!(
        "\n# One squeeze of 15 nodes, from the mesh on, beside the dense inverse of the thesis (ms)"
    );
    let memory = MemoryLimits::default();
    for n_nodes in NODES {
        let case = Case::new(Body::Sphere, n_nodes)?;
        let (spec, nodes) = (case.spec()?, case.fingers(15, 0));
        let known = case.squeeze(&nodes, 0).known;
        for threads in [1, arguments.threads] {
            pool(threads)?.install(|| -> anyhow::Result<()> {
                let (mut ours, mut thesis) = (Vec::new(), Vec::new());
                for _ in 0..3 {
                    for _ in 0..5 {
                        let (time, solution) = timed(|| {
                            SolidModel::new(&spec, memory, &Progress::default())
                                .map(|model| model.solve(&known, Loose::Refuse))
                        });
                        solution??;
                        ours.push(time);
                    }
                    let (time, solution) =
                        timed(|| solve_by_inverse(&spec, &known, memory, &Progress::default()));
                    solution?;
                    thesis.push(time);
                    if time > 5.0 {
                        break;
                    }
                }
                println!(
                    "{case} nodes, {threads} threads: thesis {:>9.1}, ours {:>7.2}, ratio {:.0}",
                    1e3 * least(&thesis),
                    1e3 * least(&ours),
                    least(&thesis) / least(&ours)
                );
                Ok(())
            })?;
        }
    }
    Ok(())
}
