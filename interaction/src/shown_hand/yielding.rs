//! Motion from one picture to the next: fingers and hand move out of the skin, and return where the
//! skin lets them.

use calibration::Finger;
use nalgebra::Vector3;
use physics::Shape;

use super::{MotionLimits, RealHand, SKIN, ShownOffset, limited, pushed_out};
use crate::grasp::AtSkin;
use crate::hand::{centre, moved};

/// Number of pushes of a hand out of its deepest place: the skin is neither flat nor the same
/// everywhere.
const N_PUSHES: usize = 6;
/// Number of attempts to return, each half as far as the last one.
const N_TRIES: usize = 3;
/// Shortest motion, in metres.
const SHORTEST: f64 = 1e-5;

impl ShownOffset {
    /// Updates the drawn hand for the next picture.
    pub(super) fn go_on(&mut self, real_hand: &RealHand<'_>, limits: &MotionLimits) {
        if real_hand.rules.fingers == AtSkin::Passes {
            self.shares = Self::AS_IT_IS.shares;
        }
        self.give_way(real_hand, limits.pushed);
        self.go_back(real_hand, limits.returning);
        if real_hand.rules.fingers == AtSkin::Stops {
            for finger in Finger::ALL {
                let stopped_finger = real_hand.stopped_finger(self, finger);
                let shares = &mut self.shares[finger.index()];
                *shares = stopped_finger.closed(*shares, limits.closing);
            }
        }
    }

    /// Opens fingers that are in the skin, and displaces the hand where that is not enough. Returns
    /// true if everything is out of the skin afterwards.
    fn give_way(&mut self, real_hand: &RealHand<'_>, most: f64) -> bool {
        let (mut farthest, mut is_clear) = (0.0_f64, real_hand.rules.palm == AtSkin::Passes);
        if real_hand.rules.fingers == AtSkin::Stops {
            for finger in Finger::ALL {
                let stopped_finger = real_hand.stopped_finger(self, finger);
                let opened = stopped_finger.opened(self.shares[finger.index()], most);
                self.shares[finger.index()] = opened.shares;
                farthest = farthest.max(opened.way);
                is_clear &= opened.is_clear;
            }
        }
        if is_clear {
            return true;
        }
        // The displacement of the hand also moves the tip of a finger that has opened.
        let mut left = most - farthest;
        for _ in 0..N_PUSHES {
            let Some(push) = self.push(real_hand) else { return true };
            let way = limited(push, left);
            if way.norm() < SHORTEST {
                return false;
            }
            self.beside += way;
            left -= way.norm();
        }
        self.push(real_hand).is_none()
    }

    /// Brings the hand nearer to the real one, along the skin if the skin is in the way; fingers
    /// give way.
    fn go_back(&mut self, real_hand: &RealHand<'_>, most: f64) {
        let mut way = limited(self.beside, most);
        for _ in 0..N_TRIES {
            if way.norm() < SHORTEST {
                return;
            }
            let mut nearer = *self;
            nearer.beside -= way;
            let is_clear = nearer.give_way(real_hand, 2.0 * way.norm());
            if is_clear && nearer.beside.norm() < self.beside.norm() - SHORTEST {
                *self = nearer;
                return;
            }
            way *= 0.5;
        }
    }

    /// The way out of the skin from the hand's deepest place; `None` if it is clear.
    fn push(&self, real_hand: &RealHand<'_>) -> Option<Vector3<f64>> {
        let hand = self.hand(real_hand);
        let fingers = match real_hand.rules.fingers {
            AtSkin::Stops => Some(hand.shapes()),
            AtSkin::Passes => None,
        };
        let palm = match real_hand.rules.palm {
            AtSkin::Stops => Some(pushed_out::palm(&hand)),
            AtSkin::Passes => None,
        };
        let palm = palm.into_iter().flatten();
        let palm = palm.map(|(centre, radius)| Shape::Sphere { centre, radius });
        let shapes = fingers.into_iter().flatten().chain(palm);
        let mut deepest: Option<(f64, Vector3<f64>)> = None;
        for shape in shapes {
            if let Some((depth, normal)) = real_hand.deepest(&shape)
                && deepest.is_none_or(|(deepest, _)| depth > deepest)
            {
                deepest = Some((depth, normal));
            }
        }
        deepest.map(|(depth, normal)| normal * depth)
    }
}

impl RealHand<'_> {
    /// Depth of a shape in the skin of a thing, and the direction to the skin from there.
    fn deepest(&self, shape: &Shape) -> Option<(f64, Vector3<f64>)> {
        let mut deepest: Option<(f64, Vector3<f64>)> = None;
        for obstacle in self.obstacles {
            let in_object = moved(shape, &obstacle.world_from_object.inverse());
            let Some(penetration) = obstacle.surface.penetration(&in_object) else { continue };
            if penetration.depth <= SKIN
                || deepest.is_some_and(|(deepest, _)| penetration.depth <= deepest)
            {
                continue;
            }
            let Some(skin) = obstacle.surface.nearest(&penetration.at, f64::INFINITY) else {
                continue;
            };
            // On the skin itself, no direction leads to it.
            let apart = (penetration.at - skin.point).try_normalize(1e-9);
            let outward = match obstacle.surface.is_closed() {
                true => apart.map_or(skin.normal, |apart| apart * skin.distance.signum()),
                // An open skin has no inside: the shape stays on the side of its middle.
                false => apart.unwrap_or_else(|| skin.normal_towards(&centre(&in_object))),
            };
            deepest = Some((penetration.depth, obstacle.world_from_object * outward));
        }
        deepest
    }
}
