//! The size of a hand, and the check that a hand can have it.

use drivers::Side;
use nalgebra::Point3;

use super::{FingerBones, Skeleton};
use crate::joints::{Finger, JointAngles};

/// Known dimensions of a hand, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HandSize {
    /// Distance from the wrist crease to the middle fingertip.
    pub length: f64,
    /// Distance across the knuckles.
    pub breadth: f64,
    /// Measured segments, joint to joint; `None` for those that are a share of the length. In the
    /// order of the digits, thumb first, from base to tip.
    pub segments: [[Option<f64>; 3]; 5],
    /// Measured radii of the same segments.
    pub radii: [[Option<f64>; 3]; 5],
}

/// Error for a size that no hand has.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SizeError {
    #[error("a hand {got_mm} mm long, expected {} to {} mm", LENGTH_MM.0, LENGTH_MM.1)]
    Length { got_mm: f64 },
    #[error("a hand {got_mm} mm broad, expected {} to {} mm", BREADTH_MM.0, BREADTH_MM.1)]
    Breadth { got_mm: f64 },
    #[error(
        "a hand {length_mm} mm long and {breadth_mm} mm broad, \
         expected a breadth of {:.0} to {:.0} % of the length",
        100.0 * BREADTH_SHARE.0, 100.0 * BREADTH_SHARE.1
    )]
    Proportion { length_mm: f64, breadth_mm: f64 },
}

/// Range of a hand's length, in millimetres.
pub const LENGTH_MM: (f64, f64) = (80.0, 300.0);
/// Range of a hand's breadth, in millimetres.
pub const BREADTH_MM: (f64, f64) = (30.0, 150.0);
/// Range of breadth over length. Real hands are between 0.38 and 0.55; beyond this range, two
/// numbers were probably swapped.
pub const BREADTH_SHARE: (f64, f64) = (0.3, 0.65);
/// Range of a finger segment's length, in millimetres.
pub const SEGMENT_MM: (f64, f64) = (5.0, 120.0);
/// Range of a finger segment's radius, in millimetres.
pub const RADIUS_MM: (f64, f64) = (1.0, 40.0);

impl HandSize {
    /// A hand with all segments in proportion.
    pub const fn scaled(length: f64, breadth: f64) -> Self {
        Self { length, breadth, segments: [[None; 3]; 5], radii: [[None; 3]; 5] }
    }

    /// The size of a hand with these joints, in the wrist's frame, as a headset sees them.
    ///
    /// Segments and radii are measured directly. Length and breadth follow from the knuckles: the
    /// length makes the knuckles of index and middle finger as far from the wrist as they were
    /// seen, the breadth makes those of index and pinkie as far apart across the palm. Neither
    /// depends on the pose of the hand.
    pub fn seen(bones: &[FingerBones; 5]) -> Result<Self, SizeError> {
        // The knuckles of a hand that is one metre long and broad are the shares.
        let shares = Skeleton::scaled(Side::Right, 1.0, 1.0).bones(&JointAngles::default());
        let knuckle = |bones: &[FingerBones; 5], finger: Finger| bones[finger.index()].joints[0];
        let ahead = |p: Point3<f64>| p.coords.yz().norm();
        let across = |bones: &[FingerBones; 5]| {
            (knuckle(bones, Finger::Pinkie).x - knuckle(bones, Finger::Index).x).abs()
        };
        let both = [Finger::Index, Finger::Middle];
        let sum = |bones: &[FingerBones; 5]| {
            both.iter().map(|finger| ahead(knuckle(bones, *finger))).sum::<f64>()
        };
        let mut size = Self::scaled(
            sum(bones) / sum(&shares.fingers),
            across(bones) / across(&shares.fingers),
        );
        let if_in = |(low, high): (f64, f64), metres: f64| {
            (low..=high).contains(&(metres * 1e3)).then_some(metres)
        };
        for (i, FingerBones { joints, radii }) in bones.iter().enumerate() {
            for place in 0..3 {
                let length = (joints[place + 1] - joints[place]).norm();
                size.segments[i][place] = if_in(SEGMENT_MM, length);
                size.radii[i][place] = if_in(RADIUS_MM, radii[place]);
            }
        }
        size.check()?;
        Ok(size)
    }

    /// The same hand at another world scale.
    pub fn times(&self, factor: f64) -> Self {
        let times = |known: [[Option<f64>; 3]; 5]| {
            known.map(|finger| finger.map(|metres| metres.map(|metres| metres * factor)))
        };
        Self {
            length: self.length * factor,
            breadth: self.breadth * factor,
            segments: times(self.segments),
            radii: times(self.radii),
        }
    }

    /// Largest difference between the dimensions of two hands, including measured segments, as a
    /// share of the other's length.
    pub fn distance(&self, other: &Self) -> f64 {
        let bones = |size: &Self| Skeleton::of_size(Side::Right, size).dimensions();
        let all = bones(self).into_iter().zip(bones(other)).map(|(a, b)| (a - b).abs());
        all.fold(0.0, f64::max) / other.length
    }

    /// Sets length and breadth as measured by a person. If one of them is missing, it is computed
    /// in proportion; if both are, the size stays unchanged. Segments stay unchanged, too.
    pub fn measured(
        self,
        length_mm: Option<f64>,
        breadth_mm: Option<f64>,
    ) -> Result<Self, SizeError> {
        let usual = Self::default();
        let share = usual.breadth / usual.length;
        let (length, breadth) = match (length_mm, breadth_mm) {
            (None, None) => (self.length, self.breadth),
            (Some(length), None) => (length * 1e-3, length * 1e-3 * share),
            (None, Some(breadth)) => (breadth * 1e-3 / share, breadth * 1e-3),
            (Some(length), Some(breadth)) => (length * 1e-3, breadth * 1e-3),
        };
        let size = Self { length, breadth, ..self };
        size.check()?;
        Ok(size)
    }

    /// Checks that a hand can have this length and breadth.
    pub fn check(&self) -> Result<(), SizeError> {
        let [length_mm, breadth_mm] = [self.length, self.breadth].map(|m| (m * 1e4).round() / 10.0);
        let is_in = |(low, high): (f64, f64), got: f64| (low..=high).contains(&got);
        if !is_in(LENGTH_MM, length_mm) {
            Err(SizeError::Length { got_mm: length_mm })
        } else if !is_in(BREADTH_MM, breadth_mm) {
            Err(SizeError::Breadth { got_mm: breadth_mm })
        } else if !is_in(BREADTH_SHARE, breadth_mm / length_mm) {
            Err(SizeError::Proportion { length_mm, breadth_mm })
        } else {
            Ok(())
        }
    }
}

impl Default for HandSize {
    /// The average man's hand.
    fn default() -> Self {
        Self::scaled(0.185, 0.085)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_counts_and_the_rest_is_in_proportion() {
        let check = |length_mm, breadth_mm, want: [f64; 2]| {
            let mut before = HandSize::scaled(0.17, 0.08);
            before.segments[3][1] = Some(0.029);
            let size = before.measured(length_mm, breadth_mm).unwrap();
            let got = [size.length * 1e3, size.breadth * 1e3];
            assert!((0..2).all(|i| (got[i] - want[i]).abs() < 1e-9), "{got:?}");
            assert_eq!(size.segments, before.segments);
        };
        check(None, None, [170.0, 80.0]);
        check(Some(200.0), None, [200.0, 200.0 * 85.0 / 185.0]);
        check(None, Some(85.0), [185.0, 85.0]);
        check(Some(190.0), Some(80.0), [190.0, 80.0]);
    }

    #[test]
    fn a_hand_that_was_seen_has_its_size_however_it_was_held() {
        let mut size = HandSize::scaled(0.171, 0.079);
        size.segments = std::array::from_fn(|i| {
            std::array::from_fn(|j| Some(0.05 - 0.002 * i as f64 - 0.01 * j as f64))
        });
        size.radii = [[Some(0.009), Some(0.008), Some(0.007)]; 5];
        let mut angles = JointAngles { palm_arch: 0.3, ..JointAngles::default() };
        angles.fingers.iter_mut().for_each(|finger| (finger.mpj, finger.pij) = (0.9, 0.7));
        for hand in [Side::Left, Side::Right] {
            for angles in [JointAngles::default(), angles] {
                let bones = Skeleton::of_size(hand, &size).bones(&angles);
                let seen = HandSize::seen(&bones.fingers).unwrap();
                assert!(seen.distance(&size) < 1e-9, "{seen:?}");
                assert!((seen.times(2.0).distance(&seen) - 0.05 / 0.171).abs() < 0.2);
                // It differs from the default hand by its longest unusual segment.
                assert!(seen.distance(&HandSize::default()) > 0.03);
            }
        }
        let mut bones = Skeleton::of_size(Side::Right, &size).bones(&angles).fingers;
        bones.iter_mut().for_each(|finger| finger.joints = [Point3::origin(); 4]);
        assert!(matches!(HandSize::seen(&bones), Err(SizeError::Length { .. })));
    }

    #[test]
    fn a_size_that_no_hand_has_is_refused_with_the_reason() {
        let check = |length_mm, breadth_mm, want: &str| {
            let size = HandSize::default().measured(Some(length_mm), Some(breadth_mm));
            let got = size.unwrap_err().to_string();
            assert!(got.contains(want), "{got}");
        };
        check(19.0, 8.5, "19 mm long, expected 80 to 300");
        check(185.0, 8.5, "8.5 mm broad, expected 30 to 150");
        check(85.0, 140.0, "85 mm long and 140 mm broad, expected a breadth of 30 to 65 %");
        check(f64::NAN, 85.0, "NaN mm long");
        check(f64::INFINITY, 85.0, "inf mm long");
    }
}
