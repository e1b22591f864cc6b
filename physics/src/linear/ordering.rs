//! Fill-reducing orders of elimination.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

use super::assembly::Stiffness;
use super::graph::Graph;

/// The order in which the nodes are best eliminated.
pub fn elimination_order(stiffness: &Stiffness) -> Vec<u32> {
    let (graph, _) = Graph::of(stiffness);
    minimum_degree(&graph)
}

/// Approximate minimum degree: quick, and as good as any for small graphs.
fn minimum_degree(graph: &Graph) -> Vec<u32> {
    let n = graph.n_nodes();
    let pattern =
        SymbolicSparseColMatRef::new_checked(n, n, &graph.starts, None, &graph.neighbours);
    let (mut order, mut position) = (vec![0_u32; n], vec![0_u32; n]);
    let request = amd::order_scratch::<u32>(n, graph.neighbours.len());
    let mut memory = MemBuffer::new(request);
    amd::order(&mut order, &mut position, pattern, amd::Control::default(), MemStack::new(&mut memory))
        .expect("a graph whose edges fit into u32 does not overflow");
    order
}
