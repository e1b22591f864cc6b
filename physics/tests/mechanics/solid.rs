//! Tests of linear solids against closed forms, the dense algorithm and physical laws.

use nalgebra::{Matrix3, Point3, Rotation3, Vector3};
use physics::family::solid::{Solution, SolveError, TouchError};
use physics::linear::{ContactError, assemble};
use physics::{
    Deformable, Dof, ElementId, KnownDisplacement, NodeId, Outcome, Reaction, SolidSpec, SpecError,
    TetMesh, Touch,
};
use proptest::prelude::*;

use crate::dense_reference;
use crate::test_bodies::{
    POISSON, YOUNG, glued_block, material, nodes_where, shaken_box, soft_block, solid, solve,
    touch, wave,
};

fn moved(mesh: &TetMesh, nodes: &[NodeId], field: impl Fn(Point3<f64>) -> Vector3<f64>) -> Touch {
    touch(
        nodes
            .iter()
            .map(|&node| KnownDisplacement::whole(node, field(mesh.rest_positions()[node.index()])))
            .collect(),
    )
}

/// Largest difference between the displacements and `expected`, relative to the latter.
fn error(solution: &Solution, expected: impl Fn(NodeId) -> Vector3<f64>) -> f64 {
    let (mut largest, mut scale) = (0.0_f64, 0.0_f64);
    for (node, u) in solution.displacements.iter().enumerate() {
        let expected = expected(NodeId(node as u32));
        largest = largest.max((u - expected).norm());
        scale = scale.max(expected.norm());
    }
    largest / scale
}

#[test]
fn a_linear_field_on_the_surface_is_exact_inside() {
    let mesh = shaken_box(Vector3::new(0.06, 0.05, 0.04), [4, 3, 3]);
    let spec = SolidSpec::new(mesh.clone(), material(), Vec::new()).unwrap();
    let gradient = Matrix3::new(0.02, -0.01, 0.03, 0.005, -0.04, 0.01, 0.02, 0.015, 0.01);
    let field = |x: Point3<f64>| gradient * x.coords + Vector3::new(0.001, 0.0, -0.002);
    let skin = mesh.surface().topology.nodes.clone();
    let solution = solve(&spec, &moved(&mesh, &skin, field).known).unwrap();
    let size = 0.01;
    for (x, u) in mesh.rest_positions().iter().zip(&solution.displacements) {
        assert!((u - field(*x)).norm() < 1e-10 * size, "at {x}");
    }
}

#[test]
fn a_rigid_motion_of_three_nodes_moves_everything_and_costs_no_force() {
    let spec = soft_block();
    let mesh = spec.mesh();
    let turn = Vector3::new(0.01, -0.02, 0.015);
    let field = |x: Point3<f64>| turn.cross(&x.coords) + Vector3::new(0.003, 0.001, -0.002);
    let held = [NodeId(0), NodeId(4), NodeId(17)];
    let solution = solve(&spec, &moved(mesh, &held, field).known).unwrap();
    assert!(error(&solution, |n| field(mesh.rest_positions()[n.index()])) < 1e-10);
    let force = solution.reactions.iter().map(|r| r.force.norm()).fold(0.0, f64::max);
    assert!(force < 1e-9 * YOUNG * 0.06 * 0.06, "{force} N");
}

/// Stretches a slender bar along x by two percent. `components` returns the components of the exact
/// field to prescribe at a node of an end face; the solve must find the others.
fn check_stretched_bar(components: impl Fn(&Point3<f64>) -> [bool; 3]) {
    let (length, strain) = (0.12, 0.02);
    let mesh = shaken_box(Vector3::new(length, BAR_WIDTH, BAR_HEIGHT), [6, 2, 2]);
    let field = |x: Point3<f64>| {
        Vector3::new(strain * x.x, -POISSON * strain * x.y, -POISSON * strain * x.z)
    };
    let known = nodes_where(&mesh, |x| x.x == 0.0 || x.x == length)
        .into_iter()
        .map(|node| {
            let x = mesh.rest_positions()[node.index()];
            let (u, is_known) = (field(x), components(&x));
            let displacement = [0, 1, 2].map(|axis| is_known[axis].then_some(u[axis]));
            KnownDisplacement { node, displacement }
        })
        .collect();
    let spec = SolidSpec::new(mesh.clone(), material(), Vec::new()).unwrap();
    let solution = solve(&spec, &touch(known).known).unwrap();

    assert!(error(&solution, |n| field(mesh.rest_positions()[n.index()])) < 1e-9);
    let pull: f64 = solution
        .reactions
        .iter()
        .filter(|r| mesh.rest_positions()[r.node.index()].x == length)
        .map(|r| r.force.x)
        .sum();
    let expected = YOUNG * strain * BAR_WIDTH * BAR_HEIGHT;
    assert!((pull - expected).abs() < 1e-9 * expected, "{pull} N, expected {expected} N");
}

const BAR_WIDTH: f64 = 0.03;
const BAR_HEIGHT: f64 = 0.02;

#[test]
fn a_stretched_bar_pulls_with_young_times_strain_times_area_and_gets_thinner() {
    check_stretched_bar(|_| [true; 3]);
}

#[test]
fn a_bar_whose_ends_may_slide_finds_its_contraction_itself() {
    // In addition to the axial components, three components hold the rigid motion.
    check_stretched_bar(|x| {
        let is_origin = x.coords.norm() == 0.0;
        let is_on_y_axis = x.x == 0.0 && x.z == 0.0 && x.y == BAR_WIDTH;
        [true, is_origin, is_origin || is_on_y_axis]
    });
}

#[test]
fn the_thesis_dense_algorithm_gives_the_same_displacements_and_reactions() {
    for spec in [soft_block(), glued_block()] {
        let mesh = spec.mesh();
        let skin = mesh.surface().topology.nodes.clone();
        let known: Vec<KnownDisplacement> = skin
            .iter()
            .filter(|n| !spec.supports().contains(n))
            .step_by(7)
            .enumerate()
            .map(|(i, &node)| KnownDisplacement::whole(node, wave(i)))
            .collect();
        check_against_dense(&spec, &known);
    }
}

fn check_against_dense(spec: &SolidSpec, known: &[KnownDisplacement]) {
    let mesh = spec.mesh();
    let glued =
        spec.supports().iter().map(|&node| KnownDisplacement::whole(node, Vector3::zeros()));
    let all_known: Vec<_> = known.iter().copied().chain(glued).collect();
    let reference = dense_reference::solve(mesh, &material(), &all_known);

    let solution = solve(spec, known).unwrap();
    assert!(error(&solution, |n| reference.displacements[n.index()]) < 1e-8);
    let largest = |vectors: &mut dyn Iterator<Item = Vector3<f64>>| {
        vectors.map(|v| v.norm()).fold(0.0, f64::max)
    };
    // A statically determinate touch takes no force. Then compare rounding errors with the force
    // for a hundredth of the displacement.
    let typical = 0.01 * YOUNG * 0.06 * largest(&mut known.iter().map(|k| k.vector()));
    let scale = largest(&mut reference.reactions.iter().map(|(_, f)| *f)).max(typical);
    for reaction in &solution.reactions {
        let (_, expected) =
            reference.reactions.iter().find(|(node, _)| *node == reaction.node).unwrap();
        assert!((reaction.force - expected).norm() < 1e-8 * scale);
    }
}

#[test]
fn reactions_balance_and_do_the_work_of_the_strain_energy() {
    let spec = soft_block();
    let mesh = spec.mesh();
    let held = [NodeId(0), NodeId(4), NodeId(17), NodeId(55), NodeId(70)];
    let field = |x: Point3<f64>| wave((1e4 * (x.x + x.y + x.z)) as usize);
    let touch = moved(mesh, &held, field);
    let answer = solve(&spec, &touch.known).unwrap();

    let force: Vector3<f64> = answer.reactions.iter().map(|r| r.force).sum();
    let moment: Vector3<f64> = answer
        .reactions
        .iter()
        .map(|r| mesh.rest_positions()[r.node.index()].coords.cross(&r.force))
        .sum();
    let scale: f64 = answer.reactions.iter().map(|r| r.force.norm()).sum();
    assert!(force.norm() < 1e-9 * scale && moment.norm() < 1e-9 * scale * 0.06);

    let u: Vec<f64> = answer.displacements.iter().flat_map(|u| [u.x, u.y, u.z]).collect();
    let k_u = assemble(mesh, &material()).times(&u);
    let energy = 0.5 * u.iter().zip(&k_u).map(|(u, f)| u * f).sum::<f64>();
    let half_work = |(k, r): (&KnownDisplacement, &Reaction)| 0.5 * k.vector().dot(&r.force);
    let work: f64 = touch.known.iter().zip(&answer.reactions).map(half_work).sum();
    assert!((energy - work).abs() < 1e-9 * energy, "{energy} J and {work} J");
    assert!((energy - answer.strain_energy).abs() < 1e-9 * energy);
}

#[test]
fn pressing_i_moves_j_as_pressing_j_moves_i() {
    // Maxwell-Betti theorem on a supported body: force at i per displacement at j is symmetric.
    let spec = glued_block();
    let nodes = nodes_where(spec.mesh(), |x| x.z == 0.04 && x.x > 0.02);
    let force_at = |pressed: usize| -> Vec<f64> {
        let known: Vec<_> = nodes
            .iter()
            .enumerate()
            .map(|(i, &node)| {
                let depth = if i == pressed { -0.001 } else { 0.0 };
                KnownDisplacement::whole(node, Vector3::z() * depth)
            })
            .collect();
        let reactions = solve(&spec, &known).unwrap().reactions;
        reactions[..nodes.len()].iter().map(|r| r.force.z).collect()
    };
    let rows: Vec<Vec<f64>> = (0..nodes.len()).map(force_at).collect();
    let scale = rows[0][0].abs();
    for (i, row) in rows.iter().enumerate() {
        for (j, force) in row.iter().enumerate() {
            assert!((force - rows[j][i]).abs() < 1e-10 * scale);
        }
    }
}

#[test]
fn turning_the_body_turns_the_answer() {
    let spec = soft_block();
    let rotation = Rotation3::from_euler_angles(0.7, -0.4, 1.9);
    let shift = Vector3::new(0.4, -0.3, 0.2);
    let turned_mesh = TetMesh::new(
        spec.mesh().rest_positions().iter().map(|x| rotation * x + shift).collect(),
        spec.mesh().elements().to_vec(),
    )
    .unwrap();
    let turned_spec = SolidSpec::new(turned_mesh, material(), Vec::new()).unwrap();
    let known: Vec<KnownDisplacement> = [0, 4, 17, 55]
        .iter()
        .enumerate()
        .map(|(i, &node)| KnownDisplacement::whole(NodeId(node), wave(i)))
        .collect();
    let turned_known: Vec<_> =
        known.iter().map(|k| KnownDisplacement::whole(k.node, rotation * k.vector())).collect();
    let (plain, turned) =
        (solve(&spec, &known).unwrap(), solve(&turned_spec, &turned_known).unwrap());
    for (u, v) in plain.displacements.iter().zip(&turned.displacements) {
        assert!((rotation * u - v).norm() < 1e-12);
    }
}

#[test]
fn too_few_nodes_are_refused_with_the_free_motion_named() {
    let spec = soft_block();
    let mut solid = solid(&spec);
    let rest = solid.surface().clone();
    let mut outcome = |nodes: &[u32]| {
        let known = nodes
            .iter()
            .map(|&n| KnownDisplacement::whole(NodeId(n), Vector3::x() * 1e-3))
            .collect();
        let outcome = solid.step(&touch(known), 0.0).outcome;
        assert_eq!(solid.surface(), &rest);
        match outcome {
            Outcome::Underdetermined(free) => free,
            other => panic!("{other:?}"),
        }
    };
    assert!(outcome(&[0]).contains("3 of the six"));
    // The first edge of the block lies on the x axis: two or three of its nodes are in line.
    assert!(outcome(&[0, 4]).contains("turn about the axis"));
    let free = outcome(&[0, 2, 4]);
    assert!(free.contains("(1.00, 0.00, 0.00)") || free.contains("(-1.00, "), "{free}");
}

#[test]
fn a_node_without_elements_changes_nothing_and_cannot_be_touched() {
    let spec = soft_block();
    let mut positions = spec.mesh().rest_positions().to_vec();
    positions.push(Point3::new(1.0, 2.0, 3.0));
    let loose = NodeId(positions.len() as u32 - 1);
    let mesh = TetMesh::new(positions, spec.mesh().elements().to_vec()).unwrap();
    assert!(SolidSpec::new(mesh.clone(), material(), vec![loose]).is_err());
    let with_loose = SolidSpec::new(mesh, material(), Vec::new()).unwrap();

    let held = [NodeId(0), NodeId(4), NodeId(17), NodeId(55)];
    let touch = moved(spec.mesh(), &held, |x| wave((1e4 * x.x) as usize));
    let (plain, other) =
        (solve(&spec, &touch.known).unwrap(), solve(&with_loose, &touch.known).unwrap());
    for (a, b) in plain.displacements.iter().zip(&other.displacements) {
        assert!((a - b).norm() < 1e-13);
    }
    assert_eq!(other.displacements[loose.index()], Vector3::zeros());
    let nonsense = [KnownDisplacement::whole(loose, Vector3::zeros())];
    assert!(matches!(
        solve(&with_loose, &nonsense),
        Err(SolveError::Touch(TouchError::LooseNode(_)))
    ));
}

#[test]
fn parts_that_meet_only_in_an_edge_are_refused() {
    // Two tetrahedra share nodes 0 and 1: a hinge without stiffness.
    let at = |x: f64, y: f64, z: f64| Point3::new(x, y, z);
    let nodes = vec![
        at(0.0, 0.0, 0.0),
        at(1.0, 0.0, 0.0),
        at(0.0, 1.0, 0.0),
        at(0.0, 0.0, 1.0),
        at(0.0, -1.0, 0.0),
        at(0.0, 0.0, -1.0),
    ];
    let hinge = vec![[0, 1, 2, 3].map(NodeId), [0, 1, 4, 5].map(NodeId)];
    let mesh = TetMesh::new(nodes, hinge).unwrap();
    let error = SolidSpec::new(mesh, material(), Vec::new()).unwrap_err();
    assert_eq!(error, SpecError::Hinge { node: NodeId(0), elements: [0, 1].map(ElementId) });
}

#[test]
fn a_touch_of_too_many_nodes_is_refused() {
    let mesh = shaken_box(Vector3::new(0.06, 0.05, 0.04), [9, 8, 7]);
    let nodes = mesh.surface().topology.nodes.clone();
    let spec = SolidSpec::new(mesh, material(), Vec::new()).unwrap();
    let outcome = solid(&spec).step(&moved(spec.mesh(), &nodes, |_| wave(1)), 0.0);
    assert!(matches!(outcome.outcome, Outcome::Refused(why) if why.contains("at most 256")));
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let frames: Vec<_> = [1, 2, 4]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut solid = solid(&soft_block());
                let known = [0, 4, 17, 55, 70]
                    .iter()
                    .enumerate()
                    .map(|(i, &n)| KnownDisplacement::whole(NodeId(n), wave(i)))
                    .collect();
                solid.step(&touch(known), 0.0);
                (solid.surface().clone(), solid.reactions().to_vec())
            })
        })
        .collect();
    assert_eq!(frames[0], frames[1]);
    assert_eq!(frames[0], frames[2]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_touch_agrees_with_the_dense_algorithm_or_is_underdetermined(
        picks in prop::collection::btree_map(
            0u32..80,
            prop::array::uniform3(prop::option::weighted(0.8, -0.004..0.004)),
            2..9,
        )
    ) {
        let spec = soft_block();
        let known: Vec<KnownDisplacement> = picks
            .into_iter()
            .map(|(node, displacement)| KnownDisplacement { node: NodeId(node), displacement })
            .collect();
        match solve(&spec, &known) {
            Ok(_) => check_against_dense(&spec, &known),
            Err(SolveError::Contact(ContactError::Underdetermined(_))) => {
                prop_assert!(is_loose(spec.mesh(), &known));
            }
            Err(other) => prop_assert!(false, "{:?}", other),
        }
    }
}

/// True if a rigid motion moves no prescribed component, or almost none: it compares the singular
/// values of the rigid motions at those components, with rotations scaled by the size of the body.
fn is_loose(mesh: &TetMesh, known: &[KnownDisplacement]) -> bool {
    let dofs: Vec<Dof> = known.iter().flat_map(|k| k.components()).map(|(dof, _)| dof).collect();
    let middle = Vector3::new(0.03, 0.025, 0.02);
    let row = |dof: &Dof| {
        let arm = (mesh.rest_positions()[dof.node().index()].coords - middle) / 0.04;
        let mut row = nalgebra::SVector::<f64, 6>::zeros();
        row[dof.axis()] = 1.0;
        let mut axis = Vector3::zeros();
        axis[dof.axis()] = 1.0;
        row.fixed_rows_mut::<3>(3).copy_from(&arm.cross(&axis));
        row
    };
    let rows: Vec<_> = dofs.iter().map(row).collect();
    let normal =
        rows.iter().fold(nalgebra::SMatrix::<f64, 6, 6>::zeros(), |sum, r| sum + r * r.transpose());
    let eigenvalues = normal.symmetric_eigenvalues();
    eigenvalues.min() < 1e-4 * eigenvalues.max()
}
