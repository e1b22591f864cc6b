//! Joint angles of an OpenGloves glove, which sends shares of each finger's bend instead of counts.
//!
//! A share of 0 is the flat hand and 1 the fist; in between the joints bend in proportion. Such
//! gloves calibrate themselves (they know their own flat hand and fist), so there is nothing to
//! fit.

use drivers::OpenGloveSample;

use crate::joints::{FingerAngles, JointAngles, ThumbAngles};

/// Angles of a finger's three joints when it is fully bent, in degrees.
pub(crate) const FINGER_DEG: [f64; 3] = [90.0, 100.0, 80.0];
/// Angles of the thumb's two outer joints when it is fully bent, in degrees.
pub(crate) const THUMB_DEG: [f64; 2] = [55.0, 80.0];
/// Index of the MPJ among the thumb's joints, counted from its base.
const THUMB_MPJ: usize = 0;
/// Index of the IJ among the thumb's joints, counted from its base.
const THUMB_IJ: usize = 1;
/// Roll of the thumb, in degrees: it opposes the fingers, because such gloves measure no roll.
const THUMB_ROLL_DEG: f64 = 100.0;
/// Abduction of the thumb at both ends of its splay, in degrees; without a splay, the second.
const THUMB_ABDUCTION_DEG: [f64; 2] = [0.0, 60.0];
/// Full splay of a finger to either side, in degrees.
const SPLAY_DEG: f64 = 35.0;

/// Joint angles of a sample.
pub(crate) fn joint_angles(sample: &OpenGloveSample) -> JointAngles {
    let bend = |finger: usize, joint: usize, full_deg: f64| {
        f64::from(sample.flexion(finger, joint).unwrap_or(0.0)) * full_deg.to_radians()
    };
    let splay =
        |finger: usize| f64::from(sample.splay[finger].unwrap_or(0.0)) * SPLAY_DEG.to_radians();
    let finger = |finger: usize, abduction: f64| FingerAngles {
        abduction,
        mpj: bend(finger, 0, FINGER_DEG[0]),
        pij: bend(finger, 1, FINGER_DEG[1]),
        dij: bend(finger, 2, FINGER_DEG[2]),
    };
    let [near, far] = THUMB_ABDUCTION_DEG;
    let off_palm = f64::from(sample.splay[0].unwrap_or(1.0) + 1.0) / 2.0;
    JointAngles {
        thumb: ThumbAngles {
            roll: THUMB_ROLL_DEG.to_radians(),
            abduction: (near + (far - near) * off_palm).to_radians(),
            mpj: bend(0, THUMB_MPJ, THUMB_DEG[0]),
            ij: bend(0, THUMB_IJ, THUMB_DEG[1]),
        },
        fingers: [finger(1, splay(1)), finger(2, 0.0), finger(3, splay(3)), finger(4, splay(4))],
        ..JointAngles::default()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn sample(curl: f32) -> OpenGloveSample {
        let mut sample = OpenGloveSample::empty(Instant::now());
        sample.curl = [Some(curl); 5];
        sample
    }

    #[test]
    fn a_curl_of_one_is_a_fist_and_of_zero_a_flat_hand() {
        let flat = joint_angles(&sample(0.0));
        assert!(flat.fingers.iter().all(|f| [f.mpj, f.pij, f.dij, f.abduction] == [0.0; 4]));
        let fist = joint_angles(&sample(1.0));
        for finger in fist.fingers {
            assert!((finger.mpj.to_degrees() - 90.0).abs() < 1e-6);
            assert!((finger.dij.to_degrees() - 80.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_joint_of_its_own_wins_over_the_curl() {
        let mut sample = sample(0.5);
        sample.joints[1][1] = Some(0.0);
        let angles = joint_angles(&sample);
        assert_eq!(angles.fingers[0].pij, 0.0);
        assert!(angles.fingers[0].mpj > 0.5);
    }

    #[test]
    fn splay_spreads_away_from_the_middle_finger() {
        let mut sample = sample(0.0);
        sample.splay = [None, Some(1.0), Some(0.5), None, None];
        let angles = joint_angles(&sample);
        assert!((angles.fingers[0].abduction.to_degrees() - 35.0).abs() < 1e-5);
        // The middle finger stays in line, whatever its splay.
        assert_eq!(angles.fingers[1].abduction, 0.0);
    }
}
