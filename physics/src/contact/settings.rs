//! Settings of contact, and reasons why a body cannot have it.

use super::pad::{Friction, Pad};
use super::shape::ProxyShape;
use crate::mesh::TetMesh;

/// Shortest distance between points of the skin, in metres.
const FINEST: f64 = 1e-5;

/// Largest number of sweeps that settings may ask for.
const MOST_SWEEPS: u32 = 100_000;

/// Largest number of sweeps for matter that hands hold.
const MOST_SWEEPS_FOR_HANDS: u32 = 1000;

/// Settings of contact with a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSettings {
    /// Largest distance between points of the skin, in metres. `None`: the nodes are the points.
    pub spacing: Option<f64>,
    /// True if the local compliance, which a coarse mesh lacks, is added.
    pub has_local_compliance: bool,
    /// Change of displacement in a sweep at which the solver stops, as a share of the largest
    /// displacement at no force.
    pub tolerance: f64,
    /// Largest number of sweeps of a substep.
    pub most_sweeps: u32,
    /// True if the body forgets its velocity before each substep: it then moves only where forces
    /// press it, as an object without weight.
    pub is_quasi_static: bool,
    /// Friction between hands and the body.
    pub friction: Friction,
    /// Friction between the table and the body.
    pub table_friction: Friction,
    /// Soft layer of the hands' shapes.
    pub pad: Pad,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            spacing: Some(2e-3),
            has_local_compliance: true,
            tolerance: 1e-5,
            most_sweeps: 40,
            is_quasi_static: false,
            friction: Friction::SKIN,
            table_friction: Friction::of(0.4),
            pad: Pad::OVER_BONE,
        }
    }
}

impl ContactSettings {
    /// Checks that a mesh can have contact with these settings.
    pub fn check(&self, mesh: &TetMesh) -> Result<(), ContactError> {
        if let Some(spacing) = self.spacing
            && !(spacing.is_finite() && spacing >= FINEST)
        {
            return Err(ContactError::Spacing(spacing));
        }
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return Err(ContactError::Tolerance(self.tolerance));
        }
        if !(1..=MOST_SWEEPS).contains(&self.most_sweeps) {
            return Err(ContactError::Sweeps(self.most_sweeps));
        }
        for (of, friction) in [("hands", self.friction), ("the table", self.table_friction)] {
            friction.check(of)?;
        }
        self.pad.check()?;
        match mesh.n_bodies() {
            1 => Ok(()),
            n_bodies => Err(ContactError::SeveralBodies(n_bodies)),
        }
    }

    /// Same as [`check`](Self::check) for matter that hands hold, which must answer in time: with
    /// fewer sweeps.
    pub fn check_for_hands(&self, mesh: &TetMesh) -> Result<(), ContactError> {
        if self.most_sweeps > MOST_SWEEPS_FOR_HANDS {
            return Err(ContactError::SweepsForHands(self.most_sweeps));
        }
        self.check(mesh)
    }

    /// Numbers that tell settings apart.
    pub(crate) fn numbers(&self) -> [f64; 12] {
        let flags = u8::from(self.has_local_compliance) | u8::from(self.is_quasi_static) << 1;
        let spacing = self.spacing.unwrap_or(0.0);
        let most_sweeps = f64::from(self.most_sweeps);
        let [hands, table] = [self.friction, self.table_friction];
        [
            1.0,
            spacing,
            self.tolerance,
            most_sweeps,
            f64::from(flags),
            hands.sticking,
            hands.sliding,
            table.sticking,
            table.sliding,
            self.pad.normal,
            self.pad.tangential,
            self.pad.thickness,
        ]
    }
}

/// A solid cannot be stepped with contact.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ContactError {
    /// The object has several bodies.
    #[error("the object has {0} bodies, expected one: contact moves a single body")]
    SeveralBodies(usize),
    /// The distance between points is no length, or too short.
    #[error("the distance between points is {0} m, expected at least {FINEST} m")]
    Spacing(f64),
    /// The tolerance is not a positive number.
    #[error("the tolerance of contact is {0}, expected a positive number")]
    Tolerance(f64),
    /// The number of sweeps is 0, or so large that a substep would never end.
    #[error("the contact solver may make {0} sweeps, expected 1 to {MOST_SWEEPS}")]
    Sweeps(u32),
    /// The solver may make too many sweeps for matter that hands hold.
    #[error(
        "the contact solver may make {0} sweeps, expected at most {MOST_SWEEPS_FOR_HANDS} for an \
         object that hands hold"
    )]
    SweepsForHands(u32),
    /// Coefficients of friction that matter cannot have.
    #[error(
        "the friction of {of} is {sticking} at rest and {sliding} while sliding, expected numbers \
         from 0, the second not above the first"
    )]
    Friction {
        /// What touches the body.
        of: &'static str,
        /// Coefficient at rest.
        sticking: f64,
        /// Coefficient while sliding.
        sliding: f64,
    },
    /// A soft layer that cannot be.
    #[error(
        "the pads give way by {normal} m/Pa, across by {tangential} m/Pa, over a bone {thickness} m \
         below; expected positive numbers"
    )]
    Pad {
        /// Depth per pressure.
        normal: f64,
        /// Bristle length per traction.
        tangential: f64,
        /// Thickness over the bone.
        thickness: f64,
    },
    /// A shape that has no place or no size.
    #[error(
        "a shape has numbers that are not finite, or a size that is not positive: {shape:?} with \
         its origin at {origin:?}"
    )]
    Shape {
        /// The shape.
        shape: ProxyShape,
        /// Place of its origin at the end of the step.
        origin: [f64; 3],
    },
    /// A state is not of this object.
    #[error("the state names point {point}, but the skin has {n_points} points")]
    NoSuchPoint {
        /// The point that does not exist.
        point: u32,
        /// Number of points of the skin.
        n_points: usize,
    },
}
