//! Adjacency of triangles and points of a surface, and the normals that follow from it.
//!
//! The normal at the nearest place of the skin gives the sign of a distance. On an edge this normal
//! is the sum of both faces' normals. At a corner it is the sum of all faces' normals, each
//! weighted with the face's angle there. The sign is then right everywhere around a closed surface
//! that does not pass through itself \[BA05\].

use std::collections::HashSet;

use nalgebra::{Point3, Vector3};
use physics::Topology;

use super::triangle::{Feature, Triangle};

/// Adjacency of one topology. It does not depend on the positions of the points.
#[derive(Debug, Default)]
pub(super) struct Adjacency {
    /// For each point, the first point at the same place of the same node. A surface may have
    /// several points at one place, for instance on both sides of a sharp edge.
    places: Vec<u32>,
    /// Start of each place's stretch of `triangles`, and one more entry for the end.
    starts: Vec<u32>,
    triangles: Vec<u32>,
    is_closed: bool,
}

impl Adjacency {
    pub(super) fn new(topology: &Topology) -> Self {
        let places = places(topology);
        let mut starts = vec![0u32; places.len() + 1];
        let corners = || topology.triangles.iter().flatten().map(|&i| places[i as usize] as usize);
        corners().for_each(|place| starts[place + 1] += 1);
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut ends = starts.clone();
        let mut triangles = vec![0; topology.triangles.len() * 3];
        for (corner, place) in corners().enumerate() {
            triangles[ends[place] as usize] = (corner / 3) as u32;
            ends[place] += 1;
        }
        let is_closed = is_closed(topology, &places);
        Self { places, starts, triangles, is_closed }
    }

    /// True if the skin has an inside: every edge has a face on either side.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The first point at the place of `point`; several points may share a place.
    pub(super) fn place(&self, point: u32) -> u32 {
        self.places[point as usize]
    }

    /// The triangles that meet at the place of `point`.
    pub(super) fn around(&self, point: u32) -> &[u32] {
        let place = self.place(point) as usize;
        &self.triangles[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// A surface in one shape: its topology and its positions.
#[derive(Clone, Copy)]
pub(super) struct Skin<'a> {
    pub(super) adjacency: &'a Adjacency,
    pub(super) triangles: &'a [[u32; 3]],
    pub(super) positions: &'a [Point3<f64>],
}

impl Skin<'_> {
    pub(super) fn corners(&self, triangle: usize) -> Triangle {
        self.triangles[triangle].map(|i| self.positions[i as usize])
    }

    /// Outward normal at a point, as in the thesis: each neighbouring face has the same weight.
    pub(super) fn point_normal(&self, point: u32) -> Option<Vector3<f64>> {
        let around = self.adjacency.around(point).iter().map(|&triangle| triangle as usize);
        let faces = around.filter(|&triangle| self.triangles[triangle].contains(&point));
        let sum: Vector3<f64> = faces.filter_map(|triangle| self.face_normal(triangle)).sum();
        sum.try_normalize(f64::MIN_POSITIVE)
    }

    /// Outward normal on a feature of a triangle; it tells inside from outside.
    pub(super) fn feature_normal(&self, triangle: usize, feature: Feature) -> Option<Vector3<f64>> {
        let point = |corner: usize| self.triangles[triangle][corner % 3];
        let place = |corner: usize| self.adjacency.place(point(corner));
        let sum = match feature {
            Feature::Face => return self.face_normal(triangle),
            Feature::Edge(from) => {
                let other_end = place(from + 1);
                let around = self.adjacency.around(point(from)).iter();
                let beside = around.filter(|&&triangle| {
                    let corners = &self.triangles[triangle as usize];
                    corners.iter().any(|&i| self.adjacency.place(i) == other_end)
                });
                beside.filter_map(|&triangle| self.face_normal(triangle as usize)).sum()
            }
            Feature::Corner(at) => {
                let here = place(at);
                let around = self.adjacency.around(point(at)).iter();
                around.map(|&triangle| self.weighted_normal(triangle as usize, here)).sum()
            }
        };
        Vector3::try_normalize(&sum, f64::MIN_POSITIVE).or_else(|| self.face_normal(triangle))
    }

    pub(super) fn face_normal(&self, triangle: usize) -> Option<Vector3<f64>> {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(&(c - a)).try_normalize(f64::MIN_POSITIVE)
    }

    /// A face's normal, multiplied by its angle at `place`; zero if the face has no area.
    fn weighted_normal(&self, triangle: usize, place: u32) -> Vector3<f64> {
        let Some(normal) = self.face_normal(triangle) else { return Vector3::zeros() };
        let corners = self.corners(triangle);
        let at = self.triangles[triangle].iter().position(|&i| self.adjacency.place(i) == place);
        let angle = at.map_or(0.0, |at| {
            let [one, other] = [1, 2].map(|step| corners[(at + step) % 3] - corners[at]);
            one.angle(&other)
        });
        normal * angle
    }
}

fn places(topology: &Topology) -> Vec<u32> {
    let key = |point: u32| {
        let rest = topology.rest_positions[point as usize];
        (topology.nodes[point as usize], rest.map(f32::to_bits))
    };
    let mut sorted: Vec<u32> = (0..topology.nodes.len() as u32).collect();
    sorted.sort_by_key(|&point| (key(point), point));
    let mut places = vec![0; sorted.len()];
    for together in sorted.chunk_by(|&a, &b| key(a) == key(b)) {
        together.iter().for_each(|&point| places[point as usize] = together[0]);
    }
    places
}

fn is_closed(topology: &Topology, places: &[u32]) -> bool {
    let edges = || {
        topology.triangles.iter().flat_map(|triangle| {
            let [a, b, c] = triangle.map(|i| places[i as usize]);
            [(a, b), (b, c), (c, a)]
        })
    };
    let directed: HashSet<(u32, u32)> = edges().collect();
    edges().all(|(from, to)| directed.contains(&(to, from)))
}

#[cfg(test)]
mod tests {
    use physics::{Grip, NodeId};

    use super::*;

    /// A tetrahedron. With `split`, each face has points of its own at the shared nodes.
    fn tetrahedron(split: bool) -> (Topology, Vec<Point3<f64>>) {
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3u32]];
        let nodes: Vec<u32> = if split { faces.concat() } else { (0..4).collect() };
        let own = |face: usize| [0, 1, 2].map(|corner| (face * 3 + corner) as u32);
        let triangles = if split { (0..4).map(own).collect() } else { faces.to_vec() };
        let positions: Vec<[f64; 3]> = nodes.iter().map(|&node| corners[node as usize]).collect();
        let topology = Topology {
            version: 0,
            grip: Grip::Nodes,
            rest_positions: positions.iter().map(|x| x.map(|x| x as f32)).collect(),
            nodes: nodes.into_iter().map(NodeId).collect(),
            triangles,
            fields: Vec::new(),
        };
        (topology, positions.into_iter().map(Point3::from).collect())
    }

    fn check_normal(feature: Feature, triangle: usize, expected: Vector3<f64>) {
        for split in [false, true] {
            let (topology, positions) = tetrahedron(split);
            let adjacency = Adjacency::new(&topology);
            let skin = Skin {
                adjacency: &adjacency,
                triangles: &topology.triangles,
                positions: &positions,
            };
            let normal = skin.feature_normal(triangle, feature).unwrap();
            assert!(adjacency.is_closed());
            assert!((normal - expected.try_normalize(0.0).unwrap()).norm() < 1e-12, "{normal}");
        }
    }

    #[test]
    fn normals_of_faces_edges_and_corners() {
        check_normal(Feature::Face, 0, -Vector3::z());
        check_normal(Feature::Face, 3, Vector3::repeat(1.0));
        // Between the faces z = 0 and y = 0.
        check_normal(Feature::Edge(2), 0, Vector3::new(0.0, -1.0, -1.0));
        check_normal(Feature::Edge(0), 1, Vector3::new(0.0, -1.0, -1.0));
        // Three right angles at the origin.
        check_normal(Feature::Corner(0), 0, Vector3::repeat(-1.0));
        // At (1, 0, 0): twice 45 degrees in the planes, 60 degrees on the slope.
        let quarter = std::f64::consts::FRAC_PI_4;
        let third = std::f64::consts::FRAC_PI_3;
        let slope = Vector3::repeat(1.0 / 3f64.sqrt());
        let expected = -(Vector3::y() + Vector3::z()) * quarter + slope * third;
        check_normal(Feature::Corner(2), 0, expected);
        check_normal(Feature::Corner(0), 3, expected);
    }

    #[test]
    fn a_surface_with_a_hole_is_not_closed() {
        let (mut topology, _) = tetrahedron(false);
        topology.triangles.pop();
        assert!(!Adjacency::new(&topology).is_closed());
    }
}
