//! Settings of contact, and reasons why a body cannot have it.

use crate::mesh::TetMesh;

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
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            spacing: Some(2e-3),
            has_local_compliance: true,
            tolerance: 1e-5,
            most_sweeps: 40,
            is_quasi_static: false,
        }
    }
}

impl ContactSettings {
    /// Checks that a mesh can have contact with these settings.
    pub fn check(&self, mesh: &TetMesh) -> Result<(), ContactError> {
        if let Some(spacing) = self.spacing
            && !(spacing.is_finite() && spacing > 0.0)
        {
            return Err(ContactError::Spacing(spacing));
        }
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return Err(ContactError::Tolerance(self.tolerance));
        }
        if self.most_sweeps == 0 {
            return Err(ContactError::NoSweeps);
        }
        match mesh.n_bodies() {
            1 => Ok(()),
            n_bodies => Err(ContactError::SeveralBodies(n_bodies)),
        }
    }

    /// Numbers that tell settings apart.
    pub(crate) fn numbers(&self) -> [f64; 5] {
        let flags = u8::from(self.has_local_compliance) | u8::from(self.is_quasi_static) << 1;
        let spacing = self.spacing.unwrap_or(0.0);
        let most_sweeps = f64::from(self.most_sweeps);
        [1.0, spacing, self.tolerance, most_sweeps, f64::from(flags)]
    }
}

/// A solid cannot be stepped with contact.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ContactError {
    /// The object has several bodies.
    #[error("the object has {0} bodies, expected one: contact moves a single body")]
    SeveralBodies(usize),
    /// The distance between points is not a positive number.
    #[error("the distance between points is {0} m, expected a positive number")]
    Spacing(f64),
    /// The tolerance is not a positive number.
    #[error("the tolerance of contact is {0}, expected a positive number")]
    Tolerance(f64),
    /// The solver may make no sweep.
    #[error("the contact solver may make 0 sweeps, expected at least 1")]
    NoSweeps,
    /// A state is not of this object.
    #[error("the state names point {point}, but the skin has {n_points} points")]
    NoSuchPoint {
        /// The point that does not exist.
        point: u32,
        /// Number of points of the skin.
        n_points: usize,
    },
}
