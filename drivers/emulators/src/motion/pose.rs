//! Named joint angles of a hand, for tables of keyframes.

use super::N_ANGLES;

/// Joint angles in degrees, flexion positive.
pub(super) struct HandPose {
    pub(super) thumb: Thumb,
    pub(super) index: Finger,
    pub(super) middle: Finger,
    pub(super) ring: Finger,
    pub(super) pinkie: Finger,
    pub(super) spread: Spread,
    pub(super) palm_arch: f64,
    pub(super) wrist: Wrist,
}

pub(super) struct Thumb {
    pub(super) roll: f64,
    pub(super) mpj: f64,
    pub(super) ij: f64,
    /// Angle between thumb and index.
    pub(super) abduction: f64,
}

pub(super) struct Finger {
    pub(super) mpj: f64,
    pub(super) pij: f64,
    pub(super) dij: f64,
}

/// Angles between neighbouring fingers.
pub(super) struct Spread {
    pub(super) middle_index: f64,
    pub(super) ring_middle: f64,
    pub(super) pinkie_ring: f64,
}

pub(super) struct Wrist {
    pub(super) pitch: f64,
    pub(super) yaw: f64,
}

impl HandPose {
    /// The angles in the order of the glove's mask bits: four per finger, its abduction last.
    pub(super) fn angles_deg(&self) -> [f64; N_ANGLES] {
        let Self { thumb, index, middle, ring, pinkie, spread, palm_arch, wrist } = self;
        let mut angles = [0.0; N_ANGLES];
        angles[..4].copy_from_slice(&[thumb.roll, thumb.mpj, thumb.ij, thumb.abduction]);
        // The index finger's own abduction has a slot but no sensor.
        let fingers = [
            (index, 0.0),
            (middle, spread.middle_index),
            (ring, spread.ring_middle),
            (pinkie, spread.pinkie_ring),
        ];
        for (slots, (finger, abduction)) in angles[4..20].chunks_exact_mut(4).zip(fingers) {
            slots.copy_from_slice(&[finger.mpj, finger.pij, finger.dij, abduction]);
        }
        angles[20..23].copy_from_slice(&[*palm_arch, wrist.pitch, wrist.yaw]);
        angles
    }
}
