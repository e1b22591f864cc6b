//! The hand as it is shown: fingers stop at the skin of a thing, wherever the real ones are.
//!
//! [Ma98], section 4.5.3: a segment that collides is shown where it was just before, and when a distal part
//! collides, the parts of its finger that are nearer to the palm are held as well. Ours goes on from how far each
//! joint was shown closed the last time: it opens as far as it must and closes as far as it can, so a finger neither
//! gets stuck nor drifts. Joints farther out than the segment that is stopped go on closing. A finger that is in
//! the skin even when it is straight is bent back, and if that is not enough the whole hand is shown beside
//! where it is. Everything moves with limited speed: a thing that comes or goes makes no hand jump.
//!
//! Only the picture goes by this hand. What is touched and pressed goes by the real one: a known displacement is
//! the way of the real fingertip since it touched, and one that stops at the skin would press nothing.

mod way_out;

use calibration::{Finger, HandPose, JointAngles, Profile};
use nalgebra::{Isometry3, Vector3};
use physics::Shape;

use super::{Hand, moved};
use crate::collision::TouchableSurface;
use crate::grasp::{AtSkin, GraspRules};

/// A thing in the way of a hand.
#[derive(Debug, Clone, Copy)]
pub struct Obstacle<'a> {
    pub surface: &'a TouchableSurface,
    pub world_from_object: &'a Isometry3<f64>,
}

/// How far a hand is shown from where the real one is, from one picture to the next.
#[derive(Debug, Clone)]
pub struct Stops {
    /// How far each joint of each finger has closed on its way from bent back (0) to where the real one is (1).
    shares: [[f64; 3]; 5],
    /// From the real hand to the one that is shown.
    beside: Vector3<f64>,
    /// When it was last shown.
    last: Option<f64>,
}

/// Deeper than this is in the skin, in metres: about what can be seen.
const SKIN: f64 = 2e-4;
/// Of the way from bent back to real, in one look: some 5 mm at the tip.
const STEP: f64 = 0.05;
/// Halvings of a step: the last is a tenth of a millimetre.
const N_HALVINGS: usize = 6;
/// Shares in a second by which a joint opens and closes at most.
const OPENING: f64 = 8.0;
const CLOSING: f64 = 5.0;
/// Metres in a second by which the shown hand leaves the real one at most.
const LEAVING: f64 = 1.0;
/// How far a finger is bent back at most, in degrees: knuckle, middle and end joint.
const BACK_DEG: [f64; 3] = [30.0, 5.0, 10.0];
/// The same of the thumb: roll, MPJ and IJ.
const THUMB_BACK_DEG: [f64; 3] = [25.0, 10.0, 15.0];

impl Default for Stops {
    fn default() -> Self {
        Self { shares: [[1.0; 3]; 5], beside: Vector3::zeros(), last: None }
    }
}

impl Stops {
    /// The hand of `pose` at `time`, in seconds, stopped where `rules` say so.
    pub fn show(
        &mut self,
        profile: &Profile,
        pose: &HandPose,
        rules: &GraspRules,
        obstacles: &[Obstacle<'_>],
        time: f64,
    ) -> Hand {
        // Nobody saw it before: it may be anywhere.
        let elapsed = self.last.replace(time).map_or(f64::INFINITY, |last| (time - last).max(0.0));
        let mut pose = *pose;
        let beside = way_out::beside(profile, &pose, rules, obstacles);
        self.beside += limited(beside - self.beside, LEAVING * elapsed);
        pose.world_from_wrist.translation.vector += self.beside;
        if rules.fingers == AtSkin::Passes {
            self.shares = [[1.0; 3]; 5];
            return Hand::new(profile, &pose);
        }
        let real = pose.angles;
        for finger in Finger::ALL {
            let stopping = Stopping { profile, real, pose, finger, obstacles };
            let shares = &mut self.shares[finger.index()];
            *shares = stopping.settled(*shares, elapsed);
            pose.angles = bent(&pose.angles, &real, finger, *shares);
        }
        Hand::new(profile, &pose)
    }
}

/// One finger between bent back and where the real one is.
struct Stopping<'a> {
    profile: &'a Profile,
    real: JointAngles,
    /// With the fingers before this one where they are shown.
    pose: HandPose,
    finger: Finger,
    obstacles: &'a [Obstacle<'a>],
}

impl Stopping<'_> {
    /// How far the joints are closed after `elapsed` seconds: opened as far as they must, closed as far as they can.
    fn settled(&self, from: [f64; 3], elapsed: f64) -> [f64; 3] {
        let mut shares = from;
        let mut way = OPENING * elapsed;
        while let Some(segment) = self.blocked(shares) {
            let step = STEP.min(way);
            let opened = opened(shares, segment, step);
            if opened == shares {
                // Time is up, or it is as far back as it goes.
                return shares;
            }
            if self.blocked(opened).is_none() {
                shares = self.between(opened, shares);
                break;
            }
            (shares, way) = (opened, way - step);
        }
        let (mut first, mut way) = (0, CLOSING * elapsed);
        while first < 3 {
            let step = STEP.min(way);
            let closed = closed(shares, first, step);
            if closed == shares {
                break;
            }
            match self.blocked(closed) {
                None => (shares, way) = (closed, way - step),
                // A joint is held with whatever is stopped farther out; those beyond that go on.
                Some(segment) => {
                    shares = self.between(shares, closed);
                    first = segment.max(first) + 1;
                }
            }
        }
        shares
    }

    /// As near to `blocked` as it is free.
    fn between(&self, mut free: [f64; 3], mut blocked: [f64; 3]) -> [f64; 3] {
        for _ in 0..N_HALVINGS {
            let middle = std::array::from_fn(|i| 0.5 * (free[i] + blocked[i]));
            match self.blocked(middle) {
                None => free = middle,
                Some(_) => blocked = middle,
            }
        }
        free
    }

    fn blocked(&self, shares: [f64; 3]) -> Option<usize> {
        let angles = bent(&self.pose.angles, &self.real, self.finger, shares);
        let hand = Hand::new(self.profile, &HandPose { angles, ..self.pose });
        blocked(&hand, self.finger, self.obstacles)
    }
}

/// The joints up to a segment, opened by a step.
fn opened(mut shares: [f64; 3], segment: usize, step: f64) -> [f64; 3] {
    shares[..=segment].iter_mut().for_each(|share| *share = (*share - step).max(0.0));
    shares
}

/// The joints from `first` on, closed by a step.
fn closed(mut shares: [f64; 3], first: usize, step: f64) -> [f64; 3] {
    shares[first..].iter_mut().for_each(|share| *share = (*share + step).min(1.0));
    shares
}

/// The outermost segment of a finger that is in the skin of something.
fn blocked(hand: &Hand, finger: Finger, obstacles: &[Obstacle<'_>]) -> Option<usize> {
    let segments = &hand.segments[finger.index()];
    let tip = hand.fingertips[finger.index()].shape();
    let is_in = |shape: &Shape| {
        obstacles.iter().any(|obstacle| {
            let in_object = moved(shape, &obstacle.world_from_object.inverse());
            obstacle.surface.segment_depth(&in_object) > SKIN
        })
    };
    if is_in(&tip) {
        return Some(2);
    }
    (0..3).rev().find(|segment| is_in(&segments[*segment]))
}

/// `angles` with the joints of one finger so far on their way from bent back to `real`.
fn bent(
    angles: &JointAngles,
    real: &JointAngles,
    finger: Finger,
    [first, second, third]: [f64; 3],
) -> JointAngles {
    let on_its_way = |real: f64, back_deg: f64, share: f64| {
        // One that is bent back farther already stays so.
        let back = real.min(-back_deg.to_radians());
        // Exactly the real angle at the end of the way.
        if share == 1.0 { real } else { back + (real - back) * share }
    };
    let mut bent = *angles;
    match finger {
        Finger::Thumb => {
            // The thumb comes from beside the palm, as far from the index as it is.
            let [roll, mpj, ij] = THUMB_BACK_DEG;
            bent.thumb.roll = on_its_way(real.thumb.roll, roll, first);
            bent.thumb.mpj = on_its_way(real.thumb.mpj, mpj, second);
            bent.thumb.ij = on_its_way(real.thumb.ij, ij, third);
        }
        Finger::Index | Finger::Middle | Finger::Ring | Finger::Pinkie => {
            let [mpj, pij, dij] = BACK_DEG;
            let real = &real.fingers[finger.index() - 1];
            let joints = &mut bent.fingers[finger.index() - 1];
            joints.mpj = on_its_way(real.mpj, mpj, first);
            joints.pij = on_its_way(real.pij, pij, second);
            joints.dij = on_its_way(real.dij, dij, third);
        }
    }
    bent
}

/// A way, but no farther than so far.
fn limited(way: Vector3<f64>, most: f64) -> Vector3<f64> {
    let length = way.norm();
    if length > most { way * (most / length) } else { way }
}

#[cfg(test)]
mod tests;
