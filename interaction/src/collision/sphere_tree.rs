//! An octree of spheres over the triangles of a surface, rebuilt or refitted for every new shape.
//!
//! Implements \[Ma98\], section 4.3 (eqs. 4.1-4.6), with three departures:
//!
//! - The thesis files vertices, and so misses a fingertip that presses the middle of a large
//!   triangle. This tree files triangles, by their centres.
//! - Each triangle is filed once: a cube keeps the triangles whose centres are in the cube itself,
//!   not in its sphere. The sphere encloses the cube's triangles and is no larger than they need.
//! - The cubes are not split one by one. The triangles are sorted by their octants, coarse levels
//!   first, which puts the triangles of every cube side by side at once.
//!
//! The nodes are stored in the order of a walk down the tree. Each node holds the index at which
//! the walk goes on when it skips everything below the node. A search therefore needs no stack.
//! Children come after their parents, so a backward walk meets the children first.

use nalgebra::{Point3, Vector3};
use physics::Shape;

use super::interference::sphere_touches;
use super::octants::Octants;

/// Flat arrays that are reused from one shape to the next.
#[derive(Debug, Default)]
pub struct SphereTree {
    nodes: Vec<TreeNode>,
    /// Low and high corner of the box around each node's triangles.
    boxes: Vec<[Vector3<f64>; 2]>,
    /// Triangles in the order of the leaves; each leaf owns a stretch of it.
    order: Vec<u32>,
    /// The points of each leaf's triangles, each once, leaf by leaf.
    leaf_points: Vec<u32>,
    octants: Octants,
    /// The last leaf that added each point; used while leaves are made.
    taken_by: Vec<u32>,
    looseness_when_built: f64,
}

#[derive(Debug, Clone, Copy)]
struct TreeNode {
    centre: Point3<f64>,
    /// Radius of the sphere around all triangles of the node.
    radius: f64,
    /// Index of the next node when a search skips everything below this one.
    next: u32,
    /// Start of a leaf's stretch of `order`; unused for inner nodes.
    first: u32,
    /// Number of triangles of a leaf; 0 for inner nodes.
    count: u32,
    /// Start of a leaf's stretch of `leaf_points`.
    first_point: u32,
    /// Number of points of a leaf.
    n_points: u32,
}

/// Result of [`SphereTree::renew`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewal {
    /// The spheres follow the points; the triangles keep their leaves.
    Refitted,
    /// The tree was built again.
    Rebuilt,
}

/// Largest number of triangles in a leaf: testing this many is quicker than sorting them.
const LEAF: usize = 6;
/// Factor of growth of the looseness at which a refitted tree is built again.
const LOOSEST: f64 = 1.5;

impl SphereTree {
    /// Builds the tree of these triangles, replacing the previous one.
    pub fn rebuild(&mut self, points: &[Point3<f64>], triangles: &[[u32; 3]]) {
        self.nodes.clear();
        self.boxes.clear();
        self.order.clear();
        self.leaf_points.clear();
        self.taken_by.clear();
        self.taken_by.resize(points.len(), u32::MAX);
        // Room for any shape, so that no later one allocates: every inner node has at least two
        // children.
        self.nodes.reserve(2 * triangles.len());
        self.boxes.reserve(2 * triangles.len());
        self.leaf_points.reserve(3 * triangles.len());
        self.octants.sort(points, triangles);
        self.order.extend(self.octants.triangles());
        if !self.order.is_empty() {
            self.grow(0..self.order.len(), triangles);
        }
        self.boxes.resize(self.nodes.len(), [Vector3::zeros(); 2]);
        self.refit(points);
        self.looseness_when_built = self.looseness();
    }

    /// Moves the spheres of the tree with the points. Topology and number of points must be those
    /// of the last rebuild. Searches find the same as after a rebuild; they take longer if the
    /// shape has changed much.
    pub fn refit(&mut self, points: &[Point3<f64>]) {
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            let (bounds, centre, radius) = if node.count > 0 {
                self.around_points(&node, points)
            } else {
                self.around_children(at)
            };
            self.boxes[at] = bounds;
            self.nodes[at].centre = centre;
            // A picometre more, to make up for rounding.
            self.nodes[at].radius = radius * (1.0 + 1e-12) + 1e-12;
        }
    }

    /// Refits the tree, and rebuilds it if its spheres have become too loose for a quick search.
    pub fn renew(&mut self, points: &[Point3<f64>], triangles: &[[u32; 3]]) -> Renewal {
        self.refit(points);
        if self.looseness() > LOOSEST * self.looseness_when_built {
            self.rebuild(points, triangles);
            return Renewal::Rebuilt;
        }
        Renewal::Refitted
    }

    /// The area of all spheres divided by the root's: a measure of the search effort.
    pub fn looseness(&self) -> f64 {
        let area: f64 = self.nodes.iter().map(|node| node.radius * node.radius).sum();
        self.nodes.first().map_or(0.0, |root| area / (root.radius * root.radius))
    }

    /// Centres and radii of the leaves' spheres, for pictures.
    pub fn leaves(&self) -> impl Iterator<Item = (Point3<f64>, f64)> + '_ {
        let leaves = self.nodes.iter().filter(|node| node.count > 0);
        leaves.map(|leaf| (leaf.centre, leaf.radius))
    }

    /// Centre and radius of the sphere around everything.
    pub(super) fn root(&self) -> Option<(Point3<f64>, f64)> {
        self.nodes.first().map(|root| (root.centre, root.radius))
    }

    /// True if a point is within the box around everything.
    pub(super) fn box_holds(&self, point: &Point3<f64>) -> bool {
        self.boxes.first().is_some_and(|[low, high]| {
            (0..3).all(|axis| (low[axis]..=high[axis]).contains(&point[axis]))
        })
    }

    /// Calls `found` for every triangle in a leaf whose sphere touches `shape`.
    pub fn near(&self, shape: &Shape, found: &mut impl FnMut(usize)) {
        self.search(|centre, radius| sphere_touches(centre, radius, shape), found);
    }

    /// Calls `found` for every triangle in a leaf whose sphere, given by centre and radius,
    /// `touches`.
    pub(super) fn search(
        &self,
        touches: impl Fn(&Point3<f64>, f64) -> bool,
        found: &mut impl FnMut(usize),
    ) {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            at = if touches(&node.centre, node.radius) {
                self.order[node.range()].iter().for_each(|&triangle| found(triangle as usize));
                at + 1
            } else {
                node.next as usize
            };
        }
    }

    /// Calls `measure`, which returns a triangle's distance, for every triangle that may be the
    /// nearest and within `reach`. `apart` is the distance to a point. Everything inside a sphere
    /// is at least as far away as the sphere's centre, minus its radius.
    pub(super) fn nearest(
        &self,
        apart: &impl Fn(&Point3<f64>) -> f64,
        reach: f64,
        measure: &mut impl FnMut(usize) -> f64,
    ) {
        let mut least = reach;
        if let Some(root) = self.nodes.first()
            && apart(&root.centre) - root.radius <= least
        {
            self.nearest_below(0, apart, &mut least, measure);
        }
    }

    fn nearest_below(
        &self,
        at: usize,
        apart: &impl Fn(&Point3<f64>) -> f64,
        least: &mut f64,
        measure: &mut impl FnMut(usize) -> f64,
    ) {
        let node = &self.nodes[at];
        for &triangle in &self.order[node.range()] {
            *least = least.min(measure(triangle as usize));
        }
        // The nearest child first: its triangles may rule out the other children.
        let mut children = [(0.0, 0); 8];
        let mut n_children = 0;
        let mut child = at + 1;
        while child < node.next as usize {
            let TreeNode { centre, radius, next, .. } = &self.nodes[child];
            let bound = apart(centre) - radius;
            if bound <= *least {
                let nearer = children[..n_children].iter().take_while(|c| c.0 <= bound).count();
                children[nearer..=n_children].rotate_right(1);
                children[nearer] = (bound, child);
                n_children += 1;
            }
            child = *next as usize;
        }
        for &(bound, child) in &children[..n_children] {
            if bound <= *least {
                self.nearest_below(child, apart, least, measure);
            }
        }
    }

    /// Makes the node of a stretch of the order, and all nodes below it.
    fn grow(&mut self, range: std::ops::Range<usize>, triangles: &[[u32; 3]]) {
        let at = self.nodes.len();
        self.nodes.push(TreeNode {
            centre: Point3::origin(),
            radius: 0.0,
            next: 0,
            first: range.start as u32,
            count: 0,
            first_point: self.leaf_points.len() as u32,
            n_points: 0,
        });
        // Triangles whose centres coincide share a leaf; splitting them would never end.
        let level = self.octants.first_difference(&range).filter(|_| range.len() > LEAF);
        if let Some(level) = level {
            let mut first = range.start;
            while first < range.end {
                let end = self.octants.end_of_octant(first..range.end, level);
                self.grow(first..end, triangles);
                first = end;
            }
        } else {
            self.nodes[at].count = range.len() as u32;
            for &triangle in &self.order[range] {
                for point in triangles[triangle as usize] {
                    let taken_by = &mut self.taken_by[point as usize];
                    if *taken_by != at as u32 {
                        *taken_by = at as u32;
                        self.leaf_points.push(point);
                    }
                }
            }
            self.nodes[at].n_points = self.leaf_points.len() as u32 - self.nodes[at].first_point;
        }
        self.nodes[at].next = self.nodes.len() as u32;
    }

    /// Box, centre and radius around a leaf's points, and so around its triangles.
    fn around_points(
        &self,
        leaf: &TreeNode,
        points: &[Point3<f64>],
    ) -> ([Vector3<f64>; 2], Point3<f64>, f64) {
        let first = leaf.first_point as usize;
        let of_leaf = &self.leaf_points[first..first + leaf.n_points as usize];
        let mut low = points[of_leaf[0] as usize].coords;
        let mut high = low;
        for &point in &of_leaf[1..] {
            let x = &points[point as usize].coords;
            low = low.inf(x);
            high = high.sup(x);
        }
        let centre = Point3::from((low + high) * 0.5);
        let farthest = of_leaf
            .iter()
            .map(|&point| (points[point as usize] - centre).norm_squared())
            .fold(0.0, f64::max);
        ([low, high], centre, farthest.sqrt())
    }

    /// Box, centre and radius around a node's children.
    fn around_children(&self, at: usize) -> ([Vector3<f64>; 2], Point3<f64>, f64) {
        let end = self.nodes[at].next as usize;
        let [mut low, mut high] = self.boxes[at + 1];
        let mut child = at + 1;
        while child < end {
            low = low.inf(&self.boxes[child][0]);
            high = high.sup(&self.boxes[child][1]);
            child = self.nodes[child].next as usize;
        }
        let centre = Point3::from((low + high) * 0.5);
        // The sphere around the box and the sphere around the children's spheres: both enclose
        // everything.
        let around_box = (high - low).norm() * 0.5;
        let mut around_spheres: f64 = 0.0;
        child = at + 1;
        while child < end {
            let TreeNode { centre: other, radius, next, .. } = &self.nodes[child];
            around_spheres = around_spheres.max((other - centre).norm() + radius);
            child = *next as usize;
        }
        ([low, high], centre, around_box.min(around_spheres))
    }
}

impl TreeNode {
    /// The leaf's stretch of `order`.
    fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

#[cfg(test)]
mod tests;
