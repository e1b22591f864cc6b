//! Closing of the joints of one finger at the skin.

use calibration::{Finger, HandPose, JointAngles, Profile};
use physics::Shape;

use super::{Obstacle, SKIN};
use crate::hand::{Hand, moved};

/// Step of a joint's share of the way from bent back to real: about 5 mm at the tip.
const STEP: f64 = 0.05;
/// Precision of a stopped joint's share: a tenth of a millimetre at the tip.
const NEAREST: f64 = 5e-4;
/// Largest backward bend of a finger, in degrees: knuckle, middle and end joint.
const BACK_DEG: [f64; 3] = [30.0, 5.0, 10.0];
/// Largest backward bend of the thumb, in degrees: roll, MPJ and IJ.
const THUMB_BACK_DEG: [f64; 3] = [25.0, 10.0, 15.0];
/// Error of computed depths, in metres.
const TOLERANCE: f64 = 1e-4;

/// One finger between bent back and where the real one is.
pub(super) struct StoppedFinger<'a> {
    pub(super) profile: &'a Profile,
    /// Pose of the real hand, or the same pose displaced.
    pub(super) pose: HandPose,
    pub(super) finger: Finger,
    pub(super) obstacles: &'a [Obstacle<'a>],
}

/// Contact of a finger that is in the skin of a thing.
#[derive(Debug, Clone, Copy)]
struct BlockedFinger {
    /// Outermost segment that is in the skin.
    segment: usize,
    /// Depth of the deepest segment.
    depth: f64,
}

/// A finger that was opened.
pub(super) struct OpenedFinger {
    /// Closing of the joints, after opening.
    pub(super) shares: [f64; 3],
    /// Distance that the tip has moved, in metres.
    pub(super) way: f64,
    /// True if the finger is out of the skin.
    pub(super) is_clear: bool,
}

impl StoppedFinger<'_> {
    /// Closing of the joints without an earlier picture: opened as far as they must, then closed as
    /// far as they can.
    pub(super) fn settled(&self) -> [f64; 3] {
        let mut shares = [1.0; 3];
        while let Some(segment) = self.stopped(shares) {
            let opened = opened(shares, segment, STEP);
            if opened == shares {
                // The finger is bent back as far as possible.
                return shares;
            }
            if self.stopped(opened).is_none() {
                shares = self.between(opened, shares);
                break;
            }
            shares = opened;
        }
        self.closed(shares, f64::INFINITY)
    }

    /// Opens the joints as far as they must, while that brings the finger out of the skin and its
    /// tip moves no farther than `most`, in metres.
    pub(super) fn opened(&self, from: [f64; 3], most: f64) -> OpenedFinger {
        let mut blocked = self.blocked(from);
        if blocked.is_none() {
            return OpenedFinger { shares: from, way: 0.0, is_clear: true };
        }
        let way_of_tip = self.way_of_tip();
        let (mut shares, mut left) = (from, most / way_of_tip);
        while let Some(BlockedFinger { segment, depth }) = blocked {
            let step = STEP.min(left);
            let opened = opened(shares, segment, step);
            if opened == shares {
                break;
            }
            blocked = self.blocked(opened);
            match blocked {
                None => {
                    shares = self.between(opened, shares);
                    break;
                }
                // The finger comes from the other side: opening it would push it in.
                Some(now) if now.depth > depth + TOLERANCE => break,
                Some(_) => (shares, left) = (opened, left - step),
            }
        }
        let widest = from.iter().zip(&shares).map(|(from, to)| from - to).fold(0.0, f64::max);
        OpenedFinger { shares, way: widest * way_of_tip, is_clear: blocked.is_none() }
    }

    /// Closes the joints as far as they can, while the tip moves no farther than `way`, in metres.
    pub(super) fn closed(&self, from: [f64; 3], way: f64) -> [f64; 3] {
        if from == [1.0; 3] {
            return from;
        }
        let (mut shares, mut left) = (from, way / self.way_of_tip());
        let mut first = 0;
        while first < 3 {
            let step = STEP.min(left);
            let closed = closed(shares, first, step);
            if closed == shares {
                break;
            }
            match self.stopped(closed) {
                None => (shares, left) = (closed, left - step),
                // A stopped segment also stops the joints that are nearer to the palm; joints
                // beyond it go on.
                Some(segment) => {
                    shares = self.between(shares, closed);
                    first = segment.max(first) + 1;
                }
            }
        }
        shares
    }

    /// The shares nearest to `blocked` at which the finger is free.
    fn between(&self, mut free: [f64; 3], mut blocked: [f64; 3]) -> [f64; 3] {
        let apart = |a: [f64; 3], b: [f64; 3]| {
            a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        while apart(free, blocked) > NEAREST {
            let middle = std::array::from_fn(|i| 0.5 * (free[i] + blocked[i]));
            match self.stopped(middle) {
                None => free = middle,
                Some(_) => blocked = middle,
            }
        }
        free
    }

    /// The outermost segment that is in the skin of a thing, if any.
    fn stopped(&self, shares: [f64; 3]) -> Option<usize> {
        parts(&self.hand(shares), self.finger)
            .into_iter()
            .find(|(_, shape)| depth(shape, self.obstacles) > SKIN)
            .map(|(segment, _)| segment)
    }

    /// Same as [`stopped`](Self::stopped), with the depth of the finger.
    fn blocked(&self, shares: [f64; 3]) -> Option<BlockedFinger> {
        let mut blocked: Option<BlockedFinger> = None;
        for (segment, shape) in parts(&self.hand(shares), self.finger) {
            let depth = depth(&shape, self.obstacles);
            if depth > SKIN {
                let outermost = blocked.map_or(segment, |blocked| blocked.segment);
                let deepest = blocked.map_or(depth, |blocked| blocked.depth.max(depth));
                blocked = Some(BlockedFinger { segment: outermost, depth: deepest });
            }
        }
        blocked
    }

    fn hand(&self, shares: [f64; 3]) -> Hand {
        let angles = bent(&self.pose.angles, &self.pose.angles, self.finger, shares);
        Hand::new(self.profile, &HandPose { angles, ..self.pose })
    }

    /// Longest path of the tip from bent back to real, in metres.
    fn way_of_tip(&self) -> f64 {
        let hand = self.hand([1.0; 3]);
        let lengths = hand.segments[self.finger.index()].map(|segment| match segment {
            Shape::Cylinder { start, end, .. } => (end - start).norm(),
            Shape::Sphere { .. } => 0.0,
        });
        let [first, second, third] = lengths;
        let reaches = [first + second + third, second + third, third];
        let back = bent(&self.pose.angles, &self.pose.angles, self.finger, [0.0; 3]);
        let turns = joints(&self.pose.angles, self.finger)
            .into_iter()
            .zip(joints(&back, self.finger))
            .map(|(real, back)| (real - back).abs());
        let way: f64 = turns.zip(reaches).map(|(turn, reach)| turn * reach).sum();
        // A finger that cannot be bent back farther has no path at all.
        way.max(1e-6)
    }
}

/// True if a finger is in the skin of a thing.
pub(super) fn is_blocked(hand: &Hand, finger: Finger, obstacles: &[Obstacle<'_>]) -> bool {
    parts(hand, finger).iter().any(|(_, shape)| depth(shape, obstacles) > SKIN)
}

/// The parts of a finger from its tip inward, each with the number of its segment.
fn parts(hand: &Hand, finger: Finger) -> [(usize, Shape); 4] {
    let [first, second, third] = hand.segments[finger.index()];
    [(2, hand.fingertips[finger.index()].shape()), (2, third), (1, second), (0, first)]
}

/// Depth of a shape in the skin of a thing.
fn depth(shape: &Shape, obstacles: &[Obstacle<'_>]) -> f64 {
    let depths = obstacles.iter().map(|obstacle| {
        let in_object = moved(shape, &obstacle.world_from_object.inverse());
        obstacle.surface.segment_depth(&in_object)
    });
    depths.fold(0.0, f64::max)
}

/// The shares with the joints up to `segment` opened by a step.
fn opened(mut shares: [f64; 3], segment: usize, step: f64) -> [f64; 3] {
    shares[..=segment].iter_mut().for_each(|share| *share = (*share - step).max(0.0));
    shares
}

/// The shares with the joints from `first` on closed by a step.
fn closed(mut shares: [f64; 3], first: usize, step: f64) -> [f64; 3] {
    shares[first..].iter_mut().for_each(|share| *share = (*share + step).min(1.0));
    shares
}

/// Angles of a finger's joints that bend at the skin, from the palm outward.
fn joints(angles: &JointAngles, finger: Finger) -> [f64; 3] {
    match finger {
        Finger::Thumb => [angles.thumb.roll, angles.thumb.mpj, angles.thumb.ij],
        Finger::Index | Finger::Middle | Finger::Ring | Finger::Pinkie => {
            let joints = &angles.fingers[finger.index() - 1];
            [joints.mpj, joints.pij, joints.dij]
        }
    }
}

/// `angles` with the joints of one finger at `shares` of the way from bent back to `real`.
pub(super) fn bent(
    angles: &JointAngles,
    real: &JointAngles,
    finger: Finger,
    shares: [f64; 3],
) -> JointAngles {
    let back_deg = match finger {
        // The thumb opens beside the palm; its abduction stays.
        Finger::Thumb => THUMB_BACK_DEG,
        Finger::Index | Finger::Middle | Finger::Ring | Finger::Pinkie => BACK_DEG,
    };
    let real = joints(real, finger);
    let [first, second, third] = std::array::from_fn(|i| {
        // A joint that is bent back farther already stays so.
        let back = real[i].min(-back_deg[i].to_radians());
        // Exactly the real angle at the end of the way.
        if shares[i] == 1.0 { real[i] } else { back + (real[i] - back) * shares[i] }
    });
    let mut bent = *angles;
    match finger {
        Finger::Thumb => {
            (bent.thumb.roll, bent.thumb.mpj, bent.thumb.ij) = (first, second, third);
        }
        Finger::Index | Finger::Middle | Finger::Ring | Finger::Pinkie => {
            let joints = &mut bent.fingers[finger.index() - 1];
            (joints.mpj, joints.pij, joints.dij) = (first, second, third);
        }
    }
    bent
}
