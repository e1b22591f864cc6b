//! Cache of compliance columns at the surface, by node.
//!
//! A finger that returns to a node, or slides to one that was computed ahead, costs no solve.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::compliance::Compliance;
use crate::mesh::{Dof, NodeId};

/// Displacements of the surface by a unit force on one node: three columns, dimensionless
/// (displacement times stiffness scale, divided by force).
///
/// Each number is split into its `f32` value, from which frames are computed, and the rounding
/// error of that value, which the contact systems need to be exact.
pub struct NodeColumns {
    leading: Vec<f32>,
    trailing: Vec<f32>,
    /// Largest displacement in each of the three columns.
    reach: [f32; 3],
}

impl NodeColumns {
    fn new(values: &[f64]) -> Self {
        let (leading, trailing): (Vec<f32>, Vec<f32>) =
            values.iter().map(|value| <(f32, f32)>::from(halves(*value))).unzip();
        let n_rows = leading.len() / 3;
        let largest = |column: &[f32]| column.iter().fold(0.0, |most: f32, v| v.abs().max(most));
        let reach = [0, 1, 2].map(|axis| largest(&leading[axis * n_rows..(axis + 1) * n_rows]));
        Self { leading, trailing, reach }
    }

    /// Column of a force along `axis`, in `f32`.
    pub(crate) fn streamed(&self, axis: usize) -> &[f32] {
        let n_rows = self.leading.len() / 3;
        &self.leading[axis * n_rows..(axis + 1) * n_rows]
    }

    /// Column of a force along `axis`, as two halves whose sum has 48 bits.
    pub(crate) fn halves(&self, axis: usize) -> [&[f32]; 2] {
        let n_rows = self.leading.len() / 3;
        let rows = axis * n_rows..(axis + 1) * n_rows;
        [&self.leading[rows.clone()], &self.trailing[rows]]
    }

    /// Largest displacement in the column of a force along `axis`.
    pub(crate) fn reach(&self, axis: usize) -> f32 {
        self.reach[axis]
    }

    /// One number of the column of a force along `axis`, with 48 bits.
    pub(crate) fn exact(&self, axis: usize, row: usize) -> f64 {
        let at = axis * (self.leading.len() / 3) + row;
        sum([self.leading[at], self.trailing[at]])
    }

    fn bytes(&self) -> usize {
        8 * self.leading.len()
    }
}

/// Splits a number into its `f32` value and the rounding error of that value.
fn halves(value: f64) -> [f32; 2] {
    let leading = value as f32;
    [leading, (value - f64::from(leading)) as f32]
}

fn sum([leading, trailing]: [f32; 2]) -> f64 {
    f64::from(leading) + f64::from(trailing)
}

/// Rounds a number to the 48 bits that columns keep of it.
pub(crate) fn as_kept(value: f64) -> f64 {
    sum(halves(value))
}

/// Columns of some surface nodes. Beyond the memory limit it drops the least recently used ones.
pub struct ColumnCache {
    /// Rows of the columns: all degrees of freedom of the surface.
    rows: Vec<Dof>,
    most_bytes: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    columns: HashMap<NodeId, (Arc<NodeColumns>, u64)>,
    bytes: usize,
    /// Counts the uses.
    time: u64,
}

impl ColumnCache {
    /// Creates an empty cache for a surface of these nodes.
    pub fn new(surface: &[NodeId], most_bytes: usize) -> Self {
        let rows = surface.iter().flat_map(|n| Dof::all_of(*n)).collect();
        Self { rows, most_bytes, kept: Mutex::default() }
    }

    /// Memory for the columns of one node, in bytes.
    pub fn bytes_per_node(&self) -> usize {
        8 * 3 * self.rows.len()
    }

    /// Number of nodes whose columns fit into the memory limit.
    pub fn room(&self) -> usize {
        // `max(1)`: a surface without nodes.
        self.most_bytes / self.bytes_per_node().max(1)
    }

    /// Memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// True if the columns of a node are in the cache.
    pub fn has(&self, node: NodeId) -> bool {
        self.lock().columns.contains_key(&node)
    }

    /// Returns the columns of each node, and solves for the missing ones. The cache is not locked
    /// during the solve; other threads may add and drop columns meanwhile.
    pub fn of(&self, compliance: &Compliance, nodes: &[NodeId]) -> Vec<Arc<NodeColumns>> {
        let present: Vec<Option<Arc<NodeColumns>>> = self.lock().used(nodes);
        let missing: Vec<NodeId> =
            nodes.iter().zip(&present).filter(|(_, at)| at.is_none()).map(|(n, _)| *n).collect();
        let solved = self.solve(compliance, &missing);
        let mut kept = self.lock();
        for (node, columns) in missing.iter().zip(&solved) {
            kept.put(*node, Arc::clone(columns));
        }
        kept.forget_down_to(self.most_bytes);
        drop(kept);
        let mut solved = solved.into_iter();
        present.into_iter().filter_map(|at| at.or_else(|| solved.next())).collect()
    }

    fn solve(&self, compliance: &Compliance, nodes: &[NodeId]) -> Vec<Arc<NodeColumns>> {
        let dofs: Vec<Dof> = nodes.iter().flat_map(|n| Dof::all_of(*n)).collect();
        let mut values = compliance.columns(&dofs, &self.rows);
        let scale = compliance.stiffness_scale();
        values.iter_mut().for_each(|value| *value *= scale);
        values.chunks_exact(3 * self.rows.len()).map(|v| Arc::new(NodeColumns::new(v))).collect()
    }

    /// Locks the map, also after a panic elsewhere: the map is consistent at every moment.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Cached columns of some nodes. Marks them as used.
    fn used(&mut self, nodes: &[NodeId]) -> Vec<Option<Arc<NodeColumns>>> {
        self.time += 1;
        let time = self.time;
        let mut used = |node: &NodeId| {
            let (columns, last_used) = self.columns.get_mut(node)?;
            *last_used = time;
            Some(Arc::clone(columns))
        };
        nodes.iter().map(&mut used).collect()
    }

    fn put(&mut self, node: NodeId, columns: Arc<NodeColumns>) {
        self.time += 1;
        let time = self.time;
        self.bytes += columns.bytes();
        if let Some((old, _)) = self.columns.insert(node, (columns, time)) {
            self.bytes -= old.bytes();
        }
    }

    fn forget_down_to(&mut self, most_bytes: usize) {
        if self.bytes <= most_bytes {
            return;
        }
        let mut by_age: Vec<(u64, NodeId)> =
            self.columns.iter().map(|(node, (_, used))| (*used, *node)).collect();
        by_age.sort_unstable();
        for (_, node) in by_age {
            if self.bytes <= most_bytes {
                break;
            }
            if let Some((columns, _)) = self.columns.remove(&node) {
                self.bytes -= columns.bytes();
            }
        }
    }
}
