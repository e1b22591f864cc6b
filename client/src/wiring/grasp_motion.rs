//! Motion of an emulated person who takes an object of any shape, squeezes it and releases it, from
//! one side after the other.
//!
//! The emulators' demonstration is fitted to one cube. This module moves its hand around the object
//! and closes each finger until it touches the object's surface.

use std::f64::consts::PI;
use std::sync::Arc;

use calibration::{Finger, HandPose, JointAngles, Profile};
use drivers::{Sensor, Side};
use emulators::{HandState, Keyframe, Motion};
use interaction::collision::TouchableSurface;
use interaction::hand::Hand;
use interaction::posture::{CUBE_MIDDLE, Posture};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use physics::{Grip, ObjectSpec, SurfaceFrame};

/// One way to grasp an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct GraspApproach {
    /// Rotation about the vertical, from the direction of the demonstration.
    pub(super) turn: f64,
    /// Rotation before that, about the axis to the right: 0 is from above, as in the demonstration;
    /// half a turn is from below.
    pub(super) tilt: f64,
    /// Distance that the fingertips move on after they touch, or hold by friction, in metres.
    pub(super) squeeze: f64,
}

/// Grasps from the front and from the side.
pub(super) const BOTH_SIDES: [GraspApproach; 2] = [
    GraspApproach { turn: 0.0, tilt: 0.0, squeeze: 0.0075 },
    GraspApproach { turn: -0.4 * PI, tilt: 0.0, squeeze: 0.0075 },
];

/// Depth of a touching fingertip in the skin, enough for a reliable contact.
const TOUCH: f64 = 0.002;
/// Depth to which fingertips press an object that they hold by friction, in metres.
const HOLD: f64 = 0.011;
/// Largest closing of the fingers, in units of the demonstration's squeeze.
const MOST_CLOSED: f64 = 3.0;

/// Returns the motion of a person who grasps the object at `home` in each of these ways,
/// repeatedly.
pub(super) fn grasp_motion(
    spec: &ObjectSpec,
    home: &Isometry3<f64>,
    approaches: &[GraspApproach],
) -> anyhow::Result<Motion> {
    let demonstration = Motion::grasp_and_squeeze();
    let surface = at_rest(spec);
    let planner = GraspPlanner {
        middle: home * surface.middle(),
        surface,
        grip: spec.grip(),
        home: *home,
        profile: Profile::uncalibrated(Side::Right),
        demonstration: &demonstration,
    };
    let mut keyframes = Vec::new();
    for (i, approach) in approaches.iter().enumerate() {
        let start = i as f64 * demonstration.period();
        keyframes.extend(planner.taking(approach, start));
    }
    Ok(Motion::new(keyframes, approaches.len() as f64 * demonstration.period())?)
}

fn at_rest(spec: &ObjectSpec) -> TouchableSurface {
    let surface = spec.rest_surface();
    TouchableSurface::new(Arc::new(SurfaceFrame::at_rest(surface.topology, surface.positions)))
}

struct GraspPlanner<'a> {
    surface: TouchableSurface,
    /// Way in which the hand holds the object.
    grip: Grip,
    home: Isometry3<f64>,
    /// Pose of the object in the world.
    middle: Point3<f64>,
    profile: Profile,
    demonstration: &'a Motion,
}

impl GraspPlanner<'_> {
    /// Returns the demonstration's keyframes, moved to the object, with the fingers closed on it.
    fn taking(&self, approach: &GraspApproach, start: f64) -> Vec<Keyframe> {
        let keyframes = self.demonstration.keyframes();
        let state = |name: &str| keyframes.iter().find(|k| k.name == name).map(|k| &k.state);
        let Some(at) = state("at the object") else { return Vec::new() };
        let (closing, touching) = self.grip(at, approach);
        let way = closing.way;
        let moved_on = |way: f64| {
            Finger::ALL.map(|finger| closing.until_moved(finger, touching[finger.index()], way))
        };
        let (holding, squeezing) = match self.grip {
            Grip::Nodes => (touching, moved_on(approach.squeeze)),
            Grip::Contact => (moved_on(HOLD), moved_on(HOLD + approach.squeeze)),
        };
        keyframes
            .iter()
            .map(|keyframe| {
                let shares = match &*keyframe.name {
                    "squeezed" | "squeezing" => squeezing,
                    "closed on it" | "lifted" | "eased" | "put down" => holding,
                    _ => [0.0; 5],
                };
                let angles = closing.posture.angles(&shares);
                let state = self.state(&angles, &self.carried(&keyframe.state, approach, way));
                Keyframe { seconds: start + keyframe.seconds, state, name: keyframe.name.clone() }
            })
            .collect()
    }

    /// Returns a hand at the object, and the closing of each finger at contact. The object is in
    /// the middle of the grip, or as near to it as all five fingers can press something.
    fn grip(&self, at: &HandState, approach: &GraspApproach) -> (ClosingHand<'_>, [f64; 5]) {
        let mut best: Option<(usize, ClosingHand<'_>, [f64; 5])> = None;
        for way in ways() {
            let world_from_wrist = self.carried(at, approach, way);
            let posture = Posture::grasping();
            let closing = ClosingHand { planner: self, posture, world_from_wrist, way };
            let touching = Finger::ALL.map(|finger| closing.until_touch(finger));
            // A finger that touches while open would take the object before the hand is around it.
            let n_touching = touching.iter().filter(|(share, touches)| *touches && *share > 0.0);
            let n_touching = n_touching.count();
            if best.as_ref().is_none_or(|(most, ..)| n_touching > *most) {
                best = Some((n_touching, closing, touching.map(|(share, _)| share)));
            }
            if n_touching == 5 {
                break;
            }
        }
        let (_, closing, touching) = best.expect("not to move at all is a way");
        (closing, touching)
    }

    /// Returns the wrist's pose for a position of the demonstration, moved to the object and by
    /// `way` in the hand's frame.
    fn carried(
        &self,
        state: &HandState,
        approach: &GraspApproach,
        way: Vector3<f64>,
    ) -> Isometry3<f64> {
        let tracker = self.profile.tracker();
        let world_from_wrist = tracker.world_from_wrist(&source_from_sensor(state));
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), approach.turn)
            * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), approach.tilt);
        let from_cube = Translation3::from(-Vector3::from(CUBE_MIDDLE));
        let carried =
            Translation3::from(self.middle.coords) * (turn * (from_cube * world_from_wrist));
        carried * Translation3::from(way)
    }

    fn state(&self, angles: &JointAngles, world_from_wrist: &Isometry3<f64>) -> HandState {
        let tracker = self.profile.tracker();
        let source_from_sensor = tracker.world_from_source.inverse()
            * world_from_wrist
            * tracker.sensor_from_wrist.inverse();
        let (t, q) = (source_from_sensor.translation.vector, source_from_sensor.rotation);
        HandState {
            angles_deg: Sensor::ALL.map(|s| angles.measured_by(s).unwrap_or(0.0).to_degrees()),
            receiver_position_cm: (t * 100.0).into(),
            receiver_quaternion: [q.w, q.i, q.j, q.k],
        }
    }
}

/// Converts a wrist pose to the tracker's pose of the emulated hand.
fn source_from_sensor(state: &HandState) -> Isometry3<f64> {
    let [w, i, j, k] = state.receiver_quaternion;
    Isometry3::from_parts(
        Translation3::from(Vector3::from(state.receiver_position_cm) * 0.01),
        UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k)),
    )
}

/// A hand at the thing, whose fingers close one by one.
struct ClosingHand<'a> {
    planner: &'a GraspPlanner<'a>,
    posture: Posture,
    world_from_wrist: Isometry3<f64>,
    /// Offset from the demonstration's position, in the hand's frame.
    way: Vector3<f64>,
}

/// Offsets to try for a hand, in metres, the nearest first.
fn ways() -> Vec<Vector3<f64>> {
    const STEP: f64 = 0.006;
    let steps = -3..=3;
    let mut ways: Vec<_> = steps
        .clone()
        .flat_map(|x| steps.clone().flat_map(move |y| (-3..=3).map(move |z| [x, y, z])))
        .map(|way: [i32; 3]| Vector3::from(way.map(f64::from)) * STEP)
        .collect();
    ways.sort_by(|a, b| a.norm().total_cmp(&b.norm()));
    ways
}

impl ClosingHand<'_> {
    /// Returns the closing at which a finger touches reliably, and true; or the closing at which it
    /// is nearest, and false.
    fn until_touch(&self, finger: Finger) -> (f64, bool) {
        const N_STEPS: u32 = 150;
        let mut nearest = (f64::INFINITY, 0.0);
        for step in 0..=N_STEPS {
            let share = MOST_CLOSED * f64::from(step) / f64::from(N_STEPS);
            let gap = self.gap(finger, share);
            if gap <= -TOUCH {
                return (share, true);
            }
            if gap < nearest.0 {
                nearest = (gap, share);
            }
        }
        (nearest.1, false)
    }

    /// Returns the closing at which a fingertip has moved by this distance from its position at
    /// `from`.
    fn until_moved(&self, finger: Finger, from: f64, way: f64) -> f64 {
        const STEP: f64 = 0.01;
        let tip = |share: f64| self.hand(finger, share).fingertips[finger.index()].centre;
        let start = tip(from);
        let mut share = from;
        while share < from + MOST_CLOSED && (tip(share) - start).norm() < way {
            share += STEP;
        }
        share
    }

    /// Returns the distance from a fingertip to the skin; negative inside.
    fn gap(&self, finger: Finger, share: f64) -> f64 {
        const REACH: f64 = 0.1;
        let tip = self.hand(finger, share).fingertips[finger.index()];
        let in_object = self.planner.home.inverse() * tip.centre;
        let skin = self.planner.surface.nearest(&in_object, REACH);
        skin.map_or(f64::INFINITY, |skin| skin.distance - tip.radius)
    }

    fn hand(&self, finger: Finger, share: f64) -> Hand {
        let mut shares = [0.0; 5];
        shares[finger.index()] = share;
        let angles = self.posture.angles(&shares);
        let pose = HandPose { angles, world_from_wrist: self.world_from_wrist };
        Hand::new(&self.planner.profile, &pose)
    }
}

#[cfg(test)]
mod tests;
