//! Finds the point about which a hand turned, in the frames of the receiver and of the transmitter.
//!
//! For every pose `R_i p + t_i = q`, with `p` fixed to the receiver and `q` to the transmitter. The
//! best `q` for a given `p` is `mean(R) p + mean(t)`; what remains is `sum |A_i p + b_i|^2` with
//! `A_i = R_i - mean(R)` and `b_i = t_i - mean(t)`, three equations for `p`. An eigenvalue of `S =
//! mean(A_i^T A_i)` is the mean square distance that the rotations moved the end of a lever arm of
//! unit length along its eigenvector. If all rotations had one axis, an arm along this axis never
//! moved, and its length cannot be found.

use nalgebra::{Isometry3, Matrix3, Point3, SymmetricEigen, Vector3};

use super::TrackerTransforms;

/// Result of a pivoting motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pivot {
    pub in_sensor: Point3<f64>,
    pub in_source: Point3<f64>,
    /// Apparent motion of the point, root mean square, in metres.
    pub wander: f64,
}

/// Error of finding the pivot.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PivotError {
    #[error("only {got} tracker samples, expected at least {MIN_POSES}: keep turning the hand")]
    TooFew { got: usize },
    #[error("the hand hardly turned: turn it about the spot by 30 degrees to each side")]
    TooSmall,
    #[error(
        "turn the hand about more axes: so far it only {0}; {1}",
        .so_far.done(),
        .so_far.missing()
    )]
    OneAxis { so_far: HandAxis },
    #[error(
        "the heel of the hand moved by {wander_mm:.1} mm, expected at most {MAX_WANDER_MM}: \
         keep it on the spot"
    )]
    Slipped { wander_mm: f64 },
}

/// An axis of the hand, as the receiver is usually mounted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandAxis {
    Across,
    Upright,
    AlongFingers,
}

/// Fewest poses for a pivot.
pub const MIN_POSES: usize = 60;
/// Smallest root mean square motion of an arm, as a share of its length: about 8 degrees each way.
const MIN_TURN: f64 = 0.14;
const MAX_WANDER_MM: f64 = 5.0;

impl Pivot {
    /// Pivot from the tracker's poses during the motion.
    pub fn find(source_from_sensor: &[Isometry3<f64>]) -> Result<Self, PivotError> {
        let got = source_from_sensor.len();
        if got < MIN_POSES {
            return Err(PivotError::TooFew { got });
        }
        let share = 1.0 / got as f64;
        let matrix = |pose: &Isometry3<f64>| *pose.rotation.to_rotation_matrix().matrix();
        let mut mean_turn = Matrix3::zeros();
        let mut mean_position = Vector3::zeros();
        for pose in source_from_sensor {
            mean_turn += matrix(pose) * share;
            mean_position += pose.translation.vector * share;
        }
        let mut moved = Matrix3::zeros();
        let mut right_side = Vector3::zeros();
        for pose in source_from_sensor {
            let turn = matrix(pose) - mean_turn;
            moved += turn.transpose() * turn * share;
            right_side -= turn.transpose() * (pose.translation.vector - mean_position) * share;
        }
        check_turns(moved)?;
        let in_sensor = moved.cholesky().ok_or(PivotError::TooSmall)?.solve(&right_side);
        let in_source = mean_turn * in_sensor + mean_position;
        let square: f64 = source_from_sensor
            .iter()
            .map(|pose| (pose * Point3::from(in_sensor) - Point3::from(in_source)).norm_squared())
            .sum();
        let wander = (square * share).sqrt();
        if wander * 1e3 > MAX_WANDER_MM {
            return Err(PivotError::Slipped { wander_mm: wander * 1e3 });
        }
        Ok(Self { in_sensor: in_sensor.into(), in_source: in_source.into(), wander })
    }
}

/// Checks that the rotations were large and had at least two axes.
fn check_turns(moved: Matrix3<f64>) -> Result<(), PivotError> {
    let eigen = SymmetricEigen::new(moved);
    let way = eigen.eigenvalues.map(|value| value.max(0.0).sqrt());
    if way.max() < MIN_TURN {
        return Err(PivotError::TooSmall);
    }
    let least = way.imin();
    if way[least] < MIN_TURN {
        // The arm that moved least is the axis of all rotations.
        let axis_in_sensor = eigen.eigenvectors.column(least).into_owned();
        return Err(PivotError::OneAxis { so_far: HandAxis::nearest(axis_in_sensor) });
    }
    Ok(())
}

impl HandAxis {
    fn nearest(axis_in_sensor: Vector3<f64>) -> Self {
        let wrist_from_sensor = TrackerTransforms::default().sensor_from_wrist.rotation.inverse();
        match (wrist_from_sensor * axis_in_sensor).iamax() {
            0 => Self::Across,
            1 => Self::Upright,
            _ => Self::AlongFingers,
        }
    }

    fn done(self) -> &'static str {
        match self {
            Self::Across => "tilted up and down",
            Self::Upright => "turned left and right",
            Self::AlongFingers => "rolled from side to side",
        }
    }

    fn missing(self) -> &'static str {
        match self {
            Self::Across => "turn it left and right, and roll it",
            Self::Upright => "tilt it up and down, and roll it",
            Self::AlongFingers => "tilt it up and down, and turn it left and right",
        }
    }
}
