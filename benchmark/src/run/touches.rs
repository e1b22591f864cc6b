//! Measures one touch solved by several algorithms in turn, and the stages of ours.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use physics::family::solid::SolidModel;
use physics::linear::assemble;
use physics::{KnownDisplacement, MemoryLimits, Progress, SolidSpec, Stage, WhenUnderdetermined};
use rayon::ThreadPool;

use super::{Running, StepError};
use crate::algorithm::{self, Algorithm};
use crate::plan::Step;
use crate::repeated_measurement::RepeatedMeasurement;
use crate::results::Measure;
use crate::statistics::timed;

/// Largest difference of two solutions of the same problem, as a share of the largest displacement.
const AGREEMENT: f64 = 1e-6;

/// A touch, and another one at other nodes.
struct Question {
    spec: SolidSpec,
    known: Vec<KnownDisplacement>,
    elsewhere: Vec<KnownDisplacement>,
}

/// Times of one preparation by our algorithm.
#[derive(Default)]
struct Stages {
    seconds: [f64; 4],
    set_up: f64,
    first_touch: f64,
    later_touch: f64,
}

impl Running<'_, '_> {
    pub(super) fn touches(
        &mut self,
        step: &Step,
        algorithms: &[Algorithm],
        pool: &ThreadPool,
    ) -> Result<(), StepError> {
        let (subject, contacts) = (&step.subject, self.plan.contacts);
        let squeeze = |shift| subject.squeeze(&subject.fingers(contacts, shift), 0).known;
        let question = Question { spec: subject.spec()?, known: squeeze(0), elsewhere: squeeze(7) };
        let agreeing = self.agreeing(step, algorithms, &question, pool)?;

        let mut repetitions: Vec<(Algorithm, RepeatedMeasurement)> =
            agreeing.iter().map(|a| (*a, RepeatedMeasurement::new(self.stopping_rule))).collect();
        let mut stages: Vec<Stages> = Vec::new();
        // In turn, so that temporary load on the machine affects all algorithms equally.
        while repetitions.iter().any(|(_, repetition)| repetition.wants_more()) {
            for (algorithm, repetition) in &mut repetitions {
                if !repetition.wants_more() {
                    continue;
                }
                self.cancellation.check()?;
                let time = match algorithm {
                    Algorithm::Ours => {
                        let one = self.prepare(&question, pool)?;
                        let time = one.first_touch;
                        stages.push(one);
                        time
                    }
                    Algorithm::Thesis | Algorithm::Direct | Algorithm::Gradients => {
                        let (time, answer) = self.answer(*algorithm, &question, pool);
                        answer?;
                        time
                    }
                };
                repetition.add(time);
            }
        }
        for (algorithm, repetition) in repetitions {
            let samples = repetition.into_samples();
            if algorithm == Algorithm::Ours {
                // Only the rounds that counted: the last ones.
                let counted = &stages[stages.len() - samples.len()..];
                self.publish_stages(step, counted);
            }
            self.publish(step, algorithm, Measure::FirstTouch, samples);
        }
        Ok(())
    }

    /// Algorithms whose solutions agree with ours; the others are noted, and their times are not
    /// reported.
    fn agreeing(
        &mut self,
        step: &Step,
        algorithms: &[Algorithm],
        question: &Question,
        pool: &ThreadPool,
    ) -> Result<Vec<Algorithm>, StepError> {
        let stiffness = assemble(question.spec.mesh(), question.spec.material());
        let (_, ours) = self.answer(Algorithm::Ours, question, pool);
        let ours = ours?;
        let mut agreeing = Vec::new();
        for &algorithm in algorithms {
            let answer = match algorithm {
                Algorithm::Ours => Ok(ours.clone()),
                other => self.answer(other, question, pool).1,
            };
            let u = match answer {
                Ok(u) => u,
                Err(StepError::Stopped) => return Err(StepError::Stopped),
                Err(StepError::Failed(why)) => {
                    self.note(format!("{}: {}: {why}", step.title(), algorithm.label()));
                    continue;
                }
            };
            let off = algorithm::difference(&u, &ours);
            let residual = algorithm::residual(&stiffness, &question.spec, &question.known, &u);
            self.publish(step, algorithm, Measure::Residual, vec![residual]);
            if algorithm != Algorithm::Ours {
                self.publish(step, algorithm, Measure::Difference, vec![off]);
            }
            if off <= AGREEMENT {
                agreeing.push(algorithm);
            } else {
                self.note(format!(
                    "{}: the solution of {} differs from ours by {off:.1e}, so its times are \
                     withheld",
                    step.title(),
                    algorithm.label()
                ));
            }
        }
        Ok(agreeing)
    }

    fn answer(
        &self,
        algorithm: Algorithm,
        question: &Question,
        pool: &ThreadPool,
    ) -> (f64, Result<Vec<f64>, StepError>) {
        let progress = self.cancellation.watching(Progress::default());
        let stop = self.cancellation.flag();
        let (time, answer) = pool.install(|| {
            timed(|| algorithm.answer(&question.spec, &question.known, &progress, stop))
        });
        let answer = answer.map_err(|e| match e.is_cancelled() {
            true => StepError::Stopped,
            false => StepError::Failed(e.to_string()),
        });
        (time, answer)
    }

    /// One preparation by our algorithm, stage by stage, and two touches.
    fn prepare(&self, question: &Question, pool: &ThreadPool) -> Result<Stages, StepError> {
        let begun: Arc<Mutex<Vec<(Stage, Instant)>>> = Arc::default();
        let noting = Arc::clone(&begun);
        let progress = self.cancellation.watching(Progress::watched(move |stage| {
            let mut begun = noting.lock().unwrap_or_else(PoisonError::into_inner);
            begun.push((stage, Instant::now()));
        }));
        let memory = MemoryLimits::default();
        let mut stages = Stages::default();
        pool.install(|| -> Result<(), StepError> {
            let start = Instant::now();
            let model = SolidModel::new(&question.spec, memory, &progress);
            let ready = Instant::now();
            let model = match model {
                Err(e) if e.is_cancelled() => return Err(StepError::Stopped),
                model => model?,
            };
            model.solve(&question.known, WhenUnderdetermined::Refuse)?;
            stages.first_touch = start.elapsed().as_secs_f64();
            stages.set_up = (ready - start).as_secs_f64();
            let (later, solution) =
                timed(|| model.solve(&question.elsewhere, WhenUnderdetermined::Refuse));
            solution?;
            stages.later_touch = later;
            let begun = begun.lock().unwrap_or_else(PoisonError::into_inner);
            for (i, (stage, at)) in begun.iter().enumerate() {
                let until = begun.get(i + 1).map_or(ready, |(_, next)| *next);
                stages.seconds[place_of(*stage)] = (until - *at).as_secs_f64();
            }
            Ok(())
        })?;
        Ok(stages)
    }

    fn publish_stages(&mut self, step: &Step, rounds: &[Stages]) {
        const MEASURES: [Measure; 4] =
            [Measure::Assembly, Measure::Ordering, Measure::Symbolic, Measure::Numeric];
        let all = |time: &dyn Fn(&Stages) -> f64| rounds.iter().map(time).collect::<Vec<f64>>();
        for (i, measure) in MEASURES.into_iter().enumerate() {
            self.publish(step, Algorithm::Ours, measure, all(&|round| round.seconds[i]));
        }
        self.publish(step, Algorithm::Ours, Measure::SetUp, all(&|round| round.set_up));
        self.publish(step, Algorithm::Ours, Measure::LaterTouch, all(&|round| round.later_touch));
    }
}

fn place_of(stage: Stage) -> usize {
    match stage {
        Stage::Assembling => 0,
        Stage::Ordering => 1,
        Stage::Analysing => 2,
        Stage::Factorising => 3,
    }
}
