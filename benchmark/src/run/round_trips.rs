//! Measures the time from a touch to its frame, through the solver's port: in this process or over
//! gRPC.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{
    Bell, EmbeddedLink, LinkOptions, LinkState, MemoryBudget, ObjectSpec, RemoteLink, ServerUrl,
    SolverLink, SolverResources,
};
use physics::{Outcome, SampleId};

use super::server_solves::unlike_any;
use super::{Running, StepError};
use crate::algorithm::Algorithm;
use crate::plan::Step;
use crate::repeated_measurement::RepeatedMeasurement;
use crate::results::Measure;
use crate::server::Server;
use crate::statistics::timed;

/// Number of first frames that are not measured: they wait for columns and for threads to wake up.
const WARM_UP: usize = 50;

/// Longest time to wait for a frame.
const PATIENCE: Duration = Duration::from_secs(20);

impl Running<'_, '_> {
    pub(super) fn embedded(&mut self, step: &Step) -> Result<(), StepError> {
        let resources = SolverResources::new(Some(step.threads), MemoryBudget::default())?;
        let bell = Arc::new(Bell::default());
        let spec = ObjectSpec::from(step.subject.spec()?);
        let mut link = EmbeddedLink::start(&spec, resources, Arc::clone(&bell))?;
        self.wait_ready(&link, &bell)?;
        self.round_trips(step, &mut link, &bell, Measure::RoundTripEmbedded)
    }

    pub(super) fn loopback(&mut self, step: &Step) -> Result<(), StepError> {
        let Some(program) = &self.plan.server_program else { return Ok(()) };
        let server = Server::start(program, step.threads)?;
        let bell = Arc::new(Bell::default());
        let spec = ObjectSpec::from(step.subject.spec()?);
        let mut link = self.open(spec, 0, server.url.clone(), &bell)?;
        self.round_trips(step, &mut link, &bell, Measure::RoundTripLoopback)
    }

    pub(super) fn given_server(&mut self, step: &Step) -> Result<(), StepError> {
        let Some(server) = self.plan.server.clone() else { return Ok(()) };
        self.server_solves(step, &server)?;
        let bell = Arc::new(Bell::default());
        let spec = ObjectSpec::from(unlike_any(&step.subject.spec()?)?);
        let start = Instant::now();
        let mut link = self.open(spec, step.threads, server.url, &bell)?;
        let opening = start.elapsed().as_secs_f64();
        self.publish(step, Algorithm::Ours, Measure::OpeningServer, vec![opening]);
        self.round_trips(step, &mut link, &bell, Measure::RoundTripServer)
    }

    fn open(
        &self,
        spec: ObjectSpec,
        threads: usize,
        url: ServerUrl,
        bell: &Arc<Bell>,
    ) -> Result<RemoteLink, StepError> {
        let options = LinkOptions { threads, ..LinkOptions::default() };
        let link = RemoteLink::open(url, spec, options, Arc::clone(bell))?;
        self.wait_ready(&link, bell)?;
        Ok(link)
    }

    fn wait_ready(&self, link: &dyn SolverLink, bell: &Bell) -> Result<(), StepError> {
        loop {
            self.cancellation.check()?;
            match link.state() {
                LinkState::Ready(_) => return Ok(()),
                LinkState::Failed(why) | LinkState::Lost(why) => {
                    return Err(StepError::Failed(why));
                }
                LinkState::Preparing(_) => bell.wait_for(Duration::from_millis(20)),
            }
        }
    }

    fn round_trips(
        &mut self,
        step: &Step,
        link: &mut dyn SolverLink,
        bell: &Bell,
        measure: Measure,
    ) -> Result<(), StepError> {
        let nodes = step.subject.fingers(self.plan.contacts, 0);
        let mut repetition = RepeatedMeasurement::new(self.stopping_rule);
        for round in 0.. {
            self.cancellation.check()?;
            if round >= WARM_UP && !repetition.wants_more() {
                break;
            }
            let mut touch = step.subject.squeeze(&nodes, round);
            touch.sample = SampleId(1 + round as u64);
            let sample = touch.sample;
            let (time, frame) = timed(|| {
                let start = Instant::now();
                link.submit(touch);
                loop {
                    match link.latest() {
                        Some(frame) if frame.sample == sample => return Some(frame),
                        _ if start.elapsed() > PATIENCE => return None,
                        _ => bell.wait_for(PATIENCE),
                    }
                }
            });
            let frame = frame.ok_or_else(|| {
                StepError::Failed(format!("no frame came within {} s", PATIENCE.as_secs()))
            })?;
            if frame.report.outcome != Outcome::Solved {
                return Err(StepError::Failed(in_words(&frame.report.outcome)));
            }
            if round >= WARM_UP {
                repetition.add(time);
            }
        }
        self.publish(step, Algorithm::Ours, measure, repetition.into_samples());
        Ok(())
    }
}

/// Reason why a touch has no shape, as text.
fn in_words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Underdetermined(why) | Outcome::Refused(why) => why.clone(),
        Outcome::Frozen => "the solve gave numbers that are not finite".to_owned(),
        Outcome::AtRest | Outcome::Solved => "the object was not touched".to_owned(),
    }
}
