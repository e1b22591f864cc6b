//! A squeezed shape as a rest shape.

use std::sync::Arc;

use engine::Solvers;
use engine::solve::{Algorithm, Question};
use interaction::kept::moved_by;
use physics::{KnownDisplacement, Loose, ObjectSpec};

/// The rest shape whose nodes are where the known displacements take them.
pub(super) fn kept(
    solvers: &Solvers,
    spec: &ObjectSpec,
    known: Vec<KnownDisplacement>,
) -> Result<Arc<ObjectSpec>, String> {
    let ObjectSpec::Solid(solid) = spec;
    let question = Question {
        spec: solid.clone(),
        known,
        loose: Loose::Refuse,
        algorithm: Algorithm::Factorise,
        wants_stresses: false,
    };
    let answer = solvers.answer(&question).map_err(|e| e.to_string())?;
    moved_by(spec, &answer.solution.displacements)
}
