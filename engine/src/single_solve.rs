//! Exact solve of one touch, for scripts: all nodes, without rounding to `f32`.

use physics::ObjectSpec;
pub use physics::family::solid::{Algorithm, SolveAnswer, SolveQuestion};
use physics::family::solid::{SolveError, solve_by_inverse};

use crate::model_cache::WorkHandle;
use crate::resources::{PrepareError, SolverResources, ThreadsError};
use crate::stage_times::StageTimes;

/// A question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    /// The object cannot be prepared.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The known displacements have no solution.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

impl From<ThreadsError> for QuestionError {
    fn from(error: ThreadsError) -> Self {
        Self::Prepare(error.into())
    }
}

/// Answers a question on the threads of `resources`, with a model from their cache. Cancelling
/// `handle` ends the work.
pub fn answer(
    question: &SolveQuestion,
    resources: &SolverResources,
    handle: &WorkHandle,
) -> Result<SolveAnswer, QuestionError> {
    let times = StageTimes::default();
    let mut stages = Vec::new();
    let solution = match question.algorithm {
        Algorithm::Factorise => {
            let spec = ObjectSpec::from(question.spec.clone());
            let request = handle.request_model(resources.models(), &spec);
            let was_ready = request.is_ready();
            let model = resources.prepare(&request)?;
            let model = model.solid().expect("the description is of a solid");
            if !was_ready {
                stages = request.stages();
            }
            times.enter("solving");
            resources.install(|| model.solve(&question.known, question.when_underdetermined))??
        }
        Algorithm::Invert => {
            times.enter("solving");
            let limits = resources.budget().object;
            let progress = handle.progress();
            resources.install(|| {
                solve_by_inverse(&question.spec, &question.known, limits, &progress)
            })??
        }
    };
    let solution = if question.wants_stresses {
        times.enter("stresses");
        resources.install(|| solution.with_stresses(&question.spec))?
    } else {
        solution
    };
    times.stop();
    stages.extend(times.stages());
    Ok(SolveAnswer { solution, stages, threads: resources.threads() })
}
