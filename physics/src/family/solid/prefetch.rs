//! Idle work of a solid: computes columns before fingers need them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::SolidModel;
use crate::deformable::IdleWork;
use crate::mesh::{Dof, NodeId, Topology};

/// Nodes per piece of work: as many as one solve with the factor handles efficiently.
const NODES_PER_PIECE: usize = 8;

/// Number of nodes around the fingers to compute, if there is no room for the columns of all nodes.
const NEAREST: usize = 160;

/// Returns work that computes columns, nearest to the touched nodes first, by distance along the
/// surface. Without touched nodes there is work only if there is room for all columns.
pub(super) fn prefetch(model: Arc<SolidModel>, touched: &[Dof]) -> Option<IdleWork> {
    let n_surface = model.rest_surface().topology.nodes.len();
    let room = model.columns().room();
    let has_room_for_all = n_surface <= room;
    if touched.is_empty() && !has_room_for_all {
        return None;
    }
    let wanted = if has_room_for_all { n_surface } else { NEAREST.min(room / 2) };
    let touched: Vec<NodeId> = touched.iter().map(|dof| dof.node()).collect();
    let mut queue: Option<VecDeque<NodeId>> = None;
    Some(Box::new(move || {
        // Find the order inside the idle work, so that no frame waits for it.
        let queue = queue.get_or_insert_with(|| {
            let topology = &model.rest_surface().topology;
            by_distance(topology, &touched).into_iter().take(wanted).collect()
        });
        let mut piece = Vec::with_capacity(NODES_PER_PIECE);
        while piece.len() < NODES_PER_PIECE
            && let Some(node) = queue.pop_front()
        {
            if !model.columns().has(node) {
                piece.push(node);
            }
        }
        if !piece.is_empty() {
            model.columns().of(model.compliance(), &piece);
        }
        !queue.is_empty()
    }))
}

/// Orders the nodes of a surface by distance: breadth first along its edges from `from`, then the
/// parts that are not connected to `from`.
fn by_distance(topology: &Topology, from: &[NodeId]) -> Vec<NodeId> {
    let n = topology.nodes.len();
    let mut neighbours = vec![Vec::new(); n];
    for &[a, b, c] in &topology.triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            neighbours[from as usize].push(to);
        }
    }
    let mut is_seen = vec![false; n];
    let mut order: Vec<u32> = Vec::with_capacity(n);
    let mut done = 0;
    let mut spread_from = |points: &mut dyn Iterator<Item = usize>| {
        order.extend(
            points.filter(|&p| !std::mem::replace(&mut is_seen[p], true)).map(|p| p as u32),
        );
        while done < order.len() {
            let next = &neighbours[order[done] as usize];
            order.extend(
                next.iter().filter(|&&p| !std::mem::replace(&mut is_seen[p as usize], true)),
            );
            done += 1;
        }
    };
    // The search spreads from all fingers at the same pace. Points that it does not reach start a
    // search of their own.
    spread_from(&mut from.iter().filter_map(|node| topology.nodes.binary_search(node).ok()));
    (0..n).for_each(|point| spread_from(&mut std::iter::once(point)));
    order.into_iter().map(|point| topology.nodes[point as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Grip;

    #[test]
    fn nodes_come_by_distance_and_each_once() {
        // A strip of triangles 0-1-2-3-4-5, and one triangle by itself; node ids are tens.
        let triangles = vec![[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [6, 7, 8]];
        let topology = Topology {
            version: 0,
            grip: Grip::Nodes,
            nodes: (0..9).map(|i| NodeId(10 * i)).collect(),
            rest_positions: vec![[0.0; 3]; 9],
            triangles,
            fields: Vec::new(),
        };
        let order = |from: &[u32]| -> Vec<u32> {
            let from: Vec<NodeId> = from.iter().map(|i| NodeId(10 * i)).collect();
            by_distance(&topology, &from).into_iter().map(|node| node.0 / 10).collect()
        };
        assert_eq!(order(&[0])[0], 0);
        assert_eq!(order(&[5, 0])[..2], [5, 0]);
        for from in [&[][..], &[4], &[8, 8, 1]] {
            let mut all = order(from);
            all.sort_unstable();
            assert_eq!(all, (0..9).collect::<Vec<_>>());
        }
    }
}
