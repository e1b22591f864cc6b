//! A deformed shape as a new rest shape.

use nalgebra::Vector3;

use super::{ObjectSpec, SolidSpec, SpecError};
use crate::mesh::{MeshError, TetMesh};

/// A description with other rest positions.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRest {
    /// The object that rests there.
    pub spec: ObjectSpec,
    /// The part of the displacements that was taken, from 0 to 1. It is below 1 where elements
    /// would turn inside out.
    pub share: f64,
}

/// Why an object cannot rest in another shape.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RestError {
    /// There is one displacement for each node.
    #[error("there are {got} displacements, expected one for each of {want} nodes")]
    Length {
        /// How many were given.
        got: usize,
        /// How many nodes there are.
        want: usize,
    },
    /// Even half of the way turns elements inside out.
    #[error(
        "it is squeezed too far: parts of it would turn inside out. Squeeze less and keep that"
    )]
    TooFar,
    /// The moved nodes make no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The moved mesh makes no object.
    #[error(transparent)]
    Spec(#[from] SpecError),
}

impl ObjectSpec {
    /// The same object, at rest where `displacements` take its nodes, or nearly as far as its
    /// elements allow: small strains know nothing of elements that turn inside out.
    pub fn with_rest(&self, displacements: &[Vector3<f64>]) -> Result<NewRest, RestError> {
        let (got, want) = (displacements.len(), self.n_nodes());
        if got != want {
            return Err(RestError::Length { got, want });
        }
        match self {
            Self::Solid(solid) => {
                let (mesh, share) = farthest_mesh(&solid.mesh, displacements)?;
                let spec = SolidSpec::new(mesh, solid.material, solid.supports.clone())?;
                Ok(NewRest { spec: spec.into(), share })
            }
        }
    }
}

/// The mesh moved by the largest share of `displacements` that it bears, with that share.
fn farthest_mesh(
    mesh: &TetMesh,
    displacements: &[Vector3<f64>],
) -> Result<(TetMesh, f64), RestError> {
    /// With a smaller share, the shape would differ too much from the one that was seen.
    const LEAST: f64 = 0.5;
    /// Stops at this part of the largest valid displacement, so that no element is nearly flat.
    const MARGIN: f64 = 0.9;
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
