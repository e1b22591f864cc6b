//! Plans: the poses of a calibration and their order.

use drivers::Sensor;

use crate::joints::{JointAngles, PerSensor};
use crate::poses::PoseId;

/// The steps of a calibration.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Hold a pose.
    Hold(Target),
    /// Turn the hand about a spot on the desk.
    Turn,
    /// Lay the hand flat on the desk, pointing ahead.
    Place(Place),
}

/// A pose with the angles that this person's hand has in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    pub pose: PoseId,
    pub asked: PerSensor<Option<f64>>,
    pub picture: JointAngles,
}

/// Place of the flat hand on the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Start,
    Ahead,
    Right,
}

impl Plan {
    /// Flat hand and fist, each twice: gives the offsets of all sensors and the gains of all
    /// flexions. The thumb lies across the fingers, which is less accurate than its poses in the
    /// full plan, but better than a guess.
    pub fn quick() -> Self {
        use PoseId::*;
        Self::of(&[Flat, ClosedFist, Flat, ClosedFist])
    }

    /// All joints. Each pose comes twice, except those of the cross-coupling set, of which there
    /// are many similar ones. The second round follows the first, so that the person makes every
    /// pose anew. Takes about two minutes, at three seconds a pose.
    pub fn full() -> Self {
        use PoseId::*;
        Self::of(&[
            Flat,
            Spread,
            Fist,
            TableTop,
            Hook,
            IndexAway,
            PinkieAway, //
            IndexBent,
            MiddleBent,
            RingBent,
            PinkieBent, //
            ThumbTipBent,
            ThumbBent,
            ThumbOut,
            ThumbDown,
            ThumbUnder,
            ThumbAcross, //
            WristDown,
            WristUp,
            WristToThumb,
            WristToPinkie,
            Cup, //
            Flat,
            Fist,
            Hook,
            TableTop,
            Spread, //
            IndexBentSpread,
            MiddleBentSpread,
            RingBentSpread,
            PinkieBentSpread, //
            ThumbOut,
            ThumbBent,
            ThumbTipBent,
            ThumbAcross,
            ThumbDown,
            ThumbUnder, //
            WristToPinkie,
            WristToThumb,
            WristUp,
            WristDown,
            Cup,
            Flat,
        ])
    }

    /// For a glove that was taken off and put on again: only the offsets are new, so fit this plan
    /// to the person's profile and not to the defaults.
    pub fn put_on_again() -> Self {
        Self::of(&[PoseId::Flat; 2])
    }

    /// A plan of these poses, in this order.
    pub fn of(poses: &[PoseId]) -> Self {
        Self { steps: poses.iter().map(|pose| Step::Hold(Target::of(*pose))).collect() }
    }

    /// Adds the tracker's steps at the end.
    pub fn with_tracker(mut self) -> Self {
        let [start, ahead, right] = [Place::Start, Place::Ahead, Place::Right].map(Step::Place);
        self.steps.extend([start, Step::Turn, ahead, right]);
        self
    }

    /// Replaces an angle of the table by one measured on the person, in radians.
    pub fn measured(mut self, pose: PoseId, sensor: Sensor, angle: f64) -> Self {
        for step in &mut self.steps {
            if let Step::Hold(target) = step
                && target.pose == pose
            {
                target.asked[sensor.bit()] = Some(angle);
            }
        }
        self
    }
}

impl Target {
    fn of(pose: PoseId) -> Self {
        Self { pose, asked: pose.pose().asked(), picture: pose.pose().angles() }
    }
}

impl Step {
    /// Name and instruction.
    pub fn text(&self) -> (&'static str, &'static str) {
        match self {
            Self::Hold(target) => (target.pose.pose().name, target.pose.pose().instruction),
            Self::Turn => (
                "turn about the spot",
                "Keep the heel of the hand on the marked spot; tilt, turn and roll the hand about \
                 it.",
            ),
            Self::Place(Place::Start) => (
                "flat on the spot",
                "Lay the flat hand on the desk with its heel on the marked spot, pointing \
                 straight ahead.",
            ),
            Self::Place(Place::Ahead) => (
                "slid ahead",
                "From the marked spot, slide the flat hand straight ahead by about 20 cm without \
                 turning it.",
            ),
            Self::Place(Place::Right) => (
                "slid to the right",
                "From the marked spot, slide the flat hand to the right by about 20 cm without \
                 turning it.",
            ),
        }
    }

    /// True if the step needs a tracker.
    pub fn needs_tracker(&self) -> bool {
        match self {
            Self::Hold(_) => false,
            Self::Turn | Self::Place(_) => true,
        }
    }

    /// A hand in the pose of the step.
    pub fn picture(&self) -> JointAngles {
        match self {
            Self::Hold(target) => target.picture,
            Self::Turn | Self::Place(_) => JointAngles::default(),
        }
    }
}
