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
use physics::{ObjectSpec, SampleId, SurfaceFrame};

use crate::grasp::{AfterRelease, Grasp, GraspRules, GraspState, Hindrance, Transition};
use crate::hand::{Earlier, Hand};
use crate::profiles::Profiles;
use crate::shapes::{ShapeId, Shapes};
use crate::shown_hand::Stops;
use crate::thing::{Taken, Thing, ThingParts};

pub(super) use news::make_room;
pub use news::{GraspEvent, HandNews};
pub use orders::{Chore, Matter, Order};

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
    /// Where the real one is.
    real: Hand,
    pose: HandPose,
    time: f64,
    /// Where each thing was then.
    object_from_world: Vec<Isometry3<f64>>,
    /// How it was last shown.
    stops: Stops,
}

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
        let before = self.hands[side as usize].take();
        for i in 0..self.things.len() {
            if !self.is_of(i, side, &hand) {
                continue;
            }
            let is_other = self.things[i].hand.replace(side) != Some(side);
            let is_late = before.as_ref().is_none_or(|b| time - b.time > LONGEST_STEP);
            if is_other || is_late {
                self.things[i].grasp.forget_way();
            }
            let hindrance = self.hindrance(i, side);
            let thing = &mut self.things[i];
            let Some(surface) = &thing.surface else { continue };
            thing.grasp.set_hindrance(hindrance);
            let transition = thing.grasp.update(&hand, time, surface);
            self.take_transition(i, transition, news);
            let thing = &mut self.things[i];
            let mut touch = thing.touch(sample, time, news.spare.pop());
            thing.grasp.known(&hand, &mut touch.known);
            thing.remember_known(&touch.known);
            if !thing.answers() {
                news.reuse(touch);
                continue;
            }
            // A thing that has just come was nowhere before.
            let earlier = before.as_ref().and_then(|before| {
                Some(Earlier {
                    hand: &before.real,
                    object_from_world: before.object_from_world.get(i)?,
                    ago: Duration::try_from_secs_f64(time - before.time).unwrap_or_default(),
                })
            });
            let object_from_world = touch.world_from_object.inverse();
            hand.proxies(&object_from_world, earlier.as_ref(), &mut touch.proxies);
            news.touches.push((i, touch));
        }
        let (mut object_from_world, stops) =
            before.map_or_else(Default::default, |before| (before.object_from_world, before.stops));
        object_from_world.clear();
        let places = self.things.iter().map(|thing| thing.grasp.world_from_object().inverse());
        object_from_world.extend(places);
        self.hands[side as usize] =
            Some(HandNow { real: hand, pose: *pose, time, object_from_world, stops });
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
            }
        }
    }

    /// Time passes for things that no hand brings it to.
    pub fn pass_time(&mut self, sample: SampleId, time: f64, news: &mut HandNews) {
        self.begin(news);
        for i in 0..self.things.len() {
            if self.things[i].is_left_alone() {
                let transition = self.things[i].grasp.pass_time(time);
                self.take_transition(i, transition, news);
                self.ask_without_hand(i, sample, time, news);
            }
        }
    }

    /// Whether time has to pass for something that no hand brings it to.
    pub fn needs_time(&self) -> bool {
        self.things.iter().any(Thing::is_left_alone)
    }

    /// Whether no hand has anything to do with a thing, and all are there and as they are meant to be.
    pub fn is_at_rest(&self) -> bool {
        let is_at_rest = |thing: &Thing| {
            let is_free = thing.grasp.state() == GraspState::Approach && !thing.is_changing();
            let surface = thing.surface.as_ref();
            is_free && surface.is_some_and(|surface| surface.largest_displacement() == 0.0)
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
        self.hands[side as usize].as_ref().map(|now| &now.real)
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
        other.is_none_or(|now| distance(hand) <= distance(&now.real))
    }

    fn take_transition(&mut self, i: usize, transition: Option<Transition>, news: &mut HandNews) {
        let Some(transition) = transition else { return };
        match transition.to {
            GraspState::Attached => self.selected = i,
            GraspState::Approach
            | GraspState::Touching
            | GraspState::Deforming
            | GraspState::Releasing => {}
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

    /// Asks for a thing's shape with nobody's fingers on it.
    fn ask_without_hand(&mut self, i: usize, sample: SampleId, time: f64, news: &mut HandNews) {
        let thing = &mut self.things[i];
        if thing.surface.is_some() && thing.answers() {
            let touch = thing.touch(sample, time, news.spare.pop());
            thing.remember_known(&touch.known);
            news.touches.push((i, touch));
        }
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
