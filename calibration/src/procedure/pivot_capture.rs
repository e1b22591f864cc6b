//! Collects the tracker's poses while the hand turns about a spot.

use nalgebra::Isometry3;

use crate::capture::Sample;
use crate::tracker::Pivot;
use crate::tracker::pivot::PivotError;

#[derive(Debug, Clone, Default)]
pub(super) struct PivotCapture {
    poses: Vec<Isometry3<f64>>,
    missing: Option<PivotError>,
}

/// Number of poses that averages out the noise.
const ENOUGH: usize = 240;
/// Largest number of poses in memory; after that the motion begins anew.
const MOST: usize = 2400;
/// Number of poses between two evaluations of the motion.
const EVERY: usize = 20;

impl PivotCapture {
    /// Adds a pose; returns the pivot once the motion is sufficient.
    pub(super) fn push(&mut self, sample: &Sample) -> Option<Pivot> {
        self.poses.push(sample.source_from_sensor?);
        if !self.poses.len().is_multiple_of(EVERY) {
            return None;
        }
        match Pivot::find(&self.poses) {
            Ok(pivot) => {
                self.missing = None;
                (self.poses.len() >= ENOUGH).then_some(pivot)
            }
            Err(error) => {
                // After a slip of the heel, all earlier poses are useless.
                if matches!(error, PivotError::Slipped { .. }) || self.poses.len() >= MOST {
                    self.poses.clear();
                }
                self.missing = Some(error);
                None
            }
        }
    }

    pub(super) fn share(&self) -> f64 {
        (self.poses.len() as f64 / ENOUGH as f64).min(1.0)
    }

    pub(super) fn missing(&self) -> Option<PivotError> {
        self.missing
    }
}
