//! State machine of a grasp: approach, touch, attach, deform, release. It turns contacts into a
//! `Touch`.
//!
//! \[Ma98\], section 4.5, with the rules of [`GraspRules`].

mod contacts;
mod hold;
mod return_home;
mod rules;
mod state;
mod transitions;

use std::borrow::Cow;

use nalgebra::{Isometry3, Point3, Vector3};
use physics::{Grip, KnownDisplacement, NodeId, SurfaceFrame};

use crate::collision::{SurfaceContact, TouchableSurface};
use crate::hand::{Fingertip, Hand};

use hold::{HeldNodes, Hold};
use return_home::ReturnHome;
pub use rules::{AfterRelease, AtSkin, GraspRules, Patch, RuleError, RuleSetting};
pub use state::{FingerContact, GraspState, Hindrance, Push, Transition};

/// Seconds without force after which a push is over: an object that bounces against a finger is
/// pushed once.
const PUSH_ENDS: f64 = 0.3;

/// The grasp of one object by one hand.
#[derive(Debug)]
pub struct Grasp {
    rules: GraspRules,
    state: GraspState,
    reason: String,
    hindrance: Hindrance,
    /// Place of the object when no hand holds it.
    home: Isometry3<f64>,
    world_from_object: Isometry3<f64>,
    /// Place of the object in the palm at the moment of attaching.
    palm_from_object: Isometry3<f64>,
    /// Mean bend of the fingers when they attached, and the largest mean bend since.
    bends: [f64; 2],
    /// The hold of each finger on the object's nodes, thumb first.
    holds: [Option<Hold>; 5],
    /// True for fingers that touch the skin.
    touching: [bool; 5],
    /// Time at which a fingertip last touched, or a hand last pushed.
    last_touch: f64,
    /// True while a fingertip is so near to the skin that the touch is not over.
    is_near: bool,
    /// Fingertips at the last sample, in the object's frame.
    tips_before: Option<[Point3<f64>; 5]>,
    /// Fingers that let go and are not clear of the skin yet: skin that they pulled along must not
    /// count as a new touch.
    opening: [bool; 5],
    return_home: Option<ReturnHome>,
    /// Displacements that opened fingers leave behind in clay, until the hand lets go.
    dents: Vec<KnownDisplacement>,
    /// Version of the topology to which the holds' node ids belong.
    topology_version: u32,
    /// Buffer of the contact search: nodes that fingers hold.
    taken: Vec<Option<NodeId>>,
    /// Buffer of the contact search: nodes under a fingertip.
    patch: Vec<SurfaceContact>,
    /// Buffers for the nodes of new holds, at most five.
    spare_nodes: Vec<HeldNodes>,
}

impl Grasp {
    /// Creates the grasp of an object that stands at `home`.
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
            return_home: None,
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

    /// Sets the rules, from the next sample on.
    pub fn set_rules(&mut self, rules: GraspRules) {
        self.rules = rules;
    }

    /// Forgets the last fingertip positions: another hand came, or the same one after a pause.
    pub fn forget_way(&mut self) {
        self.tips_before = None;
    }

    /// Sets the home of the object. Returns false and changes nothing while a hand holds it.
    pub fn set_home(&mut self, home: Isometry3<f64>) -> bool {
        if self.is_held() {
            return false;
        }
        (self.home, self.world_from_object, self.return_home) = (home, home, None);
        // The object was moved, so the path of the fingertips relative to it is not known.
        self.tips_before = None;
        true
    }

    /// Sets what keeps the hand from a full grasp, from the next sample on.
    pub fn set_hindrance(&mut self, hindrance: Hindrance) {
        self.hindrance = hindrance;
    }

    /// Adapts the holds to a new rest shape whose nodes differ by `moved` from the previous one.
    pub fn rest_moved(&mut self, moved: impl Fn(NodeId) -> Vector3<f64>) {
        self.holds.iter_mut().flatten().for_each(|hold| hold.rest_moved(&moved));
    }

    /// True while the object follows a palm.
    pub fn is_held(&self) -> bool {
        matches!(self.state, GraspState::Attached | GraspState::Deforming)
    }

    pub fn state(&self) -> GraspState {
        self.state
    }

    /// The reason for the present state, in words.
    pub fn reason(&self) -> Cow<'_, str> {
        let (n_held, n_wanted) = (self.holds.iter().flatten().count(), self.rules.deform_with);
        match self.state {
            GraspState::Attached if n_held < n_wanted => {
                let missing = self.missing();
                Cow::Owned(format!("{n_held} of {n_wanted} fingertips hold on, without {missing}"))
            }
            GraspState::Attached if self.are_in_line() => {
                Cow::Borrowed("the fingertips are in a line, so the object could turn freely")
            }
            _ => Cow::Borrowed(&self.reason),
        }
    }

    /// Place of the object when no hand holds it.
    pub fn home(&self) -> &Isometry3<f64> {
        &self.home
    }

    pub fn world_from_object(&self) -> &Isometry3<f64> {
        &self.world_from_object
    }

    /// Contact of each finger, thumb first.
    pub fn contacts(&self) -> [FingerContact; 5] {
        std::array::from_fn(|i| match (self.state, &self.holds[i], self.touching[i]) {
            (GraspState::Deforming, Some(_), _) => FingerContact::Pressing,
            (_, Some(_), _) | (_, _, true) => FingerContact::Touching,
            (_, None, false) => FingerContact::Free,
        })
    }

    /// The force of each finger in a frame, in newtons; zero for fingers that hold no node.
    pub fn finger_forces(&self, frame: &SurfaceFrame) -> [Vector3<f64>; 5] {
        self.holds.each_ref().map(|hold| {
            let of = |node| frame.reactions.iter().find(|(held, _)| *held == node);
            let nodes = hold.iter().flat_map(Hold::nodes);
            nodes.filter_map(of).map(|(_, force)| Vector3::from(force.map(f64::from))).sum()
        })
    }

    /// Takes a new hand at `time` (seconds since the session began). Returns the change of state,
    /// if any.
    pub fn update(
        &mut self,
        hand: &Hand,
        time: f64,
        surface: &TouchableSurface,
    ) -> Option<Transition> {
        if surface.frame().topology.grip == Grip::Contact {
            // The hand's shapes push such an object; it is never attached to the palm.
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

    /// Same as [`update`](Self::update) for an object that finds its own contacts.
    pub fn update_push(&mut self, push: Push, time: f64) -> Option<Transition> {
        if push != Push::None {
            self.last_touch = time;
        }
        let is_over = time - self.last_touch >= PUSH_ENDS;
        let (to, reason) = match (self.state, push) {
            (GraspState::Approach, Push::OnTable | Push::Above) => {
                (GraspState::Pushed, "a hand pushes it")
            }
            (GraspState::Pushed, Push::Above) => (GraspState::Lifted, "it left the table"),
            (GraspState::Lifted, Push::OnTable) => (GraspState::Pushed, "it is on the table again"),
            (GraspState::Pushed | GraspState::Lifted, Push::None) if is_over => {
                (GraspState::Approach, "nothing pushes it any more")
            }
            // Hands held its nodes before its topology changed.
            (
                GraspState::Touching
                | GraspState::Attached
                | GraspState::Deforming
                | GraspState::Releasing,
                _,
            ) => {
                self.drop_holds();
                (self.return_home, self.world_from_object) = (None, self.home);
                (GraspState::Approach, "hands push it from now on")
            }
            (GraspState::Approach | GraspState::Pushed | GraspState::Lifted, _) => return None,
        };
        Some(self.change_to(to, reason.to_owned()))
    }

    /// Handles the loss of the hand: held things are released, and touches end.
    pub fn lose_hand(&mut self, why: &str, time: f64) -> Option<Transition> {
        (self.touching, self.opening) = ([false; 5], [false; 5]);
        (self.is_near, self.tips_before) = (false, None);
        let to = match self.state {
            GraspState::Approach | GraspState::Releasing => return None,
            GraspState::Touching | GraspState::Pushed | GraspState::Lifted => GraspState::Approach,
            GraspState::Attached | GraspState::Deforming => GraspState::Releasing,
        };
        if to == GraspState::Releasing {
            self.let_go(time);
        }
        self.dents.clear();
        Some(self.change_to(to, why.to_owned()))
    }

    /// Lets time pass without a hand: a released object goes on its way home.
    pub fn pass_time(&mut self, time: f64) -> Option<Transition> {
        if !self.is_returning_home() {
            return None;
        }
        self.world_from_object =
            self.return_home.as_ref().map_or(self.home, |return_home| return_home.pose(time));
        if self.return_home.as_ref().is_some_and(|return_home| !return_home.is_over(time)) {
            return None;
        }
        self.return_home = None;
        Some(self.change_to(GraspState::Approach, "no hand is there".to_owned()))
    }

    /// True while the object is on its way home.
    pub fn is_returning_home(&self) -> bool {
        self.state == GraspState::Releasing
    }

    /// Adds the displacements that the fingers impose to `known`, which must be empty. Adds none
    /// unless the state is deforming.
    pub fn fill_known_displacements(&self, hand: &Hand, known: &mut Vec<KnownDisplacement>) {
        if self.state != GraspState::Deforming {
            return;
        }
        let (tips, release) = (self.tips_in_object(hand), self.rules.release);
        for (hold, tip) in self.holds.iter().zip(&tips) {
            known.extend(
                hold.iter().flat_map(|hold| hold.known_displacements(&tip.centre, release)),
            );
        }
        let n_held = known.len();
        for dent in &self.dents {
            if known[..n_held].iter().all(|held| held.node != dent.node) {
                known.push(*dent);
            }
        }
        // Each node occurs once, so an unstable sort gives one order only.
        known.sort_unstable_by_key(|k| k.node);
    }

    /// The fingertips in the object's frame.
    pub fn tips_in_object(&self, hand: &Hand) -> [Fingertip; 5] {
        let object_from_world = self.world_from_object.inverse();
        hand.fingertips.map(|tip| Fingertip { centre: object_from_world * tip.centre, ..tip })
    }

    fn place_object(&mut self, hand: &Hand, time: f64) {
        self.world_from_object = match (self.state, &self.return_home) {
            (GraspState::Attached | GraspState::Deforming, _) => {
                hand.world_from_palm * self.palm_from_object
            }
            (_, Some(return_home)) => return_home.pose(time),
            (_, None) => self.home,
        };
        if self.return_home.as_ref().is_some_and(|return_home| return_home.is_over(time)) {
            self.return_home = None;
        }
    }
}

#[cfg(test)]
mod tests;
