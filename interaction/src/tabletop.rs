//! Things and hands on the table: every decision of a run, without clock, device or thread.
//!
//! The same calls in the same order give the same touches, states and shapes, bit for bit. This
//! makes a recorded run replayable.

mod feeling;
mod hand_effects;
mod orders;
mod views;

use std::sync::Arc;
use std::time::Duration;

use calibration::HandPose;
use drivers::Side;
use nalgebra::Isometry3;
use physics::{ObjectSpec, SampleId, SurfaceFrame, Touch};

use crate::grasp::{AfterRelease, Grasp, GraspRules, GraspState, Hindrance, Push, Transition};
use crate::hand::{EarlierHand, Hand};
use crate::profiles::Profiles;
use crate::shape_history::{ShapeHistory, ShapeId};
use crate::shown_hand::ShownHand;
use crate::thing::{FrameEffect, SolverTask, Thing, ThingParts};

pub use feeling::{FeltModel, FingerFeeling};
pub use hand_effects::{GraspEvent, HandEffects};
pub use orders::Order;

/// Longest gap between two samples of a hand, in seconds, over which its path counts as straight.
const LONGEST_STEP: f64 = 0.1;

/// All things and both hands.
pub struct Tabletop {
    things: Vec<Thing>,
    hands: [Option<HandTrack>; 2],
    profiles: Profiles,
    rules: GraspRules,
    /// Index of the thing to which orders apply.
    selected: usize,
    solver_tasks: Vec<SolverTask>,
}

/// A hand at its last sample, and as last drawn.
struct HandTrack {
    latest: HandSample,
    /// The sample before the latest one.
    previous: Option<HandSample>,
    pose: HandPose,
    /// The hand as last drawn.
    shown: ShownHand,
}

/// A hand at one of its samples.
struct HandSample {
    /// The real hand.
    real: Hand,
    time: f64,
    /// Place of each thing at that time.
    object_from_world: Vec<Isometry3<f64>>,
}

/// Longest time without a touch for a thing that moves, in seconds; then time passes for the thing
/// without a hand. Slightly shorter than the time between two samples of a glove.
const UNTOUCHED: f64 = 0.0095;
/// Same as [`UNTOUCHED`] while a hand's next sample is due, in seconds: that sample passes the time
/// and also has the hand's motion in it. Headsets send a hand 70 to 120 times per second.
const HAND_IS_DUE: f64 = 0.025;

impl Tabletop {
    /// Creates a table with these things and without hands.
    pub fn new(things: Vec<ThingParts>, rules: GraspRules, profiles: Profiles) -> Self {
        let thing = |parts| Thing::new(parts, rules.clone());
        Self {
            things: things.into_iter().map(thing).collect(),
            hands: [None, None],
            profiles,
            rules,
            selected: 0,
            solver_tasks: Vec::new(),
        }
    }

    /// The rules of grasping.
    pub fn rules(&self) -> &GraspRules {
        &self.rules
    }

    /// Calibration profiles of the hands.
    pub fn profiles(&self) -> &Profiles {
        &self.profiles
    }

    /// Sets the calibration profiles for the next hands.
    pub fn set_profiles(&mut self, profiles: Profiles) {
        self.profiles = profiles;
    }

    /// Returns the solver tasks that were added since the last call.
    pub fn take_solver_tasks(&mut self) -> Vec<SolverTask> {
        std::mem::take(&mut self.solver_tasks)
    }

    /// Id of a thing's present rest shape.
    pub fn shape(&self, thing: usize) -> ShapeId {
        self.things[thing].shape().0
    }

    /// Takes a frame of one of a thing's shapes. Returns false if the frame was out of date.
    pub fn take_frame(&mut self, thing: usize, shape: ShapeId, frame: Arc<SurfaceFrame>) -> bool {
        let taken = self.things[thing].take_frame(shape, frame);
        if taken == FrameEffect::Changed {
            self.solver_tasks.extend(self.things[thing].keep_queued(thing));
        }
        self.solver_tasks.extend(self.things[thing].fetch_back(thing));
        taken != FrameEffect::Ignored
    }

    /// Takes the spec of a shape to keep, or the reason why it cannot be kept.
    pub fn shape_made(
        &mut self,
        thing: usize,
        shape: ShapeId,
        found: Result<Arc<ObjectSpec>, String>,
    ) {
        self.things[thing].take_made_shape(shape, found);
    }

    /// Sets a thing's message to the person.
    pub fn show_message(&mut self, thing: usize, words: String) {
        self.things[thing].message = Some(words);
    }

    /// Takes a new pose of a hand at `time`, in seconds since the session began, and fills
    /// `effects`.
    pub fn take_hand(
        &mut self,
        side: Side,
        pose: &HandPose,
        sample: SampleId,
        time: f64,
        effects: &mut HandEffects,
    ) {
        self.begin(effects);
        let hand = Hand::new(self.profiles.of(side), pose);
        let last = self.hands[side as usize].take();
        let (previous, oldest, shown) = match last {
            Some(last) => (Some(last.latest), last.previous, last.shown),
            None => (None, None, ShownHand::default()),
        };
        // Memory of the oldest sample, for reuse.
        let mut object_from_world =
            oldest.map(|latest| latest.object_from_world).unwrap_or_default();
        object_from_world.clear();
        let latest = HandSample { real: hand, time, object_from_world };
        let now = HandTrack { latest, previous, pose: *pose, shown };
        for i in 0..self.things.len() {
            if self.things[i].is_pushed() {
                self.push(i, (side, &now), sample, time, effects);
            } else if self.is_of(i, side, &now.latest.real) {
                self.hold(i, (side, &now), sample, time, effects);
            }
        }
        self.remember(side, now);
    }

    /// Updates one hand's grasp of a thing that is held by its nodes.
    fn hold(
        &mut self,
        i: usize,
        (side, now): (Side, &HandTrack),
        sample: SampleId,
        time: f64,
        effects: &mut HandEffects,
    ) {
        let HandTrack { latest: HandSample { real: hand, .. }, previous, .. } = now;
        // The first frame tells if the thing is held or pushed.
        if self.things[i].surface.is_none() {
            return;
        }
        let is_other = self.things[i].hand.replace(side) != Some(side);
        let is_late = previous.as_ref().is_none_or(|b| time - b.time > LONGEST_STEP);
        if is_other || is_late {
            self.things[i].grasp.forget_way();
        }
        let hindrance = self.hindrance(i, side);
        let thing = &mut self.things[i];
        let Some(surface) = &thing.surface else { return };
        thing.grasp.set_hindrance(hindrance);
        let transition = thing.grasp.update(hand, time, surface);
        self.take_transition(i, transition, effects);
        let thing = &mut self.things[i];
        let mut touch = thing.touch(sample, time, effects.spare.pop());
        thing.grasp.fill_known_displacements(hand, &mut touch.known);
        thing.remember_displacements(&touch.known);
        if !thing.answers() {
            effects.reuse(touch);
            return;
        }
        self.add_proxies(i, Some((side, now)), &mut touch);
        effects.touches.push((i, touch));
    }

    /// Updates a thing that all hands push with their shapes.
    fn push(
        &mut self,
        i: usize,
        now: (Side, &HandTrack),
        sample: SampleId,
        time: f64,
        effects: &mut HandEffects,
    ) {
        let push = self.things[i].push();
        let transition = self.things[i].grasp.update_push(push, time);
        self.take_transition(i, transition, effects);
        let thing = &mut self.things[i];
        if !thing.answers() {
            return;
        }
        let mut touch = thing.touch(sample, time, effects.spare.pop());
        self.add_proxies(i, Some(now), &mut touch);
        effects.touches.push((i, touch));
    }

    /// Adds the shapes of both hands, the left one first; `now` is the hand of the present sample.
    fn add_proxies(&self, i: usize, now: Option<(Side, &HandTrack)>, touch: &mut Touch) {
        let object_from_world = touch.world_from_object.inverse();
        for side in [Side::Left, Side::Right] {
            let hand = match now {
                Some((of, now)) if of == side => Some(now),
                Some(_) | None => self.hands[side as usize].as_ref(),
            };
            let Some(HandTrack { latest, previous, .. }) = hand else { continue };
            // Only the hand of this sample has moved.
            let previous = previous.as_ref().filter(|_| now.is_some_and(|(of, _)| of == side));
            let earlier = previous.and_then(|previous| {
                Some(EarlierHand {
                    hand: &previous.real,
                    // A new thing has no earlier place.
                    object_from_world: previous.object_from_world.get(i)?,
                    ago: Duration::try_from_secs_f64(latest.time - previous.time)
                        .unwrap_or_default(),
                })
            });
            latest.real.proxies(side, &object_from_world, earlier.as_ref(), &mut touch.proxies);
        }
    }

    /// Stores a hand's sample with the present places of the things.
    fn remember(&mut self, side: Side, mut now: HandTrack) {
        let places = self.things.iter().map(|thing| thing.grasp.world_from_object().inverse());
        now.latest.object_from_world.extend(places);
        self.hands[side as usize] = Some(now);
    }

    /// Handles the loss of a hand: held things are released. A hand that comes back begins in the
    /// state approach.
    pub fn lose_hand(
        &mut self,
        side: Side,
        why: &str,
        sample: SampleId,
        time: f64,
        effects: &mut HandEffects,
    ) {
        self.begin(effects);
        self.hands[side as usize] = None;
        for i in 0..self.things.len() {
            if self.things[i].hand == Some(side) {
                let transition = self.things[i].grasp.lose_hand(why, time);
                self.take_transition(i, transition, effects);
                self.ask_without_hand(i, sample, time, effects);
                self.things[i].hand = None;
            } else if self.things[i].is_pushed() {
                // The lost hand's shapes have stopped pushing.
                if self.hands.iter().all(Option::is_none) {
                    let transition = self.things[i].grasp.lose_hand(why, time);
                    self.take_transition(i, transition, effects);
                }
                self.ask_without_hand(i, sample, time, effects);
            }
        }
    }

    /// Lets time pass for things that get no touch from a hand: released things, and things whose
    /// matter moves while hands rest or are elsewhere.
    pub fn pass_time(&mut self, sample: SampleId, time: f64, effects: &mut HandEffects) {
        self.begin(effects);
        let is_hand_due =
            self.hands.iter().flatten().any(|now| time - now.latest.time < HAND_IS_DUE);
        let untouched = if is_hand_due { HAND_IS_DUE } else { UNTOUCHED };
        for i in 0..self.things.len() {
            if self.things[i].is_pushed() && self.are_hands_silent(time) {
                // Without a hand, the last frame may still have forces of the lost hand.
                let push = match self.hands.iter().any(Option::is_some) {
                    true => self.things[i].push(),
                    false => Push::None,
                };
                let transition = self.things[i].grasp.update_push(push, time);
                self.take_transition(i, transition, effects);
            }
            if self.things[i].is_left_alone() {
                let transition = self.things[i].grasp.pass_time(time);
                self.take_transition(i, transition, effects);
                self.ask_without_hand(i, sample, time, effects);
            } else if self.things[i].is_moving() && time - self.things[i].touched >= untouched {
                self.ask_once_more(i, sample, time, effects);
            }
        }
    }

    /// True if time has to pass for a thing, with or without hands.
    pub fn needs_time(&self) -> bool {
        let needs_time =
            |thing: &Thing| thing.is_left_alone() || thing.is_moving() || thing.is_push_ending();
        self.things.iter().any(needs_time)
    }

    /// True if no hand acts on any thing, and all things are loaded and at rest.
    pub fn is_at_rest(&self) -> bool {
        let is_at_rest = |thing: &Thing| {
            let is_free = thing.grasp.state() == GraspState::Approach && !thing.is_changing();
            let surface = thing.surface.as_ref();
            // Matter that moves by itself may rest anywhere.
            let is_still = surface
                .is_some_and(|surface| thing.has_moved() || surface.largest_displacement() == 0.0);
            // A thing whose state was just restored has had no time to report that it rests.
            let is_restored = surface.is_some_and(|surface| surface.frame().is_restored());
            is_free && is_still && (is_restored || !thing.is_moving())
        };
        self.things.iter().all(is_at_rest)
    }

    /// Forgets the hands, the grasps and the messages.
    pub fn begin_anew(&mut self) {
        self.hands = [None, None];
        for thing in &mut self.things {
            let home = *thing.grasp.home();
            thing.grasp = Grasp::new(self.rules.clone(), home);
            (thing.hand, thing.message) = (None, None);
            thing.last_displacements.clear();
        }
    }

    /// Marks the present shapes of all things as chosen by the user.
    pub fn begin_here(&mut self) {
        self.things.iter_mut().for_each(Thing::begin_here);
    }

    /// True while another shape of a thing is being prepared.
    pub fn is_changing(&self) -> bool {
        self.things.iter().any(Thing::is_changing)
    }

    /// Goes back to the beginning of a recording: nothing is held, and things have the shapes that
    /// the user chose.
    pub fn return_to_beginning(&mut self, sample: SampleId, time: f64, effects: &mut HandEffects) {
        self.begin(effects);
        for (i, thing) in self.things.iter().enumerate() {
            let (from, to) = (thing.grasp.state(), GraspState::Approach);
            if from != to {
                let reason = "the recording is played from another place".to_owned();
                effects
                    .events
                    .push(GraspEvent { thing: i, transition: Transition { from, to, reason } });
            }
        }
        self.begin_anew();
        for i in 0..self.things.len() {
            self.ask_without_hand(i, sample, time, effects);
            self.solver_tasks.extend(self.things[i].return_to_users_shape(i));
        }
    }

    /// The parts of all things in their present state.
    pub fn parts(&self) -> Vec<ThingParts> {
        self.things.iter().map(Thing::parts).collect()
    }

    /// Sets a thing's shape history.
    pub fn set_shapes(&mut self, thing: usize, shapes: ShapeHistory) {
        if let Some(thing) = self.things.get_mut(thing) {
            thing.set_shapes(shapes);
        }
    }

    /// Index of the thing to which orders apply.
    pub fn selected_index(&self) -> usize {
        self.selected
    }

    /// True if a hand acts on no thing, so that another hand can take its place.
    pub fn is_free(&self, side: Side) -> bool {
        let is_free =
            |thing: &Thing| thing.hand != Some(side) || thing.grasp.state() == GraspState::Approach;
        self.things.iter().all(is_free)
    }

    /// The things on the table, in the order in which they were added.
    pub fn things(&self) -> &[Thing] {
        &self.things
    }

    /// The thing to which orders apply.
    pub fn selected(&self) -> Option<&Thing> {
        self.things.get(self.selected)
    }

    /// The real hand at its last sample.
    pub fn real_hand(&self, side: Side) -> Option<&Hand> {
        self.hands[side as usize].as_ref().map(|now| &now.latest.real)
    }

    /// True if a thing's grasp belongs to this hand. A thing that is not touched belongs to the
    /// nearer hand.
    fn is_of(&self, i: usize, side: Side, hand: &Hand) -> bool {
        let thing = &self.things[i];
        if thing.grasp.state() != GraspState::Approach {
            return thing.hand.is_none_or(|hand| hand == side);
        }
        let place = thing.grasp.world_from_object().translation.vector;
        let distance = |hand: &Hand| {
            let apart = hand.fingertips.iter().map(|tip| (tip.centre.coords - place).norm());
            apart.fold(f64::INFINITY, f64::min)
        };
        let other = self.hands[side.other() as usize].as_ref();
        other.is_none_or(|now| distance(hand) <= distance(&now.latest.real))
    }

    fn take_transition(
        &mut self,
        i: usize,
        transition: Option<Transition>,
        effects: &mut HandEffects,
    ) {
        let Some(transition) = transition else { return };
        match transition.to {
            GraspState::Attached => self.selected = i,
            // A held thing stays selected.
            GraspState::Pushed if !self.things.iter().any(|thing| thing.grasp.is_held()) => {
                self.selected = i;
            }
            GraspState::Approach
            | GraspState::Touching
            | GraspState::Deforming
            | GraspState::Releasing
            | GraspState::Lifted
            | GraspState::Pushed => {}
        }
        // Clay keeps the shape to which it was pressed.
        let is_let_go = transition.from == GraspState::Deforming;
        if is_let_go && self.rules.release == AfterRelease::Keeps {
            self.solver_tasks.extend(self.things[i].keep_as_left(i));
        }
        effects.events.push(GraspEvent { thing: i, transition });
    }

    fn begin(&self, effects: &mut HandEffects) {
        let n_nodes = self.things.iter().map(Thing::n_nodes).max().unwrap_or_default();
        effects.begin(self.things.len(), n_nodes);
    }

    /// Adds a touch for a thing that moves while hands rest.
    fn ask_once_more(&mut self, i: usize, sample: SampleId, time: f64, effects: &mut HandEffects) {
        if !self.things[i].answers() {
            return;
        }
        let thing = &mut self.things[i];
        let mut touch = thing.touch(sample, time, effects.spare.pop());
        let hand = thing.hand.and_then(|side| self.hands[side as usize].as_ref());
        if let Some(hand) = hand {
            thing.grasp.fill_known_displacements(&hand.latest.real, &mut touch.known);
        }
        self.add_proxies(i, None, &mut touch);
        effects.touches.push((i, touch));
    }

    /// Adds a touch for a thing without held nodes.
    fn ask_without_hand(
        &mut self,
        i: usize,
        sample: SampleId,
        time: f64,
        effects: &mut HandEffects,
    ) {
        let thing = &mut self.things[i];
        if thing.surface.is_some() && thing.answers() {
            let mut touch = thing.touch(sample, time, effects.spare.pop());
            thing.remember_displacements(&touch.known);
            self.add_proxies(i, None, &mut touch);
            effects.touches.push((i, touch));
        }
    }

    /// True if no hand passes time for things: there is no hand, or none has sent a sample lately.
    fn are_hands_silent(&self, time: f64) -> bool {
        self.hands.iter().flatten().all(|now| time - now.latest.time > LONGEST_STEP)
    }

    fn hindrance(&self, i: usize, side: Side) -> Hindrance {
        let others = self.things.iter().enumerate().filter(|(other, _)| *other != i);
        if others.into_iter().any(|(_, thing)| thing.hand == Some(side) && thing.grasp.is_held()) {
            Hindrance::HandsFull
        } else if self.things[i].is_changing() {
            Hindrance::Preparing
        } else {
            Hindrance::None
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
