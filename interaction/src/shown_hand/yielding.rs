//! From one look to the next: fingers and hand give way to the skin, and go back where it lets them.

use calibration::Finger;
use nalgebra::Vector3;
use physics::Shape;

use super::{SKIN, Shown, View, Ways, limited, pushed_out};
use crate::grasp::AtSkin;
use crate::hand::{centre, moved};

/// So often a hand is pushed out of where it is deepest: the skin is not flat, and not the same everywhere.
const N_PUSHES: usize = 6;
/// So often a way back is tried, each time half as far, that is not free.
const N_TRIES: usize = 3;
/// Shorter than this, in metres, is no way.
const SHORTEST: f64 = 1e-5;

impl Shown {
    /// How a hand is shown next that was shown like this.
    pub(super) fn go_on(&mut self, view: &View<'_>, ways: &Ways) {
        if view.rules.fingers == AtSkin::Passes {
            self.shares = Self::AS_IT_IS.shares;
        }
        self.give_way(view, ways.pushed);
        self.go_back(view, ways.returning);
        if view.rules.fingers == AtSkin::Stops {
            for finger in Finger::ALL {
                let stopping = view.stopping(self, finger);
                let shares = &mut self.shares[finger.index()];
                *shares = stopping.closed(*shares, ways.closing);
            }
        }
    }

    /// Opens fingers that are in the skin, and moves the hand away from where that is not enough; says whether all of
    /// it is out then.
    fn give_way(&mut self, view: &View<'_>, most: f64) -> bool {
        let (mut farthest, mut is_clear) = (0.0_f64, view.rules.palm == AtSkin::Passes);
        if view.rules.fingers == AtSkin::Stops {
            for finger in Finger::ALL {
                let stopping = view.stopping(self, finger);
                let opened = stopping.opened(self.shares[finger.index()], most);
                self.shares[finger.index()] = opened.shares;
                farthest = farthest.max(opened.way);
                is_clear &= opened.is_clear;
            }
        }
        if is_clear {
            return true;
        }
        // The tip of a finger that has opened goes with the hand as well.
        let mut left = most - farthest;
        for _ in 0..N_PUSHES {
            let Some(push) = self.push(view) else { return true };
            let way = limited(push, left);
            if way.norm() < SHORTEST {
                return false;
            }
            self.beside += way;
            left -= way.norm();
        }
        self.push(view).is_none()
    }

    /// Brings the hand nearer to where the real one is, along the skin if that is in the way; fingers give way.
    fn go_back(&mut self, view: &View<'_>, most: f64) {
        let mut way = limited(self.beside, most);
        for _ in 0..N_TRIES {
            if way.norm() < SHORTEST {
                return;
            }
            let mut nearer = *self;
            nearer.beside -= way;
            let is_clear = nearer.give_way(view, 2.0 * way.norm());
            if is_clear && nearer.beside.norm() < self.beside.norm() - SHORTEST {
                *self = nearer;
                return;
            }
            way *= 0.5;
        }
    }

    /// The way out of the skin from where the hand is deepest in it; nothing if it is clear.
    fn push(&self, view: &View<'_>) -> Option<Vector3<f64>> {
        let hand = self.hand(view);
        let fingers = match view.rules.fingers {
            AtSkin::Stops => Some(hand.shapes()),
            AtSkin::Passes => None,
        };
        let palm = match view.rules.palm {
            AtSkin::Stops => Some(pushed_out::palm(&hand)),
            AtSkin::Passes => None,
        };
        let palm = palm.into_iter().flatten();
        let palm = palm.map(|(centre, radius)| Shape::Sphere { centre, radius });
        let shapes = fingers.into_iter().flatten().chain(palm);
        let mut deepest: Option<(f64, Vector3<f64>)> = None;
        for shape in shapes {
            if let Some((depth, normal)) = view.deepest(&shape)
                && deepest.is_none_or(|(deepest, _)| depth > deepest)
            {
                deepest = Some((depth, normal));
            }
        }
        deepest.map(|(depth, normal)| normal * depth)
    }
}

impl View<'_> {
    /// How deep a shape is in the skin of something, and the direction to the skin where it is.
    fn deepest(&self, shape: &Shape) -> Option<(f64, Vector3<f64>)> {
        let mut deepest: Option<(f64, Vector3<f64>)> = None;
        for obstacle in self.obstacles {
            let in_object = moved(shape, &obstacle.world_from_object.inverse());
            let Some(sunk) = obstacle.surface.sunk(&in_object) else { continue };
            if sunk.depth <= SKIN || deepest.is_some_and(|(deepest, _)| sunk.depth <= deepest) {
                continue;
            }
            let Some(skin) = obstacle.surface.nearest(&sunk.at, f64::INFINITY) else { continue };
            // On the skin itself there is no way to it.
            let apart = (sunk.at - skin.point).try_normalize(1e-9);
            let outward = match obstacle.surface.is_closed() {
                true => apart.map_or(skin.normal, |apart| apart * skin.distance.signum()),
                // An open skin has no inside: the shape stays on the side where its middle is.
                false => apart.unwrap_or_else(|| skin.normal_towards(&centre(&in_object))),
            };
            deepest = Some((sunk.depth, obstacle.world_from_object * outward));
        }
        deepest
    }
}
