//! One operator's run: the loop that carries samples from the devices to the solver and scenes to
//! the views.

mod absence;
mod aligning;
mod clock;
mod exact;
mod feeling;
mod fitting;
mod hands;
mod health;
mod journal;
mod kept;
mod latency;
mod links;
mod log;
mod moments;
#[cfg(test)]
mod moving;
mod parts;
mod requests;
mod samples;
mod seeking;
mod solvers;
mod status;
mod summary;
mod trace;

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use interaction::grasp::{GraspRules, GraspState};
use interaction::scene::Scene;
use interaction::tabletop::{HandNews, Tabletop};
use interaction::thing::Thing;

use aligning::Aligner;
use clock::RunClock;
pub use exact::{Again, Audience, ExactError, run_again};
pub use fitting::{Fitting, Own};
use hands::Hands;
pub use hands::{DeviceHands, HandParts, HandSource};
use health::Watched;
pub use journal::{EmulatedDevice, Head, JournalError, KIND as JOURNAL, Tape, TapeError};
use journal::{Journal, Settings};
pub use latency::Recent;
use log::RunLog;
pub use moments::{KeyMoments, Moment};
pub use parts::{Limits, Parts};
pub use requests::Request;
use requests::Requests;
use seeking::Seeking;
use solvers::ThingSolvers;
use status::Watch;
pub use summary::{Ending, Summary};
pub use trace::Trace;

/// A lost device or solver is waited for so long before a run without a person gives up.
const GIVE_UP_AFTER: Duration = Duration::from_secs(5);

/// A run.
pub struct Session {
    /// Where hands come from.
    hands: Hands,
    /// Whose hands they are.
    fitting: Fitting,
    aligner: Aligner,
    /// All that is decided about hands and things.
    tabletop: Tabletop,
    /// What a sample brought about on the table; used again for every one.
    news: HandNews,
    solvers: ThingSolvers,
    clock: RunClock,
    /// What the window asks for.
    requests: Requests,
    /// The place in a recording that is on its way.
    seeking: Option<Seeking>,
    /// How the parts are.
    watch: Watch,
    log: RunLog,
    /// Whether a hand has moved since the last scene.
    is_stale: bool,
}

impl Session {
    /// Starts to prepare the things.
    pub fn new(parts: Parts) -> io::Result<Self> {
        let mut solvers = ThingSolvers::start(&parts.things, parts.solvers, parts.bell)?;
        solvers.begin_in(parts.states);
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
            fitting: parts.fitting,
            aligner: Aligner::new(parts.headset, parts.profiles),
            tabletop: Tabletop::new(parts.things, parts.rules, profiles),
            news: HandNews::default(),
            solvers,
            clock: RunClock::start(),
            requests: Requests::default(),
            seeking: None,
            watch: Watch::default(),
            log: RunLog::new(parts.trace, journal),
            is_stale: false,
        };
        session.aligner.recall(&session.fitting);
        Ok(session)
    }

    /// Asks the solvers for fields as long as this is true. It changes no shape.
    pub fn show_fields(&mut self, wanted: Arc<AtomicBool>) {
        self.solvers.show_fields(wanted);
    }

    /// The rules of grasping that are in force.
    pub fn rules(&self) -> &GraspRules {
        self.tabletop.rules()
    }

    /// Waits a little for a sample or a frame and takes what has come; says what to draw if that
    /// changed.
    pub fn turn(&mut self) -> io::Result<Option<Arc<Scene>>> {
        /// Short enough that a loss shows without delay when nothing comes any more.
        const PATIENCE: Duration = Duration::from_millis(20);
        let patience = match self.tabletop.needs_time() {
            true => absence::BETWEEN,
            false => PATIENCE,
        };
        self.solvers.bell().wait_for(self.hands.patience(patience));
        // Draw the last turn's change now if its frame did not arrive in time.
        let mut is_new = std::mem::take(&mut self.is_stale);
        is_new |= self.take_requests()?;
        self.solvers.hear_of_fields();
        // Before the hands move: contacts are sought on the newest surface.
        is_new |= self.take_frames()?;
        // The answer is on its way, and a scene takes longer than it: first the frame, then the
        // picture.
        if self.seeking.is_some() {
            self.seek_on()?;
            is_new = true;
        } else {
            self.is_stale = self.take_hands()?;
            is_new |= self.lose_absent_hands()?;
            is_new |= self.let_time_pass()? || self.tabletop.is_on_its_way();
        }
        self.do_chores()?;
        self.log.tell_news(self.tabletop.selected());
        is_new |= self.watch_parts()?;
        self.let_fingers_feel();
        if !is_new {
            return Ok(None);
        }
        let scene = Arc::new(self.scene());
        self.log.see_scene(&scene, self.tabletop.selected());
        Ok(Some(scene))
    }

    /// Whether a run within `limits` is over, and how it ended.
    pub fn ending(&self, limits: &Limits) -> Option<Ending> {
        let is_idle =
            |thing: &Thing| thing.grasp.state() == GraspState::Approach && !thing.is_changing();
        if self.log.tally().n_releases >= limits.grasps
            && self.tabletop.things().iter().all(is_idle)
        {
            return Some(Ending::Completed);
        }
        if self.log.tally().n_frames() >= limits.frames {
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
        (self.clock.elapsed() >= limits.time).then_some(Ending::TimeUp)
    }

    /// Ends the run and says what happened.
    pub fn finish(self, ending: Ending) -> io::Result<(Summary, KeyMoments)> {
        let (tally, moments) = self.log.finish()?;
        let mut summary = Summary {
            ending,
            elapsed: self.clock.elapsed(),
            n_device_samples: None,
            n_pairs: 0,
            n_lost: [0; 2],
            solver: self.watch.last_ready(Watched::Solver).to_owned(),
            events: self.watch.into_events(),
            tally,
        };
        self.hands.count(&mut summary);
        Ok((summary, moments))
    }

    fn do_chores(&mut self) -> io::Result<()> {
        self.solvers.do_chores(self.tabletop.take_chores())
    }

    /// Whether what the panel shows has changed.
    fn watch_parts(&mut self) -> io::Result<bool> {
        let (mut states, counts) = self.hands.health();
        states.push((Watched::Solver, health::of_solvers(self.solvers.states())));
        let headset = self.aligner.headset_state();
        states.extend(headset.map(|state| (Watched::Headset, (&state).into())));
        let time = self.clock.elapsed().as_secs_f64();
        let news = self.watch.update(time, states, counts);
        for event in &news.events {
            self.log.event(event)?;
        }
        Ok(news.is_change)
    }

    fn scene(&mut self) -> Scene {
        let mut status = self.watch.lines();
        status.extend(self.fitting.lines());
        status.extend(self.aligner.line());
        if let Some(thing) = self.tabletop.selected() {
            status.push(status::grasp_line(&thing.grasp));
            status.extend(thing.outcome().and_then(status::trouble_line));
            status.extend(thing.surface.as_ref().and_then(|s| status::pauses_line(s.frame())));
            status.extend(thing.news.as_deref().map(status::shape_line));
        }
        let time = self.clock.now();
        Scene {
            objects: self.tabletop.object_views(time),
            hands: self.tabletop.hand_views(time),
            status,
            things: self.tabletop.on_table(),
            chosen: self.tabletop.chosen(),
            real_hands: self.tabletop.real_hands(),
            driven: self.hands.driven().map(|hand| hand.closed()),
            sought: self.seeking.as_ref().map(Seeking::share),
            latency: self.log.latency(),
            ..Scene::default()
        }
    }
}
