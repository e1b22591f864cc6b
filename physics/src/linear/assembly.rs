//! Assembly of the stiffness matrix `K` of a mesh.
//!
//! One task sums each column of node blocks, element by element in ascending order, so the bits of
//! `K` do not depend on the number of threads.

use std::ops::Range;

use nalgebra::Matrix3;
use rayon::prelude::*;

use crate::element::Tet;
use crate::material::IsotropicElastic;
use crate::mesh::TetMesh;

/// Lower triangle of `K` in compressed columns of whole 3 x 3 node blocks.
pub struct Stiffness {
    /// Column `j` holds the blocks `block_starts[j]..block_starts[j + 1]`.
    pub(super) block_starts: Vec<usize>,
    /// Row node of each block, ascending within a column, starting at the diagonal.
    pub(super) block_rows: Vec<usize>,
    /// Values of the blocks.
    pub(super) blocks: Vec<Matrix3<f64>>,
}

/// Lower triangle of a symmetric matrix in compressed columns.
pub struct Triangle {
    /// Column `j` holds the entries `starts[j]..starts[j + 1]`.
    pub starts: Vec<usize>,
    /// Row of each entry, ascending within a column, starting at the diagonal.
    pub rows: Vec<usize>,
    /// Values of the entries.
    pub values: Vec<f64>,
}

impl Stiffness {
    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.block_starts.len() - 1
    }

    /// Returns row, column and index of each block below the diagonal, column by column.
    pub(super) fn below_diagonal(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..self.n_nodes()).flat_map(move |column| {
            let blocks = self.block_starts[column] + 1..self.block_starts[column + 1];
            blocks.map(move |block| (self.block_rows[block], column, block))
        })
    }

    /// Diagonal block of a node.
    pub(super) fn diagonal(&self, node: usize) -> &Matrix3<f64> {
        &self.blocks[self.block_starts[node]]
    }

    /// Largest entry on the diagonal. No other entry exceeds it.
    pub(crate) fn largest_diagonal(&self) -> f64 {
        let largest = |node| self.diagonal(node).diagonal().max();
        (0..self.n_nodes()).map(largest).fold(0.0, f64::max)
    }

    /// Lower triangle by degree of freedom, with identity rows at held degrees of freedom. For
    /// comparison with other solvers.
    pub fn held_triangle(&self, held: &[bool]) -> Triangle {
        let mut triangle = Triangle { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for node in 0..self.n_nodes() {
            for j in 0..3 {
                let column = 3 * node + j;
                for block in self.block_starts[node]..self.block_starts[node + 1] {
                    for i in 0..3 {
                        let row = 3 * self.block_rows[block] + i;
                        if row < column {
                            continue;
                        }
                        triangle.rows.push(row);
                        triangle.values.push(match (row == column, held[row] || held[column]) {
                            (true, true) => 1.0,
                            (false, true) => 0.0,
                            (_, false) => self.blocks[block][(i, j)],
                        });
                    }
                }
                triangle.starts.push(triangle.rows.len());
            }
        }
        triangle
    }

    /// Rows and columns of some degrees of freedom (ascending) as a dense matrix, row by row.
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

    /// Computes `K u` from the stored triangle.
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

/// Assembles `K = sum of k` (\[Ma98\], eqs. 3.36-3.39).
pub fn assemble(mesh: &TetMesh, material: &IsotropicElastic) -> Stiffness {
    /// Number of columns per task.
    const CHUNK: usize = 128;
    let tets: Vec<Tet> = mesh
        .elements()
        .par_iter()
        .with_min_len(256)
        .map(|nodes| Tet::new(&nodes.map(|n| mesh.rest_positions()[n.index()])))
        .collect();
    let parts = Parts { mesh, tets: &tets, lame: material.lame(), touching: Touching::new(mesh) };
    let n = mesh.n_nodes();
    let chunks: Vec<Stiffness> = (0..n.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| parts.columns(CHUNK * chunk..n.min(CHUNK * (chunk + 1))))
        .collect();

    let n_blocks = chunks.iter().map(|chunk| chunk.blocks.len()).sum();
    let mut whole = Stiffness {
        block_starts: Vec::with_capacity(n + 1),
        block_rows: Vec::with_capacity(n_blocks),
        blocks: Vec::with_capacity(n_blocks),
    };
    whole.block_starts.push(0);
    for chunk in chunks {
        let before = whole.blocks.len();
        whole.block_starts.extend(chunk.block_starts[1..].iter().map(|start| before + start));
        whole.block_rows.extend(chunk.block_rows);
        whole.blocks.extend(chunk.blocks);
    }
    whole
}

/// Input of the assembly.
struct Parts<'a> {
    mesh: &'a TetMesh,
    tets: &'a [Tet],
    lame: (f64, f64),
    touching: Touching,
}

impl Parts<'_> {
    /// Assembles some columns of `K`.
    fn columns(&self, columns: Range<usize>) -> Stiffness {
        let mut part =
            Stiffness { block_starts: vec![0], block_rows: Vec::new(), blocks: Vec::new() };
        for column in columns {
            self.add_column(column, &mut part);
        }
        part
    }

    fn add_column(&self, column: usize, part: &mut Stiffness) {
        let (lambda, mu) = self.lame;
        let elements = self.touching.of_node(column);
        let start = part.block_rows.len();
        // A node without elements has a diagonal block, too.
        part.block_rows.push(column);
        for &(element, _) in elements {
            let nodes = &self.mesh.elements()[element as usize];
            part.block_rows.extend(nodes.iter().map(|n| n.index()).filter(|&row| row > column));
        }
        part.block_rows[start..].sort_unstable();
        let mut kept = start + 1;
        for i in start + 1..part.block_rows.len() {
            if part.block_rows[i] != part.block_rows[kept - 1] {
                part.block_rows[kept] = part.block_rows[i];
                kept += 1;
            }
        }
        part.block_rows.truncate(kept);
        part.blocks.resize(kept, Matrix3::zeros());
        let rows = &part.block_rows[start..];
        for &(element, place) in elements {
            let nodes = &self.mesh.elements()[element as usize];
            for (row_place, row) in nodes.iter().enumerate() {
                if let Ok(at) = rows.binary_search(&row.index()) {
                    let tet = &self.tets[element as usize];
                    part.blocks[start + at] +=
                        tet.stiffness_block(row_place, place as usize, lambda, mu);
                }
            }
        }
        part.block_starts.push(kept);
    }
}

/// Elements that touch each node, ascending, with the node's place in the element.
struct Touching {
    starts: Vec<u32>,
    elements: Vec<(u32, u8)>,
}

impl Touching {
    fn new(mesh: &TetMesh) -> Self {
        let mut starts = vec![0_u32; mesh.n_nodes() + 1];
        for node in mesh.elements().iter().flatten() {
            starts[node.index() + 1] += 1;
        }
        for i in 0..mesh.n_nodes() {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut elements = vec![(0, 0); 4 * mesh.elements().len()];
        for (element, nodes) in mesh.elements().iter().enumerate() {
            for (place, node) in nodes.iter().enumerate() {
                let at = &mut next[node.index()];
                elements[*at as usize] = (element as u32, place as u8);
                *at += 1;
            }
        }
        Self { starts, elements }
    }

    fn of_node(&self, node: usize) -> &[(u32, u8)] {
        &self.elements[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}
