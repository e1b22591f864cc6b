//! Makes a deformed shape the new rest shape of an object.

use nalgebra::Vector3;

use super::{ObjectSpec, SolidSpec, SpecError};
use crate::mesh::{MeshError, TetMesh};

/// Description with other rest positions.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRest {
    /// Description of the object with the new rest positions.
    pub spec: ObjectSpec,
    /// Share of the displacements that was applied, from 0 to 1. It is below 1 if elements would
    /// turn inside out otherwise.
    pub share: f64,
}

/// An object cannot get another rest shape.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RestError {
    /// The number of displacements is not the number of nodes.
    #[error("there are {got} displacements, expected one for each of {want} nodes")]
    Length {
        /// Number of displacements.
        got: usize,
        /// Number of nodes.
        want: usize,
    },
    /// Even half of the displacements turns elements inside out.
    #[error(
        "the object is squeezed too far: parts of it would turn inside out. \
         Squeeze it less and keep that shape"
    )]
    TooFar,
    /// The moved nodes do not make a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The moved mesh does not make an object.
    #[error(transparent)]
    Spec(#[from] SpecError),
}

impl ObjectSpec {
    /// Creates the same object with rest positions moved by `displacements`, or by a smaller share
    /// of them if elements would turn inside out. Linear elasticity with small strains does not
    /// prevent such displacements.
    pub fn with_rest(&self, displacements: &[Vector3<f64>]) -> Result<NewRest, RestError> {
        let (got, want) = (displacements.len(), self.n_nodes());
        if got != want {
            return Err(RestError::Length { got, want });
        }
        match self {
            Self::Solid(solid) => {
                let (mesh, share) = farthest_mesh(&solid.mesh, displacements)?;
                let spec = SolidSpec::new(mesh, solid.material, solid.supports.clone())?;
                let spec = SolidSpec { contact: solid.contact, grip: solid.grip, ..spec };
                Ok(NewRest { spec: spec.into(), share })
            }
        }
    }
}

/// Moves the mesh by all of `displacements` if the result is valid, else by `MARGIN` of their
/// largest valid share. Returns the mesh and the share.
fn farthest_mesh(
    mesh: &TetMesh,
    displacements: &[Vector3<f64>],
) -> Result<(TetMesh, f64), RestError> {
    /// Smallest share. With less, the shape would differ too much from the one on screen.
    const LEAST: f64 = 0.5;
    /// Part of the largest valid share that is applied, so that no element is nearly flat.
    const MARGIN: f64 = 0.9;
    /// Number of bisection steps to find the largest valid share.
    const N_HALVINGS: usize = 8;
    let moved = |share: f64| {
        let rest = mesh.rest_positions().iter();
        let points = rest.zip(displacements).map(|(x, u)| x + u * share).collect();
        TetMesh::new(points, mesh.elements().to_vec())
    };
    match moved(1.0) {
        Err(MeshError::NotPositive { .. }) => {}
        whole => return Ok((whole?, 1.0)),
    }
    let (mut good, mut bad) = (0.0, 1.0);
    for _ in 0..N_HALVINGS {
        let middle = 0.5 * (good + bad);
        match moved(middle) {
            Ok(_) => good = middle,
            Err(_) => bad = middle,
        }
    }
    let share = good * MARGIN;
    if share < LEAST {
        return Err(RestError::TooFar);
    }
    Ok((moved(share)?, share))
}
