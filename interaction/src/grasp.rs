//! Approach, touch, attach, deform, release: a state machine that turns contacts into a `Touch`.
//!
//! Implements the rules of [Ma98], section 4.5, as defaults of [`GraspRules`].

mod contacts;
mod hold;
mod rules;
mod settle;
mod state;
mod steps;

use std::borrow::Cow;

use nalgebra::{Isometry3, Point3, Vector3};
use physics::{Grip, KnownDisplacement, NodeId, SurfaceFrame};

use crate::collision::{SurfaceContact, TouchableSurface};
use crate::hand::{Fingertip, Hand};

use hold::{HeldNodes, Hold};
pub use rules::{AfterRelease, AtSkin, GraspRules, Patch, RuleError, Setting};
use settle::Settle;
pub use state::{FingerContact, GraspState, Hindrance, Transition};

/// A push is over when no force was felt for this time, in seconds: an object that bounces against a
/// finger is pushed once.
const PUSH_ENDS: f64 = 0.3;

/// One hand and one object.
#[derive(Debug)]
pub struct Grasp {
    rules: GraspRules,
    state: GraspState,
    reason: String,
    hindrance: Hindrance,
    /// Where the object stands when nobody holds it.
    home: Isometry3<f64>,
    world_from_object: Isometry3<f64>,
    /// Kept from the moment of attaching.
    palm_from_object: Isometry3<f64>,
    /// How far the fingers were bent then, and at the most since.
    bends: [f64; 2],
    /// Fingers on the object's nodes, thumb first.
    holds: [Option<Hold>; 5],
    touching: [bool; 5],
    /// When a fingertip last touched, or a hand last pushed.
    last_touch: f64,
    /// Whether a fingertip is too near to say that the touch is over.
    is_near: bool,
    /// Where the fingertips were in the object's frame at the last sample.
    tips_before: Option<[Point3<f64>; 5]>,
    /// Fingers that let go and are not clear of the skin yet. What they pulled along must not count as
    /// a new touch.
    opening: [bool; 5],
    settle: Option<Settle>,
    /// What fingers that opened leave behind in clay, until the hand lets go.
    dents: Vec<KnownDisplacement>,
    /// The holds' node ids belong to it.
    topology_version: u32,
    /// Of the search for contacts, kept for their memory.
    taken: Vec<Option<NodeId>>,
    patch: Vec<SurfaceContact>,
    /// Of fingers that hold nothing, likewise; there are never more than five.
    spare_nodes: Vec<HeldNodes>,
}

impl Grasp {
    /// An object that stands at `home`.
    pub fn new(rules: GraspRules, home: Isometry3<f64>) -> Self {
        Self {
            rules,
            state: GraspState::Approach,
            reason: "nothing touches".to_owned(),
            hindrance: Hindrance::None,
            home,
            world_from_object: home,
            palm_from_object: Isometry3::identity(),
            bends: [0.0; 2],
            holds: [const { None }; 5],
            touching: [false; 5],
            last_touch: f64::NEG_INFINITY,
            is_near: false,
            tips_before: None,
            opening: [false; 5],
            settle: None,
            dents: Vec::new(),
            topology_version: 0,
            taken: Vec::new(),
            patch: Vec::new(),
            spare_nodes: Vec::with_capacity(5),
        }
    }

    pub fn rules(&self) -> &GraspRules {
        &self.rules
    }

    /// Other rules from the next sample on.
    pub fn set_rules(&mut self, rules: GraspRules) {
        self.rules = rules;
    }

    /// Another hand comes, or the same one after a while: it did not come here from where the last one was.
    pub fn forget_way(&mut self) {
        self.tips_before = None;
    }

    /// It stands there from now on; says whether that can be: what is in a hand stays there.
    pub fn set_home(&mut self, home: Isometry3<f64>) -> bool {
        if self.is_held() {
            return false;
        }
        (self.home, self.world_from_object, self.settle) = (home, home, None);
        // The fingertips did not come from where they seem to have been.
        self.tips_before = None;
        true
    }

    /// What keeps the hand from doing all that the rules allow, from the next sample on.
    pub fn set_hindrance(&mut self, hindrance: Hindrance) {
        self.hindrance = hindrance;
    }

    /// The object has another rest shape, whose nodes are farther by `moved`; what is held goes on from
    /// there.
    pub fn rest_moved(&mut self, moved: impl Fn(NodeId) -> Vector3<f64>) {
        self.holds.iter_mut().flatten().for_each(|hold| hold.rest_moved(&moved));
    }

    /// Whether the object follows a palm.
    pub fn is_held(&self) -> bool {
        matches!(self.state, GraspState::Attached | GraspState::Deforming)
    }

    pub fn state(&self) -> GraspState {
        self.state
    }

    /// Why the state is what it is.
    pub fn reason(&self) -> Cow<'_, str> {
        let (n_held, n_wanted) = (self.holds.iter().flatten().count(), self.rules.deform_with);
        match self.state {
            GraspState::Attached if n_held < n_wanted => {
                let missing = self.missing();
                Cow::Owned(format!("{n_held} of {n_wanted} fingertips hold on, without {missing}"))
            }
            GraspState::Attached if self.are_in_line() => {
                Cow::Borrowed("the fingertips are in a line, which leaves it loose")
            }
            _ => Cow::Borrowed(&self.reason),
        }
    }

    /// Where the object stands when nobody holds it.
    pub fn home(&self) -> &Isometry3<f64> {
        &self.home
    }

    pub fn world_from_object(&self) -> &Isometry3<f64> {
        &self.world_from_object
    }

    /// What each finger does, thumb first.
    pub fn contacts(&self) -> [FingerContact; 5] {
        std::array::from_fn(|i| match (self.state, &self.holds[i], self.touching[i]) {
            (GraspState::Deforming, Some(_), _) => FingerContact::Pressing,
            (_, Some(_), _) | (_, _, true) => FingerContact::Touching,
            (_, None, false) => FingerContact::Free,
        })
    }

    /// The force that each finger exerts in a frame, in newtons; zero unless it holds nodes.
    pub fn finger_forces(&self, frame: &SurfaceFrame) -> [Vector3<f64>; 5] {
        self.holds.each_ref().map(|hold| {
            let of = |node| frame.reactions.iter().find(|(held, _)| *held == node);
            let nodes = hold.iter().flat_map(Hold::nodes);
            nodes.filter_map(of).map(|(_, force)| Vector3::from(force.map(f64::from))).sum()
        })
    }

    /// Takes a new hand at `time` (seconds since the session began); says if the state changed.
    pub fn update(
        &mut self,
        hand: &Hand,
        time: f64,
        surface: &TouchableSurface,
    ) -> Option<Transition> {
        if surface.frame().topology.grip == Grip::Contact {
            // It is pushed by the hand's shapes and never glued to the palm.
            return None;
        }
        self.place_object(hand, time);
        let tips = self.tips_in_object(hand);
        self.find_contacts(&tips, time, surface);
        self.tips_before = Some(tips.map(|tip| tip.centre));
        self.bends[1] = self.bends[1].max(hand.bend());
        let (to, reason) = self.next_state(hand, time)?;
        let transition = self.change_to(to, reason);
        self.enter(transition.from, &tips, hand, time);
        Some(transition)
    }

    /// The same for an object that finds its own contacts: whether hands push it at `time`.
    pub fn update_push(&mut self, is_pressed: bool, time: f64) -> Option<Transition> {
        if is_pressed {
            self.last_touch = time;
        }
        let (to, reason) = match self.state {
            GraspState::Approach if is_pressed => (GraspState::Pushed, "a hand pushes it"),
            GraspState::Pushed if time - self.last_touch >= PUSH_ENDS => {
                (GraspState::Approach, "nothing pushes it any more")
            }
            GraspState::Approach
            | GraspState::Touching
            | GraspState::Attached
            | GraspState::Deforming
            | GraspState::Releasing
            | GraspState::Pushed => return None,
        };
        Some(self.change_to(to, reason.to_owned()))
    }

    /// The hand is not seen any more: what it holds is let go, and what it touches is not touched.
    pub fn lose_hand(&mut self, why: &str, time: f64) -> Option<Transition> {
        (self.touching, self.opening) = ([false; 5], [false; 5]);
        (self.is_near, self.tips_before) = (false, None);
        let to = match self.state {
            GraspState::Approach | GraspState::Releasing => return None,
            GraspState::Touching | GraspState::Pushed => GraspState::Approach,
            GraspState::Attached | GraspState::Deforming => GraspState::Releasing,
        };
        if to == GraspState::Releasing {
            self.let_go(time);
        }
        self.dents.clear();
        Some(self.change_to(to, why.to_owned()))
    }

    /// Time passes without a hand: what was let go finds its way home.
    pub fn pass_time(&mut self, time: f64) -> Option<Transition> {
        if !self.is_settling() {
            return None;
        }
        self.world_from_object = self.settle.as_ref().map_or(self.home, |settle| settle.pose(time));
        if self.settle.as_ref().is_some_and(|settle| !settle.is_over(time)) {
            return None;
        }
        self.settle = None;
        Some(self.change_to(GraspState::Approach, "no hand is there".to_owned()))
    }

    /// Whether it is on its way home.
    pub fn is_settling(&self) -> bool {
        self.state == GraspState::Releasing
    }

    /// Puts the displacements that the fingers impose into `known`, which is empty: none unless deforming.
    pub fn known(&self, hand: &Hand, known: &mut Vec<KnownDisplacement>) {
        if self.state != GraspState::Deforming {
            return;
        }
        let (tips, release) = (self.tips_in_object(hand), self.rules.release);
        for (hold, tip) in self.holds.iter().zip(&tips) {
            known.extend(hold.iter().flat_map(|hold| hold.known(&tip.centre, release)));
        }
        let n_held = known.len();
        for dent in &self.dents {
            if known[..n_held].iter().all(|held| held.node != dent.node) {
                known.push(*dent);
            }
        }
        // Each node is there once, so the order is the same however it is sorted.
        known.sort_unstable_by_key(|k| k.node);
    }

    /// The fingertips as the object sees them.
    pub fn tips_in_object(&self, hand: &Hand) -> [Fingertip; 5] {
        let object_from_world = self.world_from_object.inverse();
        hand.fingertips.map(|tip| Fingertip { centre: object_from_world * tip.centre, ..tip })
    }

    fn place_object(&mut self, hand: &Hand, time: f64) {
        self.world_from_object = match (self.state, &self.settle) {
            (GraspState::Attached | GraspState::Deforming, _) => {
                hand.world_from_palm * self.palm_from_object
            }
            (_, Some(settle)) => settle.pose(time),
            (_, None) => self.home,
        };
        if self.settle.as_ref().is_some_and(|settle| settle.is_over(time)) {
            self.settle = None;
        }
    }
}

#[cfg(test)]
mod tests;
