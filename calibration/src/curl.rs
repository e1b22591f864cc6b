//! Curl of each finger: 0 for the flat hand, 1 for the fist of a glove that measures shares of
//! bend.

use crate::joints::JointAngles;
use crate::opengloves::{FINGER_DEG, THUMB_DEG};

/// Curl of each finger, thumb first: the sum of its flexions as a share of those of the fist.
pub fn curls(angles: &JointAngles) -> [f64; 5] {
    let thumb = share([angles.thumb.mpj, angles.thumb.ij], THUMB_DEG);
    let mut curls = [thumb; 5];
    for (curl, finger) in curls[1..].iter_mut().zip(&angles.fingers) {
        *curl = share([finger.mpj, finger.pij, finger.dij], FINGER_DEG);
    }
    curls
}

/// The hand with every finger curled by as much more.
pub fn curled_by(mut angles: JointAngles, more: f64) -> JointAngles {
    let bend = |angle: &mut f64, fist_deg: f64| *angle += more * fist_deg.to_radians();
    bend(&mut angles.thumb.mpj, THUMB_DEG[0]);
    bend(&mut angles.thumb.ij, THUMB_DEG[1]);
    for finger in &mut angles.fingers {
        let joints = [&mut finger.mpj, &mut finger.pij, &mut finger.dij];
        joints.into_iter().zip(FINGER_DEG).for_each(|(angle, fist_deg)| bend(angle, fist_deg));
    }
    angles
}

fn share<const N: usize>(angles: [f64; N], fist_deg: [f64; N]) -> f64 {
    angles.iter().sum::<f64>() / fist_deg.iter().sum::<f64>().to_radians()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curl_is_undone_by_the_opposite_one() {
        let half = curled_by(JointAngles::default(), 0.5);
        assert!(curls(&half).iter().all(|curl| (curl - 0.5).abs() < 1e-12));
        let mut uneven = half;
        uneven.fingers[1].mpj += 0.3;
        let more = curled_by(uneven, 0.2);
        for (before, after) in curls(&uneven).iter().zip(curls(&more)) {
            assert!((after - before - 0.2).abs() < 1e-12);
        }
        assert_eq!(curls(&JointAngles::default()), [0.0; 5]);
    }
}
