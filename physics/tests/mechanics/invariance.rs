//! Invariance: numbers of nodes and elements, places and directions do not change a solution.

use nalgebra::{Point3, Rotation3, Vector3};
use physics::{Deformable, KnownDisplacement, NodeId, Outcome, SolidSpec, TetMesh};
use proptest::prelude::*;

use crate::test_bodies::{
    Random, cases, largest, material, model, random_box, renumbered, solid, solve, touch,
};

fn free(mesh: TetMesh) -> SolidSpec {
    SolidSpec::new(mesh, material(), Vec::new()).unwrap()
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn other_numbers_for_nodes_and_elements_give_the_same_answer(
        seed in any::<u64>(),
        cells in prop::array::uniform3(2_usize..5),
        n_touched in 4_usize..15,
    ) {
        let spec = free(random_box(cells, seed));
        let mesh = spec.mesh();
        let mut random = Random(!seed);
        let names = random.order(mesh.n_nodes());
        let other = free(renumbered(mesh, &names, &random.order(mesh.elements().len())));

        let nodes: Vec<NodeId> = (0..mesh.n_nodes() as u32).map(NodeId).collect();
        let known = random.known(&nodes, n_touched);
        let renamed = |node: NodeId| NodeId(names[node.index()] as u32);
        let mut other_known: Vec<KnownDisplacement> =
            known.iter().map(|k| KnownDisplacement { node: renamed(k.node), ..*k }).collect();
        other_known.sort_by_key(|k| k.node);

        let (a, b) = (solve(&spec, &known).unwrap(), solve(&other, &other_known).unwrap());
        let scale = largest(&a.displacements);
        for (node, u) in a.displacements.iter().enumerate() {
            prop_assert!((u - b.displacements[names[node]]).norm() < 1e-10 * scale);
        }
        let scale = largest(a.reactions.iter().map(|r| &r.force));
        for r in &a.reactions {
            let same = b.reactions.iter().find(|other| other.node == renamed(r.node)).unwrap();
            prop_assert!((r.force - same.force).norm() < 1e-10 * scale);
        }
        prop_assert!((a.strain_energy - b.strain_energy).abs() < 1e-10 * a.strain_energy);
    }

    #[test]
    fn turning_and_shifting_the_body_turns_solutions_and_frames(
        seed in any::<u64>(),
        angles in prop::array::uniform3(-3.0..3.0),
        shift in prop::array::uniform3(-0.3..0.3),
    ) {
        let spec = free(random_box([3, 3, 3], seed));
        let [roll, pitch, yaw] = angles;
        let rotation = Rotation3::from_euler_angles(roll, pitch, yaw);
        let placed = |x: &Point3<f64>| rotation * x + Vector3::from(shift);
        let turned = free(
            TetMesh::new(
                spec.mesh().rest_positions().iter().map(placed).collect(),
                spec.mesh().elements().to_vec(),
            )
            .unwrap(),
        );
        let skin = spec.mesh().surface().topology.nodes.clone();
        let known = Random(seed).known(&skin, 5);
        let turned_known: Vec<KnownDisplacement> =
            known.iter().map(|k| KnownDisplacement::whole(k.node, rotation * k.vector())).collect();

        let (a, b) = (solve(&spec, &known).unwrap(), solve(&turned, &turned_known).unwrap());
        let expected: Vec<Vector3<f64>> = a.displacements.iter().map(|u| rotation * u).collect();
        let scale = largest(&expected);
        for (u, expected) in b.displacements.iter().zip(&expected) {
            prop_assert!((u - expected).norm() < 1e-10 * scale);
        }

        let (mut plain, mut solid) = (solid(&spec), solid(&turned));
        prop_assert_eq!(plain.step(&touch(known), 0.0).outcome, Outcome::Solved);
        prop_assert_eq!(solid.step(&touch(turned_known), 0.0).outcome, Outcome::Solved);
        // The frame of the turned body shows the turned displacements of the plain body.
        crate::streamed_frames::check_frame(&solid, turned.mesh(), &expected);
        let scale = largest(plain.reactions().iter().map(|r| &r.force));
        for (a, b) in plain.reactions().iter().zip(solid.reactions()) {
            prop_assert!((rotation * a.force - b.force).norm() < 1e-9 * scale);
        }
    }
}

#[test]
fn doubling_what_is_known_doubles_the_answer() {
    let spec = free(random_box([3, 3, 3], 4));
    let model = model(&spec);
    let skin = spec.mesh().surface().topology.nodes.clone();
    let known = Random(4).known(&skin, 6);
    let doubled: Vec<_> =
        known.iter().map(|k| KnownDisplacement::whole(k.node, 2.0 * k.vector())).collect();
    let solve = |known: &[_]| model.solve(known, physics::WhenUnderdetermined::Refuse).unwrap();
    let (once, twice) = (solve(&known), solve(&doubled));
    // Multiplication by powers of two is exact.
    for (u, v) in once.displacements.iter().zip(&twice.displacements) {
        assert_eq!(2.0 * u, *v);
    }
    assert_eq!(4.0 * once.strain_energy, twice.strain_energy);
}
