//! Invalid input from files, users and peers gives an object or an error with a reason, never a
//! panic.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use physics::family::solid::{Solid, SolidModel, solve_by_inverse};
use physics::material::IsotropicElastic;
use physics::{
    Deformable, ElementId, KnownDisplacement, MemoryLimits, MeshError, NodeId, Outcome, Progress,
    SolidSpec, SpecError, TetMesh, Touch, WhenUnderdetermined,
};
use proptest::prelude::*;

use crate::test_bodies::{cases, material, model, soft_block, solid, solve};

fn corners(scale: f64) -> Vec<Point3<f64>> {
    [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        .map(|x| Point3::from(Vector3::from(x) * scale))
        .to_vec()
}

fn one_tet(positions: Vec<Point3<f64>>) -> Result<TetMesh, MeshError> {
    TetMesh::new(positions, vec![[0, 1, 2, 3].map(NodeId)])
}

#[test]
fn elements_too_large_or_too_small_for_numbers_are_refused() {
    for scale in [1e308, 1e200, 1e110, 1e-105, 1e-110, 1e-200, 1e-320, 0.0] {
        let refused = one_tet(corners(scale));
        assert!(refused.is_err(), "{scale:e} gave {refused:?}");
    }
    for scale in [1e-12, 1e-3, 1e3, 1e12] {
        assert!(one_tet(corners(scale)).is_ok(), "{scale:e}");
    }
}

#[test]
fn a_node_that_no_frame_can_show_is_refused_by_name() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e39, -1e300] {
        // A node with elements, and one without.
        for (node, extra) in [(2, None), (4, Some(Point3::new(0.0, bad, 0.0)))] {
            let mut positions = corners(1.0);
            positions.extend(extra);
            positions[node].y = bad;
            let error = one_tet(positions).unwrap_err();
            assert_eq!(error, MeshError::NotFinite { node: NodeId(node as u32) });
        }
    }
}

#[test]
fn elements_without_volume_or_with_nodes_that_do_not_exist_are_refused_by_name() {
    let element = |nodes: [u32; 4]| TetMesh::new(corners(1.0), vec![nodes.map(NodeId)]);
    for flat in [[0, 1, 2, 2], [0, 0, 0, 0], [1, 0, 2, 3]] {
        assert!(matches!(element(flat), Err(MeshError::NotPositive { .. })), "{flat:?}");
    }
    for missing in [[0, 1, 2, 4], [u32::MAX, 1, 2, 3]] {
        assert!(matches!(element(missing), Err(MeshError::NoSuchNode { .. })), "{missing:?}");
    }
    assert_eq!(TetMesh::new(corners(1.0), Vec::new()), Err(MeshError::Empty));
    let mesh = one_tet(corners(1.0)).unwrap();
    let error = SolidSpec::new(mesh, material(), vec![NodeId(4)]).unwrap_err();
    assert_eq!(error, SpecError::NoSuchSupport { node: NodeId(4), n_nodes: 4 });
}

#[test]
fn a_far_node_without_elements_changes_nothing() {
    let spec = soft_block();
    let known: Vec<_> = [0, 4, 17, 55]
        .map(|n| KnownDisplacement::whole(NodeId(n), crate::test_bodies::wave(n as usize)))
        .to_vec();
    let alone = solve(&spec, &known).unwrap();
    for far in [1e6, 1e20, 1e38] {
        let mut positions = spec.mesh().rest_positions().to_vec();
        positions.push(Point3::new(far, 0.0, 0.0));
        let mesh = TetMesh::new(positions, spec.mesh().elements().to_vec()).unwrap();
        let with_far = SolidSpec::new(mesh, material(), Vec::new()).unwrap();
        let solution = solve(&with_far, &known).unwrap();
        for (a, b) in alone.displacements.iter().zip(&solution.displacements) {
            assert!((a - b).norm() < 1e-12, "{far:e}");
        }
        let mut solid = solid(&with_far);
        let report = solid.step(&Touch { known: known.clone(), ..Touch::default() }, 0.0);
        assert_eq!(report.outcome, Outcome::Solved, "{far:e}");
        crate::streamed_frames::check_frame(&solid, with_far.mesh(), &solution.displacements);
    }
}

#[test]
fn displacements_too_large_for_numbers_freeze_the_surface_and_have_no_solution() {
    let spec = soft_block();
    for size in [1e39, 1e100, 1e306, f64::MAX] {
        let hold = |(i, n): (usize, u32)| {
            let away = if i % 2 == 0 { size } else { -size };
            KnownDisplacement::whole(NodeId(n), Vector3::repeat(away))
        };
        let known: Vec<_> = [0, 4, 17, 55].into_iter().enumerate().map(hold).collect();
        let mut solid = solid(&spec);
        let rest = solid.surface().clone();
        let report = solid.step(&Touch { known: known.clone(), ..Touch::default() }, 0.0);
        assert_eq!(report.outcome, Outcome::Frozen, "{size:e}");
        assert_eq!(solid.surface(), &rest);
        assert!(solid.reactions().is_empty());
        match solve(&spec, &known) {
            Ok(solution) => assert!(size < 1e150 && solution.strain_energy.is_finite()),
            Err(error) => assert!(size > 1e150 && error.to_string().contains("too large")),
        }
    }
}

#[test]
fn an_element_that_is_listed_twice_is_refused_by_name() {
    // The same four nodes, turned so that the second is positively oriented as well.
    let elements = vec![[0, 1, 2, 3].map(NodeId), [1, 2, 0, 3].map(NodeId)];
    let error = TetMesh::new(corners(0.1), elements).unwrap_err();
    assert_eq!(error, MeshError::Twice { element: ElementId(1), first: ElementId(0) });
}

fn run_idle_work(solid: &mut Solid) {
    if let Some(mut work) = solid.idle_work() {
        while work() {}
    }
}

fn is_finite(vectors: &[Vector3<f64>]) -> bool {
    vectors.iter().all(|u| u.iter().all(|c| c.is_finite()))
}

/// Uses an object in every way, and checks that all results are finite.
fn use_object(spec: &SolidSpec, known: &[KnownDisplacement]) {
    let Ok(model) = SolidModel::new(spec, MemoryLimits::default(), &Progress::default()) else {
        return;
    };
    let mut solid = Solid::of(Arc::new(model));
    for when_underdetermined in [WhenUnderdetermined::Refuse, WhenUnderdetermined::LeastMotion] {
        if let Ok(solution) = solid.model().solve(known, when_underdetermined) {
            assert!(is_finite(&solution.displacements));
            assert!(solution.reactions.iter().all(|r| is_finite(&[r.force])));
        }
        run_idle_work(&mut solid);
        let report = solid
            .step(&Touch { known: known.to_vec(), when_underdetermined, ..Touch::default() }, 0.0);
        let is_solved = report.outcome == Outcome::Solved;
        assert_eq!(!solid.reactions().is_empty(), is_solved);
        assert!(solid.surface().positions.iter().flatten().all(|x| x.is_finite()));
        run_idle_work(&mut solid);
    }
    // The dense algorithm does not guarantee finite numbers for objects that are almost loose.
    let _ = solve_by_inverse(spec, known, MemoryLimits::default(), &Progress::default());
}

/// Numbers from a file: all except about 1 in `sensible` are reasonable.
fn any_number(sensible: u32) -> impl Strategy<Value = f64> {
    prop_oneof![
        2 * sensible => -1.0..1.0,
        1 => (-320..309, -1.0..1.0).prop_map(|(e, x): (i32, f64)| x * 10_f64.powi(e)),
        1 => any::<f64>(),
    ]
}

prop_compose! {
    /// Tetrahedra that share faces, with a few nodes, positively oriented if they have volume, at
    /// any scale.
    fn any_mesh()(
        points in prop::collection::vec(prop::array::uniform3(any_number(60)), 4..9),
        added in prop::collection::vec((any::<usize>(), 0_usize..4, any::<usize>()), 0..6),
        exponent in prop_oneof![3 => Just(0), 1 => -330..300],
    ) -> Result<TetMesh, MeshError> {
        let place = |x: &[f64; 3]| Point3::from(Vector3::from(*x) * 10_f64.powi(exponent));
        let points: Vec<Point3<f64>> = points.iter().map(place).collect();
        let mut elements = vec![[0, 1, 2, 3]];
        for (at, left_out, tip) in added {
            let mut element = elements[at % elements.len()];
            element[left_out] = tip % points.len();
            elements.push(element);
        }
        let oriented = |[a, b, c, d]: [usize; 4]| {
            let edges = [points[b] - points[a], points[c] - points[a], points[d] - points[a]];
            let is_inverted = edges[0].dot(&edges[1].cross(&edges[2])) < 0.0;
            (if is_inverted { [a, b, d, c] } else { [a, b, c, d] }).map(|n| NodeId(n as u32))
        };
        let is_proper = |nodes: &[usize; 4]| (1..4).all(|i| !nodes[..i].contains(&nodes[i]));
        let elements = elements.into_iter().filter(is_proper).map(oriented).collect();
        TetMesh::new(points.clone(), elements)
    }
}

proptest! {
    #![proptest_config(cases(4000))]

    #[test]
    fn any_data_make_an_object_or_an_error(
        mesh in any_mesh(),
        (young, poisson) in prop_oneof![
            Just((1e4, 0.3)),
            (any_number(4), any_number(4)),
            (any::<f64>().prop_map(f64::abs), -1.0..0.5),
        ],
        supports in prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(0_u32..9, 0..5)],
        known in prop::collection::btree_map(
            0_u32..7,
            prop::array::uniform3(prop::option::weighted(0.9, any_number(20))),
            0..7,
        ),
    ) {
        let known: Vec<KnownDisplacement> = known
            .into_iter()
            .map(|(node, displacement)| KnownDisplacement { node: NodeId(node), displacement })
            .collect();
        if let (Ok(mesh), Ok(material)) = (mesh, IsotropicElastic::new(young, poisson))
            && let Ok(spec) =
                SolidSpec::new(mesh, material, supports.into_iter().map(NodeId).collect())
        {
            use_object(&spec, &known);
        }
    }
}

#[test]
fn a_touch_that_prescribes_nothing_leaves_the_shape_to_the_object() {
    let spec = soft_block();
    let known = vec![KnownDisplacement { node: NodeId(0), displacement: [None; 3] }];
    let mut solid = solid(&spec);
    let rest = solid.surface().clone();
    solid.step(&Touch { known: known.clone(), ..Touch::default() }, 0.0);
    assert_eq!(solid.surface(), &rest);
    let solution = model(&spec).solve(&known, WhenUnderdetermined::Refuse).unwrap();
    assert!(solution.displacements.iter().all(|u| *u == Vector3::zeros()));
    assert!(model(&spec).solve(&[], WhenUnderdetermined::Refuse).is_ok());
}
