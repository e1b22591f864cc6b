//! Where the whole hand is shown when bending its fingers is not enough.

use calibration::{Finger, HandPose};
use nalgebra::{Point3, Vector3};
use physics::Shape;

use super::finger::{bent, is_blocked};
use super::{Obstacle, SKIN, View};
use crate::grasp::AtSkin;
use crate::hand::Hand;

/// How deep below the skin a hand is still found, in metres.
const REACH: f64 = 0.1;
/// Looks on a straight way: along slanted skin it comes out little by little.
const N_ROUNDS: usize = 12;

/// A place of the hand, and how far its flesh reaches about it.
pub(super) type Ball = (Point3<f64>, f64);

/// How far the hand has to be shown from where it is, and where: nowhere unless a finger cannot be bent out of the
/// skin, or the palm stops there as well.
pub(super) fn beside(view: &View<'_>, real: &Hand) -> Vector3<f64> {
    // Fixed room: a picture of the hand is made for every sample.
    let mut balls = [(Point3::origin(), 0.0); 7 + 5 * 7];
    let mut n_balls = 0;
    let mut add = |ball: Ball| {
        balls[n_balls] = ball;
        n_balls += 1;
    };
    if view.rules.palm == AtSkin::Stops {
        palm(real).into_iter().for_each(&mut add);
    }
    if view.rules.fingers == AtSkin::Stops {
        for finger in Finger::ALL {
            if !is_blocked(real, finger, view.obstacles) {
                continue;
            }
            let angles = bent(&view.pose.angles, &view.pose.angles, finger, [0.0; 3]);
            let back = Hand::new(view.profile, &HandPose { angles, ..*view.pose });
            if is_blocked(&back, finger, view.obstacles) {
                along(&back, finger).into_iter().for_each(&mut add);
            }
        }
    }
    way_out(real, &balls[..n_balls], view.obstacles)
}

/// Places of the palm: its corners and its middle.
pub(super) fn palm(hand: &Hand) -> [Ball; 7] {
    let [a, b, c, d, e, f] = hand.palm.outline;
    let sum: Vector3<f64> = hand.palm.outline.iter().map(|corner| corner.coords).sum();
    let middle = Point3::from(sum / hand.palm.outline.len() as f64);
    [a, b, c, d, e, f, middle].map(|at| (at, hand.palm.radius))
}

/// Places along a finger.
fn along(hand: &Hand, finger: Finger) -> [Ball; 7] {
    let tip = hand.fingertips[finger.index()];
    let mut balls = [(tip.centre, tip.radius); 7];
    for (i, segment) in hand.segments[finger.index()].iter().enumerate() {
        if let Shape::Cylinder { start, end, radius } = *segment {
            balls[2 * i] = (start, radius);
            balls[2 * i + 1] = (nalgebra::center(&start, &end), radius);
        }
    }
    balls
}

/// How far all balls together have to go, and where, to be out of everything: the shortest of a few straight ways,
/// backwards from what they run into, and where the deepest of them is nearest to the skin.
fn way_out(hand: &Hand, balls: &[Ball], obstacles: &[Obstacle<'_>]) -> Vector3<f64> {
    let Some((_, normal)) = deepest(balls, &Vector3::zeros(), obstacles) else {
        return Vector3::zeros();
    };
    let palm = hand.world_from_palm.rotation;
    let mut shortest = (f64::INFINITY, Vector3::zeros());
    for way in [normal, palm * Vector3::y(), palm * Vector3::z()] {
        let length = length(balls, &way, obstacles, shortest.0);
        if length < shortest.0 {
            shortest = (length, way * length);
        }
    }
    shortest.1
}

/// How far the balls have to go that way; `most` if it is farther than that.
fn length(balls: &[Ball], way: &Vector3<f64>, obstacles: &[Obstacle<'_>], most: f64) -> f64 {
    let mut length = 0.0;
    // Nobody gets out sooner than the deepest is deep.
    for _ in 0..N_ROUNDS {
        if length >= most {
            return most;
        }
        let Some((depth, _)) = deepest(balls, &(way * length), obstacles) else { break };
        length += depth;
    }
    length
}

/// The depth of the ball that is deepest in something, and the way to the skin there. In an open
/// skin, which has no inside, a ball is no deeper than its radius, and its way out is to the side
/// where its centre is.
fn deepest(
    balls: &[Ball],
    moved: &Vector3<f64>,
    obstacles: &[Obstacle<'_>],
) -> Option<(f64, Vector3<f64>)> {
    let mut deepest: Option<(f64, Vector3<f64>)> = None;
    for obstacle in obstacles {
        let object_from_world = obstacle.world_from_object.inverse();
        for (at, radius) in balls {
            let in_object = object_from_world * (at + moved);
            let Some(skin) = obstacle.surface.nearest(&in_object, radius + REACH) else { continue };
            let (distance, outward) = match obstacle.surface.is_closed() {
                true => (skin.distance, skin.normal),
                false => {
                    let apart = (in_object - skin.point).try_normalize(1e-9);
                    (skin.distance.abs(), apart.unwrap_or(skin.normal))
                }
            };
            let depth = radius - distance;
            if depth > SKIN && deepest.is_none_or(|(deepest, _)| depth > deepest) {
                deepest = Some((depth, obstacle.world_from_object * outward));
            }
        }
    }
    deepest
}
