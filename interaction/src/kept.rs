//! A squeezed shape as a rest shape.

use std::sync::Arc;

use nalgebra::Vector3;
use physics::{MeshError, ObjectSpec, SolidSpec, TetMesh};

/// The same matter with its nodes where these displacements take them, at rest there.
pub fn moved_by(
    spec: &ObjectSpec,
    displacements: &[Vector3<f64>],
) -> Result<Arc<ObjectSpec>, String> {
    let ObjectSpec::Solid(solid) = spec;
    let moved = |share: f64| {
        let rest = solid.mesh().rest_positions().iter();
        let points = rest.zip(displacements).map(|(x, u)| x + u * share).collect();
        TetMesh::new(points, solid.mesh().elements().to_vec())
    };
    let mesh = as_far_as_it_goes(moved).map_err(|e| match e {
        MeshError::NotPositive { .. } => {
            "it is squeezed too far: parts of it would turn inside out. Squeeze less and keep that"
                .to_owned()
        }
        other => other.to_string(),
    })?;
    let material = *solid.material();
    let spec = SolidSpec::new(mesh, material, solid.supports().to_vec());
    Ok(Arc::new(ObjectSpec::Solid(spec.map_err(|e| e.to_string())?)))
}

/// A mesh that is moved all the way or, if elements would turn inside out under a fingertip, nearly as far as they bear
/// it: small strains know nothing of that.
fn as_far_as_it_goes(
    moved: impl Fn(f64) -> Result<TetMesh, MeshError>,
) -> Result<TetMesh, MeshError> {
    /// With less of the way, another shape than the one that was seen would be kept.
    const LEAST: f64 = 0.5;
    /// Flat elements are of no use: so far from where they are.
    const MARGIN: f64 = 0.9;
    const N_HALVINGS: usize = 8;
    let mesh = moved(1.0);
    if !matches!(mesh, Err(MeshError::NotPositive { .. })) {
        return mesh;
    }
    let (mut good, mut bad) = (0.0, 1.0);
    for _ in 0..N_HALVINGS {
        let middle = 0.5 * (good + bad);
        match moved(middle) {
            Ok(_) => good = middle,
            Err(_) => bad = middle,
        }
    }
    if good * MARGIN < LEAST {
        return mesh;
    }
    tracing::info!("shape: {:.0} % of it can be kept", 100.0 * good * MARGIN);
    moved(good * MARGIN)
}
