//! The surface point that a fingertip touches, even if it passed by between two samples.
//!
//! \[Ma98\], eq. 4.10, tests the points of the surface one by one: with `D` from the point to the
//! fingertip and `N` the point's normal, the fingertip is inside when `D . N <= 0`. Between points
//! and at edges this misjudges. Here the distance to each candidate triangle of the tree is
//! computed instead, and `D` and `N` are taken at the nearest place of the skin, anywhere on a
//! triangle.

use nalgebra::{Point3, Vector3};
use physics::{NodeId, Shape};

use super::ball::Ball;
use super::interference::sphere_touches_capsule;
use super::touchable_surface::TouchableSurface;
use super::triangle::{MovingBall, nearest_point};

/// Greatest depth at which a fingertip below the skin is still found, in metres: fingers come from
/// outside.
const DEEPEST: f64 = 0.02;

/// The nearest point so far and its squared distance; of equally near points, the first.
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

impl TouchableSurface {
    /// The nearest point that a fingertip, given in the object's frame, touches now or has touched
    /// on its path from `before`. Nodes in `taken` are skipped: other fingers hold them.
    ///
    /// The first contact on the path counts, even if the fingertip has passed through and touches
    /// the far side now. If the fingertip already touched at `before`, its present position is
    /// tested first, unless its centre has passed through the skin since.
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
                    // Slightly larger, to make up for rounding.
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

    /// The part of the straight path from `before`, between 0 and 1, after which a fingertip first
    /// touches the skin; 0 if it touches at the start.
    pub fn first_touch(&self, before: &Point3<f64>, fingertip: &Ball) -> Option<f64> {
        self.sweep(before, fingertip).map(|(part, _)| part)
    }

    /// The contact of a ball at rest.
    fn touched_at(
        &self,
        centre: &Point3<f64>,
        radius: f64,
        taken: &[Option<NodeId>],
    ) -> Option<SurfaceContact> {
        let mut nearest = Nearest::default();
        self.tree().near(&Shape::Sphere { centre: *centre, radius }, &mut |triangle| {
            let apart = centre - nearest_point(centre, &self.skin().corners(triangle));
            if apart.norm_squared() <= radius * radius {
                self.offer(triangle, centre, taken, &mut nearest);
            }
        });
        self.contact_at(nearest)
    }

    /// The nearest of a triangle's corners whose node is not taken.
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

    /// The time (part of the path) and the triangle of the first contact on a straight path: a fast
    /// finger must not pass through a thin object.
    fn sweep(&self, before: &Point3<f64>, fingertip: &Ball) -> Option<(f64, usize)> {
        let Ball { centre, radius } = *fingertip;
        let ball = MovingBall { from: *before, way: centre - before, radius };
        let mut first: Option<(f64, usize)> = None;
        let on_the_way =
            |c: &Point3<f64>, r: f64| sphere_touches_capsule(c, r, before, &centre, radius);
        self.tree().search(on_the_way, &mut |triangle| {
            if let Some(part) = ball.first_touch(&self.skin().corners(triangle))
                && first.is_none_or(|first| (part, triangle) < first)
            {
                first = Some((part, triangle));
            }
        });
        first
    }

    /// True if the skin crosses the line between two points.
    fn crosses(&self, from: &Point3<f64>, to: &Point3<f64>) -> bool {
        self.sweep(from, &Ball { centre: *to, radius: 0.0 }).is_some()
    }

    /// The contact of a fingertip that has sunk in deeper than its radius. An open skin gives none:
    /// behind an open skin is outside, too.
    fn buried(&self, fingertip: &Ball, taken: &[Option<NodeId>]) -> Option<SurfaceContact> {
        if !self.is_closed() {
            return None;
        }
        let Ball { centre, radius } = fingertip;
        let (nearest, triangle) = self.nearest_with_triangle(centre, radius + DEEPEST)?;
        if nearest.distance <= 0.0 { self.nearest_corner(triangle, centre, taken) } else { None }
    }

    /// Offers those corners of a triangle whose nodes are not taken.
    fn offer(
        &self,
        triangle: usize,
        centre: &Point3<f64>,
        taken: &[Option<NodeId>],
        nearest: &mut Nearest,
    ) {
        for point in self.frame().topology.triangles[triangle] {
            let distance = (centre - self.skin().positions[point as usize]).norm_squared();
            let is_nearer = nearest.0.is_none_or(|least| (distance, point) < least);
            if is_nearer && !taken.contains(&Some(self.frame().topology.nodes[point as usize])) {
                nearest.0 = Some((distance, point));
            }
        }
    }

    fn contact_at(&self, nearest: Nearest) -> Option<SurfaceContact> {
        let (_, point) = nearest.0?;
        Some(SurfaceContact {
            node: self.frame().topology.nodes[point as usize],
            normal: self.skin().point_normal(point)?,
            displacement: self.displacement(point as usize),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests;
