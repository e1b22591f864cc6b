//! Graph of a matrix of node blocks: an edge joins two nodes that share an element.

use super::assembly::Stiffness;

/// Undirected graph in compressed rows, without loops. It stores each edge in both directions,
/// neighbours ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Graph {
    /// The neighbours of node `i` are `neighbours[starts[i]..starts[i + 1]]`.
    pub(super) starts: Vec<u32>,
    pub(super) neighbours: Vec<u32>,
}

impl Graph {
    /// Creates the graph of the off-diagonal blocks. Also returns the index of the block of each
    /// entry of `neighbours`.
    pub(super) fn of(stiffness: &Stiffness) -> (Self, Vec<u32>) {
        let n = stiffness.n_nodes();
        let mut starts = vec![0_u32; n + 1];
        for (row, column, _) in stiffness.below_diagonal() {
            starts[row + 1] += 1;
            starts[column + 1] += 1;
        }
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        let mut next = starts[..n].to_vec();
        let mut neighbours = vec![0; starts[n] as usize];
        let mut blocks = vec![0; starts[n] as usize];
        let mut put = |node: usize, neighbour: usize, block: usize| {
            let at = next[node] as usize;
            neighbours[at] = neighbour as u32;
            blocks[at] = block as u32;
            next[node] += 1;
        };
        // Columns come in ascending order, so each node gets its lower neighbours, in order, before
        // its own column adds the higher ones.
        for (row, column, block) in stiffness.below_diagonal() {
            put(column, row, block);
            put(row, column, block);
        }
        (Self { starts, neighbours }, blocks)
    }

    /// Number of nodes.
    pub(super) fn n_nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Range of the neighbours of `node` in `neighbours`.
    pub(super) fn range(&self, node: u32) -> std::ops::Range<usize> {
        self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize
    }

    /// Neighbours of `node`.
    pub(super) fn neighbours_of(&self, node: u32) -> &[u32] {
        &self.neighbours[self.range(node)]
    }
}
