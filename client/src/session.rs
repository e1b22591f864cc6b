//! A session: the loop that carries samples from the devices to the solvers and scenes to the
//! views.

mod clock;
#[cfg(test)]
mod dynamic_object_tests;
mod exact_replay;
mod hand_loss;
mod hands;
mod haptics;
mod headset_alignment;
mod health;
mod journal;
mod keep_shape;
mod key_moments;
mod latency;
mod parts;
mod profiles_in_use;
mod requests;
mod run_log;
mod sample_path;
mod seeking;
mod status;
mod summary;
mod table_solvers;
mod thing_solver;
mod trace;

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::feedback::PushDevice;
use interaction::grasp::{GraspRules, GraspState};
use interaction::scene::Scene;
use interaction::tabletop::{HandEffects, Tabletop};
use interaction::thing::Thing;

use self::haptics::FeltOutputs;
use clock::RunClock;
pub use exact_replay::{ExactReplayError, ReplayObserver, ReplayReport, replay_exactly};
use hands::ActiveHands;
pub use hands::{GloveHand, GloveHands, HandSource};
use headset_alignment::Aligner;
use health::WatchedPart;
pub use journal::{
    EmulatedDevice, JournalError, JournalReadError, KIND as JOURNAL, RecordedJournal, RunStart,
};
use journal::{Journal, JournalSettings};
pub use key_moments::{KeyMoments, Moment};
pub use latency::RecentDurations;
pub use parts::{RunLimits, SessionParts};
pub use profiles_in_use::{LoadedProfile, ProfilesInUse};
use requests::PendingRequests;
pub use requests::Request;
use run_log::RunLog;
use seeking::Seeking;
use status::HealthWatch;
pub use summary::{Ending, Summary};
use table_solvers::TableSolvers;
pub use trace::Trace;

/// Longest time that a run without a person waits for a lost device or solver.
const GIVE_UP_AFTER: Duration = Duration::from_secs(5);

/// One run of an operator.
pub struct Session {
    /// The active source of hands.
    hands: ActiveHands,
    /// Profiles of the person whose hands they are.
    profiles_in_use: ProfilesInUse,
    aligner: Aligner,
    /// The things and hands on the table, with every decision about them.
    tabletop: Tabletop,
    /// Effects of the present sample on the table; reused for every sample.
    effects: HandEffects,
    solvers: TableSolvers,
    clock: RunClock,
    /// Requests of the window.
    requests: PendingRequests,
    /// The seek in progress, if any.
    seeking: Option<Seeking>,
    /// Health of devices, solvers and headset.
    watch: HealthWatch,
    log: RunLog,
    /// Outputs of contact forces to devices.
    felt: FeltOutputs,
    /// True if a hand has moved since the last scene.
    is_stale: bool,
}

impl Session {
    /// Creates a session and starts to prepare the things.
    pub fn new(parts: SessionParts) -> io::Result<Self> {
        let mut solvers = TableSolvers::start(&parts.things, parts.solvers, parts.bell)?;
        solvers.begin_in(parts.states);
        let profiles = parts.profiles_in_use.both();
        let settings = JournalSettings {
            rules: &parts.rules,
            profiles_in_use: &parts.profiles_in_use,
            emulated: &parts.emulated,
            things: &parts.things,
        };
        let journal = parts.notes.map(|notes| Journal::begin(notes, &settings));
        let session = Self {
            hands: ActiveHands::of(parts.hands),
            profiles_in_use: parts.profiles_in_use,
            aligner: Aligner::new(parts.headset, parts.profile_store),
            tabletop: Tabletop::new(parts.things, parts.rules, profiles),
            effects: HandEffects::default(),
            solvers,
            clock: RunClock::start(),
            requests: PendingRequests::default(),
            seeking: None,
            watch: HealthWatch::default(),
            log: RunLog::new(parts.trace, journal),
            felt: FeltOutputs::default(),
            is_stale: false,
        };
        session.aligner.recall(&session.profiles_in_use);
        Ok(session)
    }

    /// The same session with a device that pushes a finger.
    pub fn with_push_device(mut self, device: Option<PushDevice>) -> Self {
        self.felt.push_device = device;
        self
    }

    /// Asks the solvers for fields while `wanted` is true. Fields change no shape.
    pub fn show_fields(&mut self, wanted: Arc<AtomicBool>) {
        self.solvers.show_fields(wanted);
    }

    /// The present rules of grasping.
    pub fn rules(&self) -> &GraspRules {
        self.tabletop.rules()
    }

    /// Waits briefly for a sample or a frame and processes what has come. Returns the scene to draw
    /// if anything changed.
    pub fn turn(&mut self) -> io::Result<Option<Arc<Scene>>> {
        /// Short enough that a loss shows without delay when nothing comes any more.
        const PATIENCE: Duration = Duration::from_millis(20);
        let patience = match self.tabletop.needs_time() {
            true => clock::TIME_STEP,
            false => PATIENCE,
        };
        self.solvers.bell().wait_for(self.hands.patience(patience));
        // The change of the last turn is drawn now if its frame did not arrive in time.
        let mut is_new = std::mem::take(&mut self.is_stale);
        is_new |= self.take_requests()?;
        self.solvers.refresh_wanted_fields();
        // Frames come before the hands: contacts are found on the newest surface.
        is_new |= self.take_frames()?;
        // After hands have moved, the scene waits for the next turn: the answer is on its way, and
        // making a scene takes longer than the answer.
        if self.seeking.is_some() {
            self.seek_on()?;
            is_new = true;
        } else {
            self.is_stale = self.take_hands()?;
            is_new |= self.lose_absent_hands()?;
            is_new |= self.let_time_pass()? || self.tabletop.is_shape_fading();
        }
        self.run_solver_tasks()?;
        self.log.log_message(self.tabletop.selected());
        is_new |= self.watch_parts()?;
        self.send_haptics()?;
        if !is_new {
            return Ok(None);
        }
        let scene = Arc::new(self.scene());
        self.log.see_scene(&scene, self.tabletop.selected());
        Ok(Some(scene))
    }

    /// The ending of the run if one of `limits` is reached.
    pub fn ending(&self, limits: &RunLimits) -> Option<Ending> {
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
        if let Some(why) = self.profiles_in_use.refusal() {
            return Some(Ending::GaveUp(why));
        }
        // A device that is being set up again gets as much time once more.
        let patience = match self.hands.is_any_starting() {
            true => 2 * GIVE_UP_AFTER,
            false => GIVE_UP_AFTER,
        };
        if let Some((what, reason)) = self.watch.lost_for(patience) {
            return Some(Ending::GaveUp(format!("{what} {reason}")));
        }
        (self.clock.elapsed() >= limits.time).then_some(Ending::TimeUp)
    }

    /// Ends the run and returns its summary and key moments.
    pub fn finish(self, ending: Ending) -> io::Result<(Summary, KeyMoments)> {
        let (tally, moments) = self.log.finish()?;
        let mut summary = Summary {
            ending,
            elapsed: self.clock.elapsed(),
            n_device_samples: None,
            has_tracker: false,
            n_pairs: 0,
            n_lost: [0; 2],
            n_doubtful: 0,
            solver: self.watch.last_ready(WatchedPart::Solver).to_owned(),
            events: self.watch.into_events(),
            tally,
        };
        self.hands.count(&mut summary);
        Ok((summary, moments))
    }

    fn run_solver_tasks(&mut self) -> io::Result<()> {
        self.solvers.run_solver_tasks(self.tabletop.take_solver_tasks())
    }

    /// Updates the health of all parts. Returns true if the status panel changes.
    fn watch_parts(&mut self) -> io::Result<bool> {
        let (mut states, counts) = self.hands.health();
        states.push((WatchedPart::Solver, health::of_solvers(self.solvers.states())));
        let headset = self.aligner.headset_state();
        states.extend(headset.map(|state| (WatchedPart::Headset, (&state).into())));
        states.extend(self.felt_health());
        let time = self.clock.elapsed().as_secs_f64();
        let update = self.watch.update(time, states, counts);
        for event in &update.events {
            self.log.event(event)?;
        }
        Ok(update.is_change)
    }

    fn scene(&mut self) -> Scene {
        let mut status = self.watch.lines();
        status.extend(self.profiles_in_use.lines());
        status.extend(self.aligner.line());
        if let Some(thing) = self.tabletop.selected() {
            status.push(status::grasp_line(&thing.grasp));
            status.extend(thing.outcome().and_then(status::trouble_line));
            status.extend(thing.surface.as_ref().and_then(|s| status::pauses_line(s.frame())));
            status.extend(thing.message.as_deref().map(status::shape_line));
        }
        let time = self.clock.now();
        Scene {
            objects: self.tabletop.object_views(time),
            hands: self.tabletop.hand_views(time),
            status,
            things: self.tabletop.on_table(),
            selected: self.tabletop.selected_thing(),
            real_hands: self.tabletop.real_hands(),
            mouse_hand_closed: self.hands.closed_by_mouse(),
            seek_progress: self.seeking.as_ref().map(Seeking::share),
            latency: self.log.latency(),
            ..Scene::default()
        }
    }
}
