//! Gradients of formulas that are too long to differentiate by hand.

use nalgebra::{Point3, Vector3};

/// Step of the difference: rounding and curvature leave at least nine digits, for formulas of size
/// one.
const STEP: f64 = 1e-5;

/// Value and gradient of a smooth function at a point, by central differences.
pub(super) fn with_gradient(
    level: impl Fn(&Point3<f64>) -> f64,
    x: &Point3<f64>,
) -> (f64, Vector3<f64>) {
    let gradient = Vector3::from_fn(|axis, _| {
        let step = Vector3::ith(axis, STEP);
        (level(&(x + step)) - level(&(x - step))) / (2.0 * STEP)
    });
    (level(x), gradient)
}

/// Rises from 0 to 1 around zero, within a few widths.
pub(super) fn smooth_step(x: f64, width: f64) -> f64 {
    0.5 + 0.5 * (x / width).tanh()
}

/// Smooth minimum of several numbers, rounded over `blend`.
pub(super) fn smooth_min(values: &[f64], blend: f64) -> f64 {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    least - blend * values.iter().map(|value| ((least - value) / blend).exp()).sum::<f64>().ln()
}
