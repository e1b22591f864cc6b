//! Comparison of the sparse factor with a dense inverse, and its contract on precision, threads and
//! memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use nalgebra::{DMatrix, Vector3};
use physics::family::solid::SolidModel;
use physics::linear::factor::{Analysis, Factor, FactorError, Precision};
use physics::linear::{ComplianceError, assemble, elimination_order};
use physics::{
    BuildError, Dof, MemoryLimits, NodeId, Progress, SolidSpec, TetMesh, WhenUnderdetermined,
};
use proptest::prelude::*;

use crate::dense_reference;
use crate::test_bodies::{Random, cases, largest, material, model, random_box, shaken_box};

/// Holds 3 + 2 + 1 degrees of freedom of the first element's nodes. That makes the matrix regular
/// for any shape, since no two edges of an element are parallel. It also holds the last degree of
/// freedom.
fn held(mesh: &TetMesh) -> Vec<bool> {
    let mut held = vec![false; 3 * mesh.n_nodes()];
    let [a, b, c, _] = mesh.elements()[0].map(|n| n.index());
    let x = mesh.rest_positions();
    let axis = x[b] - x[a];
    let across = axis.cross(&(x[c] - x[a])).iamax();
    let along = axis.iamax();
    let others = (0..3).filter(|&i| i != along).map(|i| 3 * b + i);
    for dof in (3 * a..3 * a + 3).chain(others).chain([3 * c + across, 3 * mesh.n_nodes() - 1]) {
        held[dof] = true;
    }
    held
}

fn factor(mesh: &TetMesh, order: &[u32], precision: Precision) -> Factor {
    let stiffness = assemble(mesh, &material());
    let analysis = Arc::new(Analysis::new(&stiffness, order));
    let progress = Progress::default();
    Factor::new(analysis, Arc::new(stiffness), held(mesh), precision, &progress).unwrap()
}

fn best_order(mesh: &TetMesh) -> Vec<u32> {
    elimination_order(&assemble(mesh, &material()), &Progress::default())
}

/// Inverse of the stiffness at the free degrees of freedom, with zeros at the held ones.
fn dense_inverse(mesh: &TetMesh) -> DMatrix<f64> {
    let held = held(mesh);
    let free: Vec<usize> = (0..held.len()).filter(|&i| !held[i]).collect();
    let k = dense_reference::stiffness(mesh, &material());
    let small = k.select_rows(&free).select_columns(&free).try_inverse().unwrap();
    let mut inverse = DMatrix::zeros(held.len(), held.len());
    for (i, &row) in free.iter().enumerate() {
        for (j, &column) in free.iter().enumerate() {
            inverse[(row, column)] = small[(i, j)];
        }
    }
    inverse
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn unit_columns_are_those_of_the_dense_inverse(
        seed in any::<u64>(),
        cells in prop::array::uniform3(1_usize..5),
    ) {
        let mesh = random_box(cells, seed);
        let n = mesh.n_nodes() as u32;
        let by_chance = Random(seed).order(n as usize).into_iter().map(|i| i as u32).collect();
        let orders = [best_order(&mesh), (0..n).collect(), (0..n).rev().collect(), by_chance];
        let inverse = dense_inverse(&mesh);
        let held = held(&mesh);
        let everywhere: Vec<usize> = (0..3 * mesh.n_nodes()).collect();
        for order in &orders {
            for precision in [Precision::Double, Precision::Single] {
                let factor = factor(&mesh, order, precision);
                let columns = factor.unit_columns(&everywhere, &everywhere);
                let columns = DMatrix::from_vec(everywhere.len(), everywhere.len(), columns);
                let error = (&columns - &inverse).amax() / inverse.amax();
                prop_assert!(error < 1e-9, "{:?} is off by {:e}", precision, error);
                for dof in everywhere.iter().copied().filter(|&dof| held[dof]) {
                    prop_assert!(columns.column(dof).iter().all(|&u| u == 0.0));
                    prop_assert!(columns.row(dof).iter().all(|&u| u == 0.0));
                }
            }
        }
    }
}

#[test]
fn some_rows_of_the_columns_are_the_same_bits_as_in_all() {
    let mesh = random_box([6, 5, 5], 8);
    let everywhere: Vec<usize> = (0..3 * mesh.n_nodes()).collect();
    let mut random = Random(8);
    for precision in [Precision::Double, Precision::Single] {
        let factor = factor(&mesh, &best_order(&mesh), precision);
        for n_wanted in [1, 7, 100] {
            let dofs = random.order(everywhere.len())[..15].to_vec();
            let wanted = random.order(everywhere.len())[..n_wanted].to_vec();
            let (some, all) =
                (factor.unit_columns(&dofs, &wanted), factor.unit_columns(&dofs, &everywhere));
            let rows_of_all = all
                .chunks_exact(everywhere.len())
                .flat_map(|column| wanted.iter().map(|&row| column[row]));
            assert!(some.into_iter().map(f64::to_bits).eq(rows_of_all.map(f64::to_bits)));
        }
    }
}

#[test]
fn half_the_digits_and_refinement_give_all_digits() {
    let mesh = shaken_box(Vector3::new(0.12, 0.04, 0.04), [18, 6, 6]);
    let order = best_order(&mesh);
    let [double, single] =
        [Precision::Double, Precision::Single].map(|precision| factor(&mesh, &order, precision));
    assert_eq!(2 * single.bytes(), double.bytes());
    let mut random = Random(9);
    let forces: Vec<f64> = (0..3 * mesh.n_nodes()).map(|_| random.between(-1.0, 1.0)).collect();
    let (u, v) = (double.displacements(&forces), single.displacements(&forces));
    let scale = u.iter().fold(0.0_f64, |most, u| most.max(u.abs()));
    let error = u.iter().zip(&v).fold(0.0_f64, |most, (u, v)| most.max((u - v).abs()));
    assert!(error < 1e-9 * scale, "{:e}", error / scale);
}

#[test]
fn single_precision_takes_at_most_three_solves_and_is_as_accurate_as_double() {
    // Free but for six degrees of freedom: the softest motions are nearly rigid.
    let mesh = shaken_box(Vector3::repeat(0.05), [14, 14, 14]);
    let order = best_order(&mesh);
    let [double, single] =
        [Precision::Double, Precision::Single].map(|precision| factor(&mesh, &order, precision));
    let n = 3 * mesh.n_nodes();
    let everywhere: Vec<usize> = (0..n).collect();
    let dofs: Vec<usize> = everywhere.iter().copied().step_by(n / 60).collect();
    let [exact, refined] = [&double, &single].map(|factor| factor.unit_columns(&dofs, &everywhere));
    assert_eq!(double.most_solves(), 1);
    // The second one is needed, so the count counts.
    assert!((2..=3).contains(&single.most_solves()), "{} solves", single.most_solves());

    // Largest force that is left, as a share of the largest force in the body.
    let held = held(&mesh);
    let left = |columns: &[f64]| {
        let of_column = |(column, dof): (&[f64], &usize)| {
            let mut forces = single.stiffness().times(column);
            forces[*dof] -= 1.0;
            let free = forces.iter().zip(&held).filter(|(_, is_held)| !**is_held);
            let left = free.fold(0.0_f64, |most, (force, _)| most.max(force.abs()));
            left / column.iter().fold(0.0_f64, |most, u| most.max(u.abs()))
        };
        let columns = columns.chunks_exact(n).zip(&dofs).filter(|(_, dof)| !held[**dof]);
        columns.map(of_column).fold(0.0, f64::max)
    };
    let [of_double, of_single] = [left(&exact), left(&refined)];
    assert!(of_single <= 2.0 * of_double, "{of_single:e} is left, {of_double:e} in double");
}

#[test]
fn many_free_bodies_in_single_precision_answer_as_in_double() {
    // More nearly rigid motions than are solved for exactly.
    let part = shaken_box(Vector3::new(0.02, 0.03, 0.02), [5, 6, 5]);
    let (mut positions, mut elements) = (Vec::new(), Vec::new());
    for body in 0..5_u32 {
        let first = positions.len() as u32;
        let shift = Vector3::new(0.05 * f64::from(body), 0.0, 0.0);
        positions.extend(part.rest_positions().iter().map(|x| x + shift));
        elements.extend(part.elements().iter().map(|nodes| nodes.map(|n| NodeId(n.0 + first))));
    }
    let mesh = TetMesh::new(positions, elements).unwrap();
    let stiffness = assemble(&mesh, &material());
    let analysis = Analysis::new(&stiffness, &elimination_order(&stiffness, &Progress::default()));
    let factor_bytes = analysis.peak_bytes(Precision::Double) - 1;
    let spec = SolidSpec::new(mesh, material(), Vec::new()).unwrap();
    let memory = MemoryLimits { factor_bytes, ..MemoryLimits::default() };
    let tight = SolidModel::new(&spec, memory, &Progress::default()).unwrap();
    assert_eq!(tight.compliance().bytes_for_double(), Some(factor_bytes + 1));
    assert_eq!(model(&spec).compliance().bytes_for_double(), None);
    let columns = |model: &SolidModel| {
        let all: Vec<Dof> =
            (0..spec.mesh().n_nodes() as u32).flat_map(|n| Dof::all_of(NodeId(n))).collect();
        let some: Vec<Dof> = all.iter().copied().step_by(97).collect();
        model.compliance().columns(&some, &all)
    };
    let (exact, refined) = (columns(&model(&spec)), columns(&tight));
    let scale = exact.iter().fold(0.0_f64, |most, u| most.max(u.abs()));
    let off = exact.iter().zip(&refined).fold(0.0_f64, |most, (u, v)| most.max((u - v).abs()));
    assert!(off < 1e-10 * scale, "{:e}", off / scale);
}

#[test]
fn the_number_of_threads_does_not_change_a_bit_of_a_large_factor() {
    // 3375 nodes: the fronts near the root are split into tiles.
    let mesh = shaken_box(Vector3::repeat(0.05), [14, 14, 14]);
    let order = best_order(&mesh);
    let dofs: Vec<usize> = (0..3 * mesh.n_nodes()).step_by(700).collect();
    let everywhere: Vec<usize> = (0..3 * mesh.n_nodes()).collect();
    for precision in [Precision::Double, Precision::Single] {
        let bits_with = |n_threads| -> Vec<u64> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            let columns =
                pool.install(|| factor(&mesh, &order, precision).unit_columns(&dofs, &everywhere));
            columns.into_iter().map(f64::to_bits).collect()
        };
        let one = bits_with(1);
        assert!(one == bits_with(2), "{precision:?}");
        assert!(one == bits_with(4), "{precision:?}");
    }
}

#[test]
fn a_factor_reports_its_end_and_its_cancellation() {
    let mesh = random_box([5, 5, 5], 1);
    let stiffness = Arc::new(assemble(&mesh, &material()));
    let analysis =
        Arc::new(Analysis::new(&stiffness, &elimination_order(&stiffness, &Progress::default())));
    let make = |progress: &Progress| {
        let (analysis, stiffness) = (Arc::clone(&analysis), Arc::clone(&stiffness));
        Factor::new(analysis, stiffness, held(&mesh), Precision::Double, progress)
    };
    let progress = Progress::default();
    assert_eq!(progress.share(), 0.0);
    assert!(make(&progress).is_ok());
    // Each front rounds its number of operations down.
    assert!(progress.share() > 0.999, "{}", progress.share());

    let cancelled = Progress::default();
    cancelled.cancel();
    assert_eq!(make(&cancelled).err(), Some(FactorError::Cancelled));
    assert_eq!(cancelled.share(), 0.0);
}

#[test]
fn a_long_preparation_ends_early_when_another_thread_cancels_it() {
    // During the ordering, and after the first fronts.
    for (share, before) in [(0.021, 0.15), (0.201, 0.9)] {
        check_cancellation(share, before);
    }
}

/// Cancels the work when `share` of it is done, and checks that it ends before the share `before`.
fn check_cancellation(share: f64, before: f64) {
    // 9261 nodes: the work after each share takes thousands of times as long as noticing the share.
    let mesh = shaken_box(Vector3::repeat(0.05), [20, 20, 20]);
    let spec = SolidSpec::new(mesh, material(), Vec::new()).unwrap();
    let (progress, is_over) = (Progress::default(), AtomicBool::new(false));
    let result = std::thread::scope(|scope| {
        let cancel = || {
            while progress.share() < share && !is_over.load(Relaxed) {
                std::thread::yield_now();
            }
            progress.cancel();
        };
        std::thread::Builder::new().name("canceller".into()).spawn_scoped(scope, cancel).unwrap();
        let result = SolidModel::new(&spec, MemoryLimits::default(), &progress);
        is_over.store(true, Relaxed);
        result
    });
    assert!(result.is_err_and(|error| error.is_cancelled()));
    assert!((share..=before).contains(&progress.share()), "{}", progress.share());
}

#[test]
fn a_tight_budget_costs_digits_of_the_factor_and_none_of_the_answer() {
    let mesh = shaken_box(Vector3::new(0.06, 0.05, 0.04), [8, 8, 8]);
    let stiffness = assemble(&mesh, &material());
    let analysis = Analysis::new(&stiffness, &elimination_order(&stiffness, &Progress::default()));
    let double = analysis.peak_bytes(Precision::Double);
    let nodes: Vec<NodeId> = (0..mesh.n_nodes() as u32).map(NodeId).collect();
    let spec = SolidSpec::new(mesh, material(), Vec::new()).unwrap();
    let within = |factor_bytes| {
        let memory = MemoryLimits { factor_bytes, ..MemoryLimits::default() };
        SolidModel::new(&spec, memory, &Progress::default())
    };
    assert_eq!(within(double).unwrap().compliance().factor().precision(), Precision::Double);
    let (roomy, tight) = (model(&spec), within(double - 1).unwrap());
    assert_eq!(tight.compliance().factor().precision(), Precision::Single);
    let halved = analysis.factor_bytes(Precision::Double) / 2;
    assert_eq!(tight.compliance().factor().bytes(), halved);
    let known = Random(2).known(&nodes, 7);
    let [u, v] =
        [&roomy, &tight].map(|model| model.solve(&known, WhenUnderdetermined::Refuse).unwrap());
    let scale = largest(&u.displacements);
    for (u, v) in u.displacements.iter().zip(&v.displacements) {
        assert!((u - v).norm() < 1e-9 * scale);
    }
    let scale = largest(u.reactions.iter().map(|r| &r.force));
    for (u, v) in u.reactions.iter().zip(&v.reactions) {
        assert!((u.force - v.force).norm() < 1e-9 * scale);
    }

    assert!(within(double / 2).is_ok());
    let Err(BuildError::Compliance(error)) = within(double / 2 - 1) else {
        panic!("the smallest factor needs more memory")
    };
    let (needed_mb, allowed_mb) = ((double / 2).div_ceil(1_000_000), (double / 2 - 1) / 1_000_000);
    assert_eq!(error, ComplianceError::OverBudget { needed_mb, allowed_mb });
    let said = error.to_string();
    assert!(said.contains(&format!("needs {needed_mb} MB")), "{said}");
    assert!(said.contains(&format!("at most {allowed_mb} MB")), "{said}");
}
