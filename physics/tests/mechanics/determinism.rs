//! Determinism: the same bits for any number of threads, and for any other work at the same time.

use std::sync::Arc;

use nalgebra::Vector3;
use physics::family::solid::{Solid, SolidModel};
use physics::linear::factor::{Analysis, Factor, Precision};
use physics::linear::{assemble, elimination_order};
use physics::{Deformable, KnownDisplacement, MemoryLimits, NodeId, Outcome, Progress, Touch};
use physics::{SolidSpec, TetMesh};

use crate::test_bodies::{material, shaken_box};

fn mesh() -> TetMesh {
    shaken_box(Vector3::new(0.06, 0.05, 0.04), [9, 8, 7])
}

fn factor(precision: Precision) -> Factor {
    let stiffness = Arc::new(assemble(&mesh(), &material()));
    let analysis = Analysis::new(&stiffness, &elimination_order(&stiffness, &Progress::default()));
    let mut held = vec![false; 3 * stiffness.n_nodes()];
    [0, 1, 2, 27, 28, 29, 300, 301, 302].iter().for_each(|&dof| held[dof] = true);
    Factor::new(Arc::new(analysis), stiffness, held, precision, &Progress::default()).unwrap()
}

#[test]
fn a_column_has_the_same_bits_alone_and_in_company() {
    for precision in [Precision::Double, Precision::Single] {
        let factor = factor(precision);
        let wanted: Vec<usize> = (0..3 * mesh().n_nodes()).step_by(7).collect();
        let dofs: Vec<usize> = (0..61).map(|i| 31 * i + 5).collect();
        let together = factor.unit_columns(&dofs, &wanted);
        for (i, dof) in dofs.iter().enumerate() {
            let alone = factor.unit_columns(&[*dof], &wanted);
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            let company = &together[i * wanted.len()..(i + 1) * wanted.len()];
            assert_eq!(bits(&alone), bits(company), "{precision:?}, dof {dof}");
        }
    }
}

#[test]
fn a_frame_that_threads_share_has_the_same_bits_for_any_number_of_them() {
    // Large enough for tiles, nested dissection and a product that several threads share.
    let mesh = shaken_box(Vector3::new(0.06, 0.06, 0.06), [16, 16, 16]);
    let surface = mesh.surface().topology;
    let spec = SolidSpec::new(mesh, material(), Vec::new()).unwrap();
    let known: Vec<_> = surface
        .nodes
        .iter()
        .step_by(17)
        .map(|n| KnownDisplacement::whole(*n, Vector3::new(1e-3, -5e-4, 1e-4 * (n.0 % 7) as f64)))
        .collect();
    assert!(3 * surface.nodes.len() * 3 * known.len() > 1 << 20, "one thread alone would do it");
    let touch = Touch { known, wants_fields: true, ..Touch::default() };
    let frames: Vec<_> = [1, 2, 4]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let limits = MemoryLimits::default();
                let model = SolidModel::new(&spec, limits, &Progress::default()).unwrap();
                let mut solid = Solid::of(Arc::new(model));
                assert_eq!(solid.step(&touch, 0.0).outcome, Outcome::Solved);
                (solid.surface().clone(), solid.reactions().to_vec())
            })
        })
        .collect();
    assert!(frames[1] == frames[0] && frames[2] == frames[0]);
}

#[test]
fn hands_that_share_a_crowded_cache_do_not_disturb_each_other() {
    let spec = SolidSpec::new(mesh(), material(), Vec::new()).unwrap();
    let surface = spec.mesh().surface().topology;
    // Room for four nodes only: each hand makes the cache drop the columns of the others.
    let column_bytes = 4 * 8 * 3 * 3 * surface.nodes.len();
    let limits = MemoryLimits { column_bytes, ..MemoryLimits::default() };
    let model = Arc::new(SolidModel::new(&spec, limits, &Progress::default()).unwrap());
    let squeeze = |hand: usize, round: usize| {
        let nodes = surface.nodes.iter().skip(5 * hand + round % 3).step_by(71);
        let known = nodes.map(|n| KnownDisplacement::whole(*n, Vector3::y() * 1e-3)).collect();
        Touch { known, ..Touch::default() }
    };
    std::thread::scope(|scope| {
        for hand in 0..4 {
            let (model, squeeze) = (Arc::clone(&model), &squeeze);
            scope.spawn(move || {
                let mut solid = Solid::of(model);
                for round in 0..40 {
                    let report = solid.step(&squeeze(hand, round), 0.0);
                    assert_eq!(report.outcome, Outcome::Solved);
                }
            });
        }
    });
    assert!(model.columns().bytes() <= column_bytes);
}

#[test]
fn columns_that_were_fetched_ahead_change_no_bit() {
    let spec = SolidSpec::new(mesh(), material(), Vec::new()).unwrap();
    let limits = MemoryLimits::default();
    let model = || Arc::new(SolidModel::new(&spec, limits, &Progress::default()).unwrap());
    let (mut plain, mut ahead) = (Solid::of(model()), Solid::of(model()));
    let mut work = ahead.idle_work().unwrap();
    while work() {}
    assert!(ahead.idle_work().is_none(), "there is nothing left to fetch");
    let surface = spec.mesh().surface().topology;
    for round in 0..5 {
        let nodes: Vec<NodeId> = surface.nodes.iter().copied().skip(round).step_by(53).collect();
        let known = nodes
            .iter()
            .map(|n| {
                KnownDisplacement::whole(*n, Vector3::new(1e-3, 2e-4, -1e-4 * n.0 as f64 / 99.0))
            })
            .collect();
        let touch = Touch { known, ..Touch::default() };
        assert_eq!(plain.step(&touch, 0.0).outcome, Outcome::Solved);
        ahead.step(&touch, 0.0);
        assert_eq!(plain.surface(), ahead.surface());
        assert_eq!(plain.reactions(), ahead.reactions());
    }
}
