//! One operator's run: the loop that carries samples from the devices to the solver and scenes to the
//! views.

mod absence;
mod aligning;
mod exact;
mod feeling;
mod fitting;
mod hands;
mod health;
mod journal;
mod kept;
mod latency;
mod links;
mod moments;
mod parts;
mod requests;
mod samples;
mod seeking;
mod status;
mod summary;
mod trace;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use calibration::Store;
use engine::{Bell, Solvers};
use interaction::collision::TouchableSurface;
use interaction::grasp::{GraspRules, GraspState};
use interaction::scene::Scene;
use interaction::tabletop::{Chore, HandNews, Tabletop};
use interaction::thing::{Thing, ThingParts};

use crate::vr::HeadsetLink;

use aligning::Aligning;
pub use exact::{Again, Audience, ExactError, run_again};
pub use fitting::{Fitting, Own};
use hands::Hands;
pub use hands::{DeviceHands, HandParts, HandSource};
use health::Watched;
pub use journal::{EmulatedDevice, Head, JournalError, KIND as JOURNAL, Tape, TapeError};
use journal::{Journal, Settings};
pub use latency::Recent;
use latency::Stages;
use links::{FromSolver, Links};
pub use moments::{KeyMoments, Moment};
pub use parts::{Limits, Parts};
pub use requests::Request;
use requests::Requests;
use seeking::Seeking;
use status::Watch;
use summary::Tally;
pub use summary::{Ending, Summary};
pub use trace::Trace;

/// A lost device or solver is waited for so long before a run without a person gives up.
const GIVE_UP_AFTER: Duration = Duration::from_secs(5);

/// A run.
pub struct Session {
    hands: Hands,
    requests: Requests,
    bell: Arc<Bell>,
    trace: Option<Trace>,
    headset: Option<Arc<HeadsetLink>>,
    aligning: Option<Aligning>,
    /// Where people's profiles are kept.
    profiles: Option<Store>,
    journal: Option<Journal>,
    fitting: Fitting,
    tabletop: Tabletop,
    /// One for each thing.
    links: Vec<Links>,
    solvers: Solvers,
    /// Used again for every sample.
    news: HandNews,
    /// When time last passed for things without a hand.
    last_pass: f64,
    n_samples: u64,
    /// Whether somebody wants to see stresses, and whether touches ask for them.
    wants_stresses: Arc<AtomicBool>,
    asks_for_stresses: bool,
    /// Whether a hand has moved since the last scene.
    is_stale: bool,
    /// The place in a recording that is on its way.
    seeking: Option<Seeking>,
    /// When the run began.
    begun: Instant,
    /// The same for what happens on the table, where a recording may leap.
    start: Instant,
    watch: Watch,
    tally: Tally,
    stages: Stages,
    /// What became of the last order, as it was told last.
    last_news: Option<String>,
    moments: KeyMoments,
}

impl Session {
    /// Starts to prepare the things.
    pub fn new(parts: Parts) -> io::Result<Self> {
        let start = |thing: &ThingParts| Links::start(&parts.solvers, &thing.spec, &parts.bell);
        let links = parts.things.iter().map(start).collect::<io::Result<_>>()?;
        let profiles = parts.fitting.profiles();
        let settings = Settings {
            rules: &parts.rules,
            fitting: &parts.fitting,
            emulated: &parts.emulated,
            things: &parts.things,
        };
        let journal = parts.notes.map(|notes| Journal::begin(notes, &settings));
        let session = Self {
            hands: Hands::of(parts.hands),
            requests: Requests::default(),
            bell: parts.bell,
            trace: parts.trace,
            headset: parts.headset,
            aligning: None,
            profiles: parts.profiles,
            journal,
            fitting: parts.fitting,
            tabletop: Tabletop::new(parts.things, parts.rules, profiles),
            links,
            solvers: parts.solvers,
            news: HandNews::default(),
            last_pass: 0.0,
            n_samples: 0,
            wants_stresses: Arc::default(),
            asks_for_stresses: false,
            is_stale: false,
            seeking: None,
            start: Instant::now(),
            begun: Instant::now(),
            watch: Watch::default(),
            tally: Tally::default(),
            stages: Stages::default(),
            last_news: None,
            moments: KeyMoments::default(),
        };
        session.recall_alignment();
        Ok(session)
    }

    /// Asks the solver for stresses as long as this is true. It changes no shape.
    pub fn show_stresses(&mut self, wanted: Arc<AtomicBool>) {
        self.wants_stresses = wanted;
    }

    /// The rules of grasping that are in force.
    pub fn rules(&self) -> &GraspRules {
        self.tabletop.rules()
    }

    /// Waits a little for a sample or a frame and takes what has come; says what to draw if that changed.
    pub fn turn(&mut self) -> io::Result<Option<Arc<Scene>>> {
        /// Short enough that a loss shows without delay when nothing comes any more.
        const PATIENCE: Duration = Duration::from_millis(20);
        self.bell.wait_for(self.hands.patience(PATIENCE));
        // What the last turn left to be drawn, if its frame has not come after all.
        let mut is_new = std::mem::take(&mut self.is_stale);
        is_new |= self.take_requests()?;
        self.hear_of_stresses();
        // Before the hands move: contacts are sought on the newest surface.
        is_new |= self.take_frames()?;
        // The answer is on its way, and a scene takes longer than it: first the frame, then the picture.
        if self.seeking.is_some() {
            self.seek_on()?;
            is_new = true;
        } else {
            self.is_stale = self.take_hands()?;
            is_new |= self.lose_absent_hands()?;
            is_new |= self.let_time_pass()? || self.tabletop.is_on_its_way();
        }
        self.do_chores()?;
        self.tell_news();
        is_new |= self.watch_parts()?;
        self.let_fingers_feel();
        if !is_new {
            return Ok(None);
        }
        let scene = Arc::new(self.scene());
        if let Some(thing) = self.tabletop.selected() {
            let squeeze =
                thing.surface.as_ref().map_or(0.0, TouchableSurface::largest_displacement);
            self.moments.offer(&scene, thing.grasp.state(), squeeze);
        }
        Ok(Some(scene))
    }

    /// Whether a run within `limits` is over, and how it ended.
    pub fn ending(&self, limits: &Limits) -> Option<Ending> {
        let is_idle =
            |thing: &Thing| thing.grasp.state() == GraspState::Approach && !thing.is_changing();
        if self.tally.n_releases >= limits.grasps && self.tabletop.things().iter().all(is_idle) {
            return Some(Ending::Completed);
        }
        if self.tally.n_frames() >= limits.frames {
            return Some(Ending::Completed);
        }
        if self.watch.has_ended() {
            return Some(Ending::Replayed);
        }
        if let Some(why) = self.fitting.refusal() {
            return Some(Ending::GaveUp(why));
        }
        if let Some((what, reason)) = self.watch.lost_for(GIVE_UP_AFTER) {
            return Some(Ending::GaveUp(format!("{what} {reason}")));
        }
        (self.begun.elapsed() >= limits.time).then_some(Ending::TimeUp)
    }

    /// Ends the run and says what happened.
    pub fn finish(self, ending: Ending) -> io::Result<(Summary, KeyMoments)> {
        if let Some(trace) = self.trace {
            trace.finish()?;
        }
        let mut summary = Summary {
            ending,
            elapsed: self.begun.elapsed(),
            n_device_samples: None,
            n_pairs: 0,
            n_lost: [0; 2],
            solver: self.watch.last_ready(Watched::Solver).to_owned(),
            events: self.watch.into_events(),
            tally: self.tally,
        };
        self.hands.count(&mut summary);
        Ok((summary, self.moments))
    }

    /// A hand that rests sends nothing new: what it does now is asked once more, with stresses.
    fn hear_of_stresses(&mut self) {
        let are_wanted = self.wants_stresses.load(Ordering::Relaxed);
        if are_wanted && !self.asks_for_stresses {
            self.links.iter_mut().for_each(Links::ask_again_with_stresses);
        }
        self.asks_for_stresses = are_wanted;
    }

    fn take_frames(&mut self) -> io::Result<bool> {
        let mut is_new = false;
        for thing in 0..self.links.len() {
            while let Some(news) = self.links[thing].take()? {
                is_new = true;
                match news {
                    FromSolver::Made(shape, found) => {
                        if let Some(journal) = &mut self.journal {
                            journal.made(thing, shape, found.is_ok());
                        }
                        self.tabletop.shape_made(thing, shape, found);
                    }
                    FromSolver::Stays(why) => {
                        self.tabletop.tell(thing, format!("the solver stays as it was: {why}"));
                    }
                    FromSolver::Frame(shape, frame) => {
                        if self.seeking.is_none() {
                            self.tally.count_frame(&frame);
                            self.stages.frame_came(frame.sample);
                        }
                        if let Some(trace) = &mut self.trace {
                            trace.frame(thing, &frame)?;
                        }
                        if let Some(journal) = &mut self.journal {
                            journal.frame(thing, shape, &frame);
                        }
                        self.tabletop.take_frame(thing, shape, frame);
                    }
                }
            }
        }
        for surface in self.tabletop.things().iter().filter_map(|thing| thing.surface.as_ref()) {
            self.tally.see_displacement(surface.largest_displacement());
        }
        let is_there = self.tabletop.things().iter().all(|thing| thing.surface.is_some());
        if is_there && self.seeking.is_none() {
            self.hands.begin();
        }
        Ok(is_new)
    }

    /// What became of orders stands in the log as well.
    fn tell_news(&mut self) {
        let news = self.tabletop.selected().and_then(|thing| thing.news.as_ref());
        if news != self.last_news.as_ref() {
            self.last_news = news.cloned();
            self.last_news.iter().for_each(|news| tracing::info!("shape: {news}"));
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
                }
                Chore::Prepare { thing, shape, spec } => {
                    self.links[thing].prepare(shape, spec)?;
                }
            }
        }
        Ok(())
    }

    /// Whether what the panel shows has changed.
    fn watch_parts(&mut self) -> io::Result<bool> {
        let (mut states, counts) = self.hands.health();
        let solvers = self.links.iter().map(Links::state);
        states.push((Watched::Solver, health::of_solvers(solvers)));
        states.extend(self.headset.as_ref().map(|link| (Watched::Headset, (&link.state()).into())));
        let time = self.begun.elapsed().as_secs_f64();
        let news = self.watch.update(time, states, counts);
        for event in &news.events {
            if let Some(trace) = &mut self.trace {
                trace.event(event)?;
            }
        }
        Ok(news.is_change)
    }

    fn scene(&mut self) -> Scene {
        let mut status = self.watch.lines();
        status.extend(self.fitting.lines());
        status.extend(self.aligning_line());
        if let Some(thing) = self.tabletop.selected() {
            status.push(status::grasp_line(&thing.grasp));
            status.extend(thing.outcome().and_then(status::trouble_line));
            status.extend(thing.news.as_deref().map(status::shape_line));
        }
        let time = self.start.elapsed().as_secs_f64();
        Scene {
            objects: self.tabletop.object_views(time),
            hands: self.tabletop.hand_views(time),
            status,
            things: self.tabletop.on_table(),
            chosen: self.tabletop.chosen(),
            real_hands: self.tabletop.real_hands(),
            driven: self.hands.driven().map(|hand| hand.closed()),
            sought: self.seeking.as_ref().map(Seeking::share),
            latency: self.stages.medians(),
            made: Some(Instant::now()),
            ..Scene::default()
        }
    }
}
