//! Table of a replay: each line of the journal advances it.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use calibration::HandPose;
use drivers::Side;
use engine::{Bell, SolverLocation};
use interaction::collision::TouchableSurface;
use interaction::scene::Scene;
use interaction::shape_history::ShapeId;
use interaction::tabletop::{HandEffects, Tabletop};
use interaction::thing::SolverTask;
use physics::{SampleId, SurfaceFrame, Touch};

use super::{ExactReplayError, ReplayReport};
use crate::input::{DecodedDevices, PairedRecords};
use crate::session::ProfilesInUse;
use crate::session::journal::{
    self, JournalError, JournalLine, OrderFile, PairedRecordsFile, RunStart,
};
use crate::session::table_solvers::TableSolvers;
use crate::session::thing_solver::SolverOutput;

/// A frame with its shape.
pub(super) type ReceivedFrame = (ShapeId, Arc<SurfaceFrame>);

/// Things and hands of a recorded run, and their solvers.
pub(super) struct ReplayTable {
    pub(super) tabletop: Tabletop,
    devices: DecodedDevices,
    profiles_in_use: ProfilesInUse,
    effects: HandEffects,
    /// Time of the last line that has one, in seconds.
    time: f64,
    pub(super) solvers: TableSolvers,
    /// Touches whose frames may still come, by thing and sample.
    pub(super) waiting: Vec<BTreeMap<u64, Touch>>,
    /// The rest frame and the last answer of each thing: a server that came back sent them again.
    pub(super) received: Vec<[Option<ReceivedFrame>; 2]>,
    /// The last touch of each thing: a server that came back got it again.
    pub(super) last: Vec<Option<Touch>>,
    wants_fields: bool,
    pub(super) report: ReplayReport,
}

impl ReplayTable {
    /// Creates the table at the beginning of the journal.
    pub(super) fn new(
        start: RunStart,
        devices: DecodedDevices,
        solvers: &SolverLocation,
    ) -> io::Result<Self> {
        let RunStart { rules, profiles_in_use, things, .. } = start;
        let bell = Arc::new(Bell::default());
        let solvers = TableSolvers::start(&things, solvers.clone(), bell)?;
        Ok(Self {
            waiting: vec![BTreeMap::new(); things.len()],
            received: vec![[None, None]; things.len()],
            last: vec![None; things.len()],
            tabletop: Tabletop::new(things, rules, profiles_in_use.both()),
            devices,
            profiles_in_use,
            effects: HandEffects::default(),
            time: 0.0,
            solvers,
            wants_fields: false,
            report: ReplayReport::default(),
        })
    }

    /// Asks the solvers for fields.
    pub(super) fn with_fields(self, wants_fields: bool) -> Self {
        Self { wants_fields, ..self }
    }

    /// Carries out one line of the journal; `goes_on` ends the wait for a frame.
    pub(super) fn take(
        &mut self,
        line: JournalLine,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), ExactReplayError> {
        match line {
            JournalLine::Settings { .. } | JournalLine::Emulated { .. } | JournalLine::Thing(_) => {
                return Err(JournalError::NoSettings.into());
            }
            JournalLine::Shapes { thing, made, at, n_begun } => {
                let shapes = journal::shapes(made, at, n_begun)?;
                let solver = self.solvers.get_mut(thing).ok_or(ExactReplayError::NoThing(thing))?;
                solver.set_shape(shapes.current().0);
                self.tabletop.set_shapes(thing, shapes);
            }
            JournalLine::Hand { hand, sample, time, angles, wrist, from } => {
                self.time = time;
                let (side, pose) = (hand.into(), journal::hand_pose(&angles, &wrist)?);
                let pose = match from {
                    Some(from) => self.decode(side, &pose, from, sample)?,
                    None => pose,
                };
                self.tabletop.take_hand(side, &pose, SampleId(sample), time, &mut self.effects);
                self.report.n_samples += 1;
                self.take_effects(sample);
            }
            JournalLine::Gone { hand, why, sample, time } => {
                let id = SampleId(sample);
                self.tabletop.lose_hand(hand.into(), &why, id, time, &mut self.effects);
                self.take_effects(sample);
            }
            JournalLine::Passed { sample, time } => {
                self.tabletop.pass_time(SampleId(sample), time, &mut self.effects);
                self.take_effects(sample);
            }
            JournalLine::Order(order) => self.apply_order(order)?,
            JournalLine::Frame { thing, shape, sample, digest, restored, overtaken } => {
                let shape_id = ShapeId(shape);
                if let Some(state) = restored {
                    let snapshot = state.snapshot().ok_or(JournalError::State)?;
                    self.restore(thing, shape_id, snapshot, goes_on)?;
                }
                for before in overtaken {
                    self.frame(thing, shape_id, before, goes_on)?;
                }
                let frame = self.frame(thing, shape_id, sample, goes_on)?;
                let now = journal::digest(&frame);
                if now != digest {
                    return Err(ExactReplayError::Differs { sample, then: digest, now });
                }
                self.report.n_frames += 1;
                self.tabletop.take_frame(thing, ShapeId(shape), frame);
                self.look();
            }
            JournalLine::Made { thing, shape, was_found } => {
                let made = self.wait(thing, goes_on, |solver| solver.take_next())?;
                let SolverOutput::ShapeMade(made, found) = made else {
                    return Err(ExactReplayError::Shape);
                };
                if made.0 != shape || found.is_ok() != was_found {
                    return Err(ExactReplayError::Shape);
                }
                self.tabletop.shape_made(thing, made, found);
            }
        }
        self.run_solver_tasks()?;
        Ok(())
    }

    fn take_effects(&mut self, sample: u64) {
        self.report.n_transitions += self.effects.events.len() as u64;
        for (thing, mut touch) in self.effects.touches.drain(..) {
            touch.wants_fields = self.wants_fields;
            self.waiting[thing].insert(sample, touch);
        }
    }

    /// Decodes the pose from the devices' bytes; an error unless it is the one of the journal.
    fn decode(
        &mut self,
        side: Side,
        then: &HandPose,
        from: PairedRecordsFile,
        sample: u64,
    ) -> Result<HandPose, ExactReplayError> {
        let PairedRecords { glove, tracker } = from.records()?;
        let cannot = |source| ExactReplayError::Decode { sample, source };
        let glove = self.devices.glove(glove).map_err(cannot)?;
        let tracker = tracker.map(|tracker| self.devices.tracker(tracker)).transpose();
        let tracker = tracker.map_err(cannot)?;
        if glove.hand != side {
            return Err(ExactReplayError::Side { sample });
        }
        // The choice of the profile depends on all samples of the glove so far.
        self.profiles_in_use.check_glove(side, &glove.data);
        let profile = self.profiles_in_use.of(side);
        let now = match tracker {
            Some(tracker) => profile.hand_pose(&glove.data, &tracker.source_from_sensor),
            // Mouse and keys or a headset placed the wrist; the journal tells where.
            None => HandPose { angles: profile.angles(&glove.data), ..*then },
        };
        if let Some((what, then, now)) = journal::first_difference(then, &now) {
            return Err(ExactReplayError::Pose { sample, what, then, now });
        }
        self.report.n_decoded += 1;
        Ok(now)
    }

    fn apply_order(&mut self, order: OrderFile) -> Result<(), ExactReplayError> {
        self.report.n_orders += 1;
        self.tabletop.apply_order(&order.order()?);
        Ok(())
    }

    fn run_solver_tasks(&mut self) -> io::Result<()> {
        let mut solver_tasks = self.tabletop.take_solver_tasks();
        // Skipped: the recorded frames say which state was restored.
        solver_tasks.retain(|task| !matches!(task, SolverTask::ReturnToRest { .. }));
        for task in &mut solver_tasks {
            if let SolverTask::PrepareShape { is_as_left, .. } = task {
                *is_as_left = false;
            }
        }
        self.solvers.run_solver_tasks(solver_tasks)?;
        // A task may have started a new thing's solver.
        self.waiting.resize_with(self.solvers.n_things(), BTreeMap::new);
        self.received.resize_with(self.solvers.n_things(), Default::default);
        self.last.resize_with(self.solvers.n_things(), Default::default);
        Ok(())
    }

    /// Stores the scene if it is a key moment.
    fn look(&mut self) {
        let (objects, hands) =
            (self.tabletop.object_views(self.time), self.tabletop.hand_views(self.time));
        let scene = Arc::new(Scene { objects, hands, ..Scene::default() });
        if let Some(thing) = self.tabletop.selected() {
            let squeeze =
                thing.surface.as_ref().map_or(0.0, TouchableSurface::largest_displacement);
            self.report.moments.offer(&scene, thing.grasp.state(), squeeze);
        }
    }
}
