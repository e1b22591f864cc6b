//! Finds the pose of the tracker's transmitter and that of its receiver on the wrist.
//!
//! `world_from_wrist = world_from_source * source_from_sensor * sensor_from_wrist` has two unknown
//! transforms of six numbers each. Two short exercises on the desk give all twelve:
//!
//! - [`pivot`]: the heel of the hand stays on a marked spot while the hand turns about it. This
//!   gives the spot in both of the tracker's frames, hence three numbers of each transform once the
//!   rotations are known: the spot's position in the world is known, and its position below the
//!   wrist as well.
//! - [`placement`]: the hand lies flat on the desk, pointing straight ahead, and is slid ahead and
//!   aside. The plane of its places gives the up direction, the slide ahead the heading: the
//!   rotation of the transmitter. The rotation of the receiver on the wrist follows, because the
//!   hand lies level and points ahead.
//!
//! [`solve`] combines both. [`alignment`] finds the pose of the transmitter in the space of a
//! headset.

pub mod alignment;
pub mod pivot;
pub mod placement;
#[cfg(test)]
mod tests;

use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};

pub use pivot::{Pivot, PivotError};
pub use placement::{PlacementError, Placements};

/// The two fixed transforms around a tracker's pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackerTransforms {
    pub world_from_source: Isometry3<f64>,
    pub sensor_from_wrist: Isometry3<f64>,
}

/// The spot on the desk about which the hand turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    pub in_world: Point3<f64>,
    /// Heel of the hand, relative to the wrist's pivot.
    pub in_wrist: Point3<f64>,
}

impl TrackerTransforms {
    pub fn world_from_wrist(&self, source_from_sensor: &Isometry3<f64>) -> Isometry3<f64> {
        self.world_from_source * source_from_sensor * self.sensor_from_wrist
    }
}

impl Default for TrackerTransforms {
    /// The transmitter is on the desk, 30 cm nearer to the person than the middle of the scene. Its
    /// x axis points away from the person, so that the hand stays in the half space that the
    /// tracker can resolve. The receiver is on the back of the wrist.
    fn default() -> Self {
        Self {
            world_from_source: Isometry3::from_parts(
                Translation3::new(0.0, 0.0, 0.3),
                ours_from_polhemus(),
            ),
            sensor_from_wrist: Isometry3::from_parts(
                // The receiver's z axis points down into the wrist.
                Translation3::new(0.0, 0.0, 0.02),
                ours_from_polhemus().inverse(),
            ),
        }
    }
}

impl Default for Spot {
    /// The middle of the scene, on the desk. The heel of an average hand is 2 cm under the wrist's
    /// pivot.
    fn default() -> Self {
        Self { in_world: Point3::origin(), in_wrist: Point3::new(0.0, -0.02, 0.0) }
    }
}

/// Both transforms from a pivot and a flat hand.
///
/// With the rotations `R_ws` and `R_sw` from the placements and the spot `p` in all four frames,
/// `p_world = R_ws p_source + t_ws` and `p_sensor = R_sw p_wrist + t_sw` give the translations.
pub fn solve(pivot: &Pivot, turns: &placement::Turns, spot: &Spot) -> TrackerTransforms {
    let translation = |to: Point3<f64>, turn: UnitQuaternion<f64>, from: Point3<f64>| {
        Isometry3::from_parts((to - turn * from).into(), turn)
    };
    TrackerTransforms {
        world_from_source: translation(spot.in_world, turns.world_from_source, pivot.in_source),
        sensor_from_wrist: translation(pivot.in_sensor, turns.sensor_from_wrist, spot.in_wrist),
    }
}

/// Rotation from a Polhemus frame (x forward, y right, z down) to ours (x right, y up, z back).
pub(crate) fn ours_from_polhemus() -> UnitQuaternion<f64> {
    let columns = [-Vector3::z(), Vector3::x(), -Vector3::y()];
    Rotation3::from_matrix_unchecked(Matrix3::from_columns(&columns)).into()
}

/// Mean of poses that differ little, as of a hand that is held still.
pub fn mean_pose(poses: &[Isometry3<f64>]) -> Option<Isometry3<f64>> {
    let first = poses.first()?;
    let (mut position, mut turn) = (Vector3::zeros(), Vector3::zeros());
    for pose in poses {
        position += pose.translation.vector;
        turn += (first.rotation.inverse() * pose.rotation).scaled_axis();
    }
    let share = 1.0 / poses.len() as f64;
    let rotation = first.rotation * UnitQuaternion::from_scaled_axis(turn * share);
    Some(Isometry3::from_parts((position * share).into(), rotation))
}
