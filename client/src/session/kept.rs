//! A squeezed shape as a rest shape.

use std::sync::Arc;

use engine::Solvers;
use engine::solve::{Algorithm, Question};
use physics::{KnownDisplacement, Loose, ObjectSpec};

/// The rest shape whose nodes are where the known displacements take them.
pub(super) fn kept(
    solvers: &Solvers,
    spec: &ObjectSpec,
    known: Vec<KnownDisplacement>,
) -> Result<Arc<ObjectSpec>, String> {
    let solid = spec.solid().ok_or("only the shape of a solid can be kept")?;
    let question = Question {
        spec: solid.clone(),
        known,
        loose: Loose::Refuse,
        algorithm: Algorithm::Factorise,
        wants_stresses: false,
    };
    let answer = solvers.answer(&question).map_err(|e| e.to_string())?;
    let kept = spec.with_rest(&answer.solution.displacements).map_err(|e| e.to_string())?;
    if kept.share < 1.0 {
        tracing::info!("shape: {:.0} % of it can be kept", 100.0 * kept.share);
    }
    Ok(Arc::new(kept.spec))
}
