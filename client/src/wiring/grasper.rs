//! An emulated person who takes whatever stands there, squeezes it and lets go, from one side after the
//! other.
//!
//! The demonstration of the emulators is fitted to one cube. Here its hand is carried round the thing, and
//! each finger is closed until it touches, by the thing's own surface.

use std::f64::consts::PI;
use std::sync::Arc;

use calibration::{Finger, HandPose, JointAngles, Profile};
use drivers::{Hand as Side, Sensor};
use emulators::{HandState, Keyframe, Motion};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use physics::{ObjectSpec, Outcome, SampleId, StepReport, SurfaceFrame};

use crate::collision::TouchableSurface;
use crate::hand::Hand;

/// One way to take a thing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Approach {
    /// About the vertical, from where the demonstration comes from.
    pub(super) turn: f64,
    /// How far the fingertips go on after they touch, in metres.
    pub(super) squeeze: f64,
}

/// From the front, and from beside.
pub(super) const BOTH_SIDES: [Approach; 2] =
    [Approach { turn: 0.0, squeeze: 0.0075 }, Approach { turn: -0.4 * PI, squeeze: 0.0075 }];

/// The cube of the demonstration has its middle so high.
const DEMONSTRATED_HEIGHT: f64 = 0.03;
/// A fingertip that touches is so deep in the skin that it is sure to.
const TOUCH: f64 = 0.002;
/// How far the fingers may close, counted in the demonstration's squeezes.
const MOST_CLOSED: f64 = 3.0;

/// The motion of a person who takes the thing at `home` in each of these ways, again and again.
pub(super) fn takes(
    spec: &ObjectSpec,
    home: &Isometry3<f64>,
    approaches: &[Approach],
) -> anyhow::Result<Motion> {
    let demonstration = Motion::grasp_and_squeeze();
    let surface = at_rest(spec);
    let planner = Planner {
        middle: home * middle(&surface),
        surface,
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
    let ObjectSpec::Solid(solid) = spec;
    let surface = solid.mesh().surface();
    TouchableSurface::new(Arc::new(SurfaceFrame {
        sample: SampleId::default(),
        topology: surface.topology,
        positions: surface.positions,
        stresses: None,
        reactions: Vec::new(),
        report: StepReport::without_solve(Outcome::AtRest),
    }))
}

/// Of the box around it.
fn middle(surface: &TouchableSurface) -> Point3<f64> {
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for x in surface.frame().positions.iter() {
        let x = Vector3::from(x.map(f64::from));
        (low, high) = (low.inf(&x), high.sup(&x));
    }
    ((low + high) / 2.0).into()
}

struct Planner<'a> {
    surface: TouchableSurface,
    home: Isometry3<f64>,
    /// Of the thing, in the world.
    middle: Point3<f64>,
    profile: Profile,
    demonstration: &'a Motion,
}

impl Planner<'_> {
    /// The demonstration's keyframes, carried to the thing and closed on it.
    fn taking(&self, approach: &Approach, start: f64) -> Vec<Keyframe> {
        let keyframes = self.demonstration.keyframes();
        let state = |name: &str| keyframes.iter().find(|k| k.name == name).map(|k| &k.state);
        let (Some(open), Some(squeezed), Some(at)) =
            (state("waiting"), state("squeezed"), state("at the object"))
        else {
            return Vec::new();
        };
        let closing = Closing {
            planner: self,
            open: angles(open),
            closed: angles(squeezed),
            world_from_wrist: self.carried(at, approach),
        };
        let touching = Finger::ALL.map(|finger| closing.until_touch(finger));
        let squeezing =
            Finger::ALL.map(|f| closing.until_moved(f, touching[f.index()], approach.squeeze));
        keyframes
            .iter()
            .map(|keyframe| {
                let shares = match &*keyframe.name {
                    "squeezed" | "squeezing" => squeezing,
                    "closed on it" | "lifted" | "eased" | "put down" => touching,
                    _ => [0.0; 5],
                };
                let state = self.state(&closing.angles(&shares), &keyframe.state, approach);
                Keyframe { seconds: start + keyframe.seconds, state, name: keyframe.name.clone() }
            })
            .collect()
    }

    /// Where the wrist is for a place of the demonstration, carried to the thing.
    fn carried(&self, state: &HandState, approach: &Approach) -> Isometry3<f64> {
        let [w, i, j, k] = state.receiver_quaternion;
        let source_from_sensor = Isometry3::from_parts(
            Translation3::from(Vector3::from(state.receiver_position_cm) * 0.01),
            UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k)),
        );
        let world_from_wrist = self.profile.tracker().world_from_wrist(&source_from_sensor);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), approach.turn);
        let from_cube = Isometry3::translation(0.0, -DEMONSTRATED_HEIGHT, 0.0);
        Translation3::from(self.middle.coords) * (turn * (from_cube * world_from_wrist))
    }

    fn state(&self, angles: &JointAngles, place: &HandState, approach: &Approach) -> HandState {
        let tracker = self.profile.tracker();
        let source_from_sensor = tracker.world_from_source.inverse()
            * self.carried(place, approach)
            * tracker.sensor_from_wrist.inverse();
        let (t, q) = (source_from_sensor.translation.vector, source_from_sensor.rotation);
        HandState {
            angles_deg: Sensor::ALL.map(|s| angles.measured_by(s).unwrap_or(0.0).to_degrees()),
            receiver_position_cm: (t * 100.0).into(),
            receiver_quaternion: [q.w, q.i, q.j, q.k],
        }
    }
}

/// A hand at the thing, whose fingers close one by one.
struct Closing<'a> {
    planner: &'a Planner<'a>,
    open: JointAngles,
    closed: JointAngles,
    world_from_wrist: Isometry3<f64>,
}

impl Closing<'_> {
    /// How far a finger closes until it is sure to touch; as far as it comes nearest if it never does.
    fn until_touch(&self, finger: Finger) -> f64 {
        const N_STEPS: u32 = 300;
        let mut nearest = (f64::INFINITY, 0.0);
        for step in 0..=N_STEPS {
            let share = MOST_CLOSED * f64::from(step) / f64::from(N_STEPS);
            let gap = self.gap(finger, share);
            if gap <= -TOUCH {
                return share;
            }
            if gap < nearest.0 {
                nearest = (gap, share);
            }
        }
        nearest.1
    }

    /// How far a finger closes until its tip has moved so far from where it was at `from`.
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

    /// From a fingertip to the skin; negative inside.
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
        let pose =
            HandPose { angles: self.angles(&shares), world_from_wrist: self.world_from_wrist };
        Hand::new(&self.planner.profile, &pose)
    }

    /// Each finger so far from open to the demonstration's squeeze.
    fn angles(&self, shares: &[f64; 5]) -> JointAngles {
        let mix = |from: f64, to: f64, share: f64| from + (to - from) * share;
        let mut angles = self.open;
        let (thumb, closed) = (&mut angles.thumb, &self.closed.thumb);
        thumb.roll = mix(thumb.roll, closed.roll, shares[0]);
        thumb.abduction = mix(thumb.abduction, closed.abduction, shares[0]);
        thumb.mpj = mix(thumb.mpj, closed.mpj, shares[0]);
        thumb.ij = mix(thumb.ij, closed.ij, shares[0]);
        let fingers = angles.fingers.iter_mut().zip(&self.closed.fingers);
        for ((finger, closed), share) in fingers.zip(&shares[1..]) {
            finger.abduction = mix(finger.abduction, closed.abduction, *share);
            finger.mpj = mix(finger.mpj, closed.mpj, *share);
            finger.pij = mix(finger.pij, closed.pij, *share);
            finger.dij = mix(finger.dij, closed.dij, *share);
        }
        angles
    }
}

fn angles(state: &HandState) -> JointAngles {
    JointAngles::from_sensors(&state.angles_deg.map(f64::to_radians))
}
