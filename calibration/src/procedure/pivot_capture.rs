//! Gathers the tracker's poses while the hand turns about a spot.

use nalgebra::Isometry3;

use crate::capture::Sample;
use crate::tracker::Pivot;
use crate::tracker::pivot::PivotError;

#[derive(Debug, Clone, Default)]
pub(super) struct PivotCapture {
    poses: Vec<Isometry3<f64>>,
    missing: Option<PivotError>,
}

/// So many poses make the noise of each unimportant.
const ENOUGH: usize = 240;
/// Poses in memory, at most; after that the motion begins anew.
const MOST: usize = 2400;
/// How often the motion is judged.
const EVERY: usize = 20;

impl PivotCapture {
    /// The pivot, as soon as the motion tells it.
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
                // A heel that slipped spoils all that came before.
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
