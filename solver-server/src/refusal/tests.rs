//! The table of errors, row by row. Errors of the solver are made by the solver.

use std::collections::BTreeSet;
use std::io;

use engine::model_cache::WorkHandle;
use engine::remote::gives_up;
use engine::single_solve::SolveQuestion;
use engine::{BuildError, MemoryBudget, ObjectSpec, SolverResources};
use proto::v1::solve_request::Algorithm;
use proto::v1::{Known, Object, Solid, SolveRequest, object};

use super::*;

const LIMITS: Limits = Limits { sessions: 2, nodes: 100 };
const SIZE: ClaimedSize = ClaimedSize { n_nodes: 101, n_elements: 5 };

/// Memory that is enough for a tetrahedron.
const ENOUGH: usize = 1 << 20;

fn bytes(numbers: &[u32]) -> bytes::Bytes {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// One tetrahedron with these supports.
fn tetrahedron(supports: &[u32]) -> Object {
    let points: [f64; 12] = [0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1];
    let solid = Solid {
        rest_positions: points.into_iter().flat_map(f64::to_le_bytes).collect(),
        elements: bytes(&[0, 1, 2, 3]),
        young: 1e4,
        poisson: 0.4,
        supports: bytes(supports),
        ..Solid::default()
    };
    Object { family: Some(object::Family::Solid(solid)) }
}

fn resources(factor_bytes: usize) -> std::sync::Arc<SolverResources> {
    let mut budget = MemoryBudget::default();
    budget.object.factor_bytes = factor_bytes;
    SolverResources::new(Some(1), budget).unwrap()
}

fn not_prepared(supports: &[u32], factor_bytes: usize) -> Refusal {
    let resources = resources(factor_bytes);
    let spec = ObjectSpec::try_from(tetrahedron(supports)).unwrap();
    Refusal::CannotPrepare(resources.prepare(&resources.models().request(&spec)).err().unwrap())
}

/// Refusal of a single solve with known nodes of a tetrahedron.
fn not_answered(
    algorithm: Algorithm,
    nodes: &[u32],
    factor_bytes: usize,
    is_cancelled: bool,
) -> Refusal {
    let known = Known {
        nodes: bytes(nodes),
        displacements: vec![0; 24 * nodes.len()].into(),
        axes: vec![7; nodes.len()].into(),
    };
    let question = SolveRequest {
        object: Some(tetrahedron(&[0, 1, 2])),
        known: Some(known),
        algorithm: algorithm.into(),
        ..SolveRequest::default()
    };
    let question = SolveQuestion::try_from(question).unwrap();
    let handle = WorkHandle::default();
    if is_cancelled {
        handle.cancel();
    }
    let answer = engine::single_solve::answer(&question, &resources(factor_bytes), &handle);
    Refusal::NoAnswer(answer.err().unwrap())
}

fn no_threads() -> ThreadsError {
    ThreadsError::new(8, io::Error::from(io::ErrorKind::WouldBlock))
}

/// Every refusal with the error of its row.
fn refusals() -> Vec<(&'static str, Refusal)> {
    let no_solution = "the known displacements of a single solve have no solution";
    let no_mesh = "the object's mesh or supports cannot be solved";
    let over_budget = "the object needs more than `--memory-mb`";
    let no_thread = "the machine starts no more threads";
    let nonsense = "a request cannot be read, or has wrong values";
    let gone = "the client has gone before the answer";
    let failed = "the solver failed, which is a fault of the server";
    vec![
        ("the pass is missing, or is not the server's", Refusal::Stranger),
        (
            "the object has more nodes or elements than `--max-nodes` allows",
            Refusal::TooLarge { size: SIZE, limits: LIMITS },
        ),
        (
            "a message is larger than the server accepts",
            Refusal::MessageTooLarge { bytes: 9, most: 8 },
        ),
        (
            "the answer would be larger than a message of gRPC can be",
            Refusal::AnswerTooLarge { bytes: 5 << 30 },
        ),
        ("the first request of a session opens no object", Refusal::NothingOpened),
        ("a request opens a second object", Refusal::OpenedTwice),
        (nonsense, Refusal::Nonsense(WireError::Missing("the object"))),
        (nonsense, Refusal::Unreadable("it ends too early".to_owned())),
        (no_mesh, not_prepared(&[0, 1], ENOUGH)),
        (no_solution, not_answered(Algorithm::Factorise, &[9], ENOUGH, false)),
        (no_solution, not_answered(Algorithm::Factorise, &[0], ENOUGH, false)),
        (over_budget, not_prepared(&[0, 1, 2], 0)),
        (over_budget, not_answered(Algorithm::Factorise, &[3], 0, false)),
        (over_budget, not_answered(Algorithm::Invert, &[], 0, false)),
        ("all places of sessions are taken", Refusal::Full(LIMITS)),
        (
            "the machine has no memory left",
            Refusal::CannotPrepare(BuildError::out_of_memory().into()),
        ),
        ("the machine has no memory left", Refusal::NoMemory { bytes: 1 << 32 }),
        ("an unfinished message falls silent for ten seconds", Refusal::Silent),
        (no_thread, Refusal::NoThread(io::Error::from(io::ErrorKind::WouldBlock))),
        (no_thread, Refusal::NoWorkers(no_threads())),
        (no_thread, Refusal::CannotPrepare(no_threads().into())),
        (no_thread, Refusal::NoAnswer(no_threads().into())),
        ("the server is being stopped", Refusal::Stopping),
        (gone, not_answered(Algorithm::Factorise, &[3], ENOUGH, true)),
        (gone, not_answered(Algorithm::Invert, &[], ENOUGH, true)),
        (failed, Refusal::Panicked),
    ]
}

/// Number of the kind of a refusal. A new kind needs a number here, and an example above.
fn kind(refusal: &Refusal) -> usize {
    match refusal {
        Refusal::Stranger => 0,
        Refusal::Full(_) => 1,
        Refusal::Stopping => 2,
        Refusal::TooLarge { .. } => 3,
        Refusal::MessageTooLarge { .. } => 4,
        Refusal::AnswerTooLarge { .. } => 5,
        Refusal::Silent => 6,
        Refusal::NothingOpened => 7,
        Refusal::OpenedTwice => 8,
        Refusal::Nonsense(_) => 9,
        Refusal::Unreadable(_) => 10,
        Refusal::CannotPrepare(_) => 11,
        Refusal::NoAnswer(_) => 12,
        Refusal::NoThread(_) => 13,
        Refusal::NoWorkers(_) => 14,
        Refusal::NoMemory { .. } => 15,
        Refusal::Panicked => 16,
    }
}
const N_KINDS: usize = 17;

/// Rows of the table: error, status, next step.
fn rows() -> Vec<[String; 3]> {
    let lines = include_str!("../refusal.rs").lines();
    let cells = lines.filter_map(|line| line.strip_prefix("//! | ")?.strip_suffix(" |"));
    let row = |cells: &str| {
        let cells: Vec<String> = cells.split(" | ").map(str::to_owned).collect();
        cells.try_into().expect("a row has three cells")
    };
    cells.skip(1).map(row).collect()
}

/// Status as the table writes it.
fn written(status: &Status) -> String {
    let name = format!("{:?}", status.code());
    let words = name.chars().enumerate().map(|(i, c)| match c.is_uppercase() && i > 0 {
        true => format!("_{c}"),
        false => c.to_ascii_uppercase().to_string(),
    });
    let never_again = match status.metadata().get("grpc-retry-pushback-ms") {
        Some(pause) if pause == "-1" => ", never again",
        _ => "",
    };
    format!("`{}`{never_again}", words.collect::<String>())
}

#[test]
fn every_error_has_the_status_and_the_next_step_of_its_row() {
    let rows = rows();
    let refusals = refusals();
    let kinds: BTreeSet<usize> = refusals.iter().map(|(_, refusal)| kind(refusal)).collect();
    assert_eq!(kinds.len(), N_KINDS, "{kinds:?}");
    // The library answers unknown calls by itself.
    let unknown = "the call does not exist, or its encoding is unknown";
    let mut tested = BTreeSet::from([unknown]);
    let statuses = refusals.into_iter().map(|(error, refusal)| (error, status(refusal)));
    for (error, status) in statuses.chain([(unknown, Status::unimplemented(""))]) {
        let row = rows.iter().find(|row| row[0] == error);
        let [_, code, next] = row.unwrap_or_else(|| panic!("no row for {error:?}"));
        assert_eq!(&written(&status), code, "{error}: {status:?}");
        assert_eq!(gives_up(&status), next == "gives up", "{error}: {status:?}");
        assert!(["gives up", "tries again"].contains(&next.as_str()), "{next}");
        tested.insert(error);
    }
    let listed: BTreeSet<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(listed, tested);
    assert_eq!(rows.len(), listed.len(), "each error has one row");
}
