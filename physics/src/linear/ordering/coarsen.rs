//! Coarsening of graphs: nodes are matched in pairs and merged.

use super::Graph;
use super::random::Random;

/// Number of nodes within which the order of visits is random. A fixed order would bias the
/// matching, a random order of all nodes would miss the caches.
const WINDOW: usize = 2048;

/// Graph with weights: the number of original nodes and edges that each node and edge stands for.
pub(super) struct WeightedGraph {
    pub(super) starts: Vec<u32>,
    pub(super) neighbours: Vec<u32>,
    /// Weight of the edge of each entry of `neighbours`.
    pub(super) edge_weights: Vec<u32>,
    pub(super) node_weights: Vec<u32>,
}

impl WeightedGraph {
    /// Creates a graph in which all weights are 1.
    pub(super) fn of_unit_weights(graph: Graph) -> Self {
        let node_weights = vec![1; graph.n_nodes()];
        let edge_weights = vec![1; graph.neighbours.len()];
        let Graph { starts, neighbours } = graph;
        Self { starts, neighbours, edge_weights, node_weights }
    }

    pub(super) fn into_unweighted(self) -> Graph {
        Graph { starts: self.starts, neighbours: self.neighbours }
    }

    pub(super) fn n_nodes(&self) -> usize {
        self.node_weights.len()
    }

    pub(super) fn neighbours_of(&self, node: u32) -> &[u32] {
        &self.neighbours[self.row(node)]
    }

    pub(super) fn total_weight(&self) -> u32 {
        self.node_weights.iter().sum()
    }

    fn row(&self, node: u32) -> std::ops::Range<usize> {
        self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize
    }

    /// Returns the neighbours of `node` with the weights of the edges to them.
    fn edges_of(&self, node: u32) -> impl Iterator<Item = (u32, u32)> {
        let row = self.row(node);
        let weights = self.edge_weights[row.clone()].iter().copied();
        self.neighbours[row].iter().copied().zip(weights)
    }
}

/// Coarser graph, and the coarse node of each fine one.
pub(super) struct Coarsened {
    pub(super) graph: WeightedGraph,
    pub(super) coarse_of: Vec<u32>,
}

/// Merges matched pairs of nodes. No merged node is heavier than `heaviest`.
pub(super) fn coarsen(graph: &WeightedGraph, heaviest: u32, random: &mut Random) -> Coarsened {
    let mates = matching(graph, heaviest, random);
    let n = graph.n_nodes();
    let mut coarse_of = vec![0; n];
    let mut pairs = Vec::with_capacity(n);
    for node in 0..n {
        let mate = mates[node] as usize;
        if node <= mate {
            coarse_of[node] = pairs.len() as u32;
            coarse_of[mate] = pairs.len() as u32;
            pairs.push((node as u32, mate as u32));
        }
    }
    Coarsened { graph: contract(graph, &pairs, &coarse_of), coarse_of }
}

/// Finds the partner of each node; a node without partner is its own.
fn matching(graph: &WeightedGraph, heaviest: u32, random: &mut Random) -> Vec<u32> {
    const FREE: u32 = u32::MAX;
    let n = graph.n_nodes();
    let mut mates = vec![FREE; n];
    let mut visits: Vec<u32> = (0..n as u32).collect();
    visits.chunks_mut(WINDOW).for_each(|window| random.shuffle(window));
    for node in visits {
        if mates[node as usize] != FREE {
            continue;
        }
        let room = heaviest.saturating_sub(graph.node_weights[node as usize]);
        let mut best = node;
        let mut best_weight = 0;
        // Among equals the first is taken, so each row is read from a random place on: if all pairs
        // lie in the same direction, the coarse graphs are distorted.
        let first = random.below(graph.row(node).len().max(1));
        let edges = graph.edges_of(node).skip(first).chain(graph.edges_of(node).take(first));
        for (other, weight) in edges {
            if weight > best_weight
                && mates[other as usize] == FREE
                && graph.node_weights[other as usize] <= room
            {
                best_weight = weight;
                best = other;
            }
        }
        mates[node as usize] = best;
        mates[best as usize] = node;
    }
    mates
}

fn contract(graph: &WeightedGraph, pairs: &[(u32, u32)], coarse_of: &[u32]) -> WeightedGraph {
    let n = pairs.len();
    let mut starts = Vec::with_capacity(n + 1);
    let mut neighbours = Vec::with_capacity(graph.neighbours.len() * 3 / 4);
    let mut edge_weights = Vec::with_capacity(graph.neighbours.len() * 3 / 4);
    let mut node_weights = Vec::with_capacity(n);
    starts.push(0);
    // One past the place of the last edge to each coarse node. The edge is in the current row if
    // that is after the row's start.
    let mut ends = vec![0_u32; n];
    let mut row_start = 0;
    for (node, &(one, two)) in pairs.iter().enumerate() {
        let mut weight = 0;
        let members = [one, two];
        for &member in &members[..if one == two { 1 } else { 2 }] {
            weight += graph.node_weights[member as usize];
            for (other, edge) in graph.edges_of(member) {
                let other = coarse_of[other as usize];
                if other == node as u32 {
                    continue;
                }
                let end = ends[other as usize];
                if end > row_start {
                    edge_weights[end as usize - 1] += edge;
                } else {
                    neighbours.push(other);
                    edge_weights.push(edge);
                    ends[other as usize] = neighbours.len() as u32;
                }
            }
        }
        node_weights.push(weight);
        row_start = neighbours.len() as u32;
        starts.push(row_start);
    }
    WeightedGraph { starts, neighbours, edge_weights, node_weights }
}

#[cfg(test)]
mod tests {
    use super::super::test_graphs::lattice;
    use super::*;

    #[test]
    fn coarse_graphs_keep_the_weight_and_lose_half_the_nodes() {
        let mut graph = WeightedGraph::of_unit_weights(lattice(8));
        let mut random = Random::new(1);
        for _ in 0..3 {
            let Coarsened { graph: coarse, coarse_of } = coarsen(&graph, 20, &mut random);
            assert_eq!(coarse.total_weight(), 512);
            assert!(coarse.n_nodes() * 10 <= graph.n_nodes() * 6);
            assert!(coarse.node_weights.iter().all(|&weight| weight <= 20));
            check_edges(&graph, &coarse, &coarse_of);
            graph = coarse;
        }
    }

    /// Checks that each coarse edge weighs as much as the fine edges between its ends.
    fn check_edges(fine: &WeightedGraph, coarse: &WeightedGraph, coarse_of: &[u32]) {
        let all_edges = |graph: &WeightedGraph, ends: &dyn Fn(u32) -> u32| {
            let mut edges = std::collections::BTreeMap::new();
            for node in 0..graph.n_nodes() as u32 {
                for (other, weight) in graph.edges_of(node) {
                    if ends(node) != ends(other) {
                        *edges.entry((ends(node), ends(other))).or_insert(0) += weight;
                    }
                }
            }
            edges
        };
        assert_eq!(
            all_edges(fine, &|node| coarse_of[node as usize]),
            all_edges(coarse, &|node| node)
        );
        let n_coarse_edges = all_edges(coarse, &|node| node).len();
        assert_eq!(n_coarse_edges, coarse.neighbours.len(), "no loops, no edge twice");
    }
}
