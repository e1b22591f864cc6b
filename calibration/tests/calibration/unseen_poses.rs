//! Poses that no plan contains, to judge a calibration.

use calibration::JointAngles;

use crate::random::Random;

/// A random pose of everyday life: a grip of any width, with the fingers not quite in step.
pub(crate) fn unseen_pose(random: &mut Random) -> JointAngles {
    let mut hand = JointAngles::default();
    let closed = random.uniform();
    for (place, finger) in hand.fingers.iter_mut().enumerate() {
        let mut bent = |full: f64| (full * closed + 12.0 * random.normal()).clamp(0.0, full);
        (finger.mpj, finger.pij, finger.dij) = (bent(85.0), bent(95.0), bent(65.0));
        finger.abduction = [12.0, 0.0, 10.0, 25.0][place] * random.uniform() * (1.0 - closed);
    }
    hand.thumb.roll = random.between(0.0, 90.0);
    hand.thumb.abduction = random.between(10.0, 50.0);
    hand.thumb.mpj = random.between(0.0, 45.0);
    hand.thumb.ij = random.between(0.0, 60.0);
    hand.palm_arch = random.between(0.0, 20.0);
    hand.wrist_pitch = 15.0 * random.normal();
    hand.wrist_yaw = random.between(-20.0, 10.0);
    to_radians(hand)
}

fn to_radians(hand: JointAngles) -> JointAngles {
    let mut hand = hand;
    for finger in &mut hand.fingers {
        for angle in [&mut finger.abduction, &mut finger.mpj, &mut finger.pij, &mut finger.dij] {
            *angle = angle.to_radians();
        }
    }
    let thumb = &mut hand.thumb;
    for angle in [&mut thumb.roll, &mut thumb.abduction, &mut thumb.mpj, &mut thumb.ij] {
        *angle = angle.to_radians();
    }
    for angle in [&mut hand.palm_arch, &mut hand.wrist_pitch, &mut hand.wrist_yaw] {
        *angle = angle.to_radians();
    }
    hand
}
