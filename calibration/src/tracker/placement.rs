//! Finds the rotations of transmitter and receiver, from a flat hand on the desk.
//!
//! The hand lies flat and points straight ahead at three places: the start, further ahead, and
//! beside the line between these two. With `s_i` the receiver's positions in the transmitter's
//! frame:
//!
//! - the desk's plane contains `s_ahead - s_start` and `s_aside - s_start`; its normal is the
//!   world's y axis, pointing to the side on which the receiver is above the hand;
//! - the world's -z axis is `s_ahead - s_start`, so its x axis is `ahead x up`. These three give
//!   `R_ws`;
//! - the wrist is level and points ahead in all three places: `R_ws R_source_from_sensor R_sw = 1`.
//!   The mean rotation of the three places gives `R_sw`.
//!
//! The plane alone does not show which side is up: [`Aside`] does, since `right x ahead` is up.
//! A transmitter that stands level with its x axis straight ahead needs only the first place
//! ([`Placements::Levelled`]); this assumption is not checked.

use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::{mean_pose, ours_from_polhemus};

/// Tracker poses of a flat hand that points straight ahead.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Placements {
    /// The transmitter stands level and its x axis points ahead.
    Levelled { start: Isometry3<f64> },
    /// The transmitter stands in any orientation.
    Slid { start: Isometry3<f64>, ahead: Isometry3<f64>, aside: Aside },
}

/// Pose of the hand after it was slid to the side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aside {
    Left(Isometry3<f64>),
    Right(Isometry3<f64>),
}

/// Result of the placements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turns {
    pub world_from_source: UnitQuaternion<f64>,
    pub sensor_from_wrist: UnitQuaternion<f64>,
}

/// Error of finding the rotations.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PlacementError {
    #[error("the hand was slid ahead by {got_mm:.0} mm, expected at least {MIN_SLIDE_MM}")]
    AheadTooShort { got_mm: f64 },
    #[error("the hand was slid aside by {got_mm:.0} mm, expected at least {MIN_SLIDE_MM}")]
    AsideTooShort { got_mm: f64 },
    #[error(
        "the hand turned by {got_deg:.0} degrees between places, expected at most {MAX_TURN_DEG}: \
         keep it flat and pointing straight ahead"
    )]
    Turned { got_deg: f64 },
}

const MIN_SLIDE_MM: f64 = 80.0;
const MAX_TURN_DEG: f64 = 10.0;

impl Placements {
    pub fn turns(&self) -> Result<Turns, PlacementError> {
        match self {
            Self::Levelled { start } => Ok(Turns::new(ours_from_polhemus(), start.rotation)),
            Self::Slid { start, ahead, aside } => {
                let (Aside::Left(side) | Aside::Right(side)) = aside;
                let forward = ahead.translation.vector - start.translation.vector;
                let sideways = side.translation.vector - start.translation.vector;
                let right = match aside {
                    Aside::Left(_) => -sideways,
                    Aside::Right(_) => sideways,
                };
                for pose in [ahead, side] {
                    let got_deg = start.rotation.angle_to(&pose.rotation).to_degrees();
                    if got_deg > MAX_TURN_DEG {
                        return Err(PlacementError::Turned { got_deg });
                    }
                }
                let world_from_source = world_axes(forward, right)?;
                let flat = mean_pose(&[*start, *ahead, *side]).expect("three poses have a mean");
                Ok(Turns::new(world_from_source, flat.rotation))
            }
        }
    }
}

impl Turns {
    fn new(world_from_source: UnitQuaternion<f64>, flat: UnitQuaternion<f64>) -> Self {
        Self { world_from_source, sensor_from_wrist: (world_from_source * flat).inverse() }
    }
}

/// Axes of the world, from the two slides in the transmitter's frame.
fn world_axes(
    forward: Vector3<f64>,
    right: Vector3<f64>,
) -> Result<UnitQuaternion<f64>, PlacementError> {
    let shortest = MIN_SLIDE_MM * 1e-3;
    let ahead = forward
        .try_normalize(shortest)
        .ok_or(PlacementError::AheadTooShort { got_mm: forward.norm() * 1e3 })?;
    let beside = right - ahead * ahead.dot(&right);
    let x = beside
        .try_normalize(shortest)
        .ok_or(PlacementError::AsideTooShort { got_mm: beside.norm() * 1e3 })?;
    let y = x.cross(&ahead);
    let source_from_world = Matrix3::from_columns(&[x, y, -ahead]);
    Ok(UnitQuaternion::from(Rotation3::from_matrix_unchecked(source_from_world)).inverse())
}
