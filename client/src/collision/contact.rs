//! The surface as the hand can touch it: which point a fingertip touches, even if it passed by between
//! two samples.
//!
//! [Ma98], eq. 4.10, asks the points of the surface one by one: with `D` from the point to the fingertip and
//! `N` the point's normal, the fingertip is inside when `D . N <= 0`. Between points and at edges this
//! misjudges, so the tree's candidates are asked for their distance instead, triangle by triangle; the
//! thesis' test is left for fingertips that are inside already.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use physics::{NodeId, Shape, SurfaceFrame};

use super::sphere_tree::SphereTree;
use super::triangle::{MovingBall, Triangle, nearest_point};
use crate::hand::Fingertip;

/// A fingertip deeper below the skin than this, in metres, is not found there: fingers come from outside.
const DEEPEST: f64 = 0.02;

/// The nearest point so far and its squared distance.
#[derive(Default)]
struct Nearest(Option<(f64, usize)>);

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
    positions: Vec<Point3<f64>>,
    normals: Vec<Vector3<f64>>,
}

impl TouchableSurface {
    /// Begins with a first shape.
    pub fn new(frame: Arc<SurfaceFrame>) -> Self {
        let mut surface = Self {
            frame: Arc::clone(&frame),
            largest_displacement: 0.0,
            tree: SphereTree::default(),
            positions: Vec::new(),
            normals: Vec::new(),
        };
        surface.update(frame);
        surface
    }

    /// Takes a new shape.
    pub fn update(&mut self, frame: Arc<SurfaceFrame>) {
        self.frame = frame;
        self.positions.clear();
        self.positions.extend(self.frame.positions.iter().map(|x| Point3::from(x.map(f64::from))));
        self.tree.rebuild(&self.positions, &self.frame.topology.triangles);
        self.update_normals();
        self.largest_displacement =
            (0..self.positions.len()).map(|i| self.displacement(i).norm()).fold(0.0, f64::max);
    }

    /// The frame that this surface is of.
    pub fn frame(&self) -> &Arc<SurfaceFrame> {
        &self.frame
    }

    /// Largest distance of a point from its rest position.
    pub fn largest_displacement(&self) -> f64 {
        self.largest_displacement
    }

    /// The nearest point that a fingertip, given in the object's frame, touches or has touched on its way
    /// from `before`; `taken` nodes are left to the fingers that hold them.
    pub fn contact(
        &self,
        before: Option<&Point3<f64>>,
        fingertip: &Fingertip,
        taken: &[Option<NodeId>],
    ) -> Option<SurfaceContact> {
        self.touched_at(fingertip.centre, fingertip.radius, taken)
            .or_else(|| self.touched_on_the_way(before?, fingertip, taken))
            .or_else(|| self.buried(fingertip, taken))
    }

    /// What a ball at rest touches.
    fn touched_at(
        &self,
        centre: Point3<f64>,
        radius: f64,
        taken: &[Option<NodeId>],
    ) -> Option<SurfaceContact> {
        let mut nearest = Nearest::default();
        self.tree.near(&Shape::Sphere { centre, radius }, &mut |triangle| {
            let apart = centre - nearest_point(&centre, &self.corners(triangle));
            if apart.norm_squared() <= radius * radius {
                self.offer(triangle, &centre, taken, &mut nearest);
            }
        });
        self.contact_at(nearest)
    }

    /// What it meets first on a straight way: a fast finger must not pass through a thin object.
    fn touched_on_the_way(
        &self,
        before: &Point3<f64>,
        fingertip: &Fingertip,
        taken: &[Option<NodeId>],
    ) -> Option<SurfaceContact> {
        let Fingertip { centre, radius } = *fingertip;
        let ball = MovingBall { from: *before, way: centre - before, radius };
        let mut first: Option<f64> = None;
        let mut meet = |triangle: usize| {
            if let Some(part) = ball.first_touch(&self.corners(triangle)) {
                first = Some(first.map_or(part, |first| first.min(part)));
            }
        };
        // The way as a cylinder, and its end as a ball; that of the beginning touched nothing.
        self.tree.near(&Shape::Cylinder { start: *before, end: centre, radius }, &mut meet);
        self.tree.near(&fingertip.shape(), &mut meet);
        // A hair's breadth more, for what rounding takes away.
        let touching = ball.from + ball.way * first?;
        self.touched_at(touching, radius * (1.0 + 1e-6), taken)
    }

    /// What is nearest to a fingertip that has sunk in farther than it is thick.
    fn buried(&self, fingertip: &Fingertip, taken: &[Option<NodeId>]) -> Option<SurfaceContact> {
        let Fingertip { centre, radius } = *fingertip;
        let reach = radius + DEEPEST;
        let mut least: Option<(f64, usize)> = None;
        self.tree.near(&Shape::Sphere { centre, radius: reach }, &mut |triangle| {
            let distance =
                (centre - nearest_point(&centre, &self.corners(triangle))).norm_squared();
            if least.is_none_or(|(least, _)| distance < least) {
                least = Some((distance, triangle));
            }
        });
        let (_, triangle) = least.filter(|(distance, _)| *distance <= reach * reach)?;
        let mut nearest = Nearest::default();
        self.offer(triangle, &centre, taken, &mut nearest);
        let (_, point) = nearest.0?;
        // The thesis' test.
        let is_inside = (centre - self.positions[point]).dot(&self.normals[point]) <= 0.0;
        if is_inside { self.contact_at(nearest) } else { None }
    }

    fn corners(&self, triangle: usize) -> Triangle {
        self.frame.topology.triangles[triangle].map(|i| self.positions[i as usize])
    }

    /// Offers the corners of a triangle that nobody has taken.
    fn offer(
        &self,
        triangle: usize,
        centre: &Point3<f64>,
        taken: &[Option<NodeId>],
        nearest: &mut Nearest,
    ) {
        for point in self.frame.topology.triangles[triangle].map(|i| i as usize) {
            let distance = (centre - self.positions[point]).norm_squared();
            let is_nearer = nearest.0.is_none_or(|(least, _)| distance < least);
            if is_nearer && !taken.contains(&Some(self.frame.topology.nodes[point])) {
                nearest.0 = Some((distance, point));
            }
        }
    }

    fn contact_at(&self, nearest: Nearest) -> Option<SurfaceContact> {
        let (_, point) = nearest.0?;
        Some(SurfaceContact {
            node: self.frame.topology.nodes[point],
            normal: self.normals[point].try_normalize(f64::MIN_POSITIVE)?,
            displacement: self.displacement(point),
        })
    }

    fn displacement(&self, point: usize) -> Vector3<f64> {
        let rest = self.frame.topology.rest_positions[point];
        self.positions[point] - Point3::from(rest.map(f64::from))
    }

    fn update_normals(&mut self) {
        self.normals.clear();
        self.normals.resize(self.positions.len(), Vector3::zeros());
        for triangle in &self.frame.topology.triangles {
            let [a, b, c] = triangle.map(|i| self.positions[i as usize]);
            // Unit normals, as the thesis has them: each neighbouring face counts the same.
            if let Some(normal) = (b - a).cross(&(c - a)).try_normalize(f64::MIN_POSITIVE) {
                for i in triangle {
                    self.normals[*i as usize] += normal;
                }
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use engine::Stepper;
    use physics::material::IsotropicElastic;
    use physics::{MemoryLimits, Model, ObjectSpec, Progress, SolidSpec};

    /// A cube of 6 cm about the origin, with points every centimetre.
    pub(crate) fn cube_at_rest() -> TouchableSurface {
        let mesh = objects::generate::cube(0.06, 6).unwrap();
        let material = IsotropicElastic::new(1e4, 0.3).unwrap();
        let spec = ObjectSpec::Solid(SolidSpec::new(mesh, material, Vec::new()).unwrap());
        let model = Model::prepare(&spec, MemoryLimits::default(), &Progress::default()).unwrap();
        TouchableSurface::new(Arc::new(Stepper::new(&model).rest_frame()))
    }

    fn contact(x: f64, y: f64, z: f64) -> Option<(Point3<f64>, Vector3<f64>)> {
        let surface = cube_at_rest();
        let fingertip = Fingertip { centre: Point3::new(x, y, z), radius: 0.007 };
        surface.contact(None, &fingertip, &[]).map(|c| {
            let nodes = &surface.frame().topology.nodes;
            let point = nodes.iter().position(|n| *n == c.node).unwrap();
            (surface.positions[point], c.normal)
        })
    }

    #[test]
    fn a_fingertip_touches_the_nearest_point_of_a_face() {
        let (point, normal) = contact(0.0365, 0.011, -0.002).unwrap();
        assert!((point - Point3::new(0.03, 0.01, 0.0)).norm() < 1e-6);
        assert!((normal - Vector3::x()).norm() < 1e-6);
    }

    #[test]
    fn a_fingertip_in_the_air_touches_nothing() {
        assert!(contact(0.0375, 0.011, -0.002).is_none());
        assert!(contact(0.2, 0.0, 0.0).is_none());
    }

    #[test]
    fn a_fingertip_between_points_touches_too() {
        assert!(contact(0.0365, 0.005, 0.005).is_some());
    }

    #[test]
    fn a_taken_node_leaves_its_neighbour() {
        let surface = cube_at_rest();
        let fingertip = Fingertip { centre: Point3::new(0.0365, 0.001, 0.0), radius: 0.007 };
        let first = surface.contact(None, &fingertip, &[]).unwrap();
        let second = surface.contact(None, &fingertip, &[Some(first.node)]).unwrap();
        assert_ne!(first.node, second.node);
    }

    #[test]
    fn a_fingertip_beside_an_edge_touches_only_if_it_is_near_enough() {
        // The edge at (3, 3) cm is 7.07 mm away, then 6.93 mm.
        assert!(contact(0.035, 0.035, 0.005).is_none());
        assert!(contact(0.0349, 0.0349, 0.005).is_some());
    }

    #[test]
    fn a_fingertip_that_has_sunk_in_still_touches() {
        let (point, normal) = contact(0.018, 0.001, 0.0).unwrap();
        assert!((point - Point3::new(0.03, 0.0, 0.0)).norm() < 1e-6, "{point}");
        assert!((normal - Vector3::x()).norm() < 1e-6);
    }

    #[test]
    fn a_fast_fingertip_is_not_missed() {
        let surface = cube_at_rest();
        // From one side to the other in one step.
        let before = Point3::new(0.06, 0.001, 0.002);
        let fingertip = Fingertip { centre: Point3::new(-0.06, 0.001, 0.002), radius: 0.007 };
        assert!(surface.contact(None, &fingertip, &[]).is_none());
        let met = surface.contact(Some(&before), &fingertip, &[]).unwrap();
        assert!((met.normal - Vector3::x()).norm() < 1e-6, "it met {:?}", met.normal);
    }
}
