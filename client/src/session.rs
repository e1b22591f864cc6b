//! One operator's run: the loop that carries samples from the devices to the solver and scenes to the
//! views.

mod moments;
mod status;
mod summary;
mod trace;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use calibration::Profile;
use drivers::Hand as Side;
use drivers::replay::ReplayClock;
use engine::{Bell, LinkState, Mailbox, SolverLink};
use nalgebra::Isometry3;
use physics::{Loose, SurfaceFrame, Touch};

use crate::collision::TouchableSurface;
use crate::grasp::{Grasp, GraspRules, GraspState};
use crate::hand::{Earlier, Hand};
use crate::input::{Pairing, SamplePair};
use crate::scene::{FingertipView, HandRole, HandView, ObjectView, Scene};

pub use moments::{KeyMoments, Moment};
use status::{Watch, Watched};
use summary::Tally;
pub use summary::{Ending, Summary};
pub use trace::Trace;

/// What a run is made of. `wiring` chooses the parts.
pub struct Parts {
    pub pairing: Pairing,
    /// Where to send what the fingers feel, if the glove can be felt.
    pub forces: Option<Arc<Mailbox<[f32; 5]>>>,
    /// Of a recorded hand; started as soon as there is something to touch.
    pub replay: Option<ReplayClock>,
    pub profiles: Profiles,
    pub link: Box<dyn SolverLink>,
    /// Rings when a sample or a frame has come.
    pub bell: Arc<Bell>,
    /// Where the object stands when nobody holds it.
    pub home: Isometry3<f64>,
    /// Where to write down everything that happens, if anywhere.
    pub trace: Option<Trace>,
}

/// The person's calibration, for whichever hand the glove is on.
pub struct Profiles {
    pub left: Profile,
    pub right: Profile,
}

impl Profiles {
    fn of(&self, hand: Side) -> &Profile {
        match hand {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }
}

/// When a run without a person in front of it ends by itself.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// After so many grasps that ended.
    pub grasps: u64,
    /// After so much time, whatever happens.
    pub time: Duration,
}

/// A lost device or solver is waited for so long before a run without a person gives up.
const GIVE_UP_AFTER: Duration = Duration::from_secs(5);

/// The force at which a glove holds a finger with all it has, in newtons.
const FULL_FORCE: f64 = 3.0;

/// A hand older than this feels nothing.
const OLDEST_HAND: Duration = Duration::from_millis(250);

fn share_of_full_force(newtons: f64) -> f32 {
    (newtons / FULL_FORCE).clamp(0.0, 1.0) as f32
}

/// A run.
pub struct Session {
    parts: Parts,
    grasp: Grasp,
    /// Nothing to touch until the solver has sent the object at rest.
    surface: Option<TouchableSurface>,
    last: Option<LastHand>,
    start: Instant,
    watch: Watch,
    tally: Tally,
    moments: KeyMoments,
}

/// The last hand, when its sample arrived, and where the object was then.
struct LastHand {
    hand: Hand,
    arrival: Instant,
    object_from_world: Isometry3<f64>,
}

impl Session {
    pub fn new(parts: Parts) -> Self {
        Self {
            grasp: Grasp::new(GraspRules::default(), parts.home),
            parts,
            surface: None,
            last: None,
            start: Instant::now(),
            watch: Watch::default(),
            tally: Tally::default(),
            moments: KeyMoments::default(),
        }
    }

    /// Waits a little for a sample or a frame and takes what has come; says what to draw if that changed.
    pub fn turn(&mut self) -> io::Result<Option<Arc<Scene>>> {
        /// Short enough that a loss shows without delay when nothing comes any more.
        const PATIENCE: Duration = Duration::from_millis(20);
        self.parts.bell.wait_for(PATIENCE);
        let mut is_new = false;
        // Before the hand moves: contacts are sought on the newest surface.
        if let Some(frame) = self.parts.link.latest() {
            self.take_frame(frame)?;
            is_new = true;
        }
        if let Some(pair) = self.parts.pairing.next_pair() {
            self.take_pair(&pair)?;
            is_new = true;
        }
        is_new |= self.watch_parts()?;
        self.let_fingers_feel();
        if !is_new {
            return Ok(None);
        }
        let scene = Arc::new(self.scene());
        let squeeze = self.surface.as_ref().map_or(0.0, TouchableSurface::largest_displacement);
        self.moments.offer(&scene, self.grasp.state(), squeeze);
        Ok(Some(scene))
    }

    /// Whether a run within `limits` is over, and how it ended.
    pub fn ending(&self, limits: &Limits) -> Option<Ending> {
        let is_idle = self.grasp.state() == GraspState::Approach;
        if self.tally.n_releases >= limits.grasps && is_idle {
            return Some(Ending::Completed);
        }
        if self.watch.has_ended() {
            return Some(Ending::Replayed);
        }
        if let Some((what, reason)) = self.watch.lost_for(GIVE_UP_AFTER) {
            return Some(Ending::GaveUp(format!("{what} {reason}")));
        }
        (self.start.elapsed() >= limits.time).then_some(Ending::TimeUp)
    }

    /// Ends the run and says what happened.
    pub fn finish(self, ending: Ending) -> io::Result<(Summary, KeyMoments)> {
        if let Some(trace) = self.parts.trace {
            trace.finish()?;
        }
        let pairing = &self.parts.pairing;
        let summary = Summary {
            ending,
            elapsed: self.start.elapsed(),
            n_glove_samples: pairing.glove().n_samples(),
            n_tracker_samples: pairing.tracker().n_samples(),
            n_pairs: pairing.n_pairs(),
            n_lost: [pairing.glove().n_lost(), pairing.tracker().n_lost()],
            solver: self.watch.last_ready(Watched::Solver).to_owned(),
            events: self.watch.into_events(),
            tally: self.tally,
        };
        Ok((summary, self.moments))
    }

    /// Sends what the fingers feel; nothing as soon as hand or solver are not what they were: a glove
    /// must never hold a finger for an object that is no longer there.
    fn let_fingers_feel(&self) {
        let Some(forces) = &self.parts.forces else { return };
        let is_hand_here =
            self.last.as_ref().is_some_and(|last| last.arrival.elapsed() < OLDEST_HAND);
        let is_solved = matches!(self.parts.link.state(), LinkState::Ready(_));
        let felt = match &self.surface {
            Some(surface)
                if is_hand_here && is_solved && self.grasp.state() == GraspState::Deforming =>
            {
                self.grasp.finger_forces(surface.frame())
            }
            Some(_) | None => [0.0; 5],
        };
        forces.put(felt.map(share_of_full_force));
    }

    fn take_frame(&mut self, frame: Arc<SurfaceFrame>) -> io::Result<()> {
        self.tally.count_frame(&frame);
        if let Some(trace) = &mut self.parts.trace {
            trace.frame(&frame)?;
        }
        match &mut self.surface {
            Some(surface) => surface.update(frame),
            None => {
                self.surface = Some(TouchableSurface::new(frame));
                self.parts.replay.iter().for_each(ReplayClock::start);
            }
        }
        if let Some(surface) = &self.surface {
            self.tally.see_displacement(surface.largest_displacement());
        }
        Ok(())
    }

    fn take_pair(&mut self, pair: &SamplePair) -> io::Result<()> {
        let span = tracing::trace_span!("hand", sample = pair.id.0);
        let _entered = span.enter();
        let time = pair.arrival.saturating_duration_since(self.start).as_secs_f64();
        let profile = self.parts.profiles.of(pair.hand);
        let hand = Hand::new(profile, &profile.hand_pose(&pair.glove, &pair.source_from_sensor));
        if let Some(surface) = &self.surface {
            if let Some(transition) = self.grasp.update(&hand, time, surface) {
                tracing::info!(
                    "{} -> {}: {}",
                    transition.from.name(),
                    transition.to.name(),
                    transition.reason
                );
                self.tally.count_transition(&transition);
                if let Some(trace) = &mut self.parts.trace {
                    trace.transition(time, &transition)?;
                }
            }
            let world_from_object = *self.grasp.world_from_object();
            let earlier = self.last.as_ref().map(|last| Earlier {
                hand: &last.hand,
                object_from_world: &last.object_from_world,
                ago: pair.arrival.saturating_duration_since(last.arrival),
            });
            let touch = Touch {
                sample: pair.id,
                time,
                world_from_object,
                topology_version: surface.frame().topology.version,
                known: self.grasp.known(&hand),
                loose: Loose::Refuse,
                proxies: hand.proxies(&world_from_object.inverse(), earlier.as_ref()),
            };
            if let Some(trace) = &mut self.parts.trace {
                trace.sample(&touch, &self.grasp, &hand)?;
            }
            self.tally.touch_submitted(pair.id, pair.arrival);
            self.parts.link.submit(touch);
        }
        let object_from_world = self.grasp.world_from_object().inverse();
        self.last = Some(LastHand { hand, arrival: pair.arrival, object_from_world });
        Ok(())
    }

    /// Whether what the panel shows has changed.
    fn watch_parts(&mut self) -> io::Result<bool> {
        let pairing = &self.parts.pairing;
        let states = [
            (Watched::Glove, (&pairing.glove().state()).into()),
            (Watched::Tracker, (&pairing.tracker().state()).into()),
            (Watched::Solver, (&self.parts.link.state()).into()),
        ];
        let counts = [pairing.glove().n_samples(), pairing.tracker().n_samples()];
        let time = self.start.elapsed().as_secs_f64();
        let news = self.watch.update(time, states, counts);
        for event in &news.events {
            if let Some(trace) = &mut self.parts.trace {
                trace.event(event)?;
            }
        }
        Ok(news.is_change)
    }

    fn scene(&self) -> Scene {
        let contacts = self.grasp.contacts();
        let mut status = self.watch.lines();
        status.push(status::grasp_line(&self.grasp));
        let outcome = self.surface.as_ref().map(|surface| &surface.frame().report.outcome);
        status.extend(outcome.and_then(status::trouble_line));
        Scene {
            objects: Vec::from_iter(self.surface.as_ref().map(|surface| ObjectView {
                frame: Arc::clone(surface.frame()),
                world_from_object: *self.grasp.world_from_object(),
                colours: None,
            })),
            hands: Vec::from_iter(self.last.as_ref().map(|LastHand { hand, .. }| HandView {
                shapes: hand.shapes().collect(),
                palm: hand.palm,
                fingertips: std::array::from_fn(|i| FingertipView {
                    centre: hand.fingertips[i].centre,
                    radius: hand.fingertips[i].radius,
                    contact: contacts[i],
                }),
                role: HandRole::Own,
            })),
            status,
        }
    }
}
