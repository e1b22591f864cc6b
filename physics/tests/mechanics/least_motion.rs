//! Least motion: an object that is held too loosely does not move along its free motions.

use nalgebra::{Matrix3, Vector3};
use physics::family::solid::Solution;
use physics::{
    Deformable, KnownDisplacement, NodeId, Outcome, SolidSpec, Touch, WhenUnderdetermined,
};

use crate::test_bodies::{Random, YOUNG, largest, model, soft_block, solid, solve, touch, wave};

fn least(spec: &SolidSpec, known: &[KnownDisplacement]) -> Solution {
    model(spec).solve(known, WhenUnderdetermined::LeastMotion).unwrap()
}

fn held(nodes: &[u32]) -> Vec<KnownDisplacement> {
    let hold = |(i, &n): (usize, &u32)| KnownDisplacement::whole(NodeId(n), wave(i));
    nodes.iter().enumerate().map(hold).collect()
}

/// Mean rotation of the body: half the curl of the linear field that fits its displacements best.
fn mean_turn(spec: &SolidSpec, solution: &Solution) -> Vector3<f64> {
    let x = spec.mesh().rest_positions();
    let n = x.len() as f64;
    let middle = x.iter().map(|x| x.coords).sum::<Vector3<f64>>() / n;
    let mean = solution.displacements.iter().sum::<Vector3<f64>>() / n;
    let (mut moments, mut products) = (Matrix3::zeros(), Matrix3::zeros());
    for (x, u) in x.iter().zip(&solution.displacements) {
        let arm = x.coords - middle;
        moments += arm * arm.transpose();
        products += (u - mean) * arm.transpose();
    }
    let gradient = products * moments.try_inverse().unwrap();
    let curl = gradient - gradient.transpose();
    0.5 * Vector3::new(curl[(2, 1)], curl[(0, 2)], curl[(1, 0)])
}

#[test]
fn one_touched_node_takes_the_whole_body_along() {
    let spec = soft_block();
    for node in [0, 17, 42, 79] {
        let u = wave(node as usize);
        let solution = least(&spec, &[KnownDisplacement::whole(NodeId(node), u)]);
        for (i, moved) in solution.displacements.iter().enumerate() {
            assert!((moved - u).norm() < 1e-12 * u.norm(), "node {i} moves by {moved}, not {u}");
        }
        // Compared with the force that strains the body by this displacement.
        let force = YOUNG * 0.06 * u.norm();
        assert!(solution.reactions[0].force.norm() < 1e-12 * force);
        assert!(solution.strain_energy.abs() < 1e-12 * force * u.norm());
    }
}

#[test]
fn one_touched_component_moves_the_body_along_its_axis_alone() {
    let spec = soft_block();
    let known = [KnownDisplacement { node: NodeId(4), displacement: [None, Some(0.002), None] }];
    let expected = Vector3::new(0.0, 0.002, 0.0);
    for moved in least(&spec, &known).displacements {
        assert!((moved - expected).norm() < 1e-14);
    }
}

#[test]
fn two_touched_nodes_do_not_turn_the_body_about_their_axis() {
    let spec = soft_block();
    for nodes in [[0, 4], [0, 79], [5, 62], [17, 20]] {
        let known = held(&nodes);
        let at = |i: usize| spec.mesh().rest_positions()[nodes[i] as usize];
        let axis = (at(1) - at(0)).try_normalize(0.0).unwrap();
        let solution = least(&spec, &known);
        for k in &known {
            let error = (solution.displacements[k.node.index()] - k.vector()).norm();
            assert!(error < 1e-11 * k.vector().norm(), "{error}");
        }
        assert!(solution.residual < 1e-9, "{}", solution.residual);
        let without_stretch = known.iter().map(|k| k.vector() - axis * axis.dot(&k.vector()));
        let across: Vec<Vector3<f64>> = without_stretch.collect();
        let rigid = [
            KnownDisplacement::whole(known[0].node, across[0]),
            KnownDisplacement::whole(known[1].node, across[1]),
        ];
        // Perpendicular to the axis, both ends move rigidly: no strain, and the turn can be
        // measured.
        let solution = least(&spec, &rigid);
        assert!(solution.strain_energy.abs() < 1e-15, "{} J", solution.strain_energy);
        let turn = mean_turn(&spec, &solution);
        assert!(turn.norm() > 1e-3, "the two nodes do turn the body");
        assert!(turn.dot(&axis).abs() < 1e-10 * turn.norm(), "{}", turn.dot(&axis));
    }
}

#[test]
fn two_touched_nodes_that_are_pulled_apart_stretch_the_body_between_them() {
    let spec = soft_block();
    let known = [
        KnownDisplacement::whole(NodeId(0), Vector3::x() * -1e-3),
        KnownDisplacement::whole(NodeId(4), Vector3::x() * 1e-3),
    ];
    let solution = least(&spec, &known);
    let [a, b] = [solution.reactions[0].force, solution.reactions[1].force];
    assert!(b.x > 1e-3, "{b}");
    assert!((a + b).norm() < 1e-9 * b.norm());
    assert!(b.yz().norm() < 1e-9 * b.norm(), "only along the axis is a pair of forces in balance");
    assert!(solution.residual < 1e-9);
}

#[test]
fn what_is_held_in_full_is_answered_with_the_same_bits() {
    let spec = soft_block();
    let skin = spec.mesh().surface().topology.nodes.clone();
    let mut random = Random(3);
    for _ in 0..10 {
        let known = random.known(&skin, 4);
        let (refused, least) = (solve(&spec, &known).unwrap(), least(&spec, &known));
        assert_eq!(refused.displacements, least.displacements);
        assert_eq!(refused.reactions, least.reactions);
        let (mut a, mut b) = (solid(&spec), solid(&spec));
        a.step(&touch(known.clone()), 0.0);
        b.step(
            &Touch { when_underdetermined: WhenUnderdetermined::LeastMotion, ..touch(known) },
            0.0,
        );
        assert_eq!((a.surface(), a.reactions()), (b.surface(), b.reactions()));
    }
}

#[test]
fn a_frame_shows_the_least_motion_too() {
    let spec = soft_block();
    let mut solid = solid(&spec);
    for nodes in [&[17][..], &[0, 4], &[0, 1, 2, 3, 4], &[0, 17]] {
        let known = held(nodes);
        let touch = Touch {
            when_underdetermined: WhenUnderdetermined::LeastMotion,
            ..touch(known.clone())
        };
        assert_eq!(solid.step(&touch, 0.0).outcome, Outcome::Solved);
        crate::streamed_frames::check_frame(
            &solid,
            spec.mesh(),
            &least(&spec, &known).displacements,
        );
        // The next step can refuse: it does not use the system of the last step.
        let refusing = Touch { when_underdetermined: WhenUnderdetermined::Refuse, ..touch };
        let outcome = solid.step(&refusing, 0.0).outcome;
        assert!(matches!(outcome, Outcome::Underdetermined(_)), "{outcome:?}");
    }
}

#[test]
fn a_body_held_nowhere_at_all_stays_where_it_is() {
    let spec = soft_block();
    let loose = KnownDisplacement { node: NodeId(0), displacement: [None; 3] };
    for known in [&[][..], &[loose]] {
        let solution = least(&spec, known);
        assert_eq!(largest(&solution.displacements), 0.0);
    }
}
