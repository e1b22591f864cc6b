//! Several bodies in one object: each behaves as it would alone.

use nalgebra::{Point3, Vector3};
use physics::family::solid::SolveError;
use physics::linear::ContactError;
use physics::{
    Deformable, KnownDisplacement, NodeId, Outcome, SolidSpec, TetMesh, WhenUnderdetermined,
};

use crate::test_bodies::{
    largest, material, model, nodes_where, shaken_box, soft_block, solid, solve, touch, wave,
};

const SHIFT: Vector3<f64> = Vector3::new(0.1, 0.02, -0.01);

fn block() -> TetMesh {
    soft_block().mesh().clone()
}

/// A block and a shifted copy of it. The copy's nodes and elements follow those of the block.
fn two_blocks(supports: Vec<NodeId>) -> SolidSpec {
    let mesh = block();
    let n = mesh.n_nodes() as u32;
    let shifted: Vec<Point3<f64>> = mesh.rest_positions().iter().map(|x| x + SHIFT).collect();
    let copied = mesh.elements().iter().map(|e| e.map(|node| NodeId(node.0 + n)));
    let positions = [mesh.rest_positions(), &shifted].concat();
    let elements = mesh.elements().iter().copied().chain(copied).collect();
    SolidSpec::new(TetMesh::new(positions, elements).unwrap(), material(), supports).unwrap()
}

fn held(nodes: &[u32], first: usize) -> Vec<KnownDisplacement> {
    let hold = |(i, &n): (usize, &u32)| KnownDisplacement::whole(NodeId(n), wave(first + i));
    nodes.iter().enumerate().map(hold).collect()
}

const HELD: [u32; 4] = [0, 4, 17, 55];

/// The same touch for the copy.
fn of_copy(known: &[KnownDisplacement]) -> Vec<KnownDisplacement> {
    let n = block().n_nodes() as u32;
    known.iter().map(|k| KnownDisplacement { node: NodeId(k.node.0 + n), ..*k }).collect()
}

fn check_equal(a: &[Vector3<f64>], b: &[Vector3<f64>]) {
    assert_eq!(a.len(), b.len());
    let scale = largest(b);
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).norm() < 1e-11 * scale));
}

#[test]
fn two_bodies_are_touched_as_if_each_were_alone() {
    let (here, there) = (held(&HELD, 0), held(&HELD, 7));
    let alone = [solve(&soft_block(), &here).unwrap(), solve(&soft_block(), &there).unwrap()];
    let spec = two_blocks(Vec::new());
    let both = solve(&spec, &[here.clone(), of_copy(&there)].concat()).unwrap();
    let n = block().n_nodes();
    check_equal(&both.displacements[..n], &alone[0].displacements);
    check_equal(&both.displacements[n..], &alone[1].displacements);
    let energy = alone[0].strain_energy + alone[1].strain_energy;
    assert!((both.strain_energy - energy).abs() < 1e-10 * energy);

    // Also in a frame, where each body has a rigid motion of its own.
    let mut solid = solid(&spec);
    let report = solid.step(&touch([here, of_copy(&there)].concat()), 0.0);
    assert_eq!(report.outcome, Outcome::Solved);
    crate::streamed_frames::check_frame(&solid, spec.mesh(), &both.displacements);
}

#[test]
fn a_body_that_nothing_touches_stays_exactly_at_rest() {
    let spec = two_blocks(Vec::new());
    let n = block().n_nodes();
    for (known, untouched) in [(held(&HELD, 0), n..2 * n), (of_copy(&held(&HELD, 0)), 0..n)] {
        let solution = solve(&spec, &known).unwrap();
        assert!(solution.displacements[untouched.clone()].iter().all(|u| *u == Vector3::zeros()));

        let mut solid = solid(&spec);
        assert_eq!(solid.step(&touch(known), 0.0).outcome, Outcome::Solved);
        let surface = solid.surface();
        let points = surface.positions.iter().zip(&surface.topology.rest_positions);
        for (node, (x, rest)) in surface.topology.nodes.iter().zip(points) {
            assert_eq!(x == rest, untouched.contains(&node.index()), "{node:?}");
        }
    }
}

#[test]
fn a_supported_body_stands_beside_a_free_one() {
    let glued = nodes_where(&block(), |x| x.z == 0.0);
    let spec = two_blocks(glued.clone());
    // One touched node is enough for a supported body.
    let (here, there) = (held(&[77], 3), held(&HELD, 0));
    let alone_glued = SolidSpec::new(block(), material(), glued.clone()).unwrap();
    let alone = [solve(&alone_glued, &here).unwrap(), solve(&soft_block(), &there).unwrap()];
    let both = solve(&spec, &[here.clone(), of_copy(&there)].concat()).unwrap();
    let n = block().n_nodes();
    check_equal(&both.displacements[..n], &alone[0].displacements);
    check_equal(&both.displacements[n..], &alone[1].displacements);
    assert!(glued.iter().all(|node| both.displacements[node.index()] == Vector3::zeros()));

    let mut solid = solid(&spec);
    solid.step(&touch([here, of_copy(&there)].concat()), 0.0);
    crate::streamed_frames::check_frame(&solid, spec.mesh(), &both.displacements);
}

#[test]
fn the_body_that_stays_loose_is_named_by_its_first_node() {
    let spec = two_blocks(Vec::new());
    let n = block().n_nodes();
    let known = [held(&HELD, 0), of_copy(&held(&[0, 4], 0))].concat();
    let Err(SolveError::Contact(ContactError::Underdetermined(free))) = solve(&spec, &known) else {
        panic!("two nodes do not hold the second body");
    };
    assert!(free.contains(&format!("the body with node {n}: ")), "{free}");
    assert!(free.contains("turn about the axis"), "{free}");
    let report = solid(&spec).step(&touch(known), 0.0);
    assert_eq!(report.outcome, Outcome::Underdetermined(free));
    // The first body is loose, the second is not.
    let known = [held(&[4], 0), of_copy(&held(&HELD, 0))].concat();
    let error = solve(&spec, &known).unwrap_err().to_string();
    assert!(error.contains("the body with node 0: 3 of the six"), "{error}");
}

#[test]
fn one_loose_body_moves_least_and_leaves_the_other_alone() {
    let spec = two_blocks(Vec::new());
    let n = block().n_nodes();
    let known = [held(&HELD, 0), of_copy(&held(&[17], 2))].concat();
    let both = model(&spec).solve(&known, WhenUnderdetermined::LeastMotion).unwrap();
    let alone = solve(&soft_block(), &held(&HELD, 0)).unwrap();
    check_equal(&both.displacements[..n], &alone.displacements);
    assert!((both.displacements[n + 17] - wave(2)).norm() < 1e-12 * wave(2).norm());
    assert!((both.strain_energy - alone.strain_energy).abs() < 1e-10 * alone.strain_energy);
}

#[test]
fn bodies_of_very_different_size_do_not_disturb_each_other() {
    let small = shaken_box(Vector3::new(0.0006, 0.0005, 0.0004), [3, 3, 3]);
    let large = shaken_box(Vector3::new(0.6, 0.5, 0.4), [3, 3, 3]);
    let n = small.n_nodes() as u32;
    let far = large.rest_positions().iter().map(|x| x + Vector3::x());
    let positions: Vec<Point3<f64>> = small.rest_positions().iter().copied().chain(far).collect();
    let renamed = large.elements().iter().map(|e| e.map(|node| NodeId(node.0 + n)));
    let elements = small.elements().iter().copied().chain(renamed).collect();
    let mesh = TetMesh::new(positions, elements).unwrap();
    let both = SolidSpec::new(mesh, material(), Vec::new()).unwrap();
    let alone = SolidSpec::new(small, material(), Vec::new()).unwrap();
    let known: Vec<_> = [0, 3, 12, 60]
        .iter()
        .enumerate()
        .map(|(i, &node)| KnownDisplacement::whole(NodeId(node), 0.01 * wave(i)))
        .collect();
    let (both, alone) = (solve(&both, &known).unwrap(), solve(&alone, &known).unwrap());
    let scale = largest(&alone.displacements);
    for (a, b) in both.displacements.iter().zip(&alone.displacements) {
        assert!((a - b).norm() < 1e-9 * scale);
    }
}
