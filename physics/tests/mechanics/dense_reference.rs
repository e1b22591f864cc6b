//! Reference solver with the algorithm of [Ma98]: a dense stiffness and Gauss-Jordan elimination.
//!
//! It is slow and independent of `physics::linear`: it sums the elements into a dense matrix and
//! eliminates the known displacements by \[Ma98\], eqs. 3.43a and 3.43b.

use nalgebra::{DMatrix, DVector, Vector3};
use physics::element::tet_stiffness;
use physics::material::IsotropicElastic;
use physics::{KnownDisplacement, NodeId, TetMesh};

pub(crate) struct DenseAnswer {
    pub(crate) displacements: Vec<Vector3<f64>>,
    pub(crate) reactions: Vec<(NodeId, Vector3<f64>)>,
}

pub(crate) fn solve(
    mesh: &TetMesh,
    material: &IsotropicElastic,
    known: &[KnownDisplacement],
) -> DenseAnswer {
    let k = stiffness(mesh, material);
    let n = 3 * mesh.n_nodes();
    let mut q = DVector::zeros(n);
    let mut is_known = vec![false; n];
    for (dof, displacement) in known.iter().flat_map(|entry| entry.components()) {
        q[dof.index()] = displacement;
        is_known[dof.index()] = true;
    }
    let free: Vec<usize> = (0..n).filter(|&i| !is_known[i]).collect();
    let inverse = gauss_jordan_inverse(k.select_rows(&free).select_columns(&free));
    let load = (&k * &q).select_rows(&free);
    for (&dof, value) in free.iter().zip((inverse * -load).iter()) {
        q[dof] = *value;
    }
    let f = k * &q;
    let vector = |v: &DVector<f64>, node: usize| v.fixed_rows::<3>(3 * node).into_owned();
    DenseAnswer {
        displacements: (0..mesh.n_nodes()).map(|node| vector(&q, node)).collect(),
        reactions: known.iter().map(|e| (e.node, vector(&f, e.node.index()))).collect(),
    }
}

pub(crate) fn stiffness(mesh: &TetMesh, material: &IsotropicElastic) -> DMatrix<f64> {
    let n = 3 * mesh.n_nodes();
    let mut k = DMatrix::zeros(n, n);
    for nodes in mesh.elements() {
        let local =
            tet_stiffness(&nodes.map(|n| mesh.rest_positions()[n.index()]), &material.stiffness());
        for (a, row) in nodes.iter().enumerate() {
            for (b, column) in nodes.iter().enumerate() {
                let mut block = k.fixed_view_mut::<3, 3>(3 * row.index(), 3 * column.index());
                block += local.fixed_view::<3, 3>(3 * a, 3 * b);
            }
        }
    }
    k
}

fn gauss_jordan_inverse(mut a: DMatrix<f64>) -> DMatrix<f64> {
    let n = a.nrows();
    let mut inverse = DMatrix::identity(n, n);
    for pivot in 0..n {
        let scale = 1.0 / a[(pivot, pivot)];
        a.row_mut(pivot).scale_mut(scale);
        inverse.row_mut(pivot).scale_mut(scale);
        for row in (0..n).filter(|&row| row != pivot) {
            let factor = a[(row, pivot)];
            if factor != 0.0 {
                let (pivot_a, pivot_inverse) =
                    (a.row(pivot).into_owned(), inverse.row(pivot).into_owned());
                a.row_mut(row).zip_apply(&pivot_a, |x, p| *x -= factor * p);
                inverse.row_mut(row).zip_apply(&pivot_inverse, |x, p| *x -= factor * p);
            }
        }
    }
    inverse
}
