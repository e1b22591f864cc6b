//! Graphs for tests, and the work that an elimination order causes.

use super::Graph;

/// Creates the graph with these edges, without loops and repeated edges.
pub(super) fn from_edges(n_nodes: u32, edges: &[(u32, u32)]) -> Graph {
    let mut ends: Vec<(u32, u32)> = edges.iter().flat_map(|&(i, j)| [(i, j), (j, i)]).collect();
    ends.retain(|(i, j)| i != j);
    ends.sort_unstable();
    ends.dedup();
    Graph {
        starts: (0..=n_nodes).map(|n| ends.partition_point(|e| e.0 < n) as u32).collect(),
        neighbours: ends.into_iter().map(|(_, j)| j).collect(),
    }
}

/// Creates a cube of nodes, each joined to the up to 26 nodes around it.
pub(super) fn lattice(side: u32) -> Graph {
    let id = |at: [u32; 3]| (at[0] * side + at[1]) * side + at[2];
    let cube = |side: u32| {
        (0..side * side * side).map(move |k| [k / side / side, k / side % side, k % side])
    };
    let mut edges = Vec::new();
    for at in cube(side) {
        for step in cube(3) {
            let to = [0, 1, 2].map(|axis| at[axis] + step[axis]);
            // `to` is one too large along each axis, so that it cannot be negative.
            if to.iter().all(|&x| (1..=side).contains(&x)) {
                edges.push((id(at), id(to.map(|x| x - 1))));
            }
        }
    }
    from_edges(side * side * side, &edges)
}

/// Computes the sum of the squared column lengths of a Cholesky factor.
pub(super) fn factor_work(graph: &Graph, order: &[u32]) -> f64 {
    const NONE: usize = usize::MAX;
    let n = order.len();
    let mut places = vec![NONE; n];
    for (place, &node) in order.iter().enumerate() {
        places[node as usize] = place;
    }
    // The entries of each row are the paths in the elimination tree that start at the row's edges.
    let mut parents = vec![NONE; n];
    let mut last_rows = vec![NONE; n];
    let mut lengths = vec![1_u64; n];
    for (row, &node) in order.iter().enumerate() {
        for &other in graph.neighbours_of(node) {
            let mut column = places[other as usize];
            while column < row && last_rows[column] != row {
                last_rows[column] = row;
                lengths[column] += 1;
                if parents[column] == NONE {
                    parents[column] = row;
                }
                column = parents[column];
            }
        }
    }
    lengths.iter().map(|&length| (length * length) as f64).sum()
}
