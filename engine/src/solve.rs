//! One touch at a time, exactly, for scripts: every node, all digits.

use physics::ObjectSpec;
pub use physics::family::solid::{Algorithm, Answer, Question};
use physics::family::solid::{SolveError, solve_by_inverse};

use crate::cache::Wish;
use crate::stage_clock::StageClock;
use crate::workshop::{DeliveryError, ThreadsError, Workshop};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    /// The object cannot be prepared.
    #[error(transparent)]
    Delivery(#[from] DeliveryError),
    /// What is known has no answer.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

impl From<ThreadsError> for QuestionError {
    fn from(error: ThreadsError) -> Self {
        Self::Delivery(error.into())
    }
}

/// Answers on the workshop's threads, with a model from its cache. Who gives up `wish` ends the work.
pub fn answer(
    question: &Question,
    workshop: &Workshop,
    wish: &Wish,
) -> Result<Answer, QuestionError> {
    let clock = StageClock::default();
    let mut stages = Vec::new();
    let solution = match question.algorithm {
        Algorithm::Factorise => {
            let spec = ObjectSpec::from(question.spec.clone());
            let order = wish.place(workshop.models(), &spec);
            let was_ready = order.is_ready();
            let model = workshop.deliver(&order)?;
            let model = model.solid().expect("a solid's description makes a solid's model");
            if !was_ready {
                stages = order.stages();
            }
            clock.enter("solving");
            workshop.install(|| model.solve(&question.known, question.loose))??
        }
        Algorithm::Invert => {
            clock.enter("solving");
            let limits = workshop.budget().object;
            let progress = wish.progress();
            workshop.install(|| {
                solve_by_inverse(&question.spec, &question.known, limits, &progress)
            })??
        }
    };
    let solution = if question.wants_stresses {
        clock.enter("stresses");
        workshop.install(|| solution.with_stresses(&question.spec))?
    } else {
        solution
    };
    clock.stop();
    stages.extend(clock.stages());
    Ok(Answer { solution, stages, threads: workshop.threads() })
}
