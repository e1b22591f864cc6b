//! Von Mises stress at the points of a solid's skin, from the displacements of all its nodes.
//!
//! Strain and stress are constant in a linear tetrahedron and jump between elements. The stress at
//! a point is the mean over the elements that meet there, weighted by volume. The result is the
//! equivalent stress of von Mises, in Pa: it measures shear in any direction and does not depend on
//! hydrostatic pressure.

use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use crate::element::Tet;
use crate::material::IsotropicElastic;
use crate::mesh::{NodeId, TetMesh, Topology};

/// Elements with a node on the skin, prepared for many displacements.
pub(super) struct SkinStress {
    material: IsotropicElastic,
    /// Elements with a node on the skin, ascending.
    elements: Vec<([NodeId; 4], Tet)>,
    /// Start of each point's elements in `of_points`, and the end of the last point's.
    starts: Vec<u32>,
    /// Indices into `elements`, point by point.
    of_points: Vec<u32>,
}

impl SkinStress {
    pub(super) fn new(mesh: &TetMesh, material: &IsotropicElastic, skin: &Topology) -> Self {
        // A solid's skin has each node once, ascending.
        let point_of = |node: &NodeId| skin.nodes.binary_search(node).ok();
        let at = |node: NodeId| mesh.rest_positions()[node.index()];
        let elements: Vec<([NodeId; 4], Tet)> = mesh
            .elements()
            .iter()
            .filter(|nodes| nodes.iter().any(|node| point_of(node).is_some()))
            .map(|&nodes| (nodes, Tet::new(&nodes.map(at))))
            .collect();
        let corners = || {
            let of = |(i, (nodes, _)): (u32, &([NodeId; 4], Tet))| {
                nodes.iter().filter_map(point_of).map(move |point| (point, i)).collect::<Vec<_>>()
            };
            (0..).zip(&elements).flat_map(of)
        };
        let mut starts = vec![0; skin.nodes.len() + 1];
        corners().for_each(|(point, _)| starts[point + 1] += 1);
        for point in 0..skin.nodes.len() {
            starts[point + 1] += starts[point];
        }
        let mut next = starts.clone();
        let mut of_points = vec![0; starts.last().map_or(0, |end| *end as usize)];
        for (point, element) in corners() {
            of_points[next[point] as usize] = element;
            next[point] += 1;
        }
        Self { material: *material, elements, starts, of_points }
    }

    /// Von Mises stress at each point, for the displacements `u` of all degrees of freedom. The
    /// order of all sums is fixed, so any number of threads gives the same bits.
    pub(super) fn at_points(&self, u: &[f64]) -> Vec<f32> {
        let of_node = |n: NodeId| Vector3::from_column_slice(&u[3 * n.index()..3 * n.index() + 3]);
        let stress = |(nodes, tet): &([NodeId; 4], Tet)| {
            self.material.stress(&tet.strain(&nodes.map(of_node))) * tet.volume
        };
        let stresses: Vec<Matrix3<f64>> =
            self.elements.par_iter().with_min_len(256).map(stress).collect();
        let mean = |ends: &[u32]| {
            let around = &self.of_points[ends[0] as usize..ends[1] as usize];
            let volume: f64 = around.iter().map(|&i| self.elements[i as usize].1.volume).sum();
            let sum: Matrix3<f64> = around.iter().map(|&i| stresses[i as usize]).sum();
            // Stresses beyond the range of `f32` are clamped.
            von_mises(&(sum / volume)).min(f32::MAX.into()) as f32
        };
        self.starts.par_windows(2).with_min_len(256).map(mean).collect()
    }
}

/// Equivalent stress `sqrt(3/2 s : s)` with the deviator `s`.
fn von_mises(stress: &Matrix3<f64>) -> f64 {
    let deviator = stress - Matrix3::identity() * (stress.trace() / 3.0);
    (1.5 * deviator.norm_squared()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn von_mises_is_the_stress_of_a_simple_pull_and_root_three_shears() {
        let pull = Matrix3::from_diagonal(&Vector3::new(0.0, -70.0, 0.0));
        assert!((von_mises(&pull) - 70.0).abs() < 1e-12);
        let mut shear = Matrix3::zeros();
        (shear.m12, shear.m21) = (20.0, 20.0);
        assert!((von_mises(&shear) - 20.0 * 3.0_f64.sqrt()).abs() < 1e-12);
        // Hydrostatic pressure shears nothing.
        assert_eq!(von_mises(&(Matrix3::identity() * -500.0)), 0.0);
    }
}
