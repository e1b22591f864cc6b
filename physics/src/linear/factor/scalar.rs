//! The two precisions of a factor.

use std::fmt::Debug;
use std::ops::{AddAssign, SubAssign};

use bytemuck::Pod;
use faer::traits::RealField;

/// A number that a factor can be made of.
pub(super) trait Scalar:
    RealField + Pod + Default + Debug + AddAssign + SubAssign + Send + Sync
{
    /// Rounded to this precision.
    fn from_f64(value: f64) -> Self;
}

impl Scalar for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }
}

impl Scalar for f32 {
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}
