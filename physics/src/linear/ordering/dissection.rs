//! Nested dissection: separates a graph, orders both sides recursively, and puts the separator
//! last.

use super::coarsen::WeightedGraph;
use super::random::Random;
use super::separator::{separate, separate_with_care};
use super::separator_refinement::SEPARATOR;
use super::{Graph, minimum_degree};
use crate::progress::Progress;

/// Largest number of nodes of a piece that is ordered by minimum degree.
const LEAF: usize = 80;

/// Number of levels of recursion that use [`separate_with_care`].
const CAREFUL_DEPTH: u32 = 2;

/// Finds the elimination order of the whole graph.
pub(super) fn order(graph: &Graph, progress: &Progress) -> Vec<u32> {
    let (mut ids, renumbered) = breadth_first(graph);
    progress.expect(work(ids.len()));
    dissect(renumbered, &mut ids, 0, 0, progress);
    ids
}

/// Estimates the work of ordering `n_nodes` nodes: each halving visits all of them.
fn work(n_nodes: usize) -> u64 {
    let n_halvings = (n_nodes / LEAF).checked_ilog2().map_or(0, |log| log + 1);
    n_nodes as u64 * u64::from(n_halvings)
}

/// Reorders `ids`, the nodes of `piece`, for elimination. Each piece has a random seed of its own,
/// so the result does not depend on the order of the threads.
fn dissect(piece: Graph, ids: &mut [u32], depth: u32, seed: u64, progress: &Progress) {
    let n = ids.len();
    if n <= LEAF {
        return reorder(ids, &minimum_degree(&piece));
    }
    if progress.is_cancelled() {
        return;
    }
    let mut random = Random::new(seed);
    let graph = WeightedGraph::of_unit_weights(piece);
    let separation = if depth < CAREFUL_DEPTH {
        separate_with_care(&graph, random.number())
    } else {
        separate(&graph, random.number())
    };
    let piece = graph.into_unweighted();
    let [n_left, n_right, n_separator] = separation.weights.map(|weight| weight as usize);
    if n_left.max(n_right) > n / 10 * 9 || n_separator > n / 2 {
        // There is no good separator, for example in a complete graph. This also limits the
        // recursion.
        progress.add(work(n));
        return reorder(ids, &minimum_degree(&piece));
    }

    let (left, right) =
        rayon::join(|| part(&piece, &separation.sides, 0), || part(&piece, &separation.sides, 1));
    let mut places = Vec::with_capacity(n);
    for side in [0, 1, SEPARATOR] {
        places.extend((0..n as u32).filter(|&place| separation.sides[place as usize] == side));
    }
    reorder(ids, &places);
    // Free memory: these are large, and the recursion does not need them.
    drop((piece, separation, places));
    progress.add(work(n).saturating_sub(work(n_left) + work(n_right)));

    let (left_ids, rest) = ids.split_at_mut(n_left);
    let right_ids = &mut rest[..n_right];
    let seeds = [random.number(), random.number()];
    rayon::join(
        || dissect(left, left_ids, depth + 1, seeds[0], progress),
        || dissect(right, right_ids, depth + 1, seeds[1], progress),
    );
}

/// Extracts the part of a graph on one side.
fn part(graph: &Graph, sides: &[u8], side: u8) -> Graph {
    let mut places = Vec::with_capacity(sides.len());
    let mut n = 0;
    for &s in sides {
        places.push(n);
        n += u32::from(s == side);
    }
    let mut starts = Vec::with_capacity(n as usize + 1);
    let mut neighbours = Vec::with_capacity(graph.neighbours.len() / 2);
    starts.push(0);
    for node in (0..sides.len()).filter(|&node| sides[node] == side) {
        let within =
            graph.neighbours_of(node as u32).iter().filter(|&&other| sides[other as usize] == side);
        neighbours.extend(within.map(|&other| places[other as usize]));
        starts.push(neighbours.len() as u32);
    }
    Graph { starts, neighbours }
}

fn reorder(ids: &mut [u32], places: &[u32]) {
    let ordered: Vec<u32> = places.iter().map(|&place| ids[place as usize]).collect();
    ids.copy_from_slice(&ordered);
}

/// Returns the nodes in breadth-first order, and the graph renumbered in that order. So neighbours
/// are close in memory for any numbering of the mesh.
fn breadth_first(graph: &Graph) -> (Vec<u32>, Graph) {
    const UNSEEN: u32 = u32::MAX;
    let n = graph.n_nodes();
    let mut places = vec![UNSEEN; n];
    let mut ids: Vec<u32> = Vec::with_capacity(n);
    let mut n_expanded = 0;
    for first in 0..n as u32 {
        if places[first as usize] != UNSEEN {
            continue;
        }
        places[first as usize] = ids.len() as u32;
        ids.push(first);
        while n_expanded < ids.len() {
            for &other in graph.neighbours_of(ids[n_expanded]) {
                if places[other as usize] == UNSEEN {
                    places[other as usize] = ids.len() as u32;
                    ids.push(other);
                }
            }
            n_expanded += 1;
        }
    }
    let mut starts = Vec::with_capacity(n + 1);
    let mut neighbours = Vec::with_capacity(graph.neighbours.len());
    starts.push(0);
    for &id in &ids {
        neighbours.extend(graph.neighbours_of(id).iter().map(|&other| places[other as usize]));
        starts.push(neighbours.len() as u32);
    }
    (ids, Graph { starts, neighbours })
}
