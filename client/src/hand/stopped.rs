//! The hand as it is shown: fingers stop at the skin of a thing, wherever the real ones are.
//!
//! [Ma98], section 4.5.3: a segment that collides is shown where it was just before, and when a distal part
//! collides, the parts of its finger that are nearer to the palm are held as well. Ours needs no memory
//! of what was before: of all poses between the straight finger and the real one, the nearest to the real
//! one that is free is shown, so a finger cannot get stuck. Joints farther out than the segment that is
//! stopped go on closing.

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

/// Deeper than this is in the skin, in metres: about what can be seen.
const SKIN: f64 = 2e-4;
/// Halvings of the way from straight to real: the last is a tenth of a degree.
const N_HALVINGS: usize = 10;
/// How deep below the skin a palm is still found, in metres.
const PALM_REACH: f64 = 0.03;

/// The hand of `pose`, stopped where `rules` say so.
pub fn stopped(
    profile: &Profile,
    pose: &HandPose,
    rules: &GraspRules,
    obstacles: &[Obstacle<'_>],
) -> Hand {
    let mut pose = *pose;
    let mut hand = Hand::new(profile, &pose);
    if rules.palm == AtSkin::Stops {
        pose.world_from_wrist.translation.vector += way_out(&hand, obstacles);
        hand = Hand::new(profile, &pose);
    }
    if rules.fingers == AtSkin::Passes {
        return hand;
    }
    for finger in Finger::ALL {
        if blocked(&hand, finger, obstacles).is_some() {
            let closing = Closing { profile, real: pose, finger, obstacles };
            pose.angles = closing.farthest(pose.angles);
            hand = Hand::new(profile, &pose);
        }
    }
    hand
}

/// One finger on its way from straight to where the real one is.
struct Closing<'a> {
    profile: &'a Profile,
    real: HandPose,
    finger: Finger,
    obstacles: &'a [Obstacle<'a>],
}

impl Closing<'_> {
    /// The angles with which the finger is as far as it can go.
    fn farthest(&self, angles: JointAngles) -> JointAngles {
        let mut shares = [0.0; 3];
        let mut first = 0;
        while first < 3 {
            let (share, stopped) = self.closed(&angles, shares, first);
            shares[first..].fill(share);
            // A joint is held with whatever is stopped farther out; those beyond that go on.
            first = stopped.map_or(3, |segment| segment.max(first) + 1);
        }
        bent(&angles, self.finger, shares)
    }

    /// How far the joints from `first` on can close together, and which segment stops them.
    fn closed(&self, angles: &JointAngles, shares: [f64; 3], first: usize) -> (f64, Option<usize>) {
        let blocked = |share: f64| {
            let mut tried = shares;
            tried[first..].fill(share);
            self.blocked(angles, tried)
        };
        let (mut free, mut too_far) = (shares[first], 1.0);
        let mut stopped = blocked(too_far);
        if stopped.is_none() {
            return (too_far, None);
        }
        for _ in 0..N_HALVINGS {
            let middle = 0.5 * (free + too_far);
            match blocked(middle) {
                None => free = middle,
                segment => (too_far, stopped) = (middle, segment),
            }
        }
        (free, stopped)
    }

    fn blocked(&self, angles: &JointAngles, shares: [f64; 3]) -> Option<usize> {
        let angles = bent(angles, self.finger, shares);
        let hand = Hand::new(self.profile, &HandPose { angles, ..self.real });
        blocked(&hand, self.finger, self.obstacles)
    }
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

/// `angles` with the joints of one finger bent by only a part of what they are.
fn bent(angles: &JointAngles, finger: Finger, [first, second, third]: [f64; 3]) -> JointAngles {
    let mut bent = *angles;
    match finger {
        Finger::Thumb => {
            // The thumb comes from beside the palm, as far from the index as it is.
            bent.thumb.roll *= first;
            bent.thumb.mpj *= second;
            bent.thumb.ij *= third;
        }
        Finger::Index | Finger::Middle | Finger::Ring | Finger::Pinkie => {
            let joints = &mut bent.fingers[finger.index() - 1];
            joints.mpj *= first;
            joints.pij *= second;
            joints.dij *= third;
        }
    }
    bent
}

/// How far the palm has to go, and where, to be out of everything.
fn way_out(hand: &Hand, obstacles: &[Obstacle<'_>]) -> Vector3<f64> {
    let palm = &hand.palm;
    let n = palm.outline.len() as f64;
    let middle = palm.outline.iter().map(|corner| corner.coords).sum::<Vector3<f64>>() / n;
    let mut out = Vector3::zeros();
    // Out of one thing may be into the next; a few rounds settle it.
    for _ in 0..4 {
        let mut deepest: Option<(f64, Vector3<f64>)> = None;
        for obstacle in obstacles {
            let object_from_world = obstacle.world_from_object.inverse();
            for point in palm.outline.iter().copied().chain([middle.into()]) {
                let in_object = object_from_world * (point + out);
                let Some(skin) = obstacle.surface.nearest(&in_object, palm.radius + PALM_REACH)
                else {
                    continue;
                };
                let depth = palm.radius - skin.distance;
                if depth > SKIN && deepest.is_none_or(|(deepest, _)| depth > deepest) {
                    deepest = Some((depth, obstacle.world_from_object * skin.normal));
                }
            }
        }
        let Some((depth, normal)) = deepest else { break };
        out += normal * depth;
    }
    out
}

#[cfg(test)]
mod tests;
