//! The demonstration: the hand reaches for an object, grasps, lifts and squeezes it, and lets go.
//!
//! The object is a cube of 6 cm that stands on the desk 30 cm in front of the transmitter. The
//! poses were fitted to it by inverse kinematics of an average hand. For another object, edit the
//! poses, the places and the table of keyframes below.

use super::pose::{Finger, HandPose, Spread, Thumb, Wrist};
use super::{HandState, Keyframe, Motion};

impl Motion {
    /// The demonstration: approaches an object at arm's length, closes on it, lifts, squeezes,
    /// eases, opens and withdraws.
    pub fn grasp_and_squeeze() -> Self {
        let keyframes = KEYFRAMES
            .iter()
            .map(|(seconds, pose, place, name)| Keyframe {
                seconds: *seconds,
                state: HandState {
                    angles_deg: pose.angles_deg(),
                    receiver_position_cm: place.position_cm,
                    receiver_quaternion: place.quaternion,
                },
                name: (*name).into(),
            })
            .collect();
        Self::new(keyframes, PERIOD).expect("the table below is in order and inside its period")
    }
}

const PERIOD: f64 = 9.0;

/// The keyframes: seconds, pose of the hand, its place, and a name.
const KEYFRAMES: &[(f64, HandPose, Place, &str)] = &[
    (0.0, OPEN, AWAY, "waiting"),
    (0.9, OPEN, ABOVE, "above the object"),
    (1.7, OPEN, AT_OBJECT, "at the object"),
    (2.4, CLOSED, AT_OBJECT, "closed on it"),
    (3.2, CLOSED, LIFTED, "lifted"),
    (4.0, SQUEEZED, LIFTED, "squeezed"),
    (4.8, SQUEEZED, LIFTED, "squeezing"),
    (5.6, CLOSED, LIFTED, "eased"),
    (6.4, CLOSED, AT_OBJECT, "put down"),
    (7.0, OPEN, AT_OBJECT, "open"),
    (7.8, OPEN, ABOVE, "above the object again"),
    (8.6, OPEN, AWAY, "withdrawn"),
];

/// A hand about to grasp: the fingers are 2 cm away from the object on both sides.
const OPEN: HandPose = HandPose {
    thumb: Thumb { roll: 99.2, mpj: -11.5, ij: -12.2, abduction: 57.0 },
    index: Finger { mpj: 10.6, pij: 40.5, dij: 22.3 },
    middle: Finger { mpj: 4.2, pij: 52.1, dij: 28.6 },
    ring: Finger { mpj: 4.0, pij: 43.2, dij: 23.7 },
    pinkie: Finger { mpj: -3.4, pij: 33.4, dij: 18.4 },
    spread: Spread { middle_index: -7.2, ring_middle: -4.2, pinkie_ring: -4.0 },
    palm_arch: 0.0,
    wrist: Wrist { pitch: 0.0, yaw: 0.0 },
};

/// A hand with fingertips and thumb on opposite faces of the cube, 2 mm below its surface, so that
/// they surely touch.
const CLOSED: HandPose = HandPose {
    thumb: Thumb { roll: 101.1, mpj: -10.1, ij: 26.2, abduction: 57.0 },
    index: Finger { mpj: 25.3, pij: 41.3, dij: 22.7 },
    middle: Finger { mpj: 17.0, pij: 55.4, dij: 30.5 },
    ring: Finger { mpj: 17.3, pij: 45.7, dij: 25.1 },
    pinkie: Finger { mpj: 10.3, pij: 42.9, dij: 23.6 },
    spread: Spread { middle_index: -8.1, ring_middle: -5.3, pinkie_ring: -5.0 },
    palm_arch: 0.0,
    wrist: Wrist { pitch: 0.0, yaw: 0.0 },
};

/// The closed hand with all five fingertips pressed in by 7.5 mm more.
const SQUEEZED: HandPose = HandPose {
    thumb: Thumb { roll: 101.6, mpj: -7.8, ij: 42.0, abduction: 57.0 },
    index: Finger { mpj: 26.7, pij: 46.9, dij: 25.8 },
    middle: Finger { mpj: 21.1, pij: 57.2, dij: 31.4 },
    ring: Finger { mpj: 19.2, pij: 50.2, dij: 27.6 },
    pinkie: Finger { mpj: 9.0, pij: 53.4, dij: 29.4 },
    spread: Spread { middle_index: -8.4, ring_middle: -5.7, pinkie_ring: -5.2 },
    palm_arch: 0.0,
    wrist: Wrist { pitch: 0.0, yaw: 0.0 },
};

/// Place above and to the right of the scene, the palm almost level.
const AWAY: Place = Place {
    position_cm: [26.89, 14.40, -27.13],
    quaternion: [0.693571, -0.137692, -0.137692, -0.693571],
};
/// Place over the object, the fingers pointing to the left and down.
const ABOVE: Place = Place {
    position_cm: [29.39, 2.98, -24.39],
    quaternion: [0.671621, -0.221190, -0.221190, -0.671621],
};
/// Place with the object between fingers and thumb.
const AT_OBJECT: Place = Place {
    position_cm: [29.39, 2.98, -15.89],
    quaternion: [0.671621, -0.221190, -0.221190, -0.671621],
};
/// Place 5 cm above [`AT_OBJECT`]; z points down.
const LIFTED: Place = Place {
    position_cm: [29.39, 2.98, -20.89],
    quaternion: [0.671621, -0.221190, -0.221190, -0.671621],
};

/// Pose of the receiver in the transmitter's frame.
struct Place {
    position_cm: [f64; 3],
    quaternion: [f64; 4],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demonstration_is_a_motion() {
        let motion = Motion::grasp_and_squeeze();
        assert_eq!(motion.period(), PERIOD);
        let squeezed = motion.state_at(4.4);
        let open = motion.state_at(1.7);
        let index = |state: HandState| state.angles_deg[4] + state.angles_deg[5];
        assert!(index(squeezed) > index(open) + 15.0, "the index finger bends");
    }

    #[test]
    fn angles_stand_at_their_mask_bits() {
        let angles = SQUEEZED.angles_deg();
        assert_eq!(angles[3], SQUEEZED.thumb.abduction);
        assert_eq!(angles[7], 0.0);
        assert_eq!(angles[10], SQUEEZED.middle.dij);
        assert_eq!(angles[15], SQUEEZED.spread.ring_middle);
        assert_eq!(angles[16], SQUEEZED.pinkie.mpj);
        assert_eq!(angles[21], SQUEEZED.wrist.pitch);
    }
}
