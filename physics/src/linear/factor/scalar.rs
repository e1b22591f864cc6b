//! The two precisions of a factor.

use std::fmt::Debug;
use std::ops::{AddAssign, SubAssign};

use faer::traits::RealField;

/// A number that a factor can be made of.
pub(super) trait Scalar:
    RealField + Copy + Default + Debug + AddAssign + SubAssign + Send + Sync + 'static
{
    /// Rounded to this precision.
    fn from_f64(value: f64) -> Self;
    /// Exactly.
    fn to_f64(self) -> f64;
}

impl Scalar for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }

    fn to_f64(self) -> f64 {
        self
    }
}

impl Scalar for f32 {
    fn from_f64(value: f64) -> Self {
        value as f32
    }

    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}
