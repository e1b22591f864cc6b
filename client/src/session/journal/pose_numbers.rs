//! Poses in a journal, as numbers that are read back bit for bit.

use calibration::{FingerAngles, HandPose, JointAngles, ThumbAngles};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use super::JournalError;

/// Position, then quaternion x y z w.
pub(super) fn placed(pose: &Isometry3<f64>) -> [f64; 7] {
    let (t, q) = (pose.translation.vector, pose.rotation);
    [t.x, t.y, t.z, q.i, q.j, q.k, q.w]
}

pub(super) fn pose(numbers: &[f64; 7]) -> Result<Isometry3<f64>, JournalError> {
    let [x, y, z, i, j, k, w] = *numbers;
    if ![x, y, z].iter().all(|number| number.is_finite()) {
        return Err(JournalError::Pose);
    }
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation([i, j, k, w])?))
}

/// Reads a rotation from the numbers x y z w.
pub(super) fn rotation([i, j, k, w]: [f64; 4]) -> Result<UnitQuaternion<f64>, JournalError> {
    let quaternion = Quaternion::new(w, i, j, k);
    // False for a norm that is not a number.
    let is_rotation = (quaternion.norm() - 1.0).abs() < 1e-6;
    // The quaternion has length 1; normalising it again might change its last bit.
    is_rotation.then(|| UnitQuaternion::new_unchecked(quaternion)).ok_or(JournalError::Pose)
}

/// Reads a pose of a hand.
pub(in crate::session) fn hand_pose(
    angles: &[f64; 23],
    wrist: &[f64; 7],
) -> Result<HandPose, JournalError> {
    if !angles.iter().all(|angle| angle.is_finite()) {
        return Err(JournalError::Pose);
    }
    let finger = |i: usize| FingerAngles {
        abduction: angles[i],
        mpj: angles[i + 1],
        pij: angles[i + 2],
        dij: angles[i + 3],
    };
    let angles = JointAngles {
        thumb: ThumbAngles { roll: angles[0], abduction: angles[1], mpj: angles[2], ij: angles[3] },
        fingers: [4, 8, 12, 16].map(finger),
        palm_arch: angles[20],
        wrist_pitch: angles[21],
        wrist_yaw: angles[22],
    };
    Ok(HandPose { angles, world_from_wrist: pose(wrist)? })
}

pub(super) fn numbers(angles: &JointAngles) -> [f64; 23] {
    let mut numbers = [0.0; 23];
    let thumb = &angles.thumb;
    numbers[..4].copy_from_slice(&[thumb.roll, thumb.abduction, thumb.mpj, thumb.ij]);
    for (i, finger) in angles.fingers.iter().enumerate() {
        numbers[4 + 4 * i..8 + 4 * i].copy_from_slice(&[
            finger.abduction,
            finger.mpj,
            finger.pij,
            finger.dij,
        ]);
    }
    numbers[20..].copy_from_slice(&[angles.palm_arch, angles.wrist_pitch, angles.wrist_yaw]);
    numbers
}

/// The first number that differs between two poses, if any: its name, and both values.
pub(in crate::session) fn first_difference(
    then: &HandPose,
    now: &HandPose,
) -> Option<(&'static str, f64, f64)> {
    /// Names of [`numbers`], then of [`placed`].
    const OF: [&str; 30] = [
        "thumb roll",
        "thumb abduction",
        "thumb MPJ",
        "thumb IJ",
        "index abduction",
        "index MPJ",
        "index PIJ",
        "index DIJ",
        "middle abduction",
        "middle MPJ",
        "middle PIJ",
        "middle DIJ",
        "ring abduction",
        "ring MPJ",
        "ring PIJ",
        "ring DIJ",
        "pinkie abduction",
        "pinkie MPJ",
        "pinkie PIJ",
        "pinkie DIJ",
        "palm arch",
        "wrist pitch",
        "wrist yaw",
        "place x",
        "place y",
        "place z",
        "turn x",
        "turn y",
        "turn z",
        "turn w",
    ];
    let all =
        |pose: &HandPose| numbers(&pose.angles).into_iter().chain(placed(&pose.world_from_wrist));
    let mut pairs = OF.into_iter().zip(all(then).zip(all(now)));
    let differs = |(_, (then, now)): &(&str, (f64, f64))| then.to_bits() != now.to_bits();
    pairs.find(differs).map(|(of, (then, now))| (of, then, now))
}
