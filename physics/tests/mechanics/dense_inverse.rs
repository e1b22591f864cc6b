//! Comparison of the algorithm of \[Ma98\], which inverts the dense stiffness, with the
//! factorisation.

use nalgebra::Vector3;
use physics::family::solid::{DenseMatrix, SolveError, solve_by_inverse};
use physics::linear::ContactError;
use physics::{KnownDisplacement, MemoryLimits, NodeId, Progress, SolidSpec};

use crate::test_bodies::{Random, glued_block, largest, soft_block, solve};

fn inverted(
    spec: &SolidSpec,
    known: &[KnownDisplacement],
) -> Result<physics::family::solid::Solution, SolveError> {
    solve_by_inverse(spec, known, MemoryLimits::default(), &Progress::default())
}

fn check(spec: &SolidSpec, known: &[KnownDisplacement]) {
    let (ours, theirs) = (solve(spec, known).unwrap(), inverted(spec, known).unwrap());
    let scale = largest(&ours.displacements);
    for (a, b) in ours.displacements.iter().zip(&theirs.displacements) {
        assert!((a - b).norm() < 1e-8 * scale);
    }
    let scale = largest(ours.reactions.iter().map(|r| &r.force));
    assert_eq!(ours.reactions.len(), theirs.reactions.len());
    for (a, b) in ours.reactions.iter().zip(&theirs.reactions) {
        assert!(a.node == b.node && (a.force - b.force).norm() < 1e-8 * scale);
    }
    let energy = ours.strain_energy;
    assert!((energy - theirs.strain_energy).abs() < 1e-8 * energy);
    assert!(ours.residual < 1e-8 && theirs.residual < 1e-8);
}

#[test]
fn the_inverse_gives_the_same_answer() {
    let mut random = Random(11);
    for spec in [soft_block(), glued_block()] {
        let free: Vec<NodeId> = (0..spec.mesh().n_nodes() as u32)
            .map(NodeId)
            .filter(|node| !spec.supports().contains(node))
            .collect();
        for n_touched in [4, 8, 20] {
            let mut known = random.known(&free, n_touched);
            check(&spec, &known);
            known[1].displacement[2] = None;
            check(&spec, &known);
        }
        // All free nodes are known: nothing remains to be solved.
        check(&spec, &random.known(&free, free.len()));
    }
}

#[test]
fn a_support_cannot_be_moved_by_the_inverse_either() {
    let spec = glued_block();
    let support = spec.supports()[3];
    let known = [KnownDisplacement::whole(support, Vector3::x() * 1e-3)];
    let refused = SolveError::Contact(ContactError::Support(support));
    assert_eq!(inverted(&spec, &known).unwrap_err(), refused);
    assert_eq!(solve(&spec, &known).unwrap_err(), refused);
}

#[test]
fn an_inverse_that_does_not_fit_is_refused_with_both_sizes() {
    let spec = soft_block();
    let known: Vec<_> =
        [0, 4, 17].map(|n| KnownDisplacement::whole(NodeId(n), Vector3::zeros())).to_vec();
    let n_free = 3 * (spec.mesh().n_nodes() - known.len());
    let needed = 8 * n_free * n_free;
    let with = |factor_bytes| {
        let limits = MemoryLimits { factor_bytes, ..MemoryLimits::default() };
        solve_by_inverse(&spec, &known, limits, &Progress::default())
    };
    assert!(with(needed).is_ok());
    let error = with(needed - 1).unwrap_err();
    let needed_mb = needed.div_ceil(1_000_000);
    let allowed_mb = (needed - 1) / 1_000_000;
    assert_eq!(
        error,
        SolveError::OverBudget { what: DenseMatrix::Free(n_free), needed_mb, allowed_mb }
    );
}

#[test]
fn the_inverse_refuses_what_leaves_a_motion_free() {
    let spec = soft_block();
    // One node, then nodes on the x axis: three motions and one motion are free. An untouched body
    // stays at rest.
    assert!(inverted(&spec, &[]).is_ok());
    for nodes in [&[17][..], &[0, 4], &[0, 1, 2, 3, 4]] {
        let hold = |&n: &u32| KnownDisplacement::whole(NodeId(n), Vector3::x() * 1e-3);
        let known: Vec<_> = nodes.iter().map(hold).collect();
        let error = inverted(&spec, &known).unwrap_err();
        let is_loose = matches!(error, SolveError::Contact(ContactError::Underdetermined(_)));
        assert!(is_loose, "{nodes:?} gave {error:?}");
    }
}
