//! A tree of boxes over triangles, for distances, crossings and winding numbers.
//!
//! The tree is binary and split at the median, so its depth is the logarithm of the number of
//! triangles, whatever their sizes.

use nalgebra::{Point3, Vector3};

/// Corners of a triangle.
pub(super) type Triangle = [Point3<f64>; 3];

/// Triangles in the order of the tree, and its nodes in depth-first order, left branch first.
pub(super) struct TriangleTree {
    triangles: Vec<Triangle>,
    /// For each triangle, its position in the list that the tree was made from.
    numbers: Vec<u32>,
    nodes: Vec<Node>,
}

pub(super) struct Node {
    pub(super) low: Point3<f64>,
    pub(super) high: Point3<f64>,
    /// First triangle below the node, in the tree's order.
    first: u32,
    /// Number of triangles below the node.
    n: u32,
    /// Number of the right branch's node; 0 for a leaf.
    right: u32,
}

/// Content of a node. The left branch follows its node.
pub(super) enum Content<'a> {
    Leaf(&'a [Triangle]),
    Branches([usize; 2]),
}

/// Size of the stack of a walk: enough for 2^60 triangles.
pub(super) const DEEPEST: usize = 64;
/// Largest number of triangles in a leaf.
const LEAF_SIZE: usize = 4;

impl TriangleTree {
    /// Builds a tree over at least one triangle.
    pub(super) fn new(triangles: &[Triangle]) -> Self {
        let mut order: Vec<(Point3<f64>, u32)> = triangles
            .iter()
            .zip(0..)
            .map(|([a, b, c], i)| (Point3::from((a.coords + b.coords + c.coords) / 3.0), i))
            .collect();
        let mut tree = Self {
            triangles: Vec::with_capacity(triangles.len()),
            numbers: Vec::with_capacity(triangles.len()),
            nodes: Vec::new(),
        };
        tree.add(&mut order, triangles);
        tree
    }

    pub(super) fn triangles(&self) -> &[Triangle] {
        &self.triangles
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(super) fn content(&self, node: usize) -> Content<'_> {
        let Node { right, .. } = self.nodes[node];
        match right {
            0 => Content::Leaf(self.below(node)),
            right => Content::Branches([node + 1, right as usize]),
        }
    }

    /// Positions of the triangles below a node in the list that the tree was made from.
    pub(super) fn numbers(&self, node: usize) -> &[u32] {
        let Node { first, n, .. } = self.nodes[node];
        &self.numbers[first as usize..(first + n) as usize]
    }

    /// All triangles below a node.
    pub(super) fn below(&self, node: usize) -> &[Triangle] {
        let Node { first, n, .. } = self.nodes[node];
        &self.triangles[first as usize..(first + n) as usize]
    }

    fn add(&mut self, order: &mut [(Point3<f64>, u32)], triangles: &[Triangle]) {
        let at = self.nodes.len();
        let first = self.triangles.len() as u32;
        let corners = order.iter().flat_map(|(_, i)| &triangles[*i as usize]);
        let (low, high) = bounds(corners);
        self.nodes.push(Node { low, high, first, n: order.len() as u32, right: 0 });
        if order.len() <= LEAF_SIZE {
            self.triangles.extend(order.iter().map(|(_, i)| triangles[*i as usize]));
            self.numbers.extend(order.iter().map(|(_, i)| *i));
            return;
        }
        let (low, high) = bounds(order.iter().map(|(centre, _)| centre));
        let axis = (high - low).imax();
        let half = order.len() / 2;
        // Ties are broken by the number, so that the tree is always the same.
        order.select_nth_unstable_by(half, |a, b| {
            a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1))
        });
        let (left, right) = order.split_at_mut(half);
        self.add(left, triangles);
        self.nodes[at].right = self.nodes.len() as u32;
        self.add(right, triangles);
    }
}

/// Lowest and highest corner of the box around some points.
pub(super) fn bounds<'a>(
    points: impl Iterator<Item = &'a Point3<f64>>,
) -> (Point3<f64>, Point3<f64>) {
    let none = Vector3::repeat(f64::INFINITY).into();
    points.fold((none, -none), |(low, high), x| (low.inf(x), high.sup(x)))
}
