//! An octree of spheres over the points of a surface, rebuilt for every new shape.
//!
//! Implements [Ma98], section 4.3 (eqs. 4.1-4.6), with one departure: a cube keeps the points that lie in
//! the cube itself, not all that lie in its sphere. Spheres of neighbours overlap, so the thesis' rule
//! files a point several times; ours files it once, and since a cube's sphere encloses the cube, no
//! point is ever missed.

use nalgebra::{Point3, Vector3};
use physics::Shape;

use super::interference::sphere_touches;

/// Flat arrays that are reused from one build to the next.
#[derive(Debug, Default)]
pub struct SphereTree {
    nodes: Vec<TreeNode>,
    /// Points in the order of the leaves; each node owns a stretch of it.
    order: Vec<u32>,
    scratch: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct TreeNode {
    centre: Point3<f64>,
    half_edge: f64,
    first_point: u32,
    n_points: u32,
    first_child: u32,
    n_children: u32,
    depth: u32,
}

/// Points that coincide would split for ever. At this depth a cube is a millionth of the object.
const DEEPEST: u32 = 20;

impl TreeNode {
    /// Of the sphere around the cube (4.3).
    fn radius(&self) -> f64 {
        self.half_edge * 3.0_f64.sqrt()
    }
}

impl SphereTree {
    /// Builds the tree of these points in place of the last one.
    pub fn rebuild(&mut self, points: &[Point3<f64>]) {
        self.nodes.clear();
        self.order.clear();
        self.order.extend(0..points.len() as u32);
        self.scratch.resize(points.len(), 0);
        let Some(first) = points.first() else { return };
        let (mut low, mut high) = (first.coords, first.coords);
        for point in points {
            low = low.inf(&point.coords);
            high = high.sup(&point.coords);
        }
        self.nodes.push(TreeNode {
            centre: ((low + high) * 0.5).into(),
            half_edge: (high - low).max() * 0.5,
            first_point: 0,
            n_points: points.len() as u32,
            first_child: 0,
            n_children: 0,
            depth: 0,
        });
        let mut next = 0;
        while next < self.nodes.len() {
            if self.nodes[next].n_points > 1 && self.nodes[next].depth < DEEPEST {
                self.split(next, points);
            }
            next += 1;
        }
    }

    /// Calls `found` for every point whose leaf sphere touches `shape`.
    pub fn near(&self, shape: &Shape, found: &mut impl FnMut(usize)) {
        if !self.nodes.is_empty() {
            self.near_below(0, shape, found);
        }
    }

    fn near_below(&self, node: usize, shape: &Shape, found: &mut impl FnMut(usize)) {
        let node = &self.nodes[node];
        if !sphere_touches(&node.centre, node.radius(), shape) {
            return;
        }
        if node.n_children == 0 {
            let points = node.first_point as usize..(node.first_point + node.n_points) as usize;
            self.order[points].iter().for_each(|&point| found(point as usize));
        }
        for child in node.first_child..node.first_child + node.n_children {
            self.near_below(child as usize, shape, found);
        }
    }

    /// Sorts a node's points into its eight cubes and makes children of those that hold any.
    fn split(&mut self, parent: usize, points: &[Point3<f64>]) {
        let node = self.nodes[parent];
        let range = node.first_point as usize..(node.first_point + node.n_points) as usize;
        let octant = |point: u32| {
            let from_centre = points[point as usize] - node.centre;
            (0..3).fold(0, |octant, axis| octant | usize::from(from_centre[axis] >= 0.0) << axis)
        };
        let mut counts = [0u32; 8];
        for &point in &self.order[range.clone()] {
            counts[octant(point)] += 1;
        }
        let mut starts = [0u32; 8];
        for i in 1..8 {
            starts[i] = starts[i - 1] + counts[i - 1];
        }
        let mut ends = starts;
        for &point in &self.order[range.clone()] {
            let end = &mut ends[octant(point)];
            self.scratch[range.start + *end as usize] = point;
            *end += 1;
        }
        self.order[range.clone()].copy_from_slice(&self.scratch[range]);

        self.nodes[parent].first_child = self.nodes.len() as u32;
        let quarter = node.half_edge * 0.5;
        for (octant, (&n_points, start)) in counts.iter().zip(starts).enumerate() {
            if n_points == 0 {
                continue;
            }
            let side = |axis: usize| if octant >> axis & 1 == 1 { quarter } else { -quarter };
            self.nodes.push(TreeNode {
                centre: node.centre + Vector3::new(side(0), side(1), side(2)),
                half_edge: quarter,
                first_point: node.first_point + start,
                n_points,
                first_child: 0,
                n_children: 0,
                depth: node.depth + 1,
            });
            self.nodes[parent].n_children += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(tree: &SphereTree, shape: &Shape) -> Vec<usize> {
        let mut points = Vec::new();
        tree.near(shape, &mut |point| points.push(point));
        points.sort_unstable();
        points
    }

    fn everything() -> Shape {
        Shape::Sphere { centre: Point3::origin(), radius: 1e3 }
    }

    proptest! {
        #[test]
        fn no_point_inside_a_shape_is_missed_and_each_is_found_once(
            points in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 0..200),
            centre in prop::array::uniform3(-1.0..1.0f64),
            radius in 0.0..0.6f64,
        ) {
            let points: Vec<Point3<f64>> = points.into_iter().map(Point3::from).collect();
            let mut tree = SphereTree::default();
            tree.rebuild(&points);
            prop_assert_eq!(found(&tree, &everything()), (0..points.len()).collect::<Vec<_>>());
            let shape = Shape::Sphere { centre: centre.into(), radius };
            let near = found(&tree, &shape);
            for (i, point) in points.iter().enumerate() {
                let inside = (point - Point3::from(centre)).norm() <= radius;
                prop_assert!(!inside || near.contains(&i));
            }
        }
    }

    #[test]
    fn points_that_coincide_share_a_leaf() {
        let mut tree = SphereTree::default();
        tree.rebuild(&[Point3::new(0.1, 0.2, 0.3); 5]);
        assert_eq!(found(&tree, &everything()), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_tree_forgets_its_last_shape() {
        let mut tree = SphereTree::default();
        tree.rebuild(&[Point3::new(5.0, 0.0, 0.0), Point3::new(6.0, 0.0, 0.0)]);
        tree.rebuild(&[Point3::origin()]);
        assert_eq!(found(&tree, &everything()), [0]);
        tree.rebuild(&[]);
        assert!(found(&tree, &everything()).is_empty());
    }
}
