//! The surface as the hand can touch it, and the thesis' exact test: which point a fingertip touches.
//!
//! Implements [Ma98], eq. 4.10: with `D` from the point to the fingertip and `N` the point's normal, the
//! fingertip's centre is inside when `D . N <= 0`. Our fingertips have a radius, so their skin touches
//! when `D . N <= radius`. At an edge, where the normal leans over, this finds a touch up to a few
//! millimetres early.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use physics::{NodeId, SurfaceFrame};

use super::sphere_tree::SphereTree;
use crate::hand::Fingertip;

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
        self.tree.rebuild(&self.positions);
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

    /// The nearest point that a fingertip, given in the object's frame, touches; `taken` nodes are left
    /// to the fingers that hold them.
    pub fn contact(
        &self,
        fingertip: &Fingertip,
        taken: &[Option<NodeId>],
    ) -> Option<SurfaceContact> {
        let mut nearest: Option<(f64, usize, Vector3<f64>)> = None;
        self.tree.near(&fingertip.shape(), &mut |point| {
            let Some(normal) = self.normals[point].try_normalize(f64::MIN_POSITIVE) else { return };
            let d = fingertip.centre - self.positions[point];
            let distance = d.norm_squared();
            if d.dot(&normal) <= fingertip.radius
                && nearest.is_none_or(|(least, ..)| distance < least)
                && !taken.contains(&Some(self.frame.topology.nodes[point]))
            {
                nearest = Some((distance, point, normal));
            }
        });
        nearest.map(|(_, point, normal)| SurfaceContact {
            node: self.frame.topology.nodes[point],
            normal,
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
        surface.contact(&fingertip, &[]).map(|c| {
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
        let first = surface.contact(&fingertip, &[]).unwrap();
        let second = surface.contact(&fingertip, &[Some(first.node)]).unwrap();
        assert_ne!(first.node, second.node);
    }
}
