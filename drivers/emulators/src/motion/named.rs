//! Motions by name: the demonstration and some short exercises.

use super::pose::{Finger, HandPose, Spread, Thumb, Wrist};
use super::{HandState, Keyframe, Motion};

/// Error for a name that no motion has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no motion is called {0:?}; expected flat, fist, pinch, grasp or spread")]
pub struct UnknownMotion(pub String);

impl Motion {
    /// The names that [`named`](Self::named) accepts.
    pub const NAMES: [&'static str; 5] = ["flat", "fist", "pinch", "grasp", "spread"];

    /// The motion of this name. `flat` does not move; `fist`, `pinch` and `spread` go from the flat
    /// hand to that pose and back every four seconds; `grasp` is
    /// [`grasp_and_squeeze`](Self::grasp_and_squeeze).
    pub fn named(name: &str) -> Result<Self, UnknownMotion> {
        match name {
            "flat" => Ok(Self::held(at_rest(&FLAT))),
            "fist" => Ok(to_and_fro("fist", &FIST)),
            "pinch" => Ok(to_and_fro("pinch", &PINCH)),
            "spread" => Ok(to_and_fro("spread", &SPREAD)),
            "grasp" => Ok(Self::grasp_and_squeeze()),
            _ => Err(UnknownMotion(name.to_owned())),
        }
    }
}

const PERIOD: f64 = 4.0;
/// Position of the receiver: in front of the transmitter, a little to the right and above the desk;
/// z points down.
const REST_CM: [f64; 3] = [30.0, 5.0, -20.0];

fn at_rest(pose: &HandPose) -> HandState {
    HandState { angles_deg: pose.angles_deg(), receiver_position_cm: REST_CM, ..HandState::FLAT }
}

/// A motion between the flat hand and `pose`, with a short rest in both.
fn to_and_fro(name: &'static str, pose: &HandPose) -> Motion {
    let keyframe = |seconds, pose, name: &'static str| Keyframe {
        seconds,
        state: at_rest(pose),
        name: name.into(),
    };
    let keyframes = vec![
        keyframe(0.0, &FLAT, "flat"),
        keyframe(0.5, &FLAT, "leaving"),
        keyframe(2.0, pose, name),
        keyframe(2.5, pose, "returning"),
    ];
    Motion::new(keyframes, PERIOD).expect("the keyframes above are in order and inside the period")
}

const STRAIGHT: Finger = Finger { mpj: 0.0, pij: 0.0, dij: 0.0 };
const BENT: Finger = Finger { mpj: 90.0, pij: 100.0, dij: 70.0 };

/// Fingers together, thumb alongside.
const FLAT: HandPose = HandPose {
    thumb: Thumb { roll: 0.0, mpj: 0.0, ij: 0.0, abduction: 0.0 },
    index: STRAIGHT,
    middle: STRAIGHT,
    ring: STRAIGHT,
    pinkie: STRAIGHT,
    spread: Spread { middle_index: 0.0, ring_middle: 0.0, pinkie_ring: 0.0 },
    palm_arch: 0.0,
    wrist: Wrist { pitch: 0.0, yaw: 0.0 },
};

/// The thumb lies over the fingers.
const FIST: HandPose = HandPose {
    thumb: Thumb { roll: 60.0, mpj: 45.0, ij: 60.0, abduction: 20.0 },
    index: BENT,
    middle: BENT,
    ring: BENT,
    pinkie: BENT,
    palm_arch: 15.0,
    ..FLAT
};

/// Thumb tip to index tip, the others half open.
const PINCH: HandPose = HandPose {
    thumb: Thumb { roll: 70.0, mpj: 20.0, ij: 25.0, abduction: 40.0 },
    index: Finger { mpj: 45.0, pij: 50.0, dij: 25.0 },
    middle: Finger { mpj: 20.0, pij: 25.0, dij: 10.0 },
    ring: Finger { mpj: 15.0, pij: 20.0, dij: 10.0 },
    pinkie: Finger { mpj: 10.0, pij: 15.0, dij: 5.0 },
    ..FLAT
};

/// All fingers as far apart as possible; the angles are means over many people.
const SPREAD: HandPose = HandPose {
    thumb: Thumb { roll: 0.0, mpj: 0.0, ij: 0.0, abduction: 53.0 },
    spread: Spread { middle_index: 17.0, ring_middle: 14.0, pinkie_ring: 32.0 },
    ..FLAT
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Least and largest angle of the joint of a mask bit, in degrees, from a table of limits.
    fn limits(bit: usize) -> (f64, f64) {
        match bit {
            1 => (-10.0, 55.0),
            2 => (-15.0, 80.0),
            3 => (0.0, 60.0),
            4 | 8 | 12 | 16 => (-20.0, 90.0),
            5 | 9 | 13 | 17 => (0.0, 100.0),
            6 | 10 | 14 | 18 => (-10.0, 80.0),
            11 => (-30.0, 30.0),
            15 => (-25.0, 25.0),
            19 => (-35.0, 50.0),
            20 => (0.0, 30.0),
            21 => (-70.0, 75.0),
            22 => (-35.0, 20.0),
            _ => (-180.0, 180.0),
        }
    }

    #[test]
    fn every_name_is_a_motion_within_the_joints_limits() {
        for name in Motion::NAMES {
            let motion = Motion::named(name).unwrap();
            // The demonstration was fitted to an object with a thumb that can bend back 1.5 degrees
            // further.
            let slack = if name == "grasp" { 2.0 } else { 1e-9 };
            for step in 0..400 {
                let state = motion.state_at(motion.period() * f64::from(step) / 400.0);
                for (bit, angle_deg) in state.angles_deg.iter().enumerate() {
                    let (least, most) = limits(bit);
                    let is_inside = (least - slack..=most + slack).contains(angle_deg);
                    assert!(is_inside, "{name}: bit {bit} at {angle_deg} degrees");
                }
            }
        }
    }

    #[test]
    fn a_fist_closes_and_opens() {
        let fist = Motion::named("fist").unwrap();
        assert_eq!(fist.state_at(2.25).angles_deg[5], 100.0);
        assert_eq!(fist.state_at(0.25).angles_deg[5], 0.0);
        assert_eq!(fist.state_at(4.25), fist.state_at(0.25));
    }

    #[test]
    fn another_name_is_an_error_that_lists_the_names() {
        let error = Motion::named("wave").unwrap_err().to_string();
        for name in Motion::NAMES {
            assert!(error.contains(name), "{error}");
        }
    }
}
