//! Streamed frames: they are the rounded exact solution, and their memory does not grow.

use std::collections::HashSet;
use std::sync::Arc;

use nalgebra::Vector3;
use physics::family::solid::{Solid, SolidModel, SolveError};
use physics::linear::factor::{Analysis, Precision};
use physics::linear::{ContactError, assemble, elimination_order};
use physics::{
    Deformable, KnownDisplacement, MemoryLimits, NodeId, Outcome, Progress, SolidSpec, TetMesh,
    WhenUnderdetermined,
};
use proptest::prelude::*;

use crate::test_bodies::{
    Random, cases, largest, material, model, nodes_where, random_box, shaken_box, soft_block,
    solid, touch,
};

/// Checks that the surface shows the displacements `u`, to 1e-5 of the largest. In addition, a
/// position in a frame is rounded to `f32` twice, at rest and after the motion: by half of 2^-23 of
/// each coordinate.
pub(crate) fn check_frame(solid: &Solid, mesh: &TetMesh, u: &[Vector3<f64>]) {
    let scale = largest(u);
    let surface = solid.surface();
    for (position, node) in surface.positions.iter().zip(&surface.topology.nodes) {
        let (rest, u) = (mesh.rest_positions()[node.index()].coords, u[node.index()]);
        let shown = Vector3::from(position.map(f64::from)) - rest;
        let rounding = f64::from(f32::EPSILON) * (rest.norm() + u.norm());
        let error = (shown - u).norm();
        assert!(error <= 1e-5 * scale + rounding, "{node:?} is off by {:e}", error / scale);
    }
}

/// Steps a touch and compares with the exact solution. Returns true if there is one.
fn check_step(solid: &mut Solid, spec: &SolidSpec, known: &[KnownDisplacement]) -> bool {
    let report = solid.step(&touch(known.to_vec()), 0.0);
    let exact = match solid.model().solve(known, WhenUnderdetermined::Refuse) {
        Ok(exact) => exact,
        Err(SolveError::Contact(ContactError::Underdetermined(free))) => {
            assert_eq!(report.outcome, Outcome::Underdetermined(free));
            return false;
        }
        Err(other) => panic!("{other}"),
    };
    assert_eq!(report.outcome, Outcome::Solved);
    check_frame(solid, spec.mesh(), &exact.displacements);

    // What a client can ask for instead of the surface has the same bits as the single solve.
    let streamed = solid.displacements().into_iter().map(Vector3::from);
    assert!(streamed.eq(exact.displacements.iter().copied()), "displacements differ");
    let (held, supports) = exact.reactions.split_at(known.len());
    assert_eq!(solid.reactions(), held);
    assert_eq!(supports.len(), spec.supports().len());

    let forces: Vec<Vector3<f64>> = exact.reactions.iter().map(|r| r.force).collect();
    let (scale, sum) = (largest(&forces), forces.iter().sum::<Vector3<f64>>());
    if spec.supports().is_empty() {
        assert!(sum.norm() <= 1e-9 * scale, "{:e} of the largest remains", sum.norm() / scale);
    }
    true
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn any_frame_is_the_exact_answer_rounded(
        cells in prop::array::uniform3(2_usize..5),
        seed in any::<u64>(),
        is_glued in any::<bool>(),
        n_touched in 6_usize..20,
    ) {
        let mesh = random_box(cells, seed);
        let mut random = Random(seed);
        // The lowest layer of nodes, which stay below the middle of the first cell.
        let lowest = nodes_where(&mesh, |x| x.z < 0.5 * 0.04 / cells[2] as f64);
        let skin = mesh.surface().topology.nodes.clone();
        let touchable: Vec<NodeId> =
            skin.into_iter().filter(|n| !is_glued || !lowest.contains(n)).collect();
        let supports = if is_glued { lowest } else { Vec::new() };
        let spec = SolidSpec::new(mesh, material(), supports).unwrap();
        let mut solid = solid(&spec);
        let known = random.known(&touchable, n_touched.min(touchable.len()));
        prop_assert!(check_step(&mut solid, &spec, &known));

        // The same nodes, some free along some axes; then other nodes.
        let mut some_free = known.clone();
        for component in some_free.iter_mut().flat_map(|k| &mut k.displacement) {
            if random.below(3) == 0 {
                *component = None;
            }
        }
        prop_assert!(check_step(&mut solid, &spec, &some_free));
        let n_others = 2 + random.below(4);
        let others = random.known(&touchable, n_others);
        check_step(&mut solid, &spec, &others);
    }
}

#[test]
fn a_frame_of_a_slender_body_has_all_its_digits() {
    // Neighbouring nodes that are pushed apart on a bar need large forces, whose effects far away
    // cancel. A sum in `f32` would have an error of 3.5e-4 of the largest displacement.
    for is_glued in [true, false] {
        let mesh = shaken_box(Vector3::new(0.3, 0.03, 0.03), [20, 2, 2]);
        let supports = nodes_where(&mesh, |x| is_glued && x.x == 0.0);
        let skin = mesh.surface().topology.nodes.clone();
        let touchable: Vec<NodeId> =
            skin.into_iter().filter(|node| !supports.contains(node)).collect();
        let spec = SolidSpec::new(mesh, material(), supports).unwrap();
        let mut solid = solid(&spec);
        let mut random = Random(77);
        for _ in 0..30 {
            let known = random.known(&touchable, 20);
            let exact = solid.model().solve(&known, WhenUnderdetermined::Refuse).unwrap();
            assert_eq!(solid.step(&touch(known), 0.0).outcome, Outcome::Solved);
            check_frame(&solid, spec.mesh(), &exact.displacements);
        }
    }
}

#[test]
fn all_nodes_have_the_bits_of_a_single_solve_with_a_short_factor_too() {
    let mesh = shaken_box(Vector3::new(0.06, 0.05, 0.04), [6, 6, 6]);
    let stiffness = assemble(&mesh, &material());
    let analysis = Analysis::new(&stiffness, &elimination_order(&stiffness, &Progress::default()));
    let spec = SolidSpec::new(mesh, material(), Vec::new()).unwrap();
    let factor_bytes = analysis.peak_bytes(Precision::Double) - 1;
    let memory = MemoryLimits { factor_bytes, ..MemoryLimits::default() };
    let short = SolidModel::new(&spec, memory, &Progress::default()).unwrap();
    assert_eq!(short.compliance().factor().precision(), Precision::Single);
    let mut solid = Solid::of(Arc::new(short));
    let skin = solid.surface().topology.nodes.clone();
    let mut random = Random(8);
    for n_touched in [4, 9, 20] {
        assert!(check_step(&mut solid, &spec, &random.known(&skin, n_touched)));
    }
}

#[test]
fn displacements_stay_when_a_touch_is_not_answered_and_end_with_the_last_one() {
    let spec = soft_block();
    let mut solid = solid(&spec);
    assert!(solid.displacements().iter().flatten().all(|c| *c == 0.0));
    let skin = solid.surface().topology.nodes.clone();
    assert!(check_step(&mut solid, &spec, &Random(9).known(&skin, 5)));
    let before = solid.displacements();
    for too_few in [1, 2] {
        let known = Random(10).known(&skin, too_few);
        assert!(!check_step(&mut solid, &spec, &known));
        assert_eq!(solid.displacements(), before);
    }
    solid.step(&touch(Vec::new()), 0.0);
    assert!(solid.displacements().iter().flatten().all(|c| *c == 0.0));
    solid.step(&touch(Random(9).known(&skin, 5)), 0.0);
    solid.restore(&solid.state()).unwrap();
    assert!(solid.displacements().iter().flatten().all(|c| *c == 0.0));
}

#[test]
fn frames_without_readers_are_reused() {
    let spec = soft_block();
    let mut solid = solid(&spec);
    let skin = solid.surface().topology.nodes.clone();
    let mut random = Random(5);
    let mut buffers = HashSet::new();
    // Occupies freed memory, so that a new buffer has a new address.
    let mut ballast = Vec::new();
    // Two frames are always held by readers.
    let mut shown =
        [Arc::clone(&solid.surface().positions), Arc::clone(&solid.surface().positions)];
    for step in 0..500 {
        let known = random.known(&skin, 5);
        assert_eq!(solid.step(&touch(known), 0.0).outcome, Outcome::Solved);
        let positions = &solid.surface().positions;
        buffers.insert(positions.as_ptr());
        shown[step % 2] = Arc::clone(positions);
        ballast.push(positions.to_vec());
    }
    assert!((3..=5).contains(&buffers.len()), "{} buffers", buffers.len());
}

#[test]
fn a_frame_with_a_reader_never_changes() {
    let spec = soft_block();
    let mut solid = solid(&spec);
    let skin = solid.surface().topology.nodes.clone();
    let mut random = Random(6);
    let mut kept = Vec::new();
    for _ in 0..20 {
        solid.step(&touch(random.known(&skin, 5)), 0.0);
        let positions = Arc::clone(&solid.surface().positions);
        kept.push((positions.to_vec(), positions));
    }
    assert!(kept.iter().all(|(copy, positions)| copy == &**positions));
}

#[test]
fn columns_that_are_forgotten_and_solved_again_give_the_same_bits() {
    let spec = soft_block();
    let bytes_per_node = model(&spec).columns().bytes_per_node();
    let memory = MemoryLimits { column_bytes: 3 * bytes_per_node, ..MemoryLimits::default() };
    let tight = SolidModel::new(&spec, memory, &Progress::default()).unwrap();
    let (mut tight, mut roomy) = (Solid::of(Arc::new(tight)), solid(&spec));
    let skin = roomy.surface().topology.nodes.clone();
    let mut random = Random(7);
    for _ in 0..50 {
        let touch = touch(random.known(&skin, 5));
        tight.step(&touch, 0.0);
        roomy.step(&touch, 0.0);
        assert_eq!(tight.surface(), roomy.surface());
        assert!(tight.model().columns().bytes() <= 3 * bytes_per_node);
    }
    assert!(roomy.model().columns().bytes() > 30 * bytes_per_node);
}
