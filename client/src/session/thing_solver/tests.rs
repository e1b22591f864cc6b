//! Tests of a thing that changes from one solver to another.

use std::time::{Duration, Instant};

use engine::{MemoryBudget, SolverResources};
use physics::SolidSpec;
use physics::material::IsotropicElastic;

use super::*;

/// Waits for the next output of a thing.
fn next(solver: &mut ThingSolver, bell: &Bell) -> SolverOutput {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        assert!(Instant::now() < deadline, "nothing came: {:?}", solver.state());
        if let Some(output) = solver.take().unwrap() {
            return output;
        }
        bell.wait_for(Duration::from_millis(50));
    }
}

/// The first answer of the new solver is shown if the old one never answered.
#[test]
fn a_thing_appears_once_it_leaves_a_server_that_never_answered() {
    let mesh = objects::generate::cube(0.06, 2).unwrap();
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    let solid = SolidSpec::new(mesh, material, Vec::new()).unwrap();
    let spec = Arc::new(ObjectSpec::from(solid));
    let bell = Arc::new(Bell::default());
    // No server listens on that port; only the administrator could start one there.
    let absent = SolverLocation::Remote("http://127.0.0.1:1".parse().unwrap());
    let here =
        SolverLocation::Embedded(SolverResources::new(Some(1), MemoryBudget::default()).unwrap());
    let shape = ShapeId::default();

    let mut solver = ThingSolver::start(&absent, &spec, &bell).unwrap();
    solver.move_to(&here, shape, &spec).unwrap();
    assert!(matches!(next(&mut solver, &bell), SolverOutput::Frame(of, _) if of == shape));

    // The same during the first start, and without another frame once the thing is shown.
    let mut solver = ThingSolver::start_elsewhere(&absent, Arc::clone(&spec), &bell).unwrap();
    solver.move_to(&here, shape, &spec).unwrap();
    assert!(matches!(next(&mut solver, &bell), SolverOutput::Frame(of, _) if of == shape));
    solver.move_to(&here, shape, &spec).unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while solver.has_next() {
        assert!(Instant::now() < deadline, "it never moved");
        assert!(solver.take_next().unwrap().is_none(), "nothing has happened to it");
        bell.wait_for(Duration::from_millis(50));
    }
}
