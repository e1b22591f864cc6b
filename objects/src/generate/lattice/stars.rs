//! The star of each node: the tetrahedra around it, and on the skin the triangles around it.

use nalgebra::{Point3, Vector3};

use super::selection::Tets;

/// Tetrahedra and surface triangles that meet in each node.
pub(super) struct Stars {
    tets: Vec<[u32; 4]>,
    triangles: Vec<[u32; 3]>,
    tets_of_node: Lists,
    triangles_of_node: Lists,
}

impl Stars {
    pub(super) fn new(tets: &Tets) -> Self {
        let n_nodes = tets.points.len();
        let triangles = skin_triangles(tets);
        Self {
            tets_of_node: Lists::new(n_nodes, &tets.corners),
            triangles_of_node: Lists::new(n_nodes, &triangles),
            tets: tets.corners.clone(),
            triangles,
        }
    }

    pub(super) fn into_tets(self) -> Vec<[u32; 4]> {
        self.tets
    }

    /// The tetrahedra around a node.
    pub(super) fn tets(&self, node: usize) -> impl Iterator<Item = [u32; 4]> {
        self.tets_of_node.of(node).iter().map(|&tet| self.tets[tet as usize])
    }

    /// Centre of mass of a node's surroundings: of its triangles on the skin, of its tetrahedra
    /// inside.
    pub(super) fn middle(&self, node: usize, points: &[Point3<f64>]) -> Point3<f64> {
        let origin = points[node];
        let at = |corner: u32| points[corner as usize] - origin;
        let mut moment = Vector3::zeros();
        let mut mass = 0.0;
        for &triangle in self.triangles_of_node.of(node) {
            let [a, b, c] = self.triangles[triangle as usize].map(at);
            let area = (b - a).cross(&(c - a)).norm();
            moment += (a + b + c) * (area / 3.0);
            mass += area;
        }
        if mass == 0.0 {
            for tet in self.tets(node) {
                let [a, b, c, d] = tet.map(at);
                let volume = (b - a).dot(&(c - a).cross(&(d - a)));
                moment += (a + b + c + d) * (volume / 4.0);
                mass += volume;
            }
        }
        origin + moment / mass
    }

    /// Nodes of the skin and of `n_layers` layers below it, ascending.
    pub(super) fn layers_below(&self, is_skin: &[bool], n_layers: usize) -> Vec<usize> {
        let mut is_near = is_skin.to_vec();
        let mut near: Vec<usize> = (0..is_skin.len()).filter(|&node| is_skin[node]).collect();
        let mut layer = 0..near.len();
        for _ in 0..n_layers {
            for i in layer.clone() {
                for corner in self.tets(near[i]).flatten().map(|corner| corner as usize) {
                    if !std::mem::replace(&mut is_near[corner], true) {
                        near.push(corner);
                    }
                }
            }
            layer = layer.end..near.len();
        }
        near.sort_unstable();
        near
    }
}

/// Faces of the body: between three nodes of the skin, with a tetrahedron on one side only.
fn skin_triangles(tets: &Tets) -> Vec<[u32; 3]> {
    let mut faces: Vec<[u32; 3]> = Vec::new();
    for corners in &tets.corners {
        for opposite in 0..4 {
            let mut face = [1, 2, 3].map(|i| corners[(opposite + i) % 4]);
            if face.iter().all(|&corner| tets.is_skin[corner as usize]) {
                face.sort_unstable();
                faces.push(face);
            }
        }
    }
    faces.sort_unstable();
    faces.chunk_by(|a, b| a == b).filter(|same| same.len() == 1).map(|same| same[0]).collect()
}

/// For each node, the positions in a list at which the node occurs.
struct Lists {
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl Lists {
    fn new<const N: usize>(n_nodes: usize, list: &[[u32; N]]) -> Self {
        let mut starts = vec![0; n_nodes + 1];
        for &node in list.iter().flatten() {
            starts[node as usize + 1] += 1;
        }
        for node in 0..n_nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut places = vec![0; N * list.len()];
        for (place, nodes) in list.iter().enumerate() {
            for &node in nodes {
                places[next[node as usize] as usize] = place as u32;
                next[node as usize] += 1;
            }
        }
        Self { starts, places }
    }

    fn of(&self, node: usize) -> &[u32] {
        &self.places[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}
