//! Elimination tree and column counts of a Cholesky factor, from the pattern of the matrix alone.
//!
//! Column counts follow [GNP94]: each row of the factor is a subtree of the elimination tree, and
//! the counts come from the leaves of those subtrees in almost linear time.

use crate::linear::graph::Graph;

/// Stands for no parent, or no leaf yet.
pub(super) const NONE: u32 = u32::MAX;

/// Order of elimination with its tree and column counts. The order is a postorder: every subtree of
/// the elimination tree is a range of positions that ends at its root.
pub(super) struct Elimination {
    /// Node at each position.
    pub(super) order: Vec<u32>,
    /// Parent of each position in the elimination tree; [`NONE`] for a root.
    pub(super) parent: Vec<u32>,
    /// Number of entries in each column of the factor, including the diagonal.
    pub(super) counts: Vec<u32>,
}

impl Elimination {
    /// Analyses `order`. The resulting order is an equivalent postorder.
    pub(super) fn new(graph: &Graph, order: &[u32]) -> Self {
        let parent = tree(graph, order);
        let post = postorder(&parent);
        let mut label = vec![0; post.len()];
        for (new, &old) in post.iter().enumerate() {
            label[old as usize] = new as u32;
        }
        let order: Vec<u32> = post.iter().map(|&old| order[old as usize]).collect();
        let parent: Vec<u32> = post
            .iter()
            .map(|&old| match parent[old as usize] {
                NONE => NONE,
                parent => label[parent as usize],
            })
            .collect();
        let counts = column_counts(graph, &order, &parent);
        Self { order, parent, counts }
    }
}

/// Position of each node.
pub(super) fn positions(order: &[u32]) -> Vec<u32> {
    let mut positions = vec![0; order.len()];
    for (position, &node) in order.iter().enumerate() {
        positions[node as usize] = position as u32;
    }
    positions
}

/// Finds the elimination tree by Liu's algorithm: a column's parent is the first row below its
/// diagonal that is not zero in the factor.
fn tree(graph: &Graph, order: &[u32]) -> Vec<u32> {
    let position = positions(order);
    let mut parent = vec![NONE; order.len()];
    let mut shortcut = vec![NONE; order.len()];
    for (k, &node) in order.iter().enumerate() {
        let k = k as u32;
        for &neighbour in graph.neighbours_of(node) {
            let mut i = position[neighbour as usize];
            while i < k {
                let next = std::mem::replace(&mut shortcut[i as usize], k);
                if next == NONE {
                    parent[i as usize] = k;
                    break;
                }
                i = next;
            }
        }
    }
    parent
}

/// Returns a postorder: children come before parents, and subtrees are contiguous.
pub(super) fn postorder(parent: &[u32]) -> Vec<u32> {
    let n = parent.len();
    // Filled from the last child to the first, so that the lists are ascending.
    let mut first_child = vec![NONE; n];
    let mut sibling = vec![NONE; n];
    let mut roots = Vec::new();
    for i in (0..n).rev() {
        match parent[i] {
            NONE => roots.push(i as u32),
            p => sibling[i] = std::mem::replace(&mut first_child[p as usize], i as u32),
        }
    }
    let mut post = Vec::with_capacity(n);
    let mut stack = Vec::new();
    while let Some(root) = roots.pop() {
        stack.push(root);
        while let Some(&i) = stack.last() {
            match first_child[i as usize] {
                NONE => {
                    post.push(i);
                    stack.pop();
                }
                child => {
                    first_child[i as usize] = sibling[child as usize];
                    stack.push(child);
                }
            }
        }
    }
    post
}

fn column_counts(graph: &Graph, order: &[u32], parent: &[u32]) -> Vec<u32> {
    let n = order.len();
    let position = positions(order);
    let mut first_descendant: Vec<u32> = (0..n as u32).collect();
    for i in 0..n {
        if parent[i] != NONE {
            let p = parent[i] as usize;
            first_descendant[p] = first_descendant[p].min(first_descendant[i]);
        }
    }
    // Differences of the counts, which are summed up the tree below.
    let mut difference: Vec<i64> =
        (0..n).map(|i| i64::from(first_descendant[i] == i as u32)).collect();
    let mut newest_first = vec![0_u32; n]; // first descendant of the last leaf of row i, plus one
    let mut last_leaf = vec![NONE; n];
    let mut ancestor: Vec<u32> = (0..n as u32).collect();
    for j in 0..n {
        if parent[j] != NONE {
            difference[parent[j] as usize] -= 1;
        }
        for &neighbour in graph.neighbours_of(order[j]) {
            let i = position[neighbour as usize] as usize;
            // Column j is a leaf of the subtree of row i if no earlier one lies below it.
            if i <= j || first_descendant[j] < newest_first[i] {
                continue;
            }
            newest_first[i] = first_descendant[j] + 1;
            difference[j] += 1;
            let previous = std::mem::replace(&mut last_leaf[i], j as u32);
            if previous != NONE {
                difference[common_ancestor(&mut ancestor, previous) as usize] -= 1;
            }
        }
        if parent[j] != NONE {
            ancestor[j] = parent[j];
        }
    }
    for i in 0..n {
        if parent[i] != NONE {
            difference[parent[i] as usize] += difference[i];
        }
    }
    difference.into_iter().map(|count| count as u32).collect()
}

/// Finds the node where the paths of two successive leaves meet, with path compression.
fn common_ancestor(ancestor: &mut [u32], leaf: u32) -> u32 {
    let mut root = leaf;
    while ancestor[root as usize] != root {
        root = ancestor[root as usize];
    }
    let mut i = leaf;
    while i != root {
        i = std::mem::replace(&mut ancestor[i as usize], root);
    }
    root
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    fn graph(n_nodes: u32, edges: &[(u32, u32)]) -> Graph {
        let mut neighbours = vec![BTreeSet::new(); n_nodes as usize];
        for &(i, j) in edges.iter().filter(|(i, j)| i != j) {
            neighbours[i as usize].insert(j);
            neighbours[j as usize].insert(i);
        }
        let mut starts = vec![0];
        for neighbours in &neighbours {
            starts.push(starts[starts.len() - 1] + neighbours.len() as u32);
        }
        Graph { starts, neighbours: neighbours.into_iter().flatten().collect() }
    }

    /// Rows below the diagonal in each column of the factor, by simulating the elimination:
    /// eliminating a node makes its remaining neighbours neighbours of each other.
    fn eliminated(graph: &Graph, order: &[u32]) -> Vec<BTreeSet<u32>> {
        let position = positions(order);
        let later = |&node: &u32| -> BTreeSet<u32> {
            let place = position[node as usize];
            let all = graph.neighbours_of(node).iter().map(|&n| position[n as usize]);
            all.filter(|&other| other > place).collect()
        };
        let mut columns: Vec<BTreeSet<u32>> = order.iter().map(later).collect();
        for i in 0..columns.len() {
            let left = columns[i].clone();
            for &row in &left {
                columns[row as usize].extend(left.range(row + 1..));
            }
        }
        columns
    }

    fn check(graph: &Graph, order: &[u32]) {
        let columns = eliminated(graph, order);
        let parents: Vec<u32> =
            columns.iter().map(|rows| rows.first().copied().unwrap_or(NONE)).collect();
        assert_eq!(tree(graph, order), parents);

        let Elimination { order: post, parent, counts } = Elimination::new(graph, order);
        let mut sorted = post.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..order.len() as u32), "each node once");
        // The new order has the same tree and the same columns, with other numbers.
        let (old, new) = (positions(order), positions(&post));
        for (place, &node) in post.iter().enumerate() {
            let rows = &columns[old[node as usize] as usize];
            assert_eq!(counts[place] as usize, rows.len() + 1);
            let above = rows.first().map(|&row| new[order[row as usize] as usize]);
            assert_eq!(parent[place], above.unwrap_or(NONE));
        }
        check_postorder(&parent);
    }

    /// Checks that parents come later, and that every subtree is a contiguous range.
    fn check_postorder(parent: &[u32]) {
        let mut subtree: Vec<usize> = vec![1; parent.len()];
        for (i, &above) in parent.iter().enumerate().filter(|(_, p)| **p != NONE) {
            assert!(above as usize > i);
            subtree[above as usize] += subtree[i];
        }
        for (i, &above) in parent.iter().enumerate().filter(|(_, p)| **p != NONE) {
            let above = above as usize;
            assert!(above + 1 - subtree[above] <= i + 1 - subtree[i]);
        }
    }

    #[test]
    fn a_path_fills_in_only_if_it_is_eliminated_from_the_middle() {
        let path = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4)]);
        let along = Elimination::new(&path, &[0, 1, 2, 3, 4]);
        assert_eq!(along.parent, [1, 2, 3, 4, NONE]);
        assert_eq!(along.counts, [2, 2, 2, 2, 1]);
        // With the middle last there are two branches.
        let halves = Elimination::new(&path, &[0, 4, 1, 3, 2]);
        assert_eq!(halves.order, [0, 1, 4, 3, 2]);
        assert_eq!(halves.parent, [1, 4, 3, 4, NONE]);
        // From the middle out, each elimination makes two nodes neighbours.
        let filled = Elimination::new(&path, &[2, 1, 3, 0, 4]);
        assert_eq!(filled.counts.iter().sum::<u32>(), 5 + 4 + 3);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: RngSeed::Fixed(1998),
            ..ProptestConfig::with_cases(256)
        })]

        #[test]
        fn tree_and_counts_are_those_of_a_played_elimination(
            order in (1_u32..40).prop_flat_map(|n| Just((0..n).collect::<Vec<_>>()).prop_shuffle()),
            edges in prop::collection::vec((any::<u32>(), any::<u32>()), 0..90),
        ) {
            let n = order.len() as u32;
            let edges: Vec<_> = edges.into_iter().map(|(i, j)| (i % n, j % n)).collect();
            check(&graph(n, &edges), &order);
        }
    }
}
