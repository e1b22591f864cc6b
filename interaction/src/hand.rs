//! Shapes of a posed hand in the world: cylinders, fingertip spheres, the palm.

use std::f64::consts::PI;
use std::time::Duration;

use calibration::{Finger, HandPose, Profile};
use drivers::Side;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use physics::{Proxy, ProxyId, Shape};

use crate::collision::Ball;

/// The hand at one moment, in the world.
#[derive(Debug, Clone)]
pub struct Hand {
    /// Three cylinders for each finger, from the palm outward, thumb first.
    pub segments: [[Shape; 3]; 5],
    /// The sphere at the end of each finger.
    pub fingertips: [Fingertip; 5],
    /// The palm. It takes part in no contact; a rule decides if it is drawn outside of the skin.
    pub palm: Palm,
    /// Frame of the palm; held things follow it.
    pub world_from_palm: Isometry3<f64>,
}

/// The palm: a rounded slab.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Palm {
    /// Corners, in order around the palm.
    pub outline: [Point3<f64>; 6],
    /// Half the thickness.
    pub radius: f64,
}

/// The ball at the end of a finger; it makes the contacts with things.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fingertip {
    pub centre: Point3<f64>,
    pub radius: f64,
}

impl Hand {
    /// Number of shapes that can touch: the segments and the fingertips.
    pub const N_SHAPES: usize = 20;

    /// Creates the hand of `profile` in `pose`.
    pub fn new(profile: &Profile, pose: &HandPose) -> Self {
        let bones = profile.bones(&pose.angles);
        let world = &pose.world_from_wrist;
        let mut fingertips = [Fingertip { centre: Point3::origin(), radius: 0.0 }; 5];
        let segments = Finger::ALL.map(|finger| {
            let bones = &bones.fingers[finger.index()];
            let joints = bones.joints.map(|joint| world * joint);
            let radius = bones.radii[2];
            // The tip's ball lies within the last segment, so that the finger keeps its length.
            let last = joints[3] - joints[2];
            let centre = joints[2] + last * (1.0 - radius / last.norm());
            fingertips[finger.index()] = Fingertip { centre, radius };
            let ends = [joints[0], joints[1], joints[2], centre];
            [0, 1, 2].map(|i| Shape::Cylinder {
                start: ends[i],
                end: ends[i + 1],
                radius: bones.radii[i],
            })
        });
        Self {
            segments,
            fingertips,
            palm: Palm {
                outline: bones.palm_outline.map(|corner| world * corner),
                radius: bones.palm_radius,
            },
            world_from_palm: world * bones.wrist_from_palm,
        }
    }

    /// Mean bend of the four long fingers from the palm to their tips, in radians.
    pub fn bend(&self) -> f64 {
        let forward = self.world_from_palm * -Vector3::z();
        let bends = self.segments[1..].iter().map(|segments| match segments[2] {
            // A finger without length says nothing about the hand being open.
            Shape::Cylinder { start, end, .. } if start == end => PI,
            Shape::Cylinder { start, end, .. } => forward.angle(&(end - start)),
            Shape::Sphere { .. } => PI,
        });
        bends.sum::<f64>() / 4.0
    }

    /// All shapes that can touch, in a fixed order.
    pub fn shapes(&self) -> impl Iterator<Item = Shape> {
        let tips = self.fingertips.iter().map(Fingertip::shape);
        self.segments.iter().flatten().copied().chain(tips)
    }

    /// The ids of these shapes, in the same order, for a hand of this side.
    pub fn proxy_ids(side: Side) -> impl Iterator<Item = ProxyId> {
        let id = move |finger, segment| ProxyId { hand: side as u8, finger, segment };
        let segments = (0..5).flat_map(move |finger| (0..3).map(move |i| id(finger, i)));
        segments.chain((0..5).map(move |finger| id(finger, ProxyId::TIP)))
    }

    /// The shape with this id, for a hand of either side.
    pub fn part(&self, id: ProxyId) -> Option<Shape> {
        let finger = usize::from(id.finger);
        if id.segment == ProxyId::TIP {
            return self.fingertips.get(finger).map(Fingertip::shape);
        }
        self.segments.get(finger)?.get(usize::from(id.segment)).copied()
    }

    /// Adds the shapes to `proxies`, as moving shapes in an object's frame. Velocities are relative
    /// to the object: zero while hand and object move together.
    pub fn proxies(
        &self,
        side: Side,
        object_from_world: &Isometry3<f64>,
        before: Option<&EarlierHand<'_>>,
        proxies: &mut Vec<Proxy>,
    ) {
        let bones = self.bone_orientations();
        let still = |(shape, id): (Shape, ProxyId)| Proxy {
            id,
            shape: moved(&shape, object_from_world),
            // A fingertip is fixed to the last bone.
            orientation: object_from_world.rotation
                * bones[usize::from(id.finger)][usize::from(id.segment).min(2)],
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
        };
        let now = self.shapes().zip(Self::proxy_ids(side)).map(still);
        match before {
            Some(before) if !before.ago.is_zero() => {
                proxies.extend(now.zip(before.hand.shapes()).map(|(proxy, then)| {
                    let then = moved(&then, before.object_from_world);
                    let (velocity, angular_velocity) = velocities(&then, &proxy.shape, before.ago);
                    Proxy { velocity, angular_velocity, ..proxy }
                }));
            }
            _ => proxies.extend(now),
        }
    }

    /// Orientation of each bone in the world, with y along it: the palm's orientation, turned the
    /// shortest way from bone to bone, so that no bone spins about itself.
    fn bone_orientations(&self) -> [[UnitQuaternion<f64>; 3]; 5] {
        self.segments.map(|segments| {
            let along_palm = UnitQuaternion::rotation_between(&Vector3::y(), &-Vector3::z());
            let mut last = self.world_from_palm.rotation * along_palm.unwrap_or_default();
            segments.map(|segment| {
                if let Shape::Cylinder { start, end, .. } = segment
                    && let Some(turn) =
                        UnitQuaternion::rotation_between(&(last * Vector3::y()), &(end - start))
                {
                    last = turn * last;
                }
                last
            })
        })
    }
}

/// An earlier hand, with the object's place at that time.
#[derive(Debug)]
pub struct EarlierHand<'a> {
    pub hand: &'a Hand,
    pub object_from_world: &'a Isometry3<f64>,
    pub ago: Duration,
}

impl Fingertip {
    /// The fingertip as a ball for contact tests.
    pub fn ball(&self) -> Ball {
        Ball { centre: self.centre, radius: self.radius }
    }

    /// The fingertip as a shape.
    pub fn shape(&self) -> Shape {
        Shape::Sphere { centre: self.centre, radius: self.radius }
    }
}

/// Transforms a shape into another frame.
pub fn moved(shape: &Shape, to_from: &Isometry3<f64>) -> Shape {
    match *shape {
        Shape::Sphere { centre, radius } => Shape::Sphere { centre: to_from * centre, radius },
        Shape::Cylinder { start, end, radius } => {
            Shape::Cylinder { start: to_from * start, end: to_from * end, radius }
        }
    }
}

fn velocities(then: &Shape, now: &Shape, elapsed: Duration) -> (Vector3<f64>, Vector3<f64>) {
    let per_second = 1.0 / elapsed.as_secs_f64();
    let velocity = (centre(now) - centre(then)) * per_second;
    let turn = match (then, now) {
        (Shape::Cylinder { start: a, end: b, .. }, Shape::Cylinder { start: c, end: d, .. }) => {
            // Both axes have the length of the bone. The ends do not show a spin about the bone's
            // own axis.
            let (before, after) = (b - a, d - c);
            let length = before.norm() * after.norm();
            if length > 0.0 { before.cross(&after) / length } else { Vector3::zeros() }
        }
        _ => Vector3::zeros(),
    };
    (velocity, turn * per_second)
}

/// The middle of a shape.
pub(crate) fn centre(shape: &Shape) -> Point3<f64> {
    match *shape {
        Shape::Sphere { centre, .. } => centre,
        Shape::Cylinder { start, end, .. } => nalgebra::center(&start, &end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calibration::JointAngles;

    fn hand_at(world_from_wrist: Isometry3<f64>) -> Hand {
        let pose = HandPose { angles: JointAngles::default(), world_from_wrist };
        Hand::new(&Profile::uncalibrated(Side::Right), &pose)
    }

    #[test]
    fn a_hand_has_fifteen_cylinders_and_five_spheres() {
        let hand = hand_at(Isometry3::identity());
        let spheres = hand.shapes().filter(|s| matches!(s, Shape::Sphere { .. })).count();
        assert_eq!((hand.shapes().count(), spheres), (Hand::N_SHAPES, 5));
        // Each shape has its own id, and the ids tell which shapes are tips.
        let ids: Vec<ProxyId> = Hand::proxy_ids(Side::Left).collect();
        for (id, shape) in ids.iter().zip(hand.shapes()) {
            assert_eq!(id.segment == ProxyId::TIP, matches!(shape, Shape::Sphere { .. }));
            assert_eq!(ids.iter().filter(|other| *other == id).count(), 1, "{id:?}");
            assert_eq!(hand.part(*id), Some(shape));
        }
    }

    fn proxies(now: &Hand, before: &Hand, carried: &Isometry3<f64>) -> Vec<Proxy> {
        let earlier = EarlierHand {
            hand: before,
            object_from_world: &Isometry3::identity(),
            ago: Duration::from_millis(10),
        };
        let mut proxies = Vec::new();
        now.proxies(Side::Right, &carried.inverse(), Some(&earlier), &mut proxies);
        proxies
    }

    #[test]
    fn a_moving_hand_has_moving_proxies() {
        let before = hand_at(Isometry3::identity());
        let shifted = hand_at(Isometry3::translation(0.002, 0.0, 0.0));
        for proxy in proxies(&shifted, &before, &Isometry3::identity()) {
            assert!((proxy.velocity - Vector3::new(0.2, 0.0, 0.0)).norm() < 1e-9);
            assert!(proxy.angular_velocity.norm() < 1e-9);
        }
        let turned = hand_at(Isometry3::rotation(Vector3::y() * 0.01));
        let fastest = proxies(&turned, &before, &Isometry3::identity())
            .iter()
            .map(|p| p.angular_velocity.norm())
            .fold(0.0, f64::max);
        assert!((fastest - 1.0).abs() < 1e-3, "{fastest} rad/s");
    }

    #[test]
    fn bones_turn_with_the_hand_and_lie_along_their_segments() {
        let turn = Isometry3::rotation(Vector3::new(0.3, -0.2, 0.9));
        let of = |hand: &Hand| {
            let mut proxies = Vec::new();
            hand.proxies(Side::Right, &Isometry3::identity(), None, &mut proxies);
            proxies
        };
        let (straight, turned) = (of(&hand_at(Isometry3::identity())), of(&hand_at(turn)));
        for (straight, turned) in straight.iter().zip(&turned) {
            let apart = (turn.rotation * straight.orientation).angle_to(&turned.orientation);
            assert!(apart < 1e-6, "{:?} {apart}", turned.id);
            if let Shape::Cylinder { start, end, .. } = turned.shape {
                let axis = end - start;
                let along = turned.orientation * Vector3::y() * axis.norm();
                assert!((along - axis).norm() < 1e-9 * axis.norm());
            }
        }
    }

    #[test]
    fn a_hand_that_carries_the_object_does_not_move_as_the_object_sees_it() {
        let motion = Isometry3::new(Vector3::new(0.01, 0.02, -0.01), Vector3::new(0.1, -0.2, 0.05));
        for proxy in proxies(&hand_at(motion), &hand_at(Isometry3::identity()), &motion) {
            assert!(proxy.velocity.norm() < 1e-9 && proxy.angular_velocity.norm() < 1e-9);
        }
    }
}
