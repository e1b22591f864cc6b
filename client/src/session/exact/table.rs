//! The table of a run that is run again: each line of the journal brings it on.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use calibration::HandPose;
use drivers::Hand as Side;
use engine::{Bell, Solvers};
use interaction::collision::TouchableSurface;
use interaction::scene::Scene;
use interaction::shapes::ShapeId;
use interaction::tabletop::{HandNews, Tabletop};
use interaction::thing::Chore;
use physics::{SampleId, SurfaceFrame, Touch};

use super::{Again, ExactError};
use crate::input::{DecodedDevices, PairedRecords};
use crate::session::Fitting;
use crate::session::journal::{self, FromFile, Head, JournalError, Line, OrderFile};
use crate::session::links::FromSolver;
use crate::session::solvers::ThingSolvers;

/// A frame, and of which shape.
pub(super) type Said = (ShapeId, Arc<SurfaceFrame>);

/// Things and hands of a recorded run, and their solvers.
pub(super) struct Table {
    pub(super) tabletop: Tabletop,
    devices: DecodedDevices,
    fitting: Fitting,
    news: HandNews,
    /// Of the last line that has one.
    time: f64,
    pub(super) solvers: ThingSolvers,
    /// Touches whose frames may come yet, by thing.
    pub(super) waiting: Vec<BTreeMap<u64, Touch>>,
    /// The object at rest and the last answer of each thing: a server that came back said them once
    /// more.
    pub(super) said: Vec<[Option<Said>; 2]>,
    /// The last touch of each thing: a server that came back was asked it once more.
    pub(super) last: Vec<Option<Touch>>,
    wants_fields: bool,
    pub(super) again: Again,
}

impl Table {
    /// Begins with what the journal begins with.
    pub(super) fn new(head: Head, devices: DecodedDevices, solvers: &Solvers) -> io::Result<Self> {
        let Head { rules, fitting, things, .. } = head;
        let bell = Arc::new(Bell::default());
        let solvers = ThingSolvers::start(&things, solvers.clone(), bell)?;
        Ok(Self {
            waiting: vec![BTreeMap::new(); things.len()],
            said: vec![[None, None]; things.len()],
            last: vec![None; things.len()],
            tabletop: Tabletop::new(things, rules, fitting.profiles()),
            devices,
            fitting,
            news: HandNews::default(),
            time: 0.0,
            solvers,
            wants_fields: false,
            again: Again::default(),
        })
    }

    /// Asks the solvers for fields.
    pub(super) fn with_fields(self, wants_fields: bool) -> Self {
        Self { wants_fields, ..self }
    }

    /// Carries out one line of the journal; `goes_on` ends the wait for a frame.
    pub(super) fn take(
        &mut self,
        line: Line,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), ExactError> {
        match line {
            Line::Settings { .. } | Line::Emulated { .. } | Line::Thing(_) => {
                return Err(JournalError::NoSettings.into());
            }
            Line::Shapes { thing, made, at, n_begun } => {
                let shapes = journal::shapes(made, at, n_begun)?;
                let links = self.solvers.get_mut(thing).ok_or(ExactError::NoThing(thing))?;
                links.call(shapes.current().0);
                self.tabletop.set_shapes(thing, shapes);
            }
            Line::Hand { hand, sample, time, angles, wrist, from } => {
                self.time = time;
                let (side, pose) = (hand.into(), journal::hand_pose(&angles, &wrist)?);
                let pose = match from {
                    Some(from) => self.decode(side, &pose, from, sample)?,
                    None => pose,
                };
                self.tabletop.take_hand(side, &pose, SampleId(sample), time, &mut self.news);
                self.again.n_samples += 1;
                self.take_news(sample);
            }
            Line::Gone { hand, why, sample, time } => {
                let id = SampleId(sample);
                self.tabletop.lose_hand(hand.into(), &why, id, time, &mut self.news);
                self.take_news(sample);
            }
            Line::Passed { sample, time } => {
                self.tabletop.pass_time(SampleId(sample), time, &mut self.news);
                self.take_news(sample);
            }
            Line::Order(order) => self.obey(order)?,
            Line::Frame { thing, shape, sample, digest, restored, overtaken } => {
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
                    return Err(ExactError::Differs { sample, then: digest, now });
                }
                self.again.n_frames += 1;
                self.tabletop.take_frame(thing, ShapeId(shape), frame);
                self.look();
            }
            Line::Made { thing, shape, was_found } => {
                let made = self.wait(thing, goes_on, |links| links.take_next())?;
                let FromSolver::Made(made, found) = made else { return Err(ExactError::Shape) };
                if made.0 != shape || found.is_ok() != was_found {
                    return Err(ExactError::Shape);
                }
                self.tabletop.shape_made(thing, made, found);
            }
        }
        self.do_chores()?;
        Ok(())
    }

    fn take_news(&mut self, sample: u64) {
        self.again.n_transitions += self.news.events.len() as u64;
        for (thing, mut touch) in self.news.touches.drain(..) {
            touch.wants_fields = self.wants_fields;
            self.waiting[thing].insert(sample, touch);
        }
    }

    /// The pose that the devices' bytes say, if it is the one that was journaled.
    fn decode(
        &mut self,
        side: Side,
        then: &HandPose,
        from: FromFile,
        sample: u64,
    ) -> Result<HandPose, ExactError> {
        let PairedRecords { glove, tracker } = from.records()?;
        let cannot = |source| ExactError::Decode { sample, source };
        let glove = self.devices.glove(glove).map_err(cannot)?;
        let tracker = self.devices.tracker(tracker).map_err(cannot)?;
        if glove.hand != side {
            return Err(ExactError::Side { sample });
        }
        // Which profile makes the angles depends on what the glove said so far.
        self.fitting.judge(side, &glove.data);
        let now = self.fitting.of(side).hand_pose(&glove.data, &tracker.source_from_sensor);
        if let Some((what, then, now)) = journal::first_difference(then, &now) {
            return Err(ExactError::Pose { sample, what, then, now });
        }
        self.again.n_decoded += 1;
        Ok(now)
    }

    fn obey(&mut self, order: OrderFile) -> Result<(), ExactError> {
        self.again.n_orders += 1;
        self.tabletop.obey(&order.order()?);
        Ok(())
    }

    fn do_chores(&mut self) -> io::Result<()> {
        let mut chores = self.tabletop.take_chores();
        // Skipped: the recorded frames say which state was restored.
        chores.retain(|chore| !matches!(chore, Chore::Rest { .. }));
        for chore in &mut chores {
            if let Chore::Prepare { is_as_left, .. } = chore {
                *is_as_left = false;
            }
        }
        self.solvers.do_chores(chores)?;
        // One of the chores is to start a new thing's solver.
        self.waiting.resize_with(self.solvers.n_things(), BTreeMap::new);
        self.said.resize_with(self.solvers.n_things(), Default::default);
        self.last.resize_with(self.solvers.n_things(), Default::default);
        Ok(())
    }

    /// Keeps what is worth a picture.
    fn look(&mut self) {
        let (objects, hands) =
            (self.tabletop.object_views(self.time), self.tabletop.hand_views(self.time));
        let scene = Arc::new(Scene { objects, hands, ..Scene::default() });
        if let Some(thing) = self.tabletop.selected() {
            let squeeze =
                thing.surface.as_ref().map_or(0.0, TouchableSurface::largest_displacement);
            self.again.moments.offer(&scene, thing.grasp.state(), squeeze);
        }
    }
}
