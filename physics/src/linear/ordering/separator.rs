//! Separators by multilevel bisection: coarsens a graph, separates the coarsest one, and refines
//! the separator from level to level.

use rayon::prelude::*;

use super::coarsen::{Coarsened, WeightedGraph, coarsen};
use super::random::Random;
use super::separator_refinement::{Refiner, Separation};

/// Largest number of nodes of a graph that is separated without further coarsening.
const COARSEST: usize = 120;

/// Number of starting points tried on the coarsest graph.
const N_STARTS: usize = 2;

/// Number of attempts of [`separate_with_care`].
const N_ATTEMPTS: usize = 4;

/// Ratio of the nodes of a graph to those of the smaller graph of [`separate_with_care`].
const SHRINKAGE: usize = 4;

/// Finds the best of `N_ATTEMPTS` separators, in parallel, each on a graph with about a quarter of
/// the nodes.
///
/// It pays off for the first separators, which cause most of the work of a factorisation.
pub(super) fn separate_with_care(graph: &WeightedGraph, seed: u64) -> Separation {
    let mut random = Random::new(seed);
    let levels = coarse_levels(graph, (graph.n_nodes() / SHRINKAGE).max(COARSEST), &mut random);
    let coarsest = levels.last().map_or(graph, |level| &level.graph);
    let seeds: Vec<u64> = (0..N_ATTEMPTS).map(|_| random.number()).collect();
    let attempts: Vec<Separation> =
        seeds.into_par_iter().map(|seed| separate(coarsest, seed)).collect();
    refined(graph, levels, best(attempts), &mut Refiner::new(graph.n_nodes()))
}

/// Finds two sides of similar weight without an edge between them, and the few nodes that separate
/// them.
pub(super) fn separate(graph: &WeightedGraph, seed: u64) -> Separation {
    let mut random = Random::new(seed);
    let levels = coarse_levels(graph, COARSEST, &mut random);
    let coarsest = levels.last().map_or(graph, |level| &level.graph);
    let mut refiner = Refiner::new(graph.n_nodes());
    let attempts = (0..N_STARTS).map(|_| {
        let mut attempt = refiner.grow(coarsest, random.below(coarsest.n_nodes()));
        refiner.refine(coarsest, &mut attempt);
        attempt
    });
    let separation = best(attempts);
    refined(graph, levels, separation, &mut refiner)
}

/// Returns the attempt of lowest cost; the first among equals.
fn best(attempts: impl IntoIterator<Item = Separation>) -> Separation {
    attempts.into_iter().min_by_key(Separation::cost).expect("there is at least one attempt")
}

/// Coarsens a graph repeatedly, until it has about `n_nodes` nodes or cannot be coarsened well.
fn coarse_levels(graph: &WeightedGraph, n_nodes: usize, random: &mut Random) -> Vec<Coarsened> {
    // With nodes of similar weight the coarsest graph can be balanced.
    let heaviest = 1 + graph.total_weight() / (COARSEST as u32 * 2 / 3);
    let mut levels: Vec<Coarsened> = Vec::new();
    loop {
        let finest = levels.last().map_or(graph, |level| &level.graph);
        if finest.n_nodes() <= n_nodes {
            return levels;
        }
        let level = coarsen(finest, heaviest, random);
        // Few nodes found a partner, for example in a star: more levels would take long.
        if level.graph.n_nodes() > finest.n_nodes() / 10 * 9 {
            return levels;
        }
        levels.push(level);
    }
}

/// Transfers the separation of the coarsest level to the graph itself, and refines it on each
/// level.
fn refined(
    graph: &WeightedGraph,
    mut levels: Vec<Coarsened>,
    mut separation: Separation,
    refiner: &mut Refiner,
) -> Separation {
    while let Some(level) = levels.pop() {
        let finer = levels.last().map_or(graph, |level| &level.graph);
        let sides = level.coarse_of.iter().map(|&coarse| separation.sides[coarse as usize]);
        separation.sides = sides.collect();
        refiner.refine(finer, &mut separation);
    }
    separation
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Graph;
    use super::super::separator_refinement::SEPARATOR;
    use super::super::test_graphs::{from_edges, lattice};
    use super::*;

    fn check_separates(graph: Graph) -> Separation {
        let graph = WeightedGraph::of_unit_weights(graph);
        let separations = [separate(&graph, 7), separate_with_care(&graph, 7)];
        for separation in &separations {
            let sides = &separation.sides;
            for node in 0..graph.n_nodes() as u32 {
                for &other in graph.neighbours_of(node) {
                    let pair = [sides[node as usize], sides[other as usize]];
                    assert!(pair != [0, 1] && pair != [1, 0]);
                }
            }
            for side in [0, 1, SEPARATOR] {
                let n = sides.iter().filter(|&&s| s == side).count();
                assert_eq!(n, separation.weights[side as usize] as usize);
            }
        }
        best(separations)
    }

    #[test]
    fn a_cube_is_cut_in_halves_by_about_a_plane() {
        let [left, right, separator] = check_separates(lattice(12)).weights;
        assert!(separator <= 12 * 12 * 11 / 10, "{separator}");
        assert!(left.min(right) > 12 * 12 * 4, "{left} and {right}");
    }

    #[test]
    fn components_need_no_separator() {
        let edges: Vec<_> = (0..1000).filter(|k| k % 10 != 9).map(|k| (k, k + 1)).collect();
        let [left, right, separator] = check_separates(from_edges(1000, &edges)).weights;
        assert_eq!(separator, 0);
        assert!(left.abs_diff(right) <= 10);
    }

    proptest! {
        #[test]
        fn no_edge_joins_the_sides(
            n in 1_u32..700,
            edges in prop::collection::vec((any::<u32>(), any::<u32>()), 0..3000),
        ) {
            let edges: Vec<_> = edges.into_iter().map(|(i, j)| (i % n, j % n)).collect();
            check_separates(from_edges(n, &edges));
        }
    }
}
