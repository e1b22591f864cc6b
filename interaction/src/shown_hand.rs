//! The hand as it is shown: fingers stop at the skin of a thing, wherever the real ones are.
//!
//! [Ma98], section 4.5.3: a segment that collides is shown where it was just before, and when a distal part
//! collides, the parts of its finger that are nearer to the palm are held as well. Ours goes on from how far each
//! joint was shown closed the last time: it opens as far as it must and closes as far as it can, so a finger neither
//! gets stuck nor drifts. Joints farther out than the segment that is stopped go on closing. A finger that is in
//! the skin even when it is straight is bent back, and if that is not enough the whole hand is shown beside
//! where it is.
//!
//! Nothing that is shown jumps: from one look to the next, fingers and hand give way only as far as the skin pushes
//! them, which is about as far as the hand or the thing has moved, and what they do by themselves has a limited speed.
//!
//! Only the picture goes by this hand. What is touched and pressed goes by the real one: a known displacement is
//! the way of the real fingertip since it touched, and one that stops at the skin would press nothing.

mod finger;
mod pushed_out;
mod yielding;

use calibration::{Finger, HandPose, JointAngles, Profile};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::collision::TouchableSurface;
use crate::grasp::{AtSkin, GraspRules};
use crate::hand::Hand;
use finger::{Stopping, bent};

/// A thing in the way of a hand.
#[derive(Debug, Clone, Copy)]
pub struct Obstacle<'a> {
    pub surface: &'a TouchableSurface,
    pub world_from_object: &'a Isometry3<f64>,
}

/// How far a hand is shown from where the real one is, from one picture to the next.
#[derive(Debug, Clone)]
pub struct Stops {
    shown: Shown,
    /// The last look at it.
    last: Option<Look>,
}

/// From the real hand to the one that is shown.
#[derive(Debug, Clone, Copy)]
struct Shown {
    /// How far each joint of each finger has closed on its way from bent back (0) to where the real one is (1).
    shares: [[f64; 3]; 5],
    /// How far beside the real hand it is.
    beside: Vector3<f64>,
}

/// When a hand was looked at, where the real one was, and where things were.
#[derive(Debug, Clone)]
struct Look {
    time: f64,
    places: [Point3<f64>; 11],
    things: Vec<Isometry3<f64>>,
}

/// Ways that parts of the hand may go between two looks, in metres, measured at a fingertip.
#[derive(Debug, Clone, Copy)]
struct Ways {
    /// Out of the skin.
    pushed: f64,
    /// Back to where the real hand is.
    returning: f64,
    /// Of a finger that closes.
    closing: f64,
}

/// Deeper than this is in the skin, in metres: about what can be seen.
const SKIN: f64 = 2e-4;
/// Metres in a second by which skin that comes without a hand or a thing moving pushes a hand at most ...
const PUSHED: f64 = 0.25;
/// ... by which a hand that was shown beside the real one returns ...
const RETURNING: f64 = 0.1;
/// ... and by which fingertips close, where nothing is in their way any more.
const CLOSING: f64 = 0.2;
/// Things reach so far from their middle, in metres, when they turn.
const SIZE: f64 = 0.05;
/// A real hand that has gone farther than this between two looks, in metres, was somewhere else: it may be shown
/// anywhere.
const FARTHEST: f64 = 0.05;

impl Default for Stops {
    fn default() -> Self {
        Self { shown: Shown::AS_IT_IS, last: None }
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
        let real = Hand::new(profile, pose);
        let look = Look::at(&real, obstacles, time);
        let ways = self.last.as_ref().and_then(|last| last.ways_to(&look));
        self.last = Some(look);
        let view = View { profile, pose, rules, obstacles };
        match ways {
            Some(ways) => self.shown.go_on(&view, &ways),
            None => self.shown = view.first(&real),
        }
        self.shown.hand(&view)
    }
}

impl Look {
    fn at(real: &Hand, obstacles: &[Obstacle<'_>], time: f64) -> Self {
        let mut places = [Point3::origin(); 11];
        let parts = real.fingertips.iter().map(|tip| tip.centre).chain(real.palm.outline);
        places.iter_mut().zip(parts).for_each(|(place, part)| *place = part);
        let things = obstacles.iter().map(|obstacle| *obstacle.world_from_object).collect();
        Self { time, places, things }
    }

    /// How far things may go until another look; nothing if this is another hand altogether.
    fn ways_to(&self, next: &Self) -> Option<Ways> {
        let places = self.places.iter().zip(&next.places);
        let moved = places.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        let things = self.things.iter().zip(&next.things).map(|(before, after)| {
            let way = after.translation.vector - before.translation.vector;
            way.norm() + SIZE * before.rotation.angle_to(&after.rotation)
        });
        // One that came from elsewhere at once pushes no faster than others.
        let pushing = things.filter(|way| *way < FARTHEST).fold(moved, f64::max);
        let elapsed = (next.time - self.time).max(0.0);
        (moved < FARTHEST).then_some(Ways {
            // A finger is pushed where the skin is, and its tip goes farther than that place.
            pushed: 2.0 * pushing + PUSHED * elapsed,
            returning: moved + RETURNING * elapsed,
            closing: CLOSING * elapsed,
        })
    }
}

/// A real hand, and what is in its way.
#[derive(Clone, Copy)]
struct View<'a> {
    profile: &'a Profile,
    pose: &'a HandPose,
    rules: &'a GraspRules,
    obstacles: &'a [Obstacle<'a>],
}

impl View<'_> {
    /// How a hand is shown that nobody saw before.
    fn first(&self, real: &Hand) -> Shown {
        let mut shown = Shown::AS_IT_IS;
        shown.beside = pushed_out::beside(self, real);
        if self.rules.fingers == AtSkin::Stops {
            for finger in Finger::ALL {
                let shares = self.stopping(&shown, finger).settled();
                shown.shares[finger.index()] = shares;
            }
        }
        shown
    }

    /// One finger of a hand that is shown like this.
    fn stopping(&self, shown: &Shown, finger: Finger) -> Stopping<'_> {
        let mut pose = *self.pose;
        pose.world_from_wrist.translation.vector += shown.beside;
        Stopping { profile: self.profile, pose, finger, obstacles: self.obstacles }
    }
}

impl Shown {
    /// Exactly where the real one is.
    const AS_IT_IS: Self = Self { shares: [[1.0; 3]; 5], beside: Vector3::new(0.0, 0.0, 0.0) };

    fn hand(&self, view: &View<'_>) -> Hand {
        let mut pose = *view.pose;
        pose.world_from_wrist.translation.vector += self.beside;
        pose.angles = self.angles(&pose.angles);
        Hand::new(view.profile, &pose)
    }

    fn angles(&self, real: &JointAngles) -> JointAngles {
        let mut angles = *real;
        for finger in Finger::ALL {
            angles = bent(&angles, real, finger, self.shares[finger.index()]);
        }
        angles
    }
}

/// A way, but no farther than so far.
fn limited(way: Vector3<f64>, most: f64) -> Vector3<f64> {
    let length = way.norm();
    if length > most { way * (most / length) } else { way }
}

#[cfg(test)]
mod tests;
