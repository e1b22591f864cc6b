//! Finds the pose of the tracker in a headset's space, from a moving hand that both of them see.
//!
//! The headset sees something that is fixed to the gloved hand (its wrist, or a controller in it)
//! at `S_i = stage_from_seen`, and the tracker its receiver at `T_i = source_from_sensor`. With the
//! unknown `X = stage_from_source` and `Y = sensor_from_seen`, both fixed,
//!
//! `S_i = X T_i Y`.
//!
//! - Rotations: `X^T S_i - T_i Y = 0` is linear in the 18 numbers of both rotations. They are the
//!   direction with the smallest sum of squares, scaled to a determinant of one and replaced by the
//!   nearest rotations.
//! - Translations: with the rotations, `s_i - R_X t_i = R_X R_Ti y + x` is linear in the six
//!   numbers of `x` and `y`.
//!
//! A hand that turned about one axis only leaves a family of solutions: then another direction fits
//! the rotations as well as the best one does, and [`align`] returns an error.

use nalgebra::{
    DMatrix, DVector, Isometry3, Matrix3, Matrix3x6, Matrix6, Rotation3, SymmetricEigen,
    UnitQuaternion, Vector6,
};

/// Poses seen by both at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sighting {
    /// Receiver, seen by the tracker.
    pub source_from_sensor: Isometry3<f64>,
    /// Wrist or controller, seen by the headset.
    pub stage_from_seen: Isometry3<f64>,
}

/// Pose of the tracker, and the quality of the fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alignment {
    pub stage_from_source: Isometry3<f64>,
    pub sensor_from_seen: Isometry3<f64>,
    /// Root mean square of the residuals, in metres.
    pub residual: f64,
    /// Root mean square of the residual angles, in radians.
    pub residual_angle: f64,
    /// Number of sightings that were left out as outliers.
    pub n_left_out: usize,
}

/// Error of finding the pose of the tracker.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum AlignmentError {
    #[error(
        "the hand was seen {got} times by both tracker and headset, \
         expected at least {MIN_SIGHTINGS}"
    )]
    TooFew { got: usize },
    #[error("a pose has numbers that are not finite, or far too large")]
    NotFinite,
    #[error(
        "the hand hardly turned, or about one axis only: \
         tilt it, roll it and swing it from side to side"
    )]
    NotTurned,
    #[error(
        "tracker and headset disagree by {residual_mm:.0} mm and {angle_deg:.0} degrees, \
         expected at most {MAX_RESIDUAL_MM} and {MAX_RESIDUAL_DEG}: \
         keep metal away and the hand in sight, and move slowly"
    )]
    Disagree { residual_mm: f64, angle_deg: f64 },
}

const MIN_SIGHTINGS: usize = 12;
const MAX_RESIDUAL_MM: f64 = 20.0;
const MAX_RESIDUAL_DEG: f64 = 8.0;
/// Smallest difference between the best and the second best direction, as a mean square over all
/// entries of the rotations. A hand that swings by 20 degrees about two axes has some 0.03.
const MIN_DISTINCTION: f64 = 0.004;
/// Multiple of the median residual beyond which a sighting is left out.
const OUTLYING: f64 = 4.0;

/// Finds the pose of the tracker.
pub fn align(sightings: &[Sighting]) -> Result<Alignment, AlignmentError> {
    let is_finite =
        |pose: &Isometry3<f64>| pose.to_matrix().iter().all(|number| number.is_finite());
    if !sightings.iter().all(|s| is_finite(&s.source_from_sensor) && is_finite(&s.stage_from_seen))
    {
        return Err(AlignmentError::NotFinite);
    }
    let first = fitted(sightings)?;
    // Single bad measurements must not affect the result.
    let off: Vec<f64> = sightings.iter().map(|sighting| first.off(sighting).0).collect();
    let mut sorted = off.clone();
    sorted.sort_by(f64::total_cmp);
    let most = OUTLYING * sorted[sorted.len() / 2] + 1e-9;
    let kept: Vec<Sighting> =
        sightings.iter().zip(&off).filter(|(_, off)| **off <= most).map(|(s, _)| *s).collect();
    let n_left_out = sightings.len() - kept.len();
    // More than a third of the sightings contradicting the others is not a glitch.
    if kept.len() < MIN_SIGHTINGS || 3 * n_left_out > sightings.len() {
        return Err(first.disagreement());
    }
    let fit = fitted(&kept)?;
    if fit.residual > 1e-3 * MAX_RESIDUAL_MM || fit.residual_angle > MAX_RESIDUAL_DEG.to_radians() {
        return Err(fit.disagreement());
    }
    Ok(Alignment { n_left_out, ..fit })
}

impl Alignment {
    fn disagreement(&self) -> AlignmentError {
        let (residual_mm, angle_deg) = (1e3 * self.residual, self.residual_angle.to_degrees());
        AlignmentError::Disagree { residual_mm, angle_deg }
    }

    /// Residual of one sighting, in metres and radians.
    fn off(&self, sighting: &Sighting) -> (f64, f64) {
        let expected = self.stage_from_source * sighting.source_from_sensor * self.sensor_from_seen;
        let seen = &sighting.stage_from_seen;
        let apart = expected.translation.vector - seen.translation.vector;
        (apart.norm(), expected.rotation.angle_to(&seen.rotation))
    }
}

/// Best fit to all of these sightings.
fn fitted(sightings: &[Sighting]) -> Result<Alignment, AlignmentError> {
    if sightings.len() < MIN_SIGHTINGS {
        return Err(AlignmentError::TooFew { got: sightings.len() });
    }
    let (x_turn, y_turn) = turns(sightings)?;
    let (mut squares, mut wanted) = (Matrix6::<f64>::zeros(), Vector6::<f64>::zeros());
    for sighting in sightings {
        let (tracked, seen) = (&sighting.source_from_sensor, &sighting.stage_from_seen);
        let to_stage = (x_turn * tracked.rotation).to_rotation_matrix();
        let mut rows = Matrix3x6::zeros();
        rows.fixed_columns_mut::<3>(0).copy_from(to_stage.matrix());
        rows.fixed_columns_mut::<3>(3).copy_from(&Matrix3::identity());
        squares += rows.transpose() * rows;
        let place = seen.translation.vector - x_turn * tracked.translation.vector;
        wanted += rows.transpose() * place;
    }
    let places = squares.cholesky().ok_or(AlignmentError::NotTurned)?.solve(&wanted);
    let isometry = |at: usize, turn: UnitQuaternion<f64>| {
        Isometry3::from_parts(places.fixed_rows::<3>(at).into_owned().into(), turn)
    };
    let fit = Alignment {
        stage_from_source: isometry(3, x_turn),
        sensor_from_seen: isometry(0, y_turn),
        residual: 0.0,
        residual_angle: 0.0,
        n_left_out: 0,
    };
    let n = sightings.len() as f64;
    let (places, angles) = sightings.iter().fold((0.0, 0.0), |(places, angles), sighting| {
        let (place, angle) = fit.off(sighting);
        (places + place * place, angles + angle * angle)
    });
    // Numbers may be so large that their squares are infinite.
    if !(places + angles).is_finite() {
        return Err(AlignmentError::NotFinite);
    }
    Ok(Alignment { residual: (places / n).sqrt(), residual_angle: (angles / n).sqrt(), ..fit })
}

/// Rotations of both unknown transforms.
fn turns(
    sightings: &[Sighting],
) -> Result<(UnitQuaternion<f64>, UnitQuaternion<f64>), AlignmentError> {
    // Entries of X^T and of Y, each row by row.
    let mut squares = DMatrix::<f64>::zeros(18, 18);
    for sighting in sightings {
        let tracked = sighting.source_from_sensor.rotation.to_rotation_matrix();
        let seen = sighting.stage_from_seen.rotation.to_rotation_matrix();
        for (row, column) in (0..3).flat_map(|row| (0..3).map(move |column| (row, column))) {
            let mut equation = DVector::<f64>::zeros(18);
            for k in 0..3 {
                equation[3 * row + k] += seen[(k, column)];
                equation[9 + 3 * k + column] -= tracked[(row, k)];
            }
            squares += &equation * equation.transpose();
        }
    }
    squares /= sightings.len() as f64;
    let eigen = SymmetricEigen::new(squares);
    let mut order: Vec<usize> = (0..18).collect();
    order.sort_by(|a, b| eigen.eigenvalues[*a].total_cmp(&eigen.eigenvalues[*b]));
    let (best, second) = (eigen.eigenvalues[order[0]], eigen.eigenvalues[order[1]]);
    if second - best <= MIN_DISTINCTION {
        return Err(AlignmentError::NotTurned);
    }
    let found = eigen.eigenvectors.column(order[0]);
    let matrix = |at: usize| Matrix3::from_fn(|row, column| found[at + 3 * row + column]);
    let (x_transposed, y) = (matrix(0), matrix(9));
    // The eigenvector has either sign; a rotation has a positive determinant.
    let sign = y.determinant().signum();
    let turn = |matrix: Matrix3<f64>| nearest_turn(sign * matrix);
    let (x, y) = (turn(x_transposed.transpose()), turn(y));
    x.zip(y).ok_or(AlignmentError::NotTurned)
}

/// Rotation nearest to a multiple of `matrix` in the least-squares sense; `None` if the matrix is
/// singular.
fn nearest_turn(matrix: Matrix3<f64>) -> Option<UnitQuaternion<f64>> {
    let svd = matrix.svd(true, true);
    let (u, v_t) = (svd.u?, svd.v_t?);
    let turn = u * v_t;
    let is_turn = svd.singular_values.min() > 1e-6 && turn.determinant() > 0.5;
    is_turn.then(|| UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Translation3, Vector3};
    use proptest::prelude::*;

    fn pose(place: [f64; 3], turn: [f64; 3]) -> Isometry3<f64> {
        Isometry3::from_parts(
            Translation3::from(Vector3::from(place)),
            UnitQuaternion::from_scaled_axis(Vector3::from(turn)),
        )
    }

    fn truth() -> (Isometry3<f64>, Isometry3<f64>) {
        (pose([0.2, 0.8, -0.5], [1.0, -0.7, 1.9]), pose([0.01, -0.04, 0.03], [-0.5, 1.3, 0.2]))
    }

    /// A pseudo-random number between -1 and 1.
    fn noise(seed: usize) -> f64 {
        let mixed = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 32)) as f64 / u64::MAX as f64) * 2.0 - 1.0
    }

    /// A hand that swings by up to `swing` about these axes while it moves through half a metre;
    /// the headset's errors are up to `off` metres, and ten times as many radians.
    fn waved(swing: f64, axes: usize, off: f64) -> Vec<Sighting> {
        let (x, y) = truth();
        let sighting = |i: usize| {
            let t = i as f64;
            let along = |axis: usize| swing * (0.31 * t * (1.0 + 0.37 * axis as f64)).sin();
            let turn = [0, 1, 2].map(|axis| if axis < axes { along(axis) } else { 0.0 });
            let place =
                [0.3 + 0.25 * (0.1 * t).sin(), 0.2 * (0.17 * t).cos(), 0.1 * (0.23 * t).sin()];
            let tracked = pose(place, turn);
            let wrong = |k: usize| noise(100 * i + k);
            let error =
                pose([0, 1, 2].map(|k| off * wrong(k)), [3, 4, 5].map(|k| 10.0 * off * wrong(k)));
            Sighting { source_from_sensor: tracked, stage_from_seen: x * tracked * y * error }
        };
        (0..150).map(sighting).collect()
    }

    fn errors(found: &Alignment) -> [f64; 4] {
        let (x, y) = truth();
        let apart = |a: &Isometry3<f64>, b: &Isometry3<f64>| {
            let place = (a.translation.vector - b.translation.vector).norm();
            [place, a.rotation.angle_to(&b.rotation)]
        };
        let [x, y] = [apart(&found.stage_from_source, &x), apart(&found.sensor_from_seen, &y)];
        [x[0], x[1], y[0], y[1]]
    }

    #[test]
    fn exact_sightings_give_exact_transforms() {
        let found = align(&waved(0.6, 3, 0.0)).unwrap();
        assert!(errors(&found).iter().all(|error| *error < 1e-9), "{:?}", errors(&found));
        assert!(found.residual < 1e-9 && found.n_left_out == 0);
    }

    #[test]
    fn noise_is_averaged_out() {
        // Up to 4 mm and 2.3 degrees along each axis, the usual errors of a headset's hands.
        let found = align(&waved(0.6, 3, 0.004)).unwrap();
        let [place, angle, ..] = errors(&found);
        assert!(place < 0.004 && angle < 0.01, "{place} m, {angle} rad");
        assert!((0.002..0.008).contains(&found.residual), "{}", found.residual);
    }

    #[test]
    fn two_axes_are_enough_and_one_is_not() {
        assert!(align(&waved(0.35, 2, 0.001)).is_ok());
        for (swing, axes) in [(0.6, 1), (0.0, 3), (0.05, 3)] {
            let refused = align(&waved(swing, axes, 0.001));
            assert_eq!(refused, Err(AlignmentError::NotTurned), "{swing} about {axes}");
        }
    }

    #[test]
    fn glitches_are_left_out_and_contradictions_refused() {
        let mut sightings = waved(0.6, 3, 0.001);
        for sighting in sightings.iter_mut().step_by(10) {
            sighting.stage_from_seen.translation.vector.y += 0.3;
        }
        let found = align(&sightings).unwrap();
        assert_eq!(found.n_left_out, 15);
        assert!(errors(&found)[0] < 0.002, "{:?}", errors(&found));

        // The tracker's receiver comes loose half way.
        let mut sightings = waved(0.6, 3, 0.001);
        for sighting in &mut sightings[75..] {
            sighting.source_from_sensor *= pose([0.1, 0.0, 0.05], [0.0, 1.0, 0.0]);
        }
        assert!(matches!(align(&sightings), Err(AlignmentError::Disagree { .. })));
        let few = align(&waved(0.6, 3, 0.0)[..5]);
        assert_eq!(few, Err(AlignmentError::TooFew { got: 5 }));
    }

    /// The quality of the fit does not depend on the origin and axes of either frame.
    #[test]
    fn the_fit_does_not_depend_on_the_frames() {
        let sightings = waved(0.6, 3, 0.003);
        let moved = pose([5.0, -3.0, 1.0], [2.0, 0.4, -1.0]);
        let seen_elsewhere = sightings.iter().map(|sighting| Sighting {
            stage_from_seen: moved * sighting.stage_from_seen,
            ..*sighting
        });
        let elsewhere = align(&seen_elsewhere.collect::<Vec<_>>()).unwrap();
        let here = align(&sightings).unwrap();
        assert!((here.residual - elsewhere.residual).abs() < 1e-9);
        let expected = moved * here.stage_from_source;
        assert!((expected.to_matrix() - elsewhere.stage_from_source.to_matrix()).amax() < 1e-8);
    }

    proptest! {
        #[test]
        fn any_poses_give_an_answer_or_a_reason(
            numbers in prop::collection::vec(prop::num::f64::ANY, 12 * 14),
        ) {
            let sightings: Vec<Sighting> = numbers
                .chunks(12)
                .map(|n| Sighting {
                    source_from_sensor: pose([n[0], n[1], n[2]], [n[3], n[4], n[5]]),
                    stage_from_seen: pose([n[6], n[7], n[8]], [n[9], n[10], n[11]]),
                })
                .collect();
            if let Ok(found) = align(&sightings) {
                prop_assert!(found.residual.is_finite());
            }
        }
    }
}
