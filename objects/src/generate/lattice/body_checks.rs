//! Checks that every generated body must pass, used by the bodies' tests; they share no code with
//! the generator.

use std::collections::HashMap;

use nalgebra::Point3;
use physics::{NodeId, Surface, TetMesh};

/// Asserts that a mesh has about `n_nodes` nodes, is one simple body without holes and has no
/// dihedral angle below `least_degrees` or above 180 minus `least_degrees`.
pub(in crate::generate) fn check_sound(mesh: &TetMesh, n_nodes: usize, least_degrees: f64) {
    let miss = mesh.n_nodes().abs_diff(n_nodes) as f64 / n_nodes as f64;
    assert!(miss <= 0.05, "{} nodes instead of {n_nodes}", mesh.n_nodes());
    assert_eq!(mesh.n_bodies(), 1);
    assert_eq!(mesh.nodes_of_body(0).count(), mesh.n_nodes(), "no node is idle");
    check_simple(mesh);
    let surface = mesh.surface();
    // Euler's formula for a sphere, with 3/2 edges per triangle: no handles and no cavities.
    assert_eq!(2 * surface.positions.len(), surface.topology.triangles.len() + 4);
    let [least, most] = dihedral_degrees(mesh);
    println!(
        "{} nodes, {} on the surface, {} elements, dihedral angles {least:.1} to {most:.1} degrees",
        mesh.n_nodes(),
        surface.positions.len(),
        mesh.elements().len()
    );
    assert!(least > least_degrees, "{least} degrees");
    assert!(most < 180.0 - least_degrees, "{most} degrees");
}

/// Asserts that a mesh is one body whose skin is closed and has no edges or points at which several
/// sheets meet.
pub(super) fn check_simple(mesh: &TetMesh) {
    assert_eq!(n_bodies(mesh), 1);
    check_closed(&mesh.surface());
    check_fans(&mesh.surface());
}

/// The volume of all elements together.
pub(in crate::generate) fn volume(mesh: &TetMesh) -> f64 {
    let volume = |[a, b, c, d]: [Point3<f64>; 4]| (b - a).dot(&(c - a).cross(&(d - a))) / 6.0;
    corners(mesh).map(volume).sum()
}

fn corners(mesh: &TetMesh) -> impl Iterator<Item = [Point3<f64>; 4]> {
    mesh.elements().iter().map(|nodes| nodes.map(|node| mesh.rest_positions()[node.index()]))
}

/// The smallest and largest angle between two faces of an element.
fn dihedral_degrees(mesh: &TetMesh) -> [f64; 2] {
    const EDGES: [[usize; 4]; 6] =
        [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 0, 2], [2, 3, 0, 1]];
    let mut range = [180.0_f64, 0.0];
    for x in corners(mesh) {
        for [a, b, c, d] in EDGES {
            let edge = x[b] - x[a];
            // Both faces turn about the edge, and so do their normals.
            let (left, right) = (edge.cross(&(x[c] - x[a])), edge.cross(&(x[d] - x[a])));
            let degrees = left.angle(&right).to_degrees();
            range = [range[0].min(degrees), range[1].max(degrees)];
        }
    }
    range
}

/// Number of parts that are connected by faces.
fn n_bodies(mesh: &TetMesh) -> usize {
    let mut elements_of_face: HashMap<[NodeId; 3], Vec<usize>> = HashMap::new();
    for (element, nodes) in mesh.elements().iter().enumerate() {
        for face in faces(nodes) {
            elements_of_face.entry(face).or_default().push(element);
        }
    }
    let mut is_seen = vec![false; mesh.elements().len()];
    let mut n_bodies = 0;
    for first in 0..is_seen.len() {
        n_bodies += usize::from(!is_seen[first]);
        let mut reached = vec![first];
        while let Some(element) = reached.pop() {
            if !std::mem::replace(&mut is_seen[element], true) {
                let faces = faces(&mesh.elements()[element]);
                reached.extend(faces.iter().flat_map(|face| &elements_of_face[face]));
            }
        }
    }
    n_bodies
}

fn faces(nodes: &[NodeId; 4]) -> [[NodeId; 3]; 4] {
    [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]].map(|face| {
        let mut face = face.map(|i: usize| nodes[i]);
        face.sort_unstable();
        face
    })
}

/// Asserts that every edge has two triangles, in opposite directions.
fn check_closed(surface: &Surface) {
    let mut uses: HashMap<[u32; 2], usize> = HashMap::new();
    for &[a, b, c] in &surface.topology.triangles {
        for edge in [[a, b], [b, c], [c, a]] {
            *uses.entry(edge).or_default() += 1;
        }
    }
    assert!(uses.values().all(|&n| n == 1), "no two triangles pass an edge the same way");
    assert!(uses.keys().all(|&[a, b]| uses.contains_key(&[b, a])), "every edge has two sides");
}

/// Asserts that the triangles at every point form one fan, so that no two sheets meet in a point.
fn check_fans(surface: &Surface) {
    let mut rims: Vec<HashMap<u32, u32>> = vec![HashMap::new(); surface.positions.len()];
    for &[a, b, c] in &surface.topology.triangles {
        for [at, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
            rims[at as usize].insert(from, to);
        }
    }
    for rim in &rims {
        let start = *rim.keys().next().unwrap();
        let around = std::iter::successors(Some(rim[&start]), |at| rim.get(at).copied());
        assert_eq!(around.take_while(|&at| at != start).count() + 1, rim.len());
    }
}
