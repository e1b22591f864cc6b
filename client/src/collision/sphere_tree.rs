//! An octree of spheres over the triangles of a surface, rebuilt for every new shape.
//!
//! Implements [Ma98], section 4.3 (eqs. 4.1-4.6), with two departures. The thesis files vertices, and so
//! does not see a fingertip that presses the middle of a large triangle: ours files triangles, by their
//! centres. And a cube keeps what is centred in the cube itself, not in its sphere, so that each triangle
//! is filed once; a cube's sphere is as large as its triangles need.

use nalgebra::{Point3, Vector3};
use physics::Shape;

use super::interference::sphere_touches;

/// Flat arrays that are reused from one build to the next.
#[derive(Debug, Default)]
pub struct SphereTree {
    nodes: Vec<TreeNode>,
    /// Triangles in the order of the leaves; each node owns a stretch of it.
    order: Vec<u32>,
    scratch: Vec<u32>,
    centres: Vec<Point3<f64>>,
}

#[derive(Debug, Clone, Copy)]
struct TreeNode {
    centre: Point3<f64>,
    half_edge: f64,
    /// Of the sphere around all of its triangles.
    radius: f64,
    first: u32,
    count: u32,
    first_child: u32,
    n_children: u32,
    depth: u32,
}

/// Triangles whose centres coincide would split for ever. At this depth a cube is a millionth of the
/// object.
const DEEPEST: u32 = 20;
/// So few triangles are tested quicker than sorted.
const LEAF: u32 = 6;

impl SphereTree {
    /// Builds the tree of these triangles in place of the last one.
    pub fn rebuild(&mut self, points: &[Point3<f64>], triangles: &[[u32; 3]]) {
        self.nodes.clear();
        self.order.clear();
        self.order.extend(0..triangles.len() as u32);
        self.scratch.resize(triangles.len(), 0);
        self.centres.clear();
        self.centres.extend(triangles.iter().map(|corners| {
            let [a, b, c] = corners.map(|i| points[i as usize].coords);
            Point3::from((a + b + c) / 3.0)
        }));
        let Some(first) = self.centres.first() else { return };
        let (mut low, mut high) = (first.coords, first.coords);
        for centre in &self.centres {
            low = low.inf(&centre.coords);
            high = high.sup(&centre.coords);
        }
        self.nodes.push(TreeNode {
            centre: ((low + high) * 0.5).into(),
            half_edge: (high - low).max() * 0.5,
            radius: 0.0,
            first: 0,
            count: triangles.len() as u32,
            first_child: 0,
            n_children: 0,
            depth: 0,
        });
        let mut next = 0;
        while next < self.nodes.len() {
            if self.nodes[next].count > LEAF && self.nodes[next].depth < DEEPEST {
                self.split(next);
            }
            next += 1;
        }
        self.measure(points, triangles);
    }

    /// Calls `found` for every triangle in a leaf whose sphere touches `shape`.
    pub fn near(&self, shape: &Shape, found: &mut impl FnMut(usize)) {
        if !self.nodes.is_empty() {
            self.near_below(0, shape, found);
        }
    }

    fn near_below(&self, node: usize, shape: &Shape, found: &mut impl FnMut(usize)) {
        let node = &self.nodes[node];
        if !sphere_touches(&node.centre, node.radius, shape) {
            return;
        }
        if node.n_children == 0 {
            self.order[node.range()].iter().for_each(|&triangle| found(triangle as usize));
        }
        for child in node.first_child..node.first_child + node.n_children {
            self.near_below(child as usize, shape, found);
        }
    }

    /// Gives every node the sphere that holds its triangles. Children come after their parents.
    fn measure(&mut self, points: &[Point3<f64>], triangles: &[[u32; 3]]) {
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            let radius = if node.n_children == 0 {
                let corners = self.order[node.range()].iter().flat_map(|&t| triangles[t as usize]);
                corners
                    .map(|i| (points[i as usize] - node.centre).norm_squared())
                    .fold(0.0, f64::max)
                    .sqrt()
            } else {
                let children = node.first_child..node.first_child + node.n_children;
                let children = children.map(|child| &self.nodes[child as usize]);
                children
                    .map(|child| (child.centre - node.centre).norm() + child.radius)
                    .fold(0.0, f64::max)
            };
            // What rounding takes away must not be missed.
            self.nodes[at].radius = radius * (1.0 + 1e-12);
        }
    }

    /// Sorts a node's triangles into its eight cubes and makes children of those that hold any.
    fn split(&mut self, parent: usize) {
        let node = self.nodes[parent];
        let range = node.range();
        let octant = |triangle: u32| {
            let from_centre = self.centres[triangle as usize] - node.centre;
            (0..3).fold(0, |octant, axis| octant | usize::from(from_centre[axis] >= 0.0) << axis)
        };
        let mut counts = [0u32; 8];
        for &triangle in &self.order[range.clone()] {
            counts[octant(triangle)] += 1;
        }
        let mut starts = [0u32; 8];
        for i in 1..8 {
            starts[i] = starts[i - 1] + counts[i - 1];
        }
        let mut ends = starts;
        for &triangle in &self.order[range.clone()] {
            let end = &mut ends[octant(triangle)];
            self.scratch[range.start + *end as usize] = triangle;
            *end += 1;
        }
        self.order[range.clone()].copy_from_slice(&self.scratch[range]);

        self.nodes[parent].first_child = self.nodes.len() as u32;
        let quarter = node.half_edge * 0.5;
        for (octant, (&count, start)) in counts.iter().zip(starts).enumerate() {
            if count == 0 {
                continue;
            }
            let side = |axis: usize| if octant >> axis & 1 == 1 { quarter } else { -quarter };
            self.nodes.push(TreeNode {
                centre: node.centre + Vector3::new(side(0), side(1), side(2)),
                half_edge: quarter,
                radius: 0.0,
                first: node.first + start,
                count,
                first_child: 0,
                n_children: 0,
                depth: node.depth + 1,
            });
            self.nodes[parent].n_children += 1;
        }
    }
}

impl TreeNode {
    /// Its stretch of the order.
    fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::super::triangle::nearest_point;
    use super::*;
    use proptest::prelude::*;

    fn found(tree: &SphereTree, shape: &Shape) -> Vec<usize> {
        let mut triangles = Vec::new();
        tree.near(shape, &mut |triangle| triangles.push(triangle));
        triangles.sort_unstable();
        triangles
    }

    fn everything() -> Shape {
        Shape::Sphere { centre: Point3::origin(), radius: 1e3 }
    }

    proptest! {
        #[test]
        fn no_triangle_that_a_ball_touches_is_missed_and_each_is_found_once(
            points in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 3..60),
            corners in prop::collection::vec(prop::array::uniform3(0usize..1000), 0..200),
            centre in prop::array::uniform3(-1.0..1.0f64),
            radius in 0.0..0.6f64,
        ) {
            let points: Vec<Point3<f64>> = points.into_iter().map(Point3::from).collect();
            let triangles: Vec<[u32; 3]> =
                corners.iter().map(|t| t.map(|i| (i % points.len()) as u32)).collect();
            let mut tree = SphereTree::default();
            tree.rebuild(&points, &triangles);
            prop_assert_eq!(found(&tree, &everything()), (0..triangles.len()).collect::<Vec<_>>());
            let centre = Point3::from(centre);
            let near = found(&tree, &Shape::Sphere { centre, radius });
            for (i, corners) in triangles.iter().enumerate() {
                let triangle = corners.map(|i| points[i as usize]);
                let touches = (centre - nearest_point(&centre, &triangle)).norm() <= radius;
                prop_assert!(!touches || near.contains(&i));
            }
        }
    }

    #[test]
    fn triangles_in_the_same_place_share_a_leaf() {
        let points = [Point3::new(0.1, 0.2, 0.3), Point3::new(0.2, 0.2, 0.3), Point3::origin()];
        let mut tree = SphereTree::default();
        tree.rebuild(&points, &[[0, 1, 2]; 20]);
        assert_eq!(found(&tree, &everything()), (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn a_tree_forgets_its_last_shape() {
        let points = [Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
        let mut tree = SphereTree::default();
        tree.rebuild(&points, &[[0, 1, 2]; 9]);
        tree.rebuild(&points, &[[0, 1, 2]]);
        assert_eq!(found(&tree, &everything()), [0]);
        tree.rebuild(&[], &[]);
        assert!(found(&tree, &everything()).is_empty());
    }
}
