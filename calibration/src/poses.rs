//! The poses of the calibration procedures, in one table.
//!
//! Angles are in degrees. A pose requests the joints that a person can set by eye or with the help
//! of the desk; all others are only drawn. The wrist turns less than it could, because its sensor
//! usually reaches the end of its scale at 30 degrees. Full spread is a population mean; a value
//! measured on a person replaces it (`Plan::measured`).

use drivers::Sensor;

use crate::joints::{JointAngles, PerSensor};

/// Name of a pose of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PoseId {
    Flat,
    Fist,
    ClosedFist,
    Spread,
    TableTop,
    Hook,
    IndexAway,
    PinkieAway,
    IndexBent,
    MiddleBent,
    RingBent,
    PinkieBent,
    IndexBentSpread,
    MiddleBentSpread,
    RingBentSpread,
    PinkieBentSpread,
    ThumbTipBent,
    ThumbBent,
    ThumbOut,
    ThumbDown,
    ThumbUnder,
    ThumbAcross,
    WristDown,
    WristUp,
    WristToThumb,
    WristToPinkie,
    Cup,
}

/// A pose: the requested angles and the texts for the user.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    pub id: PoseId,
    pub name: &'static str,
    /// One sentence for the user.
    pub instruction: &'static str,
    /// Index, middle, ring, pinkie.
    mpj: Joints<4>,
    pij: Joints<4>,
    dij: Joints<4>,
    /// Index to middle, middle to ring, ring to pinkie.
    spread: Joints<3>,
    /// Roll, MPJ, IJ, abduction.
    thumb: Joints<4>,
    arch: Joints<1>,
    /// Pitch and yaw.
    wrist: Joints<2>,
}

/// Angles of some joints, in degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Joints<const N: usize> {
    /// Requested by the pose.
    Asked([f64; N]),
    /// For the picture only.
    Drawn([f64; N]),
}

use Joints::{Asked, Drawn};

const NONE: [f64; 4] = [0.0; 4];
const TOGETHER: [f64; 3] = [0.0; 3];
const FULL_SPREAD: [f64; 3] = [17.0, 14.0, 32.0];
/// Bend of a single finger at its knuckle while the others stay straight, in degrees.
const ALONE: f64 = 70.0;

/// A pose of the fingers; the thumb may be anywhere.
const FINGERS: Pose = Pose {
    id: PoseId::Flat,
    name: "",
    instruction: "",
    mpj: Asked(NONE),
    pij: Asked(NONE),
    dij: Asked(NONE),
    spread: Asked(TOGETHER),
    thumb: Drawn([0.0, 0.0, 0.0, 20.0]),
    arch: Asked([0.0]),
    wrist: Asked([0.0; 2]),
};
/// A pose of the thumb only.
const THUMB: Pose = Pose {
    mpj: Drawn(NONE),
    pij: Drawn(NONE),
    dij: Drawn(NONE),
    spread: Drawn(TOGETHER),
    arch: Drawn([0.0]),
    ..FINGERS
};
/// A pose of the wrist only.
const WRIST: Pose = Pose { thumb: Drawn([0.0, 0.0, 0.0, 20.0]), ..THUMB };

/// Every pose, in the order of [`PoseId`].
#[rustfmt::skip]
static POSES: [Pose; 27] = [
    Pose { id: PoseId::Flat, name: "flat hand", thumb: Asked(NONE),
        instruction: "Lay the hand flat on the desk, fingers and thumb together, wrist straight.",
        ..FINGERS },
    Pose { id: PoseId::Fist, name: "fist",
        instruction: "Make a fist: every finger bent as far as it goes, wrist straight.",
        mpj: Asked([90.0; 4]), pij: Asked([100.0; 4]), dij: Asked([70.0; 4]),
        spread: Drawn(TOGETHER), thumb: Drawn([80.0, 40.0, 45.0, 35.0]), arch: Drawn([10.0]),
        ..FINGERS },
    Pose { id: PoseId::ClosedFist, name: "closed fist",
        instruction:
            "Make a fist and lay the bent thumb across the middle segments of the fingers.",
        mpj: Asked([90.0; 4]), pij: Asked([100.0; 4]), dij: Asked([70.0; 4]),
        spread: Drawn(TOGETHER), thumb: Asked([80.0, 40.0, 45.0, 35.0]), arch: Drawn([10.0]),
        ..FINGERS },
    Pose { id: PoseId::Spread, name: "spread hand",
        instruction: "Hand flat on the desk, fingers and thumb spread as far as they go.",
        spread: Asked(FULL_SPREAD), thumb: Asked([0.0, 0.0, 0.0, 53.0]), ..FINGERS },
    Pose { id: PoseId::TableTop, name: "table top",
        instruction:
            "Bend all fingers a right angle at the knuckles and keep them straight beyond.",
        mpj: Asked([90.0; 4]), arch: Drawn([0.0]), ..FINGERS },
    Pose { id: PoseId::Hook, name: "hook",
        instruction:
            "Keep the knuckles straight and hook the fingers: a right angle at the middle joints.",
        pij: Asked([90.0; 4]), dij: Asked([60.0; 4]), spread: Drawn(TOGETHER), arch: Drawn([0.0]),
        ..FINGERS },
    Pose { id: PoseId::IndexAway, name: "index away",
        instruction: "Hand flat, fingers together, only the index spread away from the others.",
        spread: Asked([17.0, 0.0, 0.0]), ..FINGERS },
    Pose { id: PoseId::PinkieAway, name: "pinkie away",
        instruction: "Hand flat, fingers together, only the pinkie spread away from the others.",
        spread: Asked([0.0, 0.0, 32.0]), ..FINGERS },
    Pose { id: PoseId::IndexBent, name: "index bent",
        instruction: "Fingers together; bend only the index at its knuckle, nearly a right angle.",
        mpj: Asked([ALONE, 0.0, 0.0, 0.0]), ..FINGERS },
    Pose { id: PoseId::MiddleBent, name: "middle bent",
        instruction:
            "Fingers together; bend only the middle finger at its knuckle, nearly a right angle.",
        mpj: Asked([0.0, ALONE, 0.0, 0.0]), ..FINGERS },
    Pose { id: PoseId::RingBent, name: "ring bent",
        instruction:
            "Fingers together; bend only the ring finger at its knuckle, nearly a right angle.",
        mpj: Asked([0.0, 0.0, ALONE, 0.0]), ..FINGERS },
    Pose { id: PoseId::PinkieBent, name: "pinkie bent",
        instruction: "Fingers together; bend only the pinkie at its knuckle, nearly a right angle.",
        mpj: Asked([0.0, 0.0, 0.0, ALONE]), ..FINGERS },
    Pose { id: PoseId::IndexBentSpread, name: "index bent, spread",
        instruction: "Fingers spread; bend only the index at its knuckle, nearly a right angle.",
        mpj: Asked([ALONE, 0.0, 0.0, 0.0]), spread: Asked(FULL_SPREAD), ..FINGERS },
    Pose { id: PoseId::MiddleBentSpread, name: "middle bent, spread",
        instruction:
            "Fingers spread; bend only the middle finger at its knuckle, nearly a right angle.",
        mpj: Asked([0.0, ALONE, 0.0, 0.0]), spread: Asked(FULL_SPREAD), ..FINGERS },
    Pose { id: PoseId::RingBentSpread, name: "ring bent, spread",
        instruction:
            "Fingers spread; bend only the ring finger at its knuckle, nearly a right angle.",
        mpj: Asked([0.0, 0.0, ALONE, 0.0]), spread: Asked(FULL_SPREAD), ..FINGERS },
    Pose { id: PoseId::PinkieBentSpread, name: "pinkie bent, spread",
        instruction: "Fingers spread; bend only the pinkie at its knuckle, nearly a right angle.",
        mpj: Asked([0.0, 0.0, 0.0, ALONE]), spread: Asked(FULL_SPREAD), ..FINGERS },
    Pose { id: PoseId::ThumbTipBent, name: "thumb tip bent",
        instruction: "Thumb beside the palm; bend only its end joint, as far as it goes.",
        thumb: Asked([0.0, 0.0, 70.0, 0.0]), ..THUMB },
    Pose { id: PoseId::ThumbBent, name: "thumb bent",
        instruction: "Thumb beside the palm; bend only its middle joint, half a right angle.",
        thumb: Asked([0.0, 45.0, 0.0, 0.0]), ..THUMB },
    Pose { id: PoseId::ThumbOut, name: "hitch-hiker",
        instruction: "Stretch the thumb out sideways in the plane of the palm, as far as it goes.",
        thumb: Asked([0.0, 0.0, 0.0, 53.0]), ..THUMB },
    Pose { id: PoseId::ThumbDown, name: "thumb down",
        instruction:
            "Point the straight thumb down, square to the palm and half a right angle off it.",
        thumb: Asked([90.0, 0.0, 0.0, 45.0]), ..THUMB },
    Pose { id: PoseId::ThumbUnder, name: "thumb under",
        instruction: "Lay the straight thumb under the index, close to the palm.",
        thumb: Asked([90.0, 0.0, 0.0, 10.0]), ..THUMB },
    Pose { id: PoseId::ThumbAcross, name: "thumb across",
        instruction:
            "Lay the thumb across the palm so that its tip touches the base of the pinkie.",
        thumb: Asked([100.0, 45.0, 50.0, 30.0]), ..THUMB },
    Pose { id: PoseId::WristDown, name: "wrist down",
        instruction: "Bend the wrist down by 40 degrees, fingers straight.",
        wrist: Asked([40.0, 0.0]),
        ..WRIST },
    Pose { id: PoseId::WristUp, name: "wrist up",
        instruction: "Bend the wrist up by 30 degrees, fingers straight.",
        wrist: Asked([-30.0, 0.0]),
        ..WRIST },
    Pose { id: PoseId::WristToThumb, name: "wrist to the thumb",
        instruction: "Hand flat; turn it at the wrist towards the thumb by 10 degrees.",
        wrist: Asked([0.0, 10.0]),
        ..WRIST },
    Pose { id: PoseId::WristToPinkie, name: "wrist to the pinkie",
        instruction: "Hand flat; turn it at the wrist towards the pinkie by 25 degrees.",
        wrist: Asked([0.0, -25.0]),
        ..WRIST },
    Pose { id: PoseId::Cup, name: "cup",
        instruction:
            "Cup the palm as if to hold water: bring the base of the pinkie up by 30 degrees.",
        arch: Asked([30.0]), ..WRIST },
];

impl PoseId {
    pub fn pose(self) -> &'static Pose {
        &POSES[self as usize]
    }

    pub fn all() -> impl Iterator<Item = Self> {
        POSES.iter().map(|pose| pose.id)
    }
}

impl Pose {
    /// A hand in this pose, for a picture.
    pub fn angles(&self) -> JointAngles {
        JointAngles::from_sensors(&self.by_sensor().map(|(angle, _)| angle))
    }

    /// The requested angles, in radians.
    pub fn asked(&self) -> PerSensor<Option<f64>> {
        self.by_sensor().map(|(angle, is_asked)| is_asked.then_some(angle))
    }

    fn by_sensor(&self) -> PerSensor<(f64, bool)> {
        use Sensor::*;
        let mut slots = [(0.0, false); Sensor::ALL.len()];
        let mut set = |sensor: Sensor, (deg, is_asked): (f64, bool)| {
            slots[sensor.bit()] = (deg.to_radians(), is_asked);
        };
        let fingers = [IndexMpj, MiddleMpj, RingMpj, PinkieMpj];
        for (place, mpj) in fingers.into_iter().enumerate() {
            set(mpj, self.mpj.at(place));
            set(Sensor::ALL[mpj.bit() + 1], self.pij.at(place));
            set(Sensor::ALL[mpj.bit() + 2], self.dij.at(place));
        }
        let abductions = [MiddleIndexAbduction, RingMiddleAbduction, PinkieRingAbduction];
        for (place, abduction) in abductions.into_iter().enumerate() {
            set(abduction, self.spread.at(place));
        }
        let thumb = [ThumbRoll, ThumbMpj, ThumbIj, ThumbIndexAbduction];
        for (place, sensor) in thumb.into_iter().enumerate() {
            set(sensor, self.thumb.at(place));
        }
        set(PalmArch, self.arch.at(0));
        set(WristPitch, self.wrist.at(0));
        set(WristYaw, self.wrist.at(1));
        slots
    }
}

impl<const N: usize> Joints<N> {
    fn at(&self, place: usize) -> (f64, bool) {
        match self {
            Asked(deg) => (deg[place], true),
            Drawn(deg) => (deg[place], false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint_limits::JointLimits;

    #[test]
    fn the_table_is_in_the_order_of_the_ids() {
        for (place, pose) in POSES.iter().enumerate() {
            assert_eq!(pose.id as usize, place, "{}", pose.name);
            assert_eq!(pose.id.pose(), pose);
            assert!(pose.instruction.ends_with('.') && !pose.name.is_empty());
        }
    }

    #[test]
    fn every_pose_is_one_that_a_hand_can_make() {
        for pose in &POSES {
            // The table has the angle between pinkie and ring finger, which may exceed the pinkie's
            // limit.
            let mut angles = pose.angles();
            angles.fingers[3].abduction = angles.fingers[3].abduction.min(f64::to_radians(35.0));
            assert_eq!(JointLimits::Soft.apply(angles), angles, "{}", pose.name);
        }
    }

    #[test]
    fn a_fist_checks_the_fingers_and_not_the_thumb() {
        let asked = PoseId::Fist.pose().asked();
        assert!((asked[Sensor::RingPij.bit()].unwrap().to_degrees() - 100.0).abs() < 1e-9);
        assert!((asked[Sensor::PinkieDij.bit()].unwrap().to_degrees() - 70.0).abs() < 1e-9);
        assert_eq!(asked[Sensor::ThumbRoll.bit()], None);
        assert!(PoseId::Fist.pose().angles().thumb.roll > 1.0);
    }
}
