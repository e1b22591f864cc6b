//! The surface as the hand can touch it: which point a fingertip touches, even if it passed by between
//! two samples.
//!
//! [Ma98], eq. 4.10, asks the points of the surface one by one: with `D` from the point to the fingertip and
//! `N` the point's normal, the fingertip is inside when `D . N <= 0`. Between points and at edges this
//! misjudges, so the tree's candidates are asked for their distance instead, triangle by triangle, and `D`
//! and `N` are taken at the nearest place of the skin, wherever on a triangle that is.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use physics::{NodeId, Shape, SurfaceFrame};

use super::adjacency::{Adjacency, Skin};
use super::ball::Ball;
use super::interference::sphere_touches_capsule;
use super::sphere_tree::SphereTree;
use super::triangle::{MovingBall, nearest_point};

/// A fingertip deeper below the skin than this, in metres, is not found there: fingers come from outside.
const DEEPEST: f64 = 0.02;

/// The nearest point so far and its squared distance; of several the first.
#[derive(Default)]
struct Nearest(Option<(f64, u32)>);

/// A fingertip on a point of the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceContact {
    /// The object's node there.
    pub node: NodeId,
    /// Outward normal there.
    pub normal: Vector3<f64>,
    /// How far the node is from its rest position.
    pub displacement: Vector3<f64>,
}

/// The newest surface, ready to be asked what touches it. All buffers are reused.
#[derive(Debug)]
pub struct TouchableSurface {
    frame: Arc<SurfaceFrame>,
    largest_displacement: f64,
    tree: SphereTree,
    adjacency: Adjacency,
    positions: Vec<Point3<f64>>,
}

impl TouchableSurface {
    /// Begins with a first shape.
    pub fn new(frame: Arc<SurfaceFrame>) -> Self {
        let mut surface = Self {
            adjacency: Adjacency::new(&frame.topology),
            frame,
            largest_displacement: 0.0,
            tree: SphereTree::default(),
            positions: Vec::new(),
        };
        surface.take_positions();
        surface.tree.rebuild(&surface.positions, &surface.frame.topology.triangles);
        surface
    }

    /// Takes a new shape. Without a new topology, nothing is allocated.
    pub fn update(&mut self, frame: Arc<SurfaceFrame>) {
        let before = std::mem::replace(&mut self.frame, frame);
        self.take_positions();
        let topology = &self.frame.topology;
        if Arc::ptr_eq(&before.topology, topology) {
            self.tree.renew(&self.positions, &topology.triangles);
        } else {
            self.adjacency = Adjacency::new(topology);
            self.tree.rebuild(&self.positions, &topology.triangles);
        }
    }

    /// The frame that this surface is of.
    pub fn frame(&self) -> &Arc<SurfaceFrame> {
        &self.frame
    }

    /// Whether it has an inside; a page has none.
    pub fn is_closed(&self) -> bool {
        self.adjacency.is_closed()
    }

    /// The middle of the box around it.
    pub fn middle(&self) -> Point3<f64> {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for x in self.frame.positions.iter() {
            for i in 0..3 {
                low[i] = low[i].min(f64::from(x[i]));
                high[i] = high[i].max(f64::from(x[i]));
            }
        }
        Point3::from([0, 1, 2].map(|i| (low[i] + high[i]) / 2.0))
    }

    /// Largest distance of a point from its rest position.
    pub fn largest_displacement(&self) -> f64 {
        self.largest_displacement
    }

    /// The nearest point that a fingertip, given in the object's frame, touches or has touched on its way
    /// from `before`; `taken` nodes are left to the fingers that hold them.
    ///
    /// What it met first counts, even if it has passed through and touches the far side by now; a
    /// fingertip that touched before already is asked where it is now, unless its centre has passed
    /// through the skin since.
    pub fn contact(
        &self,
        before: Option<&Point3<f64>>,
        fingertip: &Ball,
        taken: &[Option<NodeId>],
    ) -> Option<SurfaceContact> {
        let Ball { centre, radius } = *fingertip;
        let now = || self.touched_at(&centre, radius, taken);
        let touched = match before.and_then(|before| Some((before, self.sweep(before, fingertip)?)))
        {
            None => now(),
            Some((before, (part, triangle))) => {
                let then = || {
                    // A hair's breadth more, for what rounding takes away.
                    let touching = before + (centre - before) * part;
                    self.touched_at(&touching, radius * (1.0 + 1e-6), taken)
                        .or_else(|| self.nearest_corner(triangle, &touching, taken))
                };
                if part > 0.0 || self.crosses(before, &centre) {
                    then().or_else(now)
                } else {
                    now().or_else(then)
                }
            }
        };
        touched.or_else(|| self.buried(fingertip, taken))
    }

    /// The part of the straight way from `before`, between 0 and 1, after which a fingertip first touches
    /// the skin; 0 if it does from the beginning.
    pub fn first_touch(&self, before: &Point3<f64>, fingertip: &Ball) -> Option<f64> {
        self.sweep(before, fingertip).map(|(part, _)| part)
    }

    pub(super) fn tree(&self) -> &SphereTree {
        &self.tree
    }

    pub(super) fn skin(&self) -> Skin<'_> {
        Skin {
            adjacency: &self.adjacency,
            triangles: &self.frame.topology.triangles,
            positions: &self.positions,
        }
    }

    pub(super) fn displacement(&self, point: usize) -> Vector3<f64> {
        let rest = self.frame.topology.rest_positions[point];
        self.positions[point] - Point3::from(rest.map(f64::from))
    }

    /// What a ball at rest touches.
    fn touched_at(
        &self,
        centre: &Point3<f64>,
        radius: f64,
        taken: &[Option<NodeId>],
    ) -> Option<SurfaceContact> {
        let mut nearest = Nearest::default();
        self.tree.near(&Shape::Sphere { centre: *centre, radius }, &mut |triangle| {
            let apart = centre - nearest_point(centre, &self.skin().corners(triangle));
            if apart.norm_squared() <= radius * radius {
                self.offer(triangle, centre, taken, &mut nearest);
            }
        });
        self.contact_at(nearest)
    }

    /// The nearest of a triangle's corners that nobody has taken.
    fn nearest_corner(
        &self,
        triangle: usize,
        centre: &Point3<f64>,
        taken: &[Option<NodeId>],
    ) -> Option<SurfaceContact> {
        let mut nearest = Nearest::default();
        self.offer(triangle, centre, taken, &mut nearest);
        self.contact_at(nearest)
    }

    /// When and what a fingertip meets first on a straight way: a fast finger must not pass through a thin
    /// object.
    fn sweep(&self, before: &Point3<f64>, fingertip: &Ball) -> Option<(f64, usize)> {
        let Ball { centre, radius } = *fingertip;
        let ball = MovingBall { from: *before, way: centre - before, radius };
        let mut first: Option<(f64, usize)> = None;
        let on_the_way =
            |c: &Point3<f64>, r: f64| sphere_touches_capsule(c, r, before, &centre, radius);
        self.tree.search(on_the_way, &mut |triangle| {
            if let Some(part) = ball.first_touch(&self.skin().corners(triangle))
                && first.is_none_or(|first| (part, triangle) < first)
            {
                first = Some((part, triangle));
            }
        });
        first
    }

    /// Whether the skin is between two points.
    fn crosses(&self, from: &Point3<f64>, to: &Point3<f64>) -> bool {
        self.sweep(from, &Ball { centre: *to, radius: 0.0 }).is_some()
    }

    /// What is nearest to a fingertip that has sunk in farther than it is thick. Nothing sinks into
    /// an open skin: behind it is outside, too.
    fn buried(&self, fingertip: &Ball, taken: &[Option<NodeId>]) -> Option<SurfaceContact> {
        if !self.is_closed() {
            return None;
        }
        let Ball { centre, radius } = fingertip;
        let (nearest, triangle) = self.nearest_with_triangle(centre, radius + DEEPEST)?;
        if nearest.distance <= 0.0 { self.nearest_corner(triangle, centre, taken) } else { None }
    }

    /// Offers the corners of a triangle that nobody has taken.
    fn offer(
        &self,
        triangle: usize,
        centre: &Point3<f64>,
        taken: &[Option<NodeId>],
        nearest: &mut Nearest,
    ) {
        for point in self.frame.topology.triangles[triangle] {
            let distance = (centre - self.positions[point as usize]).norm_squared();
            let is_nearer = nearest.0.is_none_or(|least| (distance, point) < least);
            if is_nearer && !taken.contains(&Some(self.frame.topology.nodes[point as usize])) {
                nearest.0 = Some((distance, point));
            }
        }
    }

    fn contact_at(&self, nearest: Nearest) -> Option<SurfaceContact> {
        let (_, point) = nearest.0?;
        Some(SurfaceContact {
            node: self.frame.topology.nodes[point as usize],
            normal: self.skin().point_normal(point)?,
            displacement: self.displacement(point as usize),
        })
    }

    /// Positions in `f64`, and the largest displacement on the way.
    fn take_positions(&mut self) {
        self.positions.clear();
        let mut largest: f64 = 0.0;
        let rest = &self.frame.topology.rest_positions;
        self.positions.extend(self.frame.positions.iter().zip(rest).map(|(x, rest)| {
            let position = Vector3::from(x.map(f64::from));
            largest = largest.max((position - Vector3::from(rest.map(f64::from))).norm_squared());
            Point3::from(position)
        }));
        self.largest_displacement = largest.sqrt();
    }
}

#[cfg(test)]
pub(crate) mod tests;
