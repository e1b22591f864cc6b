//! The newest surface of a thing with the data for searches: sphere tree, positions in `f64`, and
//! adjacency of triangles.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use physics::SurfaceFrame;

use super::adjacency::{Adjacency, Skin};
use super::sphere_tree::SphereTree;

/// The newest surface of a thing, ready for contact searches. All buffers are reused.
#[derive(Debug)]
pub struct TouchableSurface {
    frame: Arc<SurfaceFrame>,
    largest_displacement: f64,
    tree: SphereTree,
    adjacency: Adjacency,
    positions: Vec<Point3<f64>>,
}

impl TouchableSurface {
    /// Creates the surface with its first shape.
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

    /// Takes a new shape. Allocates nothing unless the topology is new.
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

    /// The frame that this surface shows.
    pub fn frame(&self) -> &Arc<SurfaceFrame> {
        &self.frame
    }

    /// True if the surface has an inside; a page has none.
    pub fn is_closed(&self) -> bool {
        self.adjacency.is_closed()
    }

    /// The middle of the box around the surface.
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

    /// Converts the positions to `f64` and finds the largest displacement.
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
