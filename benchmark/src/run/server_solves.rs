//! Measures how long a given server solves, by its own clock: set-up and touches without transfer.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use engine::ask_on;
use engine::single_solve::{Algorithm as SolveAlgorithm, SolveAnswer, SolveQuestion};
use physics::material::IsotropicElastic;
use physics::{KnownDisplacement, SolidSpec, WhenUnderdetermined};

use super::{Running, StepError};
use crate::algorithm::Algorithm;
use crate::given_server::GivenServer;
use crate::plan::Step;
use crate::repeated_measurement::RepeatedMeasurement;
use crate::results::Measure;

/// Stage of an answer that follows the set-up.
const SOLVING: &str = "solving";

/// Object that differs from all others by a few digits of its stiffness, so that the server cannot
/// have it ready. The times do not depend on these digits.
pub(super) fn unlike_any(spec: &SolidSpec) -> Result<SolidSpec, StepError> {
    let material = spec.material();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let young = material.young() * (1.0 + 1e-15 * (now.as_nanos() % 1_000_000_000_000) as f64);
    let material = IsotropicElastic::new(young, material.poisson())?;
    let density = spec.material().density();
    let material = material.with_density(density)?;
    Ok(SolidSpec::new(spec.mesh().clone(), material, spec.supports().to_vec())?)
}

impl Running<'_, '_> {
    /// Asks the server for solutions on the step's number of threads: one of an object that is new
    /// to it, then one of the same object at other nodes, as often as necessary.
    pub(super) fn server_solves(
        &mut self,
        step: &Step,
        server: &GivenServer,
    ) -> Result<(), StepError> {
        let (subject, contacts) = (&step.subject, self.plan.contacts);
        let squeeze = |shift| subject.squeeze(&subject.fingers(contacts, shift), 0).known;
        let (here, elsewhere) = (squeeze(0), squeeze(7));
        let mut repetition = RepeatedMeasurement::new(self.stopping_rule);
        let (mut set_ups, mut firsts, mut laters) = (Vec::new(), Vec::new(), Vec::new());
        while repetition.wants_more() {
            self.cancellation.check()?;
            let spec = unlike_any(&subject.spec()?)?;
            let solve = |known: &[KnownDisplacement]| -> Result<SolveAnswer, StepError> {
                let question = SolveQuestion {
                    spec: spec.clone(),
                    known: known.to_vec(),
                    when_underdetermined: WhenUnderdetermined::Refuse,
                    algorithm: SolveAlgorithm::Factorise,
                    wants_stresses: false,
                };
                let answer = ask_on(&server.url, &question, step.threads, |_| {})?;
                match step.threads {
                    0 => Ok(answer),
                    wish if wish == answer.threads => Ok(answer),
                    wish => Err(StepError::Failed(format!(
                        "the server used {} threads, expected {wish}",
                        answer.threads
                    ))),
                }
            };
            let (first, later) = (solve(&here)?, solve(&elsewhere)?);
            let (set_up, solving) = times(&first.stages);
            if set_up.is_zero() {
                let why = "the server had the object ready, expected a new one";
                return Err(StepError::Failed(why.to_owned()));
            }
            repetition.add((set_up + solving).as_secs_f64());
            set_ups.push(set_up.as_secs_f64());
            firsts.push((set_up + solving).as_secs_f64());
            laters.push(times(&later.stages).1.as_secs_f64());
        }
        // Only the rounds that counted: the last ones.
        let n_counted = repetition.into_samples().len();
        for (measure, mut samples) in [
            (Measure::SetUpServer, set_ups),
            (Measure::FirstTouchServer, firsts),
            (Measure::LaterTouchServer, laters),
        ] {
            samples.drain(..samples.len() - n_counted);
            self.publish(step, Algorithm::Ours, measure, samples);
        }
        Ok(())
    }
}

/// Times of the set-up and of the solution.
fn times(stages: &[(String, Duration)]) -> (Duration, Duration) {
    let sum = |is_solving: bool| {
        stages
            .iter()
            .filter(|(name, _)| (name == SOLVING) == is_solving)
            .map(|(_, time)| *time)
            .sum()
    };
    (sum(false), sum(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solving_is_told_apart_from_the_stages_before_it() {
        let stage = |name: &str, ms| (name.to_owned(), Duration::from_millis(ms));
        let stages = [stage("assembling", 2), stage("factorising", 30), stage("solving", 4)];
        assert_eq!(times(&stages), (Duration::from_millis(32), Duration::from_millis(4)));
        assert_eq!(times(&stages[2..]), (Duration::ZERO, Duration::from_millis(4)));
    }
}
