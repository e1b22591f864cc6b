//! A recorded run, run again from its journal to the same bits.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use calibration::HandPose;
use drivers::Hand as Side;
use engine::{Bell, LinkState, Solvers};
use interaction::collision::TouchableSurface;
use interaction::scene::Scene;
use interaction::shapes::ShapeId;
use interaction::tabletop::{Chore, HandNews, Tabletop};
use interaction::thing::ThingParts;
use physics::{SampleId, SurfaceFrame, Touch};

use super::journal::{self, FromFile, Head, JournalError, Line, OrderFile};
use super::links::{FromSolver, Links};
use super::{Fitting, KeyMoments};
use crate::input::{DecodedDevices, DecodedError, PairedRecords};

/// Without an answer for so long, there will be none.
const PATIENCE: Duration = Duration::from_secs(60);

/// Why a run could not be run again.
#[derive(Debug, thiserror::Error)]
pub enum ExactError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("the journal speaks of thing {0}, which is not there")]
    NoThing(usize),
    #[error("the journal has a frame of sample {0}, for which there was no touch")]
    NoTouch(u64),
    #[error("sample {sample} cannot be decoded again from the devices' bytes")]
    Decode { sample: u64, source: DecodedError },
    #[error(
        "sample {sample}: the devices' bytes say another {what} ({now}, was {then}); are they of another run, or is \
         this another version?"
    )]
    Pose { sample: u64, what: &'static str, then: f64, now: f64 },
    #[error("sample {sample}: the glove's bytes are of the other hand")]
    Side { sample: u64 },
    #[error("the solver does not answer: {0}")]
    Solver(String),
    #[error("a shape was found in one run and not in the other")]
    Shape,
    #[error(
        "sample {sample}: the frame is another one ({now}, was {then}); is this another kind of processor \
         or another version?"
    )]
    Differs { sample: u64, then: String, now: String },
    #[error("it was stopped")]
    Stopped,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Who looks on while a run is run again.
pub trait Audience {
    /// So much of it is done.
    fn share(&mut self, share: f64);

    /// A hand is about to move, at this second of the run; the table is as it was until then.
    fn moment(&mut self, _time: f64, _table: &mut Tabletop) {}

    /// Nothing moves any more.
    fn end(&mut self, _table: &mut Tabletop) {}

    /// Whether the solver is asked for stresses, which change nothing else.
    fn wants_stresses(&self) -> bool {
        false
    }

    /// Whether to go on.
    fn goes_on(&self) -> bool {
        true
    }
}

impl<F: FnMut(f64)> Audience for F {
    fn share(&mut self, share: f64) {
        self(share);
    }
}

/// What was run again.
#[derive(Debug, Default)]
pub struct Again {
    pub n_samples: u64,
    /// How many of them were decoded again from devices' bytes, and came out the same.
    pub n_decoded: u64,
    pub n_frames: u64,
    pub n_orders: u64,
    pub n_transitions: u64,
    pub moments: KeyMoments,
}

/// Runs a journal again, as fast as it goes, from the bytes of `devices` where its poses came from any, before an audience.
pub fn run_again(
    journal: &[u8],
    devices: DecodedDevices,
    solvers: &Solvers,
    audience: &mut impl Audience,
) -> Result<Again, ExactError> {
    let mut lines = journal::lines(journal).peekable();
    let Head { rules, fitting, things } = Head::take(&mut lines)?;
    let bell = Arc::new(Bell::default());
    let start = |thing: &ThingParts| Links::start(solvers, &thing.spec, &bell);
    let links = things.iter().map(start).collect::<io::Result<_>>()?;
    let mut table = Table {
        waiting: vec![BTreeMap::new(); things.len()],
        said: vec![[None, None]; things.len()],
        tabletop: Tabletop::new(things, rules, fitting.profiles()),
        devices,
        fitting,
        news: HandNews::default(),
        time: 0.0,
        links,
        solvers: solvers.clone(),
        bell,
        wants_stresses: audience.wants_stresses(),
        again: Again::default(),
    };
    // Nearly all lines are of the same length.
    let n_lines = journal.iter().filter(|byte| **byte == b'\n').count().max(1);
    for (i, line) in lines.enumerate() {
        let line = line?;
        if let Line::Hand { time, .. } | Line::Gone { time, .. } | Line::Passed { time, .. } = &line
        {
            audience.moment(*time, &mut table.tabletop);
        }
        table.take(line, &|| audience.goes_on())?;
        if i % 256 == 0 {
            audience.share(i as f64 / n_lines as f64);
        }
        if !audience.goes_on() {
            return Err(ExactError::Stopped);
        }
    }
    audience.end(&mut table.tabletop);
    Ok(table.again)
}

/// A frame, and of which shape.
type Said = (ShapeId, Arc<SurfaceFrame>);

struct Table {
    tabletop: Tabletop,
    devices: DecodedDevices,
    fitting: Fitting,
    news: HandNews,
    /// Of the last line that has one.
    time: f64,
    links: Vec<Links>,
    solvers: Solvers,
    bell: Arc<Bell>,
    /// Touches whose frames may come yet, by thing.
    waiting: Vec<BTreeMap<u64, Touch>>,
    /// The object at rest and the last answer of each thing: a server that came back said them once more.
    said: Vec<[Option<Said>; 2]>,
    wants_stresses: bool,
    again: Again,
}

impl Table {
    fn take(&mut self, line: Line, goes_on: &dyn Fn() -> bool) -> Result<(), ExactError> {
        match line {
            Line::Settings { .. } | Line::Emulated { .. } | Line::Thing(_) => {
                return Err(JournalError::NoSettings.into());
            }
            Line::Shapes { thing, made, at, n_begun } => {
                let shapes = journal::shapes(made, at, n_begun)?;
                let links = self.links.get_mut(thing).ok_or(ExactError::NoThing(thing))?;
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
            Line::Frame { thing, shape, sample, digest } => {
                let frame = self.frame(thing, ShapeId(shape), sample, goes_on)?;
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
            touch.wants_stresses = self.wants_stresses;
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

    /// The frame of this sample: the object at rest, or the answer to a touch.
    fn frame(
        &mut self,
        thing: usize,
        shape: ShapeId,
        sample: u64,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Arc<SurfaceFrame>, ExactError> {
        let waiting = self.waiting.get_mut(thing).ok_or(ExactError::NoThing(thing))?;
        let is_it =
            |said: &&(ShapeId, Arc<SurfaceFrame>)| said.0 == shape && said.1.sample.0 == sample;
        if let Some((_, frame)) = self.said[thing].iter().flatten().find(is_it) {
            return Ok(Arc::clone(frame));
        }
        if sample > 0 {
            let mut later = waiting.split_off(&sample);
            let touch = later.remove(&sample).ok_or(ExactError::NoTouch(sample))?;
            *waiting = later;
            self.links[thing].submit(touch);
        }
        let is_next = self.links[thing].shape() != shape;
        loop {
            let news = self.wait(thing, goes_on, |links| {
                if is_next { links.take_next() } else { Ok(links.take_current()) }
            })?;
            match news {
                FromSolver::Frame(from, frame) if from == shape && frame.sample.0 == sample => {
                    let place = usize::from(sample > 0);
                    self.said[thing][place] = Some((shape, Arc::clone(&frame)));
                    return Ok(frame);
                }
                FromSolver::Frame(..) => {}
                FromSolver::Made(..) | FromSolver::Stays(_) => return Err(ExactError::Shape),
            }
        }
    }

    fn wait(
        &mut self,
        thing: usize,
        goes_on: &dyn Fn() -> bool,
        mut take: impl FnMut(&mut Links) -> io::Result<Option<FromSolver>>,
    ) -> Result<FromSolver, ExactError> {
        let links = self.links.get_mut(thing).ok_or(ExactError::NoThing(thing))?;
        let mut since = Instant::now();
        loop {
            if let Some(news) = take(links)? {
                return Ok(news);
            }
            if !goes_on() {
                return Err(ExactError::Stopped);
            }
            match links.state() {
                LinkState::Failed(why) => return Err(ExactError::Solver(why)),
                LinkState::Lost(why) if since.elapsed() > PATIENCE => {
                    return Err(ExactError::Solver(why));
                }
                // Preparing a large object may take long.
                LinkState::Preparing(_) => {}
                LinkState::Ready(_) if links.has_next() => since = Instant::now(),
                LinkState::Lost(_) | LinkState::Ready(_) if since.elapsed() > PATIENCE => {
                    let silence = format!("nothing came for {} s", PATIENCE.as_secs());
                    return Err(ExactError::Solver(silence));
                }
                LinkState::Lost(_) | LinkState::Ready(_) => {}
            }
            self.bell.wait_for(Duration::from_millis(20));
        }
    }

    fn do_chores(&mut self) -> io::Result<()> {
        for chore in self.tabletop.take_chores() {
            match chore {
                Chore::Keep { thing, shape, spec, known } => {
                    self.links[thing].keep(shape, spec, known)?;
                }
                Chore::Start { spec } => {
                    self.links.push(Links::start_elsewhere(&self.solvers, spec, &self.bell)?);
                    self.waiting.push(BTreeMap::new());
                    self.said.push([None, None]);
                }
                Chore::Prepare { thing, shape, spec } => self.links[thing].prepare(shape, spec)?,
            }
        }
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

#[cfg(test)]
mod tests;
