//! Changes of state of a grasp, and their effects.

use calibration::Finger;

use super::hold::Hold;
use super::return_home::ReturnHome;
use super::{Grasp, GraspState, Hindrance, Transition};
use crate::hand::{Fingertip, Hand};

/// Distance from a common line, in metres, within which fingertips count as in line and begin no
/// deformation.
const IN_LINE: f64 = 0.008;
/// Difference in mean bend at which a hand counts as open again, in radians: slightly more than the
/// step of a bend sensor.
const REOPENED: f64 = 0.02;

impl Grasp {
    /// The next state with its reason, or `None` if the state stays.
    pub(super) fn next_state(&self, hand: &Hand, time: f64) -> Option<(GraspState, String)> {
        use GraspState::*;
        let n_held = self.holds.iter().flatten().count();
        let n_touching = self.touching.iter().filter(|t| **t).count();
        let attach = &self.rules.attach_fingers;
        let attach_held = attach.iter().filter(|f| self.holds[f.index()].is_some()).count();
        let lets_go = attach_held < self.rules.hold_on_with;
        let is_open = hand.bend() < self.rules.open_hand;
        match self.state {
            Approach if n_touching > 0 => {
                let verb = if n_touching == 1 { "touches" } else { "touch" };
                Some((Touching, format!("{} {verb}", self.named())))
            }
            Touching
                if n_touching == 0
                    && (!self.is_near || time - self.last_touch >= self.rules.linger) =>
            {
                Some((Approach, "nothing touches".to_owned()))
            }
            Touching if self.hindrance == Hindrance::HandsFull || is_open => None,
            Touching if attach.iter().all(|f| self.touching[f.index()]) => {
                Some((Attached, format!("{} touch", names(attach))))
            }
            Attached | Deforming if is_open => Some((Releasing, "the hand is open".to_owned())),
            Attached | Deforming if self.has_reopened(hand) => {
                Some((Releasing, "the hand is as open again as when it took hold".to_owned()))
            }
            Attached | Deforming if lets_go => Some((Releasing, "the fingers opened".to_owned())),
            Attached if self.hindrance == Hindrance::Preparing => None,
            Attached if n_held >= self.rules.deform_with && !self.are_in_line() => {
                Some((Deforming, format!("{n_held} fingertips hold on")))
            }
            Deforming if n_held < self.rules.keep_deforming_with => {
                Some((Attached, format!("only {n_held} fingertips hold on")))
            }
            Releasing if n_touching == 0 && self.return_home.is_none() => {
                Some((Approach, "the fingers are clear".to_owned()))
            }
            // The object found its own contacts before its topology changed.
            Pushed | Lifted => {
                Some((Approach, "fingers hold it by its nodes from now on".to_owned()))
            }
            Approach | Touching | Attached | Deforming | Releasing => None,
        }
    }

    /// True if the hand closed round the object and has opened again.
    fn has_reopened(&self, hand: &Hand) -> bool {
        let [taken, most] = self.bends;
        most - taken > self.rules.reopening && hand.bend() - taken < REOPENED
    }

    /// True if the fingertips that hold on are nearly in line: the object would swing freely about
    /// that line.
    pub(super) fn are_in_line(&self) -> bool {
        let anchors = || self.holds.iter().flatten().map(Hold::anchor);
        let pairs = anchors().flat_map(|a| anchors().map(move |b| (a, b)));
        let Some((a, b)) = pairs.max_by(|(a, b), (c, d)| (a - b).norm().total_cmp(&(c - d).norm()))
        else {
            return true;
        };
        let Some(along) = (b - a).try_normalize(1e-9) else { return true };
        anchors().all(|c| (c - a).cross(&along).norm() < IN_LINE)
    }

    pub(super) fn enter(
        &mut self,
        from: GraspState,
        tips: &[Fingertip; 5],
        hand: &Hand,
        time: f64,
    ) {
        self.dents.clear();
        match (from, self.state) {
            (GraspState::Touching, GraspState::Attached) => {
                self.return_home = None;
                self.palm_from_object = hand.world_from_palm.inverse() * self.world_from_object;
                self.bends = [hand.bend(); 2];
            }
            (_, GraspState::Deforming) => {
                // Fingers that came first have sunk in slightly while the others closed. The object
                // is at rest, and the deformation begins from here, without a jump.
                for (hold, tip) in self.holds.iter_mut().zip(tips) {
                    hold.iter_mut().for_each(|hold| hold.begin_at(&tip.centre));
                }
            }
            (_, GraspState::Releasing) => self.let_go(time),
            _ => {}
        }
    }

    pub(super) fn let_go(&mut self, time: f64) {
        self.drop_holds();
        self.return_home = Some(ReturnHome::new(self.world_from_object, self.home, time));
    }

    pub(super) fn change_to(&mut self, to: GraspState, reason: String) -> Transition {
        let from = std::mem::replace(&mut self.state, to);
        self.reason.clone_from(&reason);
        Transition { from, to, reason }
    }

    /// Names of the fingers that hold nothing.
    pub(super) fn missing(&self) -> String {
        let missing: Vec<Finger> =
            Finger::ALL.into_iter().filter(|f| self.holds[f.index()].is_none()).collect();
        names(&missing)
    }

    /// Names of the fingers that touch.
    fn named(&self) -> String {
        let touching: Vec<Finger> =
            Finger::ALL.into_iter().filter(|f| self.touching[f.index()]).collect();
        names(&touching)
    }
}

fn names(fingers: &[Finger]) -> String {
    match fingers.split_last() {
        None => "no finger".to_owned(),
        Some((last, [])) => last.name().to_owned(),
        Some((last, others)) => {
            let others: Vec<&str> = others.iter().map(|f| f.name()).collect();
            format!("{} and {}", others.join(", "), last.name())
        }
    }
}
