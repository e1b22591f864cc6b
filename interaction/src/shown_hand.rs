//! The drawn hand: fingers stop at the skin of a thing, even if the real ones are deeper.
//!
//! \[Ma98\], section 4.5.3, draws a colliding segment where it was just before, and when a distal
//! part collides, also holds the parts of the finger that are nearer to the palm. Here, each joint
//! starts from how far it was drawn closed last time. It opens as far as it must and closes as far
//! as it can, so a finger neither gets stuck nor drifts. Joints farther out than the stopped
//! segment go on closing. A finger that is in the skin even when straight is bent back. If that is
//! not enough, the whole hand is drawn beside its real place.
//!
//! Nothing in the picture jumps. From one picture to the next, fingers and hand move out of the
//! skin only as far as it pushes them, which is about as far as the hand or the thing has moved.
//! Their own motions have a limited speed.
//!
//! Only the picture uses this hand. Contacts use the real hand: a known displacement is the path of
//! the real fingertip since it touched, and a finger that stops at the skin would press nothing.

mod finger;
mod pushed_out;
mod yielding;

use calibration::{Finger, HandPose, JointAngles, Profile};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::collision::TouchableSurface;
use crate::grasp::{AtSkin, GraspRules};
use crate::hand::Hand;
use finger::{StoppedFinger, bent};

/// A thing in the way of a hand.
#[derive(Debug, Clone, Copy)]
pub struct Obstacle<'a> {
    pub surface: &'a TouchableSurface,
    /// Place of the surface.
    pub world_from_object: Isometry3<f64>,
}

/// Difference of the drawn hand from the real one, kept from picture to picture.
#[derive(Debug, Clone)]
pub struct ShownHand {
    offset: ShownOffset,
    /// Places at the last picture.
    last: Option<Placements>,
}

/// Difference of the drawn hand from the real one.
#[derive(Debug, Clone, Copy)]
struct ShownOffset {
    /// Closing of each joint of each finger on its way from bent back (0) to the real angle (1).
    shares: [[f64; 3]; 5],
    /// Displacement of the drawn hand from the real one, in metres.
    beside: Vector3<f64>,
}

/// Time of a picture, with the places of the real hand and of the things.
#[derive(Debug, Clone)]
struct Placements {
    time: f64,
    places: [Point3<f64>; 11],
    things: Vec<Isometry3<f64>>,
}

/// Longest motions of the hand's parts between two pictures, in metres, measured at a fingertip.
#[derive(Debug, Clone, Copy)]
struct MotionLimits {
    /// Out of the skin.
    pushed: f64,
    /// Back to where the real hand is.
    returning: f64,
    /// Of a finger that closes.
    closing: f64,
}

/// Depth beyond which a part counts as in the skin, in metres: about what can be seen.
const SKIN: f64 = 2e-4;
/// Highest speed, in m/s, at which skin pushes a hand out while neither hand nor thing moves.
const PUSHED: f64 = 0.25;
/// Highest speed, in m/s, at which a hand drawn beside the real one returns.
const RETURNING: f64 = 0.1;
/// Highest speed, in m/s, at which fingertips close when nothing is in their way any more.
const CLOSING: f64 = 0.2;
/// Typical radius of a thing, in metres, with which turns count as motion.
const SIZE: f64 = 0.05;
/// Motion of the real hand between two pictures, in metres, beyond which the drawn hand may jump.
const FARTHEST: f64 = 0.05;

impl Default for ShownHand {
    fn default() -> Self {
        Self { offset: ShownOffset::AS_IT_IS, last: None }
    }
}

impl ShownHand {
    /// The drawn hand of `pose` at `time`, in seconds, stopped at the skin where `rules` demand it.
    pub fn show(
        &mut self,
        profile: &Profile,
        pose: &HandPose,
        rules: &GraspRules,
        obstacles: &[Obstacle<'_>],
        time: f64,
    ) -> Hand {
        let real = Hand::new(profile, pose);
        let placements = Placements::at(&real, obstacles, time);
        let limits = self.last.as_ref().and_then(|last| last.limits_to(&placements));
        self.last = Some(placements);
        let real_hand = RealHand { profile, pose, rules, obstacles };
        match limits {
            Some(limits) => self.offset.go_on(&real_hand, &limits),
            None => self.offset = real_hand.first(&real),
        }
        self.offset.hand(&real_hand)
    }
}

impl Placements {
    fn at(real: &Hand, obstacles: &[Obstacle<'_>], time: f64) -> Self {
        let mut places = [Point3::origin(); 11];
        let parts = real.fingertips.iter().map(|tip| tip.centre).chain(real.palm.outline);
        places.iter_mut().zip(parts).for_each(|(place, part)| *place = part);
        let things = obstacles.iter().map(|obstacle| obstacle.world_from_object).collect();
        Self { time, places, things }
    }

    /// Motions allowed until the next picture; `None` if the hand jumped.
    fn limits_to(&self, next: &Self) -> Option<MotionLimits> {
        let places = self.places.iter().zip(&next.places);
        let moved = places.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        let things = self.things.iter().zip(&next.things).map(|(before, after)| {
            let way = after.translation.vector - before.translation.vector;
            way.norm() + SIZE * before.rotation.angle_to(&after.rotation)
        });
        // A thing that jumped pushes no faster than others.
        let pushing = things.filter(|way| *way < FARTHEST).fold(moved, f64::max);
        let elapsed = (next.time - self.time).max(0.0);
        (moved < FARTHEST).then_some(MotionLimits {
            // The skin pushes a finger somewhere along its length, and the tip moves farther than
            // that place.
            pushed: 2.0 * pushing + PUSHED * elapsed,
            returning: moved + RETURNING * elapsed,
            closing: CLOSING * elapsed,
        })
    }
}

/// A real hand, and the things in its way.
#[derive(Clone, Copy)]
struct RealHand<'a> {
    profile: &'a Profile,
    pose: &'a HandPose,
    rules: &'a GraspRules,
    obstacles: &'a [Obstacle<'a>],
}

impl RealHand<'_> {
    /// The drawn hand without an earlier picture.
    fn first(&self, real: &Hand) -> ShownOffset {
        let mut shown = ShownOffset::AS_IT_IS;
        shown.beside = pushed_out::beside(self, real);
        if self.rules.fingers == AtSkin::Stops {
            for finger in Finger::ALL {
                let shares = self.stopped_finger(&shown, finger).settled();
                shown.shares[finger.index()] = shares;
            }
        }
        shown
    }

    /// One finger of a hand that is drawn with this offset.
    fn stopped_finger(&self, shown: &ShownOffset, finger: Finger) -> StoppedFinger<'_> {
        let mut pose = *self.pose;
        pose.world_from_wrist.translation.vector += shown.beside;
        StoppedFinger { profile: self.profile, pose, finger, obstacles: self.obstacles }
    }
}

impl ShownOffset {
    /// No difference: exactly the real hand.
    const AS_IT_IS: Self = Self { shares: [[1.0; 3]; 5], beside: Vector3::new(0.0, 0.0, 0.0) };

    fn hand(&self, real_hand: &RealHand<'_>) -> Hand {
        let mut pose = *real_hand.pose;
        pose.world_from_wrist.translation.vector += self.beside;
        pose.angles = self.angles(&pose.angles);
        Hand::new(real_hand.profile, &pose)
    }

    fn angles(&self, real: &JointAngles) -> JointAngles {
        let mut angles = *real;
        for finger in Finger::ALL {
            angles = bent(&angles, real, finger, self.shares[finger.index()]);
        }
        angles
    }
}

/// The vector `way`, shortened to the length `most` if it is longer.
fn limited(way: Vector3<f64>, most: f64) -> Vector3<f64> {
    let length = way.norm();
    if length > most { way * (most / length) } else { way }
}

#[cfg(test)]
mod tests;
