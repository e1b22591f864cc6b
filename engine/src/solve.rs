//! One touch at a time, exactly, for scripts: every node, all digits.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use physics::family::solid::{Algorithm, Answer, Question};
use physics::family::solid::{SolidModel, Solution, SolveError, solve_by_inverse};
use physics::{BuildError, MemoryLimits, Progress, Stage};

use crate::workshop::Workshop;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum QuestionError {
    /// The object cannot be prepared.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// What is known has no answer.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

/// Answers on the workshop's threads.
pub fn answer(
    question: &Question,
    memory: MemoryLimits,
    workshop: &Workshop,
) -> Result<Answer, QuestionError> {
    let clock = Arc::new(StageClock::default());
    let entered = Arc::clone(&clock);
    let progress = Progress::watched(move |stage: Stage| entered.enter(&stage.to_string()));
    let solution = workshop.install(|| -> Result<Solution, QuestionError> {
        match question.algorithm {
            Algorithm::Factorise => {
                let model = SolidModel::new(&question.spec, memory, &progress)?;
                clock.enter("solving");
                Ok(model.solve(&question.known, question.loose)?)
            }
            Algorithm::Invert => {
                clock.enter("solving");
                Ok(solve_by_inverse(&question.spec, &question.known, memory)?)
            }
        }
    })?;
    let solution = if question.wants_stresses {
        clock.enter("stresses");
        workshop.install(|| solution.with_stresses(&question.spec))
    } else {
        solution
    };
    Ok(Answer { solution, stages: clock.stop(), threads: workshop.threads() })
}

/// Notes when each stage begins.
#[derive(Default)]
struct StageClock(Mutex<Vec<(String, Instant)>>);

impl StageClock {
    fn enter(&self, stage: &str) {
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begun.push((stage.to_owned(), Instant::now()));
    }

    /// Each stage lasts until the next one, the last until now.
    fn stop(&self) -> Vec<(String, Duration)> {
        self.enter("the end");
        let begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begun.windows(2).map(|pair| (pair[0].0.clone(), pair[1].1 - pair[0].1)).collect()
    }
}
