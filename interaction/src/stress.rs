//! How far a scale of stresses has to reach.

use physics::SurfaceFrame;

/// The share of a skin's points whose stress a scale shows; the others have the last colour.
const SHOWN: f64 = 0.95;

/// What nearly all points of the skin stay below, in Pa; zero if nobody asked for stresses. A finger that holds one
/// node makes a peak there, which would leave no colour for the rest.
pub(super) fn level(frame: &SurfaceFrame) -> f64 {
    let Some(stresses) = frame.stresses.as_ref().filter(|stresses| !stresses.is_empty()) else {
        return 0.0;
    };
    let mut stresses = stresses.to_vec();
    let at = ((stresses.len() as f64 * SHOWN) as usize).min(stresses.len() - 1);
    f64::from(*stresses.select_nth_unstable_by(at, f32::total_cmp).1)
}
