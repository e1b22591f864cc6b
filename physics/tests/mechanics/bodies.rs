//! Bodies for the tests: boxes of tetrahedra on an irregular grid.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use physics::family::solid::{Solid, SolidModel, Solution, SolveError};
use physics::material::IsotropicElastic;
use physics::{KnownDisplacement, Loose, MemoryLimits, NodeId, Progress, SolidSpec, TetMesh};

pub(crate) const YOUNG: f64 = 1e4;
pub(crate) const POISSON: f64 = 0.3;

pub(crate) fn material() -> IsotropicElastic {
    IsotropicElastic::new(YOUNG, POISSON).unwrap()
}

/// A box of `cells` with five tetrahedra each, mirrored from cell to cell so that they fit. Inner nodes
/// are shaken, so that nothing is right only because the grid is regular.
pub(crate) fn shaken_box(size: Vector3<f64>, cells: [usize; 3]) -> TetMesh {
    let side = cells.map(|c| c + 1);
    let step = Vector3::from_fn(|i, _| size[i] / cells[i] as f64);
    let mut nodes = Vec::new();
    for z in 0..side[2] {
        for y in 0..side[1] {
            for x in 0..side[0] {
                let grid = [x, y, z];
                let shake = Vector3::from_fn(|i, _| {
                    let inner = (0..3).all(|a| grid[a] > 0 && grid[a] < cells[a]);
                    let wave = ((x * 7 + y * 13 + z * 29 + i * 5) as f64 * 1.7).sin();
                    if inner { 0.15 * wave * step[i] } else { 0.0 }
                });
                nodes.push(Point3::from(Vector3::from_fn(|i, _| grid[i] as f64 * step[i]) + shake));
            }
        }
    }
    let mut elements = Vec::new();
    for z in 0..cells[2] {
        for y in 0..cells[1] {
            for x in 0..cells[0] {
                let mirrored = (x + y + z) % 2 == 1;
                let corner = |c: usize| {
                    let dx = (c & 1) ^ usize::from(mirrored);
                    let at = [x + dx, y + (c >> 1 & 1), z + (c >> 2)];
                    NodeId(((at[2] * side[1] + at[1]) * side[0] + at[0]) as u32)
                };
                for tet in [[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]] {
                    elements.push(positive(&nodes, tet.map(corner)));
                }
            }
        }
    }
    TetMesh::new(nodes, elements).unwrap()
}

fn positive(nodes: &[Point3<f64>], mut tet: [NodeId; 4]) -> [NodeId; 4] {
    let [a, b, c, d] = tet.map(|n| nodes[n.index()]);
    if (b - a).dot(&(c - a).cross(&(d - a))) < 0.0 {
        tet.swap(2, 3);
    }
    tet
}

/// A free block of soft matter.
pub(crate) fn soft_block() -> SolidSpec {
    let mesh = shaken_box(Vector3::new(0.06, 0.05, 0.04), [4, 3, 3]);
    SolidSpec::new(mesh, material(), Vec::new()).unwrap()
}

/// The same block glued to a table at its lowest face.
pub(crate) fn glued_block() -> SolidSpec {
    let mesh = shaken_box(Vector3::new(0.06, 0.05, 0.04), [4, 3, 3]);
    let supports = nodes_where(&mesh, |x| x.z == 0.0);
    SolidSpec::new(mesh, material(), supports).unwrap()
}

pub(crate) fn nodes_where(mesh: &TetMesh, condition: impl Fn(&Point3<f64>) -> bool) -> Vec<NodeId> {
    mesh.rest_positions()
        .iter()
        .enumerate()
        .filter(|(_, x)| condition(x))
        .map(|(i, _)| NodeId(i as u32))
        .collect()
}

pub(crate) fn model(spec: &SolidSpec) -> SolidModel {
    SolidModel::new(spec, MemoryLimits::default(), &Progress::default()).unwrap()
}

/// A solid at rest, as a hand would hold it.
pub(crate) fn solid(spec: &SolidSpec) -> Solid {
    Solid::of(Arc::new(model(spec)))
}

/// The exact answer at every node.
pub(crate) fn solve(spec: &SolidSpec, known: &[KnownDisplacement]) -> Result<Solution, SolveError> {
    model(spec).solve(known, Loose::Refuse)
}
