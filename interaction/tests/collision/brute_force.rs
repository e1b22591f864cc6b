//! Contact searches by a test of every point and every triangle.

use interaction::collision::{Ball, MovingBall, Segment, SurfaceContact, Triangle, nearest_point};
use nalgebra::{Point3, Vector3};
use physics::{NodeId, Shape, SurfaceFrame};

/// A frame without a tree.
pub(crate) struct BruteForce<'a> {
    pub(crate) frame: &'a SurfaceFrame,
    pub(crate) positions: Vec<Point3<f64>>,
}

impl<'a> BruteForce<'a> {
    pub(crate) fn new(frame: &'a SurfaceFrame) -> Self {
        let positions = frame.positions.iter().map(|x| Point3::from(x.map(f64::from))).collect();
        Self { frame, positions }
    }

    pub(crate) fn triangles(&self) -> impl Iterator<Item = Triangle> {
        let corners = self.frame.topology.triangles.iter();
        corners.map(|triangle| triangle.map(|i| self.positions[i as usize]))
    }

    /// Distance to the nearest triangle, and the point there.
    pub(crate) fn nearest(&self, p: &Point3<f64>) -> (f64, Point3<f64>) {
        self.triangles().fold((f64::INFINITY, *p), |nearest, triangle| {
            let on_skin = nearest_point(p, &triangle);
            let distance = (p - on_skin).norm();
            if distance < nearest.0 { (distance, on_skin) } else { nearest }
        })
    }

    /// Winding number of the skin around a point: the sum of the solid angles of all triangles. One
    /// inside, zero outside.
    pub(crate) fn winding(&self, p: &Point3<f64>) -> f64 {
        let solid_angle = |triangle: Triangle| {
            let [a, b, c] = triangle.map(|corner| corner - p);
            let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
            let volume = a.dot(&b.cross(&c));
            let rest = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
            2.0 * volume.atan2(rest)
        };
        self.triangles().map(solid_angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
    }

    /// Distance to the skin, negative inside, by the winding number.
    pub(crate) fn signed_distance(&self, p: &Point3<f64>) -> f64 {
        let (distance, _) = self.nearest(p);
        if self.winding(p) > 0.5 { -distance } else { distance }
    }

    /// The part of the path after which a ball first touches any triangle.
    pub(crate) fn first_touch(&self, before: &Point3<f64>, tip: &Ball) -> Option<f64> {
        let ball = MovingBall { from: *before, way: tip.centre - before, radius: tip.radius };
        self.triangles().filter_map(|triangle| ball.first_touch(&triangle)).reduce(f64::min)
    }

    /// The nearest point to a ball's centre, of all triangles that the ball touches; of equally
    /// near points, the first.
    pub(crate) fn touched(&self, tip: &Ball, taken: &[Option<NodeId>]) -> Option<usize> {
        let Ball { centre, radius } = tip;
        let corners = self.frame.topology.triangles.iter().zip(self.triangles());
        let touched = corners.filter(|(_, triangle)| {
            (centre - nearest_point(centre, triangle)).norm_squared() <= radius * radius
        });
        let free = |point: &usize| !taken.contains(&Some(self.frame.topology.nodes[*point]));
        let points = touched.flat_map(|(corners, _)| corners.map(|i| i as usize)).filter(free);
        let distance = |point: usize| (centre - self.positions[point]).norm_squared();
        points.min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)))
    }

    /// The contact at a point, with the mean of its faces' normals.
    pub(crate) fn contact(&self, point: usize) -> SurfaceContact {
        let around = self.frame.topology.triangles.iter().zip(self.triangles());
        let around = around.filter(|(corners, _)| corners.contains(&(point as u32)));
        let normals = around.map(|(_, [a, b, c])| {
            let normal = (b - a).cross(&(c - a));
            normal / normal.norm()
        });
        let normal: Vector3<f64> = normals.sum();
        let rest = Point3::from(self.frame.topology.rest_positions[point].map(f64::from));
        SurfaceContact {
            node: self.frame.topology.nodes[point],
            normal: normal / normal.norm(),
            displacement: self.positions[point] - rest,
        }
    }

    /// Depth of a segment in the skin if its axis is outside.
    pub(crate) fn shallow_depth(&self, shape: &Shape) -> f64 {
        let (axis, radius) = match *shape {
            Shape::Sphere { centre, radius } => (Segment { start: centre, end: centre }, radius),
            Shape::Cylinder { start, end, radius } => (Segment { start, end }, radius),
        };
        let gap = self.triangles().map(|triangle| axis.apart(&triangle).0);
        (radius - gap.fold(f64::INFINITY, f64::min)).max(0.0)
    }
}
