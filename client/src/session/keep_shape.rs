//! Conversion of a squeezed shape into a rest shape.

use std::sync::Arc;

use engine::SolverLocation;
use engine::single_solve::{Algorithm, SolveQuestion};
use physics::{KnownDisplacement, ObjectSpec, WhenUnderdetermined};

/// Returns the spec with the rest shape to which the known displacements lead.
pub(super) fn kept_spec(
    solvers: &SolverLocation,
    spec: &ObjectSpec,
    known: Vec<KnownDisplacement>,
) -> Result<Arc<ObjectSpec>, String> {
    let solid = spec.solid().ok_or("only the shape of a solid can be kept")?;
    let question = SolveQuestion {
        spec: solid.clone(),
        known,
        when_underdetermined: WhenUnderdetermined::Refuse,
        algorithm: Algorithm::Factorise,
        wants_stresses: false,
    };
    let answer = solvers.answer(&question).map_err(|e| e.to_string())?;
    let kept = spec.with_rest(&answer.solution.displacements).map_err(|e| e.to_string())?;
    if kept.share < 1.0 {
        tracing::info!("shape: {:.0} % of the deformation can be kept", 100.0 * kept.share);
    }
    Ok(Arc::new(kept.spec))
}
