//! Displacement of the whole drawn hand when bending its fingers is not enough.

use calibration::{Finger, HandPose};
use nalgebra::{Point3, Vector3};
use physics::Shape;

use super::finger::{bent, is_blocked};
use super::{Obstacle, RealHand, SKIN};
use crate::grasp::AtSkin;
use crate::hand::Hand;

/// Greatest depth below the skin at which a hand is still found, in metres.
const REACH: f64 = 0.1;
/// Number of steps along a straight way: along slanted skin the hand comes out step by step.
const N_ROUNDS: usize = 12;

/// A place of the hand, with the radius of the flesh around it.
pub(super) type HandBall = (Point3<f64>, f64);

/// Displacement of the drawn hand from the real one. It is zero unless a finger cannot be bent out
/// of the skin, or the palm stops at the skin as well.
pub(super) fn beside(real_hand: &RealHand<'_>, real: &Hand) -> Vector3<f64> {
    // Fixed room: a picture of the hand is made for every sample.
    let mut balls = [(Point3::origin(), 0.0); 7 + 5 * 7];
    let mut n_balls = 0;
    let mut add = |ball: HandBall| {
        balls[n_balls] = ball;
        n_balls += 1;
    };
    if real_hand.rules.palm == AtSkin::Stops {
        palm(real).into_iter().for_each(&mut add);
    }
    if real_hand.rules.fingers == AtSkin::Stops {
        for finger in Finger::ALL {
            if !is_blocked(real, finger, real_hand.obstacles) {
                continue;
            }
            let angles = bent(&real_hand.pose.angles, &real_hand.pose.angles, finger, [0.0; 3]);
            let back = Hand::new(real_hand.profile, &HandPose { angles, ..*real_hand.pose });
            if is_blocked(&back, finger, real_hand.obstacles) {
                along(&back, finger).into_iter().for_each(&mut add);
            }
        }
    }
    way_out(real, &balls[..n_balls], real_hand.obstacles)
}

/// Balls of the palm: its corners and its middle.
pub(super) fn palm(hand: &Hand) -> [HandBall; 7] {
    let [a, b, c, d, e, f] = hand.palm.outline;
    let sum: Vector3<f64> = hand.palm.outline.iter().map(|corner| corner.coords).sum();
    let middle = Point3::from(sum / hand.palm.outline.len() as f64);
    [a, b, c, d, e, f, middle].map(|at| (at, hand.palm.radius))
}

/// Balls along a finger.
fn along(hand: &Hand, finger: Finger) -> [HandBall; 7] {
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

/// Displacement that brings all balls out of everything. It is the shortest of three straight ways:
/// towards the skin where the deepest ball is nearest to it, and along two axes of the palm, away
/// from what they run into.
fn way_out(hand: &Hand, balls: &[HandBall], obstacles: &[Obstacle<'_>]) -> Vector3<f64> {
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

/// Distance that the balls have to go along `way`, or `most` if it is longer.
fn length(balls: &[HandBall], way: &Vector3<f64>, obstacles: &[Obstacle<'_>], most: f64) -> f64 {
    let mut length = 0.0;
    // The balls must go at least as far as the deepest one is deep.
    for _ in 0..N_ROUNDS {
        if length >= most {
            return most;
        }
        let Some((depth, _)) = deepest(balls, &(way * length), obstacles) else { break };
        length += depth;
    }
    length
}

/// Depth of the deepest ball, and the direction from there to the skin. An open skin has no inside:
/// there, a ball is no deeper than its radius, and it leaves on the side of its centre.
fn deepest(
    balls: &[HandBall],
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
