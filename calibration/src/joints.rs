//! The joint angles of a hand, in radians.

/// The five digits, thumb first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Finger {
    Thumb,
    Index,
    Middle,
    Ring,
    Pinkie,
}

impl Finger {
    /// All of them, in the order of every per-finger array.
    pub const ALL: [Self; 5] = [Self::Thumb, Self::Index, Self::Middle, Self::Ring, Self::Pinkie];

    /// As an index into per-finger arrays.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// As a person says it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Thumb => "thumb",
            Self::Index => "index",
            Self::Middle => "middle",
            Self::Ring => "ring",
            Self::Pinkie => "pinkie",
        }
    }
}

/// All joint angles of one hand.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointAngles {
    pub thumb: ThumbAngles,
    /// Index, middle, ring, pinkie.
    pub fingers: [FingerAngles; 4],
    /// Flexion of the pinkie's metacarpal; the ring's takes half of it.
    pub palm_arch: f64,
    /// Flexion of the wrist.
    pub wrist_pitch: f64,
    /// Deviation of the wrist towards the thumb.
    pub wrist_yaw: f64,
}

/// Angles of the thumb.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ThumbAngles {
    /// Swing about the hand's long axis, from beside the palm (0) to under it (opposition, a quarter
    /// turn).
    pub roll: f64,
    /// Angle between the thumb's metacarpal and the hand's long axis.
    pub abduction: f64,
    pub mpj: f64,
    pub ij: f64,
}

/// Angles of one of the four long fingers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FingerAngles {
    /// Away from the middle finger; the middle finger itself stays in line.
    pub abduction: f64,
    pub mpj: f64,
    pub pij: f64,
    pub dij: f64,
}
