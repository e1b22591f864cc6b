//! An octree of spheres over the triangles of a surface, rebuilt or refitted for every new shape.
//!
//! Implements [Ma98], section 4.3 (eqs. 4.1-4.6), with three departures. The thesis files vertices, and so
//! does not see a fingertip that presses the middle of a large triangle: ours files triangles, by their
//! centres. A cube keeps what is centred in the cube itself, not in its sphere, so that each triangle is
//! filed once; its sphere lies around its triangles and is no larger than they need. And the cubes are not
//! split one by one: sorting the triangles by the octants that they are in, coarse before fine, puts
//! the triangles of every cube side by side at once.
//!
//! The nodes lie in the order of a walk down the tree, each with the place where the walk goes on if
//! nothing below it is of interest. A search needs no stack, and children come after their parents, so that a
//! walk backwards meets the children first.

use nalgebra::{Point3, Vector3};
use physics::Shape;

use super::interference::sphere_touches;
use super::octants::Octants;

/// Flat arrays that are reused from one shape to the next.
#[derive(Debug, Default)]
pub struct SphereTree {
    nodes: Vec<TreeNode>,
    /// Low and high corner of what each node holds.
    boxes: Vec<[Vector3<f64>; 2]>,
    /// Triangles in the order of the leaves; each leaf owns a stretch of it.
    order: Vec<u32>,
    /// The points that each leaf's triangles have between them, leaf by leaf.
    leaf_points: Vec<u32>,
    octants: Octants,
    /// The leaf that took each point last, while leaves are made.
    taken_by: Vec<u32>,
    looseness_when_built: f64,
}

#[derive(Debug, Clone, Copy)]
struct TreeNode {
    centre: Point3<f64>,
    /// Of the sphere around all of its triangles.
    radius: f64,
    /// Where a search goes on that has no business below this node.
    next: u32,
    /// A leaf's stretch of the order; inner nodes hold nothing themselves.
    first: u32,
    count: u32,
    /// A leaf's stretch of the points.
    first_point: u32,
    n_points: u32,
}

/// How a tree took a new shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewal {
    /// The spheres follow the points; the triangles keep their leaves.
    Refitted,
    /// Everything was sorted again.
    Rebuilt,
}

/// So few triangles are tested quicker than sorted.
const LEAF: usize = 6;
/// A refitted tree whose spheres have grown by this factor against the root's, in area, is built again.
const LOOSEST: f64 = 1.5;

impl SphereTree {
    /// Builds the tree of these triangles in place of the last one.
    pub fn rebuild(&mut self, points: &[Point3<f64>], triangles: &[[u32; 3]]) {
        self.nodes.clear();
        self.boxes.clear();
        self.order.clear();
        self.leaf_points.clear();
        self.taken_by.clear();
        self.taken_by.resize(points.len(), u32::MAX);
        // As much as any shape can need, so that none asks for memory later: every inner node has at least
        // two children.
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

    /// Moves the spheres of the tree with the points. Topology and number of points must be those that it
    /// was built with. What it finds is as right as after a rebuild, only later in the search if the shape
    /// has changed much.
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
            // What rounding takes away must not be missed: a picometre more.
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

    /// The area of all spheres, as a multiple of the root's: what a search has to look through.
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

    /// Whether a point is within the box around everything.
    pub(super) fn box_holds(&self, point: &Point3<f64>) -> bool {
        self.boxes.first().is_some_and(|[low, high]| {
            (0..3).all(|axis| (low[axis]..=high[axis]).contains(&point[axis]))
        })
    }

    /// Calls `found` for every triangle in a leaf whose sphere touches `shape`.
    pub fn near(&self, shape: &Shape, found: &mut impl FnMut(usize)) {
        self.search(|centre, radius| sphere_touches(centre, radius, shape), found);
    }

    /// Calls `found` for every triangle in a leaf whose sphere, given by centre and radius, `touches`.
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

    /// Calls `measure`, which gives a triangle's distance, for all triangles that may be as near as the
    /// nearest and within `reach`. `apart` is the distance to a point; nothing inside of a sphere is
    /// nearer than its centre less its radius.
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
        // The nearest child first: what it holds may spare us the others.
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
        // Triangles whose centres coincide would split for ever: they share a leaf.
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
        // The sphere around the box and the one around the children's spheres: both hold everything.
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
    /// Its stretch of the order.
    fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

#[cfg(test)]
mod tests;
