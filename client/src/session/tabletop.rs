//! Things and hands on the table: all that a run decides, without clock, device or thread.
//!
//! The same happenings in the same order give the same touches, states and shapes, bit for bit; that is
//! what makes a recorded run replayable.

use std::sync::Arc;
use std::time::Duration;

use calibration::HandPose;
use drivers::Hand as Side;
use nalgebra::{Isometry3, Vector3};
use physics::material::IsotropicElastic;
use physics::{KnownDisplacement, ObjectSpec, SampleId, Shape, SurfaceFrame, Touch};

use super::Profiles;
use super::shapes::{Back, ShapeId, Shapes};
use super::stress;
use super::thing::{Meanwhile, Taken, Thing, ThingParts};
use crate::grasp::{AfterRelease, Grasp, GraspRules, GraspState, Hindrance, Transition};
use crate::hand::{Earlier, Fingertip, Hand, Obstacle, Stops};
use crate::scene::{ChosenThing, FingerContact, FingertipView, HandRole, HandView, ObjectView};

/// A fingertip that presses is not farther from the skin than this, in metres: it pulls the skin along.
const FARTHEST_CONTACT: f64 = 0.02;

/// What the person asks for; it is about the thing that was last in the hand.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// The shape in the hand becomes the rest shape.
    KeepShape,
    /// A shape that was there before.
    Back(Back),
    /// Other rules of grasping.
    Rules(GraspRules),
    /// Another thing in its place.
    Replace(Box<ThingParts>),
    /// One more thing, beside the others.
    Add(Box<ThingParts>),
    /// From now on orders are about this one.
    Select(usize),
    /// This one stands there from now on.
    Place { thing: usize, home: Isometry3<f64> },
    /// The same shape of other matter.
    Material(Matter),
}

/// What something is made of, as a person calls it.
#[derive(Debug, Clone, PartialEq)]
pub struct Matter {
    pub name: String,
    pub material: IsotropicElastic,
}

/// Something that takes time and is done elsewhere.
#[derive(Debug, Clone)]
pub enum Chore {
    /// Find the shape with these displacements, make it a rest shape, and prepare it.
    Keep { thing: usize, shape: ShapeId, spec: Arc<ObjectSpec>, known: Vec<KnownDisplacement> },
    /// Prepare the first shape of one more thing.
    Start { spec: Arc<ObjectSpec> },
    /// Prepare a shape that was there before.
    Prepare { thing: usize, shape: ShapeId, spec: Arc<ObjectSpec> },
}

/// A hand that was not seen for longer than this, in seconds, did not come straight from where it was.
const LONGEST_STEP: f64 = 0.1;

/// A change of state of one thing's grasp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraspEvent {
    pub thing: usize,
    pub transition: Transition,
}

/// What one sample of a hand brought about. Used again for the next one, it needs no new memory.
#[derive(Debug, Default)]
pub struct HandNews {
    /// What to submit, for each thing that is asked.
    pub touches: Vec<(usize, Touch)>,
    pub events: Vec<GraspEvent>,
    /// Touches that are done with.
    spare: Vec<Touch>,
}

impl HandNews {
    /// More touches than this are never under way at once.
    const MOST_SPARE: usize = 16;

    /// Takes back a touch that nobody needs any more, for its memory.
    pub fn reuse(&mut self, touch: Touch) {
        if self.spare.len() < Self::MOST_SPARE {
            self.spare.push(touch);
        }
    }

    fn begin(&mut self) {
        self.events.clear();
        while let Some((_, touch)) = self.touches.pop() {
            self.reuse(touch);
        }
    }
}

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

    pub fn rules(&self) -> &GraspRules {
        &self.rules
    }

    pub fn profiles(&self) -> &Profiles {
        &self.profiles
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

    /// Does what the person asks for.
    pub fn obey(&mut self, order: &Order) {
        let i = self.selected;
        let Some(thing) = self.things.get_mut(i) else { return };
        let chore = match order {
            Order::KeepShape if !thing.is_deforming() => {
                thing.news = Some("there is no new shape to keep: squeeze first".to_owned());
                None
            }
            Order::KeepShape => thing.keep(i, Meanwhile::GoesOn),
            Order::Back(back) => thing.go_back(i, *back),
            Order::Rules(rules) => {
                self.rules = rules.clone();
                self.things.iter_mut().for_each(|thing| thing.grasp.set_rules(rules.clone()));
                None
            }
            Order::Replace(parts) => thing.replace(i, parts),
            Order::Material(matter) => thing.remake(i, matter),
            Order::Add(parts) => {
                let spec = Arc::clone(&parts.spec);
                self.things.push(Thing::new((**parts).clone(), self.rules.clone()));
                Some(Chore::Start { spec })
            }
            Order::Select(thing) => {
                self.selected = if *thing < self.things.len() { *thing } else { i };
                None
            }
            Order::Place { thing, home } => {
                if let Some(thing) = self.things.get_mut(*thing)
                    && !thing.grasp.set_home(*home)
                {
                    thing.news = Some("it is in the hand: let go first".to_owned());
                }
                None
            }
        };
        self.chores.extend(chore);
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
        news.begin();
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
        news.begin();
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
        news.begin();
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

    /// Things as they are drawn at `time`.
    pub fn object_views(&mut self, time: f64) -> Vec<ObjectView> {
        let things = self.things.iter_mut().enumerate();
        things.filter_map(|(i, thing)| thing.view(i, time)).collect()
    }

    /// Whether something that is seen changes without a hand or a frame: a shape on its way.
    pub fn is_on_its_way(&self) -> bool {
        self.things.iter().any(Thing::is_on_its_way)
    }

    /// Hands as they are drawn at `time`: things may move while a hand rests.
    pub fn hand_views_at(&mut self, time: f64) -> Vec<HandView> {
        let both = [Side::Left, Side::Right];
        both.into_iter().filter_map(|side| self.hand_view(side, Some(time))).collect()
    }

    /// Hands as they are drawn at the moments at which they were last seen.
    pub fn hand_views(&mut self) -> Vec<HandView> {
        let both = [Side::Left, Side::Right];
        both.into_iter().filter_map(|side| self.hand_view(side, None)).collect()
    }

    /// The thing that orders are about.
    pub fn chosen(&self) -> Option<ChosenThing> {
        let thing = self.selected()?;
        let mut chosen = ChosenThing {
            thing: self.selected,
            name: thing.name.clone(),
            spec: Arc::clone(&thing.shape().1),
            n_kept: thing.n_kept(),
            n_undone: thing.n_undone(),
            squeeze: 0.0,
            stress: 0.0,
            forces: [Vector3::zeros(); 5],
            contacts: [None; 5],
            known: Vec::new(),
            colours: thing.node_colours().cloned(),
            middle: thing.grasp.world_from_object().translation.vector.into(),
        };
        let Some(surface) = &thing.surface else { return Some(chosen) };
        chosen.middle = thing.grasp.world_from_object() * surface.middle();
        chosen.squeeze = surface.largest_displacement();
        chosen.stress = stress::level(surface.frame());
        if thing.is_deforming() {
            chosen.known.clone_from(&thing.last_known);
            let world_from_object = thing.grasp.world_from_object();
            let forces = thing.grasp.finger_forces(surface.frame());
            chosen.forces = forces.map(|force| world_from_object.rotation * force);
            let tips = thing.hand.and_then(|side| self.real_hand(side)).map(|hand| hand.fingertips);
            let on_skin = |tip: Fingertip| {
                let in_object = world_from_object.inverse_transform_point(&tip.centre);
                let nearest = surface.nearest(&in_object, tip.radius + FARTHEST_CONTACT)?;
                Some(world_from_object * nearest.point)
            };
            let presses = thing.grasp.contacts().map(|contact| contact == FingerContact::Pressing);
            if let Some(tips) = tips {
                chosen.contacts =
                    std::array::from_fn(|i| presses[i].then(|| on_skin(tips[i])).flatten());
            }
        }
        Some(chosen)
    }

    /// Whether no hand has anything to do with a thing, and all are there and as they are meant to be.
    pub(super) fn is_at_rest(&self) -> bool {
        let is_at_rest = |thing: &Thing| {
            let is_free = thing.grasp.state() == GraspState::Approach && !thing.is_changing();
            let surface = thing.surface.as_ref();
            is_free && surface.is_some_and(|surface| surface.largest_displacement() == 0.0)
        };
        self.things.iter().all(is_at_rest)
    }

    /// Forgets where hands were, and with them all that is not said by the things as they stand.
    pub(super) fn begin_anew(&mut self) {
        self.hands = [None, None];
        for thing in &mut self.things {
            let home = *thing.grasp.home();
            thing.grasp = Grasp::new(self.rules.clone(), home);
            (thing.hand, thing.news) = (None, None);
            thing.last_known.clear();
        }
    }

    /// What the things are made from, as they are now.
    pub(super) fn parts(&self) -> Vec<ThingParts> {
        self.things.iter().map(Thing::parts).collect()
    }

    /// Gives a thing the shapes that it has had.
    pub(super) fn set_shapes(&mut self, thing: usize, shapes: Shapes) {
        if let Some(thing) = self.things.get_mut(thing) {
            thing.set_shapes(shapes);
        }
    }

    pub(super) fn selected_index(&self) -> usize {
        self.selected
    }

    /// What a person calls each thing.
    pub fn names(&self) -> Vec<String> {
        self.things.iter().map(|thing| thing.name.clone()).collect()
    }

    /// Where the real hands are.
    pub fn real_hands(&self) -> Vec<Shape> {
        self.hands.iter().flatten().flat_map(|now| now.real.shapes()).collect()
    }

    /// The force that each finger of a hand feels, in newtons, from those things whose shapes are solved: how
    /// one fares is no matter of the others.
    pub fn finger_forces(&self, side: Side, is_solved: impl Fn(usize) -> bool) -> [f64; 5] {
        let mut felt = [0.0; 5];
        for (i, thing) in self.things.iter().enumerate() {
            let is_felt = thing.hand == Some(side) && thing.is_deforming() && is_solved(i);
            if let (true, Some(surface)) = (is_felt, &thing.surface) {
                let forces = thing.grasp.finger_forces(surface.frame());
                for (felt, force) in felt.iter_mut().zip(forces) {
                    *felt += force.norm();
                }
            }
        }
        felt
    }

    /// Which fingers of a hand touch something, thumb first.
    pub(super) fn touching(&self, side: Side) -> [bool; 5] {
        let mut touching = [false; 5];
        for thing in self.things.iter().filter(|thing| thing.hand == Some(side)) {
            for (is_touching, contact) in touching.iter_mut().zip(thing.grasp.contacts()) {
                *is_touching |= contact != FingerContact::Free;
            }
        }
        touching
    }

    pub(super) fn things(&self) -> &[Thing] {
        &self.things
    }

    pub(super) fn selected(&self) -> Option<&Thing> {
        self.things.get(self.selected)
    }

    /// The real hand as it was last seen.
    pub(super) fn real_hand(&self, side: Side) -> Option<&Hand> {
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
        let other = match side {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        };
        self.hands[other as usize].as_ref().is_none_or(|now| distance(hand) <= distance(&now.real))
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

    fn hand_view(&mut self, side: Side, time: Option<f64>) -> Option<HandView> {
        let now = self.hands[side as usize].as_mut()?;
        let obstacles: Vec<Obstacle<'_>> = self.things.iter().filter_map(obstacle_of).collect();
        // After the touches are under way: a picture is in less of a hurry than the solver.
        let profile = self.profiles.of(side);
        let time = time.unwrap_or(now.time);
        let shown = now.stops.show(profile, &now.pose, &self.rules, &obstacles, time);
        let mut contacts = [FingerContact::Free; 5];
        for thing in self.things.iter().filter(|thing| thing.hand == Some(side)) {
            for (shown, contact) in contacts.iter_mut().zip(thing.grasp.contacts()) {
                if contact != FingerContact::Free {
                    *shown = contact;
                }
            }
        }
        Some(HandView {
            shapes: shown.shapes().collect(),
            palm: shown.palm,
            fingertips: std::array::from_fn(|i| FingertipView {
                centre: shown.fingertips[i].centre,
                radius: shown.fingertips[i].radius,
                contact: contacts[i],
            }),
            role: HandRole::Own,
        })
    }
}

fn obstacle_of(thing: &Thing) -> Option<Obstacle<'_>> {
    let world_from_object = thing.grasp.world_from_object();
    thing.surface.as_ref().map(|surface| Obstacle { surface, world_from_object })
}

#[cfg(test)]
mod tests;
