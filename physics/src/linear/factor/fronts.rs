//! Fronts of a multifrontal factorisation: columns that are eliminated together as a dense block.
//!
//! Sizes are in nodes, of three degrees of freedom each, unless stated otherwise. A node's block is
//! never split, which makes the analysis nine times smaller than one by degrees of freedom.

use std::ops::Range;

use super::amalgamation::merged;
use super::elimination::{Elimination, NONE, positions, postorder};
use crate::linear::graph::Graph;

/// Fronts of a factor, from the pattern of its matrix alone.
pub(super) struct Fronts {
    /// Node at each position of the final order.
    pub(super) order: Vec<u32>,
    /// Position of each node.
    pub(super) position: Vec<u32>,
    /// Fronts in postorder: children come before parents, and a subtree is a range.
    pub(super) fronts: Vec<Front>,
    /// Positions of the rows below the pivots, ascending within a front, front after front.
    rows: Vec<u32>,
    /// Place of each of `rows` in the parent's front: pivots first, then rows.
    places: Vec<u32>,
    entries: Vec<Entry>,
}

/// One front: a dense matrix of its pivots and the rows that they update.
#[derive(Debug, Clone, Default)]
pub(super) struct Front {
    /// Position of the first pivot.
    pub(super) first: usize,
    /// Number of pivots.
    pub(super) width: usize,
    rows: Range<usize>,
    entries: Range<usize>,
    pub(super) parent: Option<usize>,
    /// First front of the subtree; the subtree is `first_descendant..=self`.
    pub(super) first_descendant: usize,
    /// Number of multiplications and additions of the whole subtree.
    pub(super) subtree_flops: f64,
    /// Number of values in the panels of the whole subtree.
    pub(super) subtree_values: usize,
    /// Largest number of update values that exist at the same time while one thread works on the
    /// subtree.
    pub(super) stack_values: usize,
    /// Start of the front's own panel among all panels.
    first_value: usize,
}

/// Some of a front's pivots with the rows below them. Sizes are in degrees of freedom.
#[derive(Debug, Clone)]
pub(super) struct Strip {
    /// Place of the first pivot in the front.
    pub(super) first: usize,
    /// Number of pivots.
    pub(super) width: usize,
    /// Number of pivots of this and later strips, plus the number of rows.
    pub(super) height: usize,
    /// Range of the strip's values in the front's panel.
    pub(super) values: Range<usize>,
}

/// Place of one block of the matrix in a front.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Place of the pivot.
    pub(super) column: u32,
    /// Place of the row: pivots first, then rows.
    pub(super) row: u32,
    /// Index of the block; [`Entry::DIAGONAL`] for a diagonal block.
    pub(super) block: u32,
    pub(super) is_transposed: bool,
}

impl Front {
    /// Number of rows below the pivots.
    pub(super) fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Range of the pivots' degrees of freedom in the final order.
    pub(super) fn pivot_dofs(&self) -> Range<usize> {
        3 * self.first..3 * (self.first + self.width)
    }

    pub(super) fn flops(&self) -> f64 {
        let (w, r) = (3.0 * self.width as f64, 3.0 * self.n_rows() as f64);
        w * w * w / 3.0 + w * w * r + w * r * r
    }

    /// Range of the front's panel among all panels.
    pub(super) fn panel(&self) -> Range<usize> {
        self.first_value..self.first_value + self.n_values()
    }

    /// Number of values in the front's update: a square matrix of which one triangle is used.
    pub(super) fn n_update(&self) -> usize {
        9 * self.n_rows() * self.n_rows()
    }

    /// Number of values in the front's panel.
    pub(super) fn n_values(&self) -> usize {
        self.strips().map(|strip| strip.values.len()).sum()
    }

    /// Cuts the pivots' columns into strips. Each strip is a dense column-major matrix that begins
    /// at its own first pivot, so that few values above the diagonal take memory.
    pub(super) fn strips(&self) -> impl Iterator<Item = Strip> {
        /// Smallest width of a strip, in nodes. Kernels are slow on narrower strips.
        const NARROWEST: usize = 16;
        /// Largest number of strips. More strips would save little memory.
        const MOST: usize = 12;
        let step = self.width.div_ceil(MOST).max(NARROWEST);
        let mut first_value = 0;
        (0..self.width).step_by(step).map(move |first| {
            let width = step.min(self.width - first);
            let height = self.width + self.n_rows() - first;
            let values = first_value..first_value + 9 * width * height;
            first_value = values.end;
            Strip { first: 3 * first, width: 3 * width, height: 3 * height, values }
        })
    }
}

impl Fronts {
    /// Analyses the pattern of a matrix for an order of elimination. `blocks` holds the block of
    /// each edge in `graph.neighbours`.
    pub(super) fn new(graph: &Graph, blocks: &[u32], order: &[u32]) -> Self {
        let elimination = Elimination::new(graph, order);
        let top = merged(&elimination);
        let (order, mut fronts) = in_postorder(&elimination, &top);
        let position = positions(&order);
        let mut all = Self {
            order,
            position,
            fronts: Vec::new(),
            rows: Vec::with_capacity(graph.neighbours.len()),
            places: Vec::new(),
            entries: Vec::with_capacity(graph.neighbours.len() / 2 + graph.n_nodes()),
        };
        let mut work =
            Scratch { stamp: vec![NONE; graph.n_nodes()], place: vec![0; graph.n_nodes()] };
        let mut n_values = 0;
        for f in 0..fronts.len() {
            all.find_rows(graph, &mut fronts, f, &mut work);
            all.find_entries(graph, blocks, &mut fronts[f], &work);
            let below: f64 = children(&fronts, f).map(|c| fronts[c].subtree_flops).sum();
            let values: usize = children(&fronts, f).map(|c| fronts[c].subtree_values).sum();
            fronts[f].subtree_flops = below + fronts[f].flops();
            fronts[f].subtree_values = values + fronts[f].n_values();
            fronts[f].stack_values = stack_values(&fronts, f);
            fronts[f].first_value = n_values;
            n_values += fronts[f].n_values();
        }
        all.fronts = fronts;
        all
    }

    /// Position of a degree of freedom of the mesh in the final order.
    pub(super) fn dof_position(&self, dof: usize) -> usize {
        3 * self.position[dof / 3] as usize + dof % 3
    }

    /// Positions of a front's rows below its pivots.
    pub(super) fn rows(&self, front: &Front) -> &[u32] {
        &self.rows[front.rows.clone()]
    }

    /// Places of a front's rows in its parent's front.
    pub(super) fn places(&self, front: &Front) -> &[u32] {
        &self.places[front.rows.clone()]
    }

    /// Blocks of the matrix that are assembled into this front.
    pub(super) fn entries(&self, front: &Front) -> &[Entry] {
        &self.entries[front.entries.clone()]
    }

    /// Node at a place in a front: pivots first, then rows.
    pub(super) fn node(&self, front: &Front, place: usize) -> usize {
        let position = match place.checked_sub(front.width) {
            None => front.first + place,
            Some(row) => self.rows(front)[row] as usize,
        };
        self.order[position] as usize
    }

    /// Fronts without a parent, from first to last.
    pub(super) fn roots(&self) -> Vec<usize> {
        let mut roots = Vec::new();
        let mut end = self.fronts.len();
        while end > 0 {
            roots.push(end - 1);
            end = self.fronts[end - 1].first_descendant;
        }
        roots.reverse();
        roots
    }

    /// Children of a front, from first to last.
    pub(super) fn children_in_order(&self, front: usize) -> Vec<usize> {
        let mut children: Vec<usize> = children(&self.fronts, front).collect();
        children.reverse();
        children
    }

    /// Number of multiplications and additions of the whole factorisation.
    pub(super) fn flops(&self) -> f64 {
        self.fronts.iter().map(Front::flops).sum()
    }

    /// Largest number of update values that exist at the same time.
    pub(super) fn stack_values(&self) -> usize {
        self.fronts.iter().map(|front| front.stack_values).max().unwrap_or(0)
    }

    /// Number of values in the factor.
    pub(super) fn n_values(&self) -> usize {
        self.fronts.iter().map(Front::n_values).sum()
    }

    /// Finds the rows of a front: the union of the pivots' neighbours and the children's rows.
    fn find_rows(&mut self, graph: &Graph, fronts: &mut [Front], f: usize, work: &mut Scratch) {
        let Range { start: first, end } = fronts[f].first..fronts[f].first + fronts[f].width;
        let start = self.rows.len();
        for position in first..end {
            work.place[position] = (position - first) as u32;
            for &neighbour in graph.neighbours_of(self.order[position]) {
                let row = self.position[neighbour as usize];
                if row as usize >= end && work.mark(row, f) {
                    self.rows.push(row);
                }
            }
        }
        for child in children(fronts, f) {
            for i in fronts[child].rows.clone() {
                let row = self.rows[i];
                if row as usize >= end && work.mark(row, f) {
                    self.rows.push(row);
                }
            }
        }
        self.rows[start..].sort_unstable();
        fronts[f].rows = start..self.rows.len();
        for (i, &row) in self.rows[start..].iter().enumerate() {
            work.place[row as usize] = (end - first + i) as u32;
        }
        self.places.resize(self.rows.len(), 0);
        for child in children(fronts, f) {
            for i in fronts[child].rows.clone() {
                self.places[i] = work.place[self.rows[i] as usize];
            }
        }
    }

    fn find_entries(&mut self, graph: &Graph, blocks: &[u32], front: &mut Front, work: &Scratch) {
        let start = self.entries.len();
        for position in front.first..front.first + front.width {
            let node = self.order[position];
            let column = (position - front.first) as u32;
            self.entries.push(Entry {
                column,
                row: column,
                block: Entry::DIAGONAL,
                is_transposed: false,
            });
            for at in graph.range(node) {
                let neighbour = graph.neighbours[at];
                let row = self.position[neighbour as usize] as usize;
                if row > position {
                    self.entries.push(Entry {
                        column,
                        row: work.place[row],
                        block: blocks[at],
                        // Blocks are stored below the diagonal of the old order.
                        is_transposed: neighbour < node,
                    });
                }
            }
        }
        front.entries = start..self.entries.len();
    }
}

impl Entry {
    /// Value of [`Entry::block`] for the diagonal block of the column's node.
    pub(super) const DIAGONAL: u32 = u32::MAX;
}

struct Scratch {
    /// Last front that marked each position.
    stamp: Vec<u32>,
    /// Place of each position in the current front.
    place: Vec<u32>,
}

impl Scratch {
    /// Marks a position. Returns true if this front marks it for the first time.
    fn mark(&mut self, position: u32, front: usize) -> bool {
        std::mem::replace(&mut self.stamp[position as usize], front as u32) != front as u32
    }
}

/// Returns the children of a front, from last to first. Each child's subtree ends where the next
/// one begins, so no list is needed.
fn children(fronts: &[Front], front: usize) -> impl Iterator<Item = usize> {
    let first = fronts[front].first_descendant;
    let next = move |end: usize| (end > first).then(|| end - 1);
    std::iter::successors(next(front), move |&child| next(fronts[child].first_descendant))
}

/// Computes [`Front::stack_values`]: the children's updates are stacked, with the front's own
/// update on top.
fn stack_values(fronts: &[Front], front: usize) -> usize {
    let mut below = 0;
    let mut most = 0;
    let mut in_order: Vec<usize> = children(fronts, front).collect();
    in_order.reverse();
    for child in in_order {
        most = most.max(below + fronts[child].stack_values);
        below += fronts[child].n_update();
    }
    most.max(below + fronts[front].n_update())
}

/// Returns the final order, in which each front's pivots are contiguous, and the fronts without
/// their rows.
fn in_postorder(elimination: &Elimination, top: &[u32]) -> (Vec<u32>, Vec<Front>) {
    // The tree of the merged fronts, each at its top position.
    let tops: Vec<u32> = (0..top.len() as u32).filter(|&i| top[i as usize] == i).collect();
    let mut index = vec![NONE; top.len()];
    for (i, &t) in tops.iter().enumerate() {
        index[t as usize] = i as u32;
    }
    let parent: Vec<u32> = tops
        .iter()
        .map(|&t| match elimination.parent[t as usize] {
            NONE => NONE,
            p => index[top[p as usize] as usize],
        })
        .collect();
    let mut members = vec![Vec::new(); tops.len()];
    for (i, &t) in top.iter().enumerate() {
        members[index[t as usize] as usize].push(elimination.order[i]);
    }
    let post = postorder(&parent);
    let place_in_post = positions(&post);
    let mut order = Vec::with_capacity(top.len());
    let mut fronts: Vec<Front> = Vec::with_capacity(tops.len());
    for (f, &t) in post.iter().enumerate() {
        let nodes = &members[t as usize];
        let parent = match parent[t as usize] {
            NONE => None,
            p => Some(place_in_post[p as usize] as usize),
        };
        let front = Front { first: order.len(), width: nodes.len(), parent, ..Front::default() };
        fronts.push(Front { first_descendant: f, ..front });
        order.extend_from_slice(nodes);
    }
    for f in 0..fronts.len() {
        if let Some(p) = fronts[f].parent {
            fronts[p].first_descendant = fronts[p].first_descendant.min(fronts[f].first_descendant);
        }
    }
    (order, fronts)
}
