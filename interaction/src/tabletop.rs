//! Things and hands on the table: all that a run decides, without clock, device or thread.
//!
//! The same happenings in the same order give the same touches, states and shapes, bit for bit; that is
//! what makes a recorded run replayable.

mod news;
mod orders;
mod views;

use std::sync::Arc;
use std::time::Duration;

use calibration::HandPose;
use drivers::Hand as Side;
use nalgebra::Isometry3;
use physics::{ObjectSpec, SampleId, SurfaceFrame, Touch};

use crate::grasp::{AfterRelease, Grasp, GraspRules, GraspState, Hindrance, Transition};
use crate::hand::{Earlier, Hand};
use crate::profiles::Profiles;
use crate::shapes::{ShapeId, Shapes};
use crate::shown_hand::Stops;
use crate::thing::{Chore, Taken, Thing, ThingParts};

pub use news::{GraspEvent, HandNews};
pub use orders::Order;

/// A hand that was not seen for longer than this, in seconds, did not come straight from where it was.
const LONGEST_STEP: f64 = 0.1;

/// Things and hands.
pub struct Tabletop {
    things: Vec<Thing>,
    hands: [Option<HandNow>; 2],
    profiles: Profiles,
    rules: GraspRules,
    /// The thing that orders are about.
    selected: usize,
    chores: Vec<Chore>,
}

/// A hand as it was last seen.
struct HandNow {
    seen: Seen,
    /// How it was seen before that.
    before: Option<Seen>,
    pose: HandPose,
    /// How it was last shown.
    stops: Stops,
}

/// A hand at one moment.
struct Seen {
    /// Where the real one was.
    real: Hand,
    time: f64,
    /// Where each thing was then.
    object_from_world: Vec<Isometry3<f64>>,
}

/// Longest time without a touch for a thing that moves, in seconds; then time passes for it without
/// a hand. Nearly as short as between two samples of a glove.
const UNTOUCHED: f64 = 0.0095;
/// The same beside a hand that was just seen, in seconds: its next sample brings the time along with
/// the way that the hand has made in it. Headsets see hands 70 to 120 times in a second.
const HAND_IS_DUE: f64 = 0.025;

impl Tabletop {
    /// A table with these things on it, and no hand.
    pub fn new(things: Vec<ThingParts>, rules: GraspRules, profiles: Profiles) -> Self {
        let thing = |parts| Thing::new(parts, rules.clone());
        Self {
            things: things.into_iter().map(thing).collect(),
            hands: [None, None],
            profiles,
            rules,
            selected: 0,
            chores: Vec::new(),
        }
    }

    /// The rules of grasping.
    pub fn rules(&self) -> &GraspRules {
        &self.rules
    }

    /// The calibration that hands are made with.
    pub fn profiles(&self) -> &Profiles {
        &self.profiles
    }

    /// Hands are made with these from now on.
    pub fn set_profiles(&mut self, profiles: Profiles) {
        self.profiles = profiles;
    }

    /// What has to be done elsewhere since this was last asked.
    pub fn take_chores(&mut self) -> Vec<Chore> {
        std::mem::take(&mut self.chores)
    }

    /// The shape that a thing has now.
    pub fn shape(&self, thing: usize) -> ShapeId {
        self.things[thing].shape().0
    }

    /// Takes a frame of one of a thing's shapes; says whether it is shown.
    pub fn take_frame(&mut self, thing: usize, shape: ShapeId, frame: Arc<SurfaceFrame>) -> bool {
        let taken = self.things[thing].take_frame(shape, frame);
        if taken == Taken::Changed {
            self.chores.extend(self.things[thing].keep_next(thing));
        }
        taken != Taken::Ignored
    }

    /// A shape that was to be kept has been found, or cannot be.
    pub fn shape_made(
        &mut self,
        thing: usize,
        shape: ShapeId,
        found: Result<Arc<ObjectSpec>, String>,
    ) {
        self.things[thing].made(shape, found);
    }

    /// Something about a thing that a person should know.
    pub fn tell(&mut self, thing: usize, words: String) {
        self.things[thing].news = Some(words);
    }

    /// Takes a new pose of a hand at `time`, in seconds since the session began; `news` says what came of it.
    pub fn take_hand(
        &mut self,
        side: Side,
        pose: &HandPose,
        sample: SampleId,
        time: f64,
        news: &mut HandNews,
    ) {
        self.begin(news);
        let hand = Hand::new(self.profiles.of(side), pose);
        let last = self.hands[side as usize].take();
        let (before, oldest, stops) = match last {
            Some(last) => (Some(last.seen), last.before, last.stops),
            None => (None, None, Stops::default()),
        };
        // Memory of a moment that is of no use any more.
        let mut object_from_world = oldest.map(|seen| seen.object_from_world).unwrap_or_default();
        object_from_world.clear();
        let seen = Seen { real: hand, time, object_from_world };
        let now = HandNow { seen, before, pose: *pose, stops };
        for i in 0..self.things.len() {
            if self.things[i].is_pushed() {
                self.push(i, (side, &now), sample, time, news);
            } else if self.is_of(i, side, &now.seen.real) {
                self.hold(i, (side, &now), sample, time, news);
            }
        }
        self.remember(side, now);
    }

    /// Holding by nodes: one hand's grasp of a thing.
    fn hold(
        &mut self,
        i: usize,
        (side, now): (Side, &HandNow),
        sample: SampleId,
        time: f64,
        news: &mut HandNews,
    ) {
        let HandNow { seen: Seen { real: hand, .. }, before, .. } = now;
        // How hands take hold of it, its first frame tells.
        if self.things[i].surface.is_none() {
            return;
        }
        let is_other = self.things[i].hand.replace(side) != Some(side);
        let is_late = before.as_ref().is_none_or(|b| time - b.time > LONGEST_STEP);
        if is_other || is_late {
            self.things[i].grasp.forget_way();
        }
        let hindrance = self.hindrance(i, side);
        let thing = &mut self.things[i];
        let Some(surface) = &thing.surface else { return };
        thing.grasp.set_hindrance(hindrance);
        let transition = thing.grasp.update(hand, time, surface);
        self.take_transition(i, transition, news);
        let thing = &mut self.things[i];
        let mut touch = thing.touch(sample, time, news.spare.pop());
        thing.grasp.known(hand, &mut touch.known);
        thing.remember_known(&touch.known);
        if !thing.answers() {
            news.reuse(touch);
            return;
        }
        self.add_proxies(i, Some((side, now)), &mut touch);
        news.touches.push((i, touch));
    }

    /// Pushing: all hands act on a thing at once, by their shapes.
    fn push(
        &mut self,
        i: usize,
        now: (Side, &HandNow),
        sample: SampleId,
        time: f64,
        news: &mut HandNews,
    ) {
        let is_pressed = self.things[i].is_pressed();
        let transition = self.things[i].grasp.update_push(is_pressed, time);
        self.take_transition(i, transition, news);
        let thing = &mut self.things[i];
        if !thing.answers() {
            return;
        }
        let mut touch = thing.touch(sample, time, news.spare.pop());
        self.add_proxies(i, Some(now), &mut touch);
        news.touches.push((i, touch));
    }

    /// Adds the shapes of all hands, the left one first; `now` is one that has just been seen.
    fn add_proxies(&self, i: usize, now: Option<(Side, &HandNow)>, touch: &mut Touch) {
        let object_from_world = touch.world_from_object.inverse();
        for side in [Side::Left, Side::Right] {
            let hand = match now {
                Some((of, now)) if of == side => Some(now),
                Some(_) | None => self.hands[side as usize].as_ref(),
            };
            let Some(HandNow { seen, before, .. }) = hand else { continue };
            // Only the hand of this sample has moved.
            let before = before.as_ref().filter(|_| now.is_some_and(|(of, _)| of == side));
            let earlier = before.and_then(|before| {
                Some(Earlier {
                    hand: &before.real,
                    // A new thing has no earlier place.
                    object_from_world: before.object_from_world.get(i)?,
                    ago: Duration::try_from_secs_f64(seen.time - before.time).unwrap_or_default(),
                })
            });
            seen.real.proxies(side, &object_from_world, earlier.as_ref(), &mut touch.proxies);
        }
    }

    /// A hand was seen, with things where they are now.
    fn remember(&mut self, side: Side, mut now: HandNow) {
        let places = self.things.iter().map(|thing| thing.grasp.world_from_object().inverse());
        now.seen.object_from_world.extend(places);
        self.hands[side as usize] = Some(now);
    }

    /// A hand is not seen any more: what it holds is let go. Seen again, it begins by approaching.
    pub fn lose_hand(
        &mut self,
        side: Side,
        why: &str,
        sample: SampleId,
        time: f64,
        news: &mut HandNews,
    ) {
        self.begin(news);
        self.hands[side as usize] = None;
        for i in 0..self.things.len() {
            if self.things[i].hand == Some(side) {
                let transition = self.things[i].grasp.lose_hand(why, time);
                self.take_transition(i, transition, news);
                self.ask_without_hand(i, sample, time, news);
                self.things[i].hand = None;
            } else if self.things[i].is_pushed() {
                // Its shapes push no more.
                if self.hands.iter().all(Option::is_none) {
                    let transition = self.things[i].grasp.lose_hand(why, time);
                    self.take_transition(i, transition, news);
                }
                self.ask_without_hand(i, sample, time, news);
            }
        }
    }

    /// Time passes for things that no hand brings it to: those that were let go, and those whose
    /// matter moves while hands rest or do something else.
    pub fn pass_time(&mut self, sample: SampleId, time: f64, news: &mut HandNews) {
        self.begin(news);
        let is_hand_due = self.hands.iter().flatten().any(|now| time - now.seen.time < HAND_IS_DUE);
        let untouched = if is_hand_due { HAND_IS_DUE } else { UNTOUCHED };
        for i in 0..self.things.len() {
            if self.things[i].is_pushed() && self.are_hands_silent(time) {
                // Without a hand, the last frame may still be of the one that was lost.
                let is_pressed =
                    self.things[i].is_pressed() && self.hands.iter().any(Option::is_some);
                let transition = self.things[i].grasp.update_push(is_pressed, time);
                self.take_transition(i, transition, news);
            }
            if self.things[i].is_left_alone() {
                let transition = self.things[i].grasp.pass_time(time);
                self.take_transition(i, transition, news);
                self.ask_without_hand(i, sample, time, news);
            } else if self.things[i].is_moving() && time - self.things[i].touched >= untouched {
                self.ask_once_more(i, sample, time, news);
            }
        }
    }

    /// Whether time has to pass for something, whatever hands do.
    pub fn needs_time(&self) -> bool {
        let needs_time =
            |thing: &Thing| thing.is_left_alone() || thing.is_moving() || thing.is_push_ending();
        self.things.iter().any(needs_time)
    }

    /// Whether no hand has anything to do with a thing, and all are there and as they are meant to be.
    pub fn is_at_rest(&self) -> bool {
        let is_at_rest = |thing: &Thing| {
            let is_free = thing.grasp.state() == GraspState::Approach && !thing.is_changing();
            let surface = thing.surface.as_ref();
            // Matter that moves by itself rests wherever it has come to.
            let is_still = surface
                .is_some_and(|surface| thing.has_moved() || surface.largest_displacement() == 0.0);
            // One that was just put into a state has not had the time to say that it rests.
            let is_restored = surface.is_some_and(|surface| surface.frame().is_restored());
            is_free && is_still && (is_restored || !thing.is_moving())
        };
        self.things.iter().all(is_at_rest)
    }

    /// Forgets where hands were, and with them all that is not said by the things as they stand.
    pub fn begin_anew(&mut self) {
        self.hands = [None, None];
        for thing in &mut self.things {
            let home = *thing.grasp.home();
            thing.grasp = Grasp::new(self.rules.clone(), home);
            (thing.hand, thing.news) = (None, None);
            thing.last_known.clear();
        }
    }

    /// Things are meant to be as they are now.
    pub fn begin_here(&mut self) {
        self.things.iter_mut().for_each(Thing::begin_here);
    }

    /// Whether a thing is about to have another shape.
    pub fn is_changing(&self) -> bool {
        self.things.iter().any(Thing::is_changing)
    }

    /// As it was before hands of a recording came: nobody holds anything, and things have the shapes that a person
    /// gave them.
    pub fn go_home(&mut self, sample: SampleId, time: f64, news: &mut HandNews) {
        self.begin(news);
        for (i, thing) in self.things.iter().enumerate() {
            let (from, to) = (thing.grasp.state(), GraspState::Approach);
            if from != to {
                let reason = "the recording is played from elsewhere".to_owned();
                news.events
                    .push(GraspEvent { thing: i, transition: Transition { from, to, reason } });
            }
        }
        self.begin_anew();
        for i in 0..self.things.len() {
            self.ask_without_hand(i, sample, time, news);
            self.chores.extend(self.things[i].go_home(i));
        }
    }

    /// What the things are made from, as they are now.
    pub fn parts(&self) -> Vec<ThingParts> {
        self.things.iter().map(Thing::parts).collect()
    }

    /// Gives a thing the shapes that it has had.
    pub fn set_shapes(&mut self, thing: usize, shapes: Shapes) {
        if let Some(thing) = self.things.get_mut(thing) {
            thing.set_shapes(shapes);
        }
    }

    /// Which thing orders are about.
    pub fn selected_index(&self) -> usize {
        self.selected
    }

    /// Whether a hand has nothing to do with any thing, so that it may become another one.
    pub fn is_free(&self, side: Side) -> bool {
        let is_free =
            |thing: &Thing| thing.hand != Some(side) || thing.grasp.state() == GraspState::Approach;
        self.things.iter().all(is_free)
    }

    /// The things on the table, in the order in which they came.
    pub fn things(&self) -> &[Thing] {
        &self.things
    }

    /// The thing that orders are about.
    pub fn selected(&self) -> Option<&Thing> {
        self.things.get(self.selected)
    }

    /// The real hand as it was last seen.
    pub fn real_hand(&self, side: Side) -> Option<&Hand> {
        self.hands[side as usize].as_ref().map(|now| &now.seen.real)
    }

    /// Whether a thing's grasp listens to this hand: one that nobody has anything to do with listens to
    /// the nearer one.
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
        other.is_none_or(|now| distance(hand) <= distance(&now.seen.real))
    }

    fn take_transition(&mut self, i: usize, transition: Option<Transition>, news: &mut HandNews) {
        let Some(transition) = transition else { return };
        match transition.to {
            GraspState::Attached => self.selected = i,
            // What is in a hand stays the chosen one.
            GraspState::Pushed if !self.things.iter().any(|thing| thing.grasp.is_held()) => {
                self.selected = i;
            }
            GraspState::Approach
            | GraspState::Touching
            | GraspState::Deforming
            | GraspState::Releasing
            | GraspState::Pushed => {}
        }
        // Clay stays as it was pressed.
        let is_let_go = transition.from == GraspState::Deforming;
        if is_let_go && self.rules.release == AfterRelease::Keeps {
            self.chores.extend(self.things[i].keep_as_left(i));
        }
        news.events.push(GraspEvent { thing: i, transition });
    }

    fn begin(&self, news: &mut HandNews) {
        let n_nodes = self.things.iter().map(Thing::n_nodes).max().unwrap_or_default();
        news.begin(self.things.len(), n_nodes);
    }

    /// Asks for a thing that moves while hands are where they were.
    fn ask_once_more(&mut self, i: usize, sample: SampleId, time: f64, news: &mut HandNews) {
        if !self.things[i].answers() {
            return;
        }
        let thing = &mut self.things[i];
        let mut touch = thing.touch(sample, time, news.spare.pop());
        let hand = thing.hand.and_then(|side| self.hands[side as usize].as_ref());
        if let Some(hand) = hand {
            thing.grasp.known(&hand.seen.real, &mut touch.known);
        }
        self.add_proxies(i, None, &mut touch);
        news.touches.push((i, touch));
    }

    /// Asks for a thing's shape with nobody's fingers on it.
    fn ask_without_hand(&mut self, i: usize, sample: SampleId, time: f64, news: &mut HandNews) {
        let thing = &mut self.things[i];
        if thing.surface.is_some() && thing.answers() {
            let mut touch = thing.touch(sample, time, news.spare.pop());
            thing.remember_known(&touch.known);
            self.add_proxies(i, None, &mut touch);
            news.touches.push((i, touch));
        }
    }

    /// Whether hands bring no time to things: none is there, or none was seen lately.
    fn are_hands_silent(&self, time: f64) -> bool {
        self.hands.iter().flatten().all(|now| time - now.seen.time > LONGEST_STEP)
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
