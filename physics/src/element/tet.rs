//! Linear tetrahedron: shape gradients and element stiffness.
//!
//! Implements \[Ma98\], eqs. 3.20-3.33; `b` and `d` are its B and D. The gradients are written for
//! edges from node 1 instead of node 4, which gives the same matrix. Rest positions in m, moduli in
//! Pa, stiffness in N/m.

use nalgebra::{Matrix3, Point3, SMatrix, Vector3};

/// Shape of one tetrahedron, from which its stiffness and its strains follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tet {
    /// Gradients of the four shape functions, in 1/m.
    pub gradients: [Vector3<f64>; 4],
    /// Volume, in m³.
    pub volume: f64,
}

impl Tet {
    /// Computes the shape of one element. Panics if the element has no volume; [`crate::TetMesh`]
    /// has no such elements.
    pub fn new(rest_positions: &[Point3<f64>; 4]) -> Self {
        let (gradients, volume) = shape_gradients(rest_positions);
        Self { gradients, volume }
    }

    /// The 3 x 3 block of `k = V B^T D B` at the nodes `i` and `j` of the element, for an isotropic
    /// material with Lamé's constants: `V (lambda g_i g_j^T + mu g_j g_i^T + mu (g_i . g_j) I)`.
    pub fn stiffness_block(&self, i: usize, j: usize, lambda: f64, mu: f64) -> Matrix3<f64> {
        let (gi, gj) = (&self.gradients[i], &self.gradients[j]);
        let (lambda, mu) = (lambda * self.volume, mu * self.volume);
        let mut block = gi * (gj * lambda).transpose() + gj * (gi * mu).transpose();
        let shear = mu * gi.dot(gj);
        (0..3).for_each(|axis| block[(axis, axis)] += shear);
        block
    }

    /// Strain for the displacements `u` of the element's nodes; constant over the element.
    pub fn strain(&self, u: &[Vector3<f64>; 4]) -> Matrix3<f64> {
        let gradient: Matrix3<f64> =
            u.iter().zip(&self.gradients).map(|(u, g)| u * g.transpose()).sum();
        (gradient + gradient.transpose()) * 0.5
    }
}

/// Stiffness `k = V B^T D B` of one tetrahedron, with degrees of freedom ordered node by node.
///
/// Panics if the element has no volume; [`crate::TetMesh`] has no such elements.
pub fn tet_stiffness(
    rest_positions: &[Point3<f64>; 4],
    d: &SMatrix<f64, 6, 6>,
) -> SMatrix<f64, 12, 12> {
    let (gradients, volume) = shape_gradients(rest_positions);
    let mut b = SMatrix::<f64, 6, 12>::zeros();
    for (node, g) in gradients.iter().enumerate() {
        let c = 3 * node;
        b[(0, c)] = g.x;
        b[(1, c + 1)] = g.y;
        b[(2, c + 2)] = g.z;
        b[(3, c + 1)] = g.z;
        b[(3, c + 2)] = g.y;
        b[(4, c)] = g.z;
        b[(4, c + 2)] = g.x;
        b[(5, c)] = g.y;
        b[(5, c + 1)] = g.x;
    }
    let k = b.transpose() * d * b * volume;
    // Rounding leaves k slightly unsymmetric, but the factorisation reads only one triangle.
    (k + k.transpose()) * 0.5
}

/// Computes the gradients of the four shape functions, and the volume.
fn shape_gradients(x: &[Point3<f64>; 4]) -> ([Vector3<f64>; 4], f64) {
    let edges = Matrix3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
    let inverse = edges.try_inverse().expect("a checked mesh has no flat element");
    let g: [Vector3<f64>; 3] = [0, 1, 2].map(|i| inverse.row(i).transpose());
    ([-(g[0] + g[1] + g[2]), g[0], g[1], g[2]], edges.determinant().abs() / 6.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::IsotropicElastic;
    use nalgebra::{Rotation3, SVector, point, vector};

    fn some_tet() -> [Point3<f64>; 4] {
        [
            point![0.01, 0.02, -0.01],
            point![0.07, 0.01, 0.0],
            point![0.02, 0.06, 0.01],
            point![0.03, 0.02, 0.05],
        ]
    }

    fn stiffness(x: &[Point3<f64>; 4]) -> SMatrix<f64, 12, 12> {
        tet_stiffness(x, &IsotropicElastic::new(1e4, 0.3).unwrap().stiffness())
    }

    #[test]
    fn blocks_by_lame_are_those_of_the_whole_matrix() {
        let material = IsotropicElastic::new(1e4, 0.3).unwrap();
        let (lambda, mu) = material.lame();
        let (k, tet) = (stiffness(&some_tet()), Tet::new(&some_tet()));
        for i in 0..4 {
            for j in 0..4 {
                let block = k.fixed_view::<3, 3>(3 * i, 3 * j);
                let difference = block - tet.stiffness_block(i, j, lambda, mu);
                assert!(difference.amax() < 1e-13 * k.amax(), "{i} {j}");
            }
        }
    }

    #[test]
    fn six_motions_cost_nothing_and_six_cost_energy() {
        let mut eigenvalues: Vec<f64> =
            stiffness(&some_tet()).symmetric_eigenvalues().iter().copied().collect();
        eigenvalues.sort_by(f64::total_cmp);
        let scale = eigenvalues[11];
        assert!(eigenvalues[..6].iter().all(|l| l.abs() < 1e-12 * scale));
        assert!(eigenvalues[6..].iter().all(|&l| l > 1e-3 * scale));
    }

    #[test]
    fn rotating_the_element_rotates_its_stiffness() {
        let rotation = Rotation3::from_euler_angles(0.4, -1.1, 2.0);
        let rotated = some_tet().map(|x| rotation * x + vector![0.3, -0.2, 0.1]);
        let mut q = SMatrix::<f64, 12, 12>::zeros();
        for node in 0..4 {
            q.fixed_view_mut::<3, 3>(3 * node, 3 * node).copy_from(rotation.matrix());
        }
        let k = stiffness(&some_tet());
        let difference = q.transpose() * stiffness(&rotated) * q - k;
        assert!(difference.amax() < 1e-10 * k.amax());
    }

    #[test]
    fn stiffness_is_the_second_derivative_of_the_strain_energy() {
        // Energy from the strain of a deformed element, without B: an independent way to k.
        let x = some_tet();
        let d = IsotropicElastic::new(1e4, 0.3).unwrap().stiffness();
        let energy = |u: &SVector<f64, 12>| {
            let edges = Matrix3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
            let node = |i: usize| u.fixed_rows::<3>(3 * i).into_owned();
            let moved =
                Matrix3::from_columns(&[node(1) - node(0), node(2) - node(0), node(3) - node(0)]);
            let h = moved * edges.try_inverse().unwrap();
            let e = (h + h.transpose()) * 0.5;
            let strain = nalgebra::vector![
                e[(0, 0)],
                e[(1, 1)],
                e[(2, 2)],
                2.0 * e[(1, 2)],
                2.0 * e[(0, 2)],
                2.0 * e[(0, 1)]
            ];
            0.5 * strain.dot(&(d * strain)) * edges.determinant() / 6.0
        };
        let k = stiffness(&x);
        for i in 0..12 {
            for j in 0..12 {
                // The energy is quadratic, so this difference is exact for any step.
                let (ei, ej) = (unit(i), unit(j));
                let second = energy(&(ei + ej)) - energy(&ei) - energy(&ej);
                assert!((second - k[(i, j)]).abs() < 1e-9 * k.amax());
            }
        }
    }

    fn unit(i: usize) -> SVector<f64, 12> {
        let mut e = SVector::zeros();
        e[i] = 1.0;
        e
    }
}
