//! The stiffness matrix `K` of a mesh, assembled in a fixed order.
//!
//! Each column of node blocks is summed by one task, element by element in ascending order, so the
//! bits of `K` do not depend on the number of threads.

use nalgebra::{Matrix3, SMatrix};
use rayon::prelude::*;

use crate::element::tet_stiffness;
use crate::material::IsotropicElastic;
use crate::mesh::TetMesh;

/// Lower triangle of `K` in compressed columns of whole 3 x 3 node blocks.
pub struct Stiffness {
    /// Column `j` holds the blocks `block_starts[j]..block_starts[j + 1]`.
    pub(super) block_starts: Vec<usize>,
    /// Row node of each block, ascending within a column, starting at the diagonal.
    pub(super) block_rows: Vec<usize>,
    /// The blocks.
    pub(super) blocks: Vec<Matrix3<f64>>,
}

impl Stiffness {
    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.block_starts.len() - 1
    }

    /// Row, column and index of each block below the diagonal, column by column.
    pub(super) fn below_diagonal(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..self.n_nodes()).flat_map(move |column| {
            let blocks = self.block_starts[column] + 1..self.block_starts[column + 1];
            blocks.map(move |block| (self.block_rows[block], column, block))
        })
    }

    /// The diagonal block of a node.
    pub(super) fn diagonal(&self, node: usize) -> &Matrix3<f64> {
        &self.blocks[self.block_starts[node]]
    }

    /// The largest entry on the diagonal, which no other entry exceeds.
    pub(super) fn largest_diagonal(&self) -> f64 {
        let largest = |node| self.diagonal(node).diagonal().max();
        (0..self.n_nodes()).map(largest).fold(0.0, f64::max)
    }

    /// The rows and columns of some degrees of freedom (ascending) as a dense matrix, row by row.
    pub(crate) fn dense(&self, dofs: &[usize]) -> Vec<f64> {
        let n = dofs.len();
        let mut place = vec![usize::MAX; 3 * self.n_nodes()];
        for (i, &dof) in dofs.iter().enumerate() {
            place[dof] = i;
        }
        let mut dense = vec![0.0; n * n];
        let diagonal = (0..self.n_nodes()).map(|node| (node, node, self.block_starts[node]));
        for (row_node, column_node, block) in diagonal.chain(self.below_diagonal()) {
            for i in 0..3 {
                for j in 0..3 {
                    let (row, column) = (place[3 * row_node + i], place[3 * column_node + j]);
                    if row != usize::MAX && column != usize::MAX {
                        dense[row * n + column] = self.blocks[block][(i, j)];
                        dense[column * n + row] = self.blocks[block][(i, j)];
                    }
                }
            }
        }
        dense
    }

    /// `K u`, from the stored triangle.
    pub fn times(&self, u: &[f64]) -> Vec<f64> {
        let mut f = vec![0.0; u.len()];
        for column in 0..self.n_nodes() {
            for block in self.block_starts[column]..self.block_starts[column + 1] {
                let row = self.block_rows[block];
                for i in 0..3 {
                    for j in 0..3 {
                        let k = self.blocks[block][(i, j)];
                        f[3 * row + i] += k * u[3 * column + j];
                        if row != column {
                            f[3 * column + j] += k * u[3 * row + i];
                        }
                    }
                }
            }
        }
        f
    }
}

/// Assembles `K = sum of k` ([Ma98], eqs. 3.36-3.39).
pub fn assemble(mesh: &TetMesh, material: &IsotropicElastic) -> Stiffness {
    let d = material.stiffness();
    let element_stiffness: Vec<SMatrix<f64, 12, 12>> = mesh
        .elements()
        .par_iter()
        .map(|nodes| tet_stiffness(&nodes.map(|n| mesh.rest_positions()[n.index()]), &d))
        .collect();

    let touching = elements_of_nodes(mesh);
    let columns: Vec<Vec<(usize, Matrix3<f64>)>> = touching
        .par_iter()
        .enumerate()
        .map(|(column, elements)| column_blocks(mesh, &element_stiffness, column, elements))
        .collect();

    let mut stiffness =
        Stiffness { block_starts: vec![0], block_rows: Vec::new(), blocks: Vec::new() };
    for column in columns {
        for (row, block) in column {
            stiffness.block_rows.push(row);
            stiffness.blocks.push(block);
        }
        stiffness.block_starts.push(stiffness.blocks.len());
    }
    stiffness
}

/// For each node the elements that touch it, ascending, with the node's place in the element.
fn elements_of_nodes(mesh: &TetMesh) -> Vec<Vec<(usize, usize)>> {
    let mut touching = vec![Vec::new(); mesh.n_nodes()];
    for (element, nodes) in mesh.elements().iter().enumerate() {
        for (place, node) in nodes.iter().enumerate() {
            touching[node.index()].push((element, place));
        }
    }
    touching
}

fn column_blocks(
    mesh: &TetMesh,
    element_stiffness: &[SMatrix<f64, 12, 12>],
    column: usize,
    elements: &[(usize, usize)],
) -> Vec<(usize, Matrix3<f64>)> {
    let mut rows: Vec<usize> = elements
        .iter()
        .flat_map(|&(element, _)| mesh.elements()[element].map(|n| n.index()))
        .filter(|&row| row >= column)
        // A node without elements has its place on the diagonal all the same.
        .chain([column])
        .collect();
    rows.sort_unstable();
    rows.dedup();
    let mut blocks: Vec<(usize, Matrix3<f64>)> =
        rows.iter().map(|&row| (row, Matrix3::zeros())).collect();
    for &(element, column_place) in elements {
        for (row_place, row) in mesh.elements()[element].iter().enumerate() {
            if let Ok(at) = rows.binary_search(&row.index()) {
                blocks[at].1 +=
                    element_stiffness[element].fixed_view::<3, 3>(3 * row_place, 3 * column_place);
            }
        }
    }
    blocks
}
