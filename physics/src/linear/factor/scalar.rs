//! Number types of a factor: `f32` and `f64`.

use std::fmt::Debug;
use std::ops::{AddAssign, SubAssign};

use bytemuck::Pod;
use faer::traits::RealField;

/// Number type of a factor.
pub(super) trait Scalar:
    RealField + Pod + Default + Debug + AddAssign + SubAssign + Send + Sync
{
    /// Rounds to this type.
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
