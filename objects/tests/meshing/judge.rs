//! Checks that every filled surface must pass.

use std::collections::HashMap;

use nalgebra::Point3;
use objects::TriangleSurface;
use objects::filling::{Filled, LEAST_DEGREES, MOST_DEGREES, Progress, fill};
use physics::{Surface, TetMesh};

/// Asserts that a surface becomes a sound mesh: about `n_nodes` nodes, a closed and simple skin,
/// angles within the guaranteed bounds, and a volume within a share of the exact one. `TetMesh` has
/// already refused elements without positive volume. `n_bodies` of 0 means any number.
pub(crate) fn check_filled(
    name: &str,
    surface: &TriangleSurface,
    n_nodes: usize,
    n_bodies: usize,
    exact: Option<(f64, f64)>,
) {
    let filled = fill(surface, n_nodes, &Progress::default()).unwrap();
    let mesh = &filled.mesh;
    let found = volume(mesh);
    let [least, most] = dihedral_degrees(mesh);
    let skin = mesh.surface();
    println!(
        "{name}: {} nodes, {} on the skin, {} elements, {} bodies, {} specks; angles {least:.1} to \
         {most:.1}; volume {found:.5e} ({:+.2} %); spacing {:.3e}, deviation {:.2} (mean {:.3}) \
         and {:.2} (mean {:.3}) spacings",
        mesh.n_nodes(),
        skin.positions.len(),
        mesh.elements().len(),
        mesh.n_bodies(),
        filled.n_specks,
        exact.map_or(f64::NAN, |(exact, _)| (found / exact - 1.0) * 100.0),
        filled.spacing,
        filled.deviation.solid_to_surface.most / filled.spacing,
        filled.deviation.solid_to_surface.mean / filled.spacing,
        filled.deviation.surface_to_solid.most / filled.spacing,
        filled.deviation.surface_to_solid.mean / filled.spacing,
    );
    let miss = mesh.n_nodes().abs_diff(n_nodes) as f64 / n_nodes as f64;
    assert!(miss <= 0.15, "{name}: {} nodes instead of {n_nodes}", mesh.n_nodes());
    if n_bodies > 0 {
        assert_eq!(mesh.n_bodies(), n_bodies, "{name}");
    }
    check_sound(name, &filled);
    if let Some((exact, tolerance)) = exact {
        assert!((found / exact - 1.0).abs() < tolerance, "{name}: volume {found}, exact {exact}");
    }
}

/// Asserts that the skin is closed and simple and that all angles are within the guaranteed bounds.
pub(crate) fn check_sound(name: &str, filled: &Filled) {
    let skin = filled.mesh.surface();
    check_closed(name, &skin);
    check_fans(name, &skin);
    let [least, most] = dihedral_degrees(&filled.mesh);
    assert!(least >= LEAST_DEGREES && most <= MOST_DEGREES, "{name}: {least} to {most} degrees");
    assert!((filled.dihedral_deg[0] - least).abs() < 1e-5);
    assert!((filled.dihedral_deg[1] - most).abs() < 1e-5);
}

fn volume(mesh: &TetMesh) -> f64 {
    let volume = |[a, b, c, d]: [Point3<f64>; 4]| (b - a).dot(&(c - a).cross(&(d - a))) / 6.0;
    corners(mesh).map(volume).sum()
}

fn corners(mesh: &TetMesh) -> impl Iterator<Item = [Point3<f64>; 4]> {
    mesh.elements().iter().map(|nodes| nodes.map(|node| mesh.rest_positions()[node.index()]))
}

/// The smallest and largest angle between two faces of an element, at each edge.
fn dihedral_degrees(mesh: &TetMesh) -> [f64; 2] {
    const EDGES: [[usize; 4]; 6] =
        [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 0, 2], [2, 3, 0, 1]];
    let mut range = [180.0_f64, 0.0];
    for x in corners(mesh) {
        for [a, b, c, d] in EDGES {
            let edge = x[b] - x[a];
            let (left, right) = (edge.cross(&(x[c] - x[a])), edge.cross(&(x[d] - x[a])));
            let degrees = left.cross(&right).norm().atan2(left.dot(&right)).to_degrees();
            range = [range[0].min(degrees), range[1].max(degrees)];
        }
    }
    range
}

/// Asserts that every edge has two triangles, in opposite directions.
fn check_closed(name: &str, surface: &Surface) {
    let mut uses: HashMap<[u32; 2], usize> = HashMap::new();
    for &[a, b, c] in &surface.topology.triangles {
        for edge in [[a, b], [b, c], [c, a]] {
            *uses.entry(edge).or_default() += 1;
        }
    }
    assert!(uses.values().all(|&n| n == 1), "{name}: two triangles pass an edge the same way");
    assert!(uses.keys().all(|&[a, b]| uses.contains_key(&[b, a])), "{name}: an edge has one side");
}

/// Asserts that the triangles at every point form one fan, so that no two sheets meet in a point.
fn check_fans(name: &str, surface: &Surface) {
    let mut rims: Vec<HashMap<u32, u32>> = vec![HashMap::new(); surface.positions.len()];
    for &[a, b, c] in &surface.topology.triangles {
        for [at, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
            rims[at as usize].insert(from, to);
        }
    }
    for rim in &rims {
        let start = *rim.keys().next().unwrap();
        let around = std::iter::successors(Some(rim[&start]), |at| rim.get(at).copied());
        assert_eq!(around.take_while(|&at| at != start).count() + 1, rim.len(), "{name}");
    }
}
