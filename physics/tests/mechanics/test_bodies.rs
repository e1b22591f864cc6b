//! Bodies for tests: boxes of tetrahedra on an irregular grid.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use physics::family::solid::{Solid, SolidModel, Solution, SolveError};
use physics::material::IsotropicElastic;
use physics::{
    KnownDisplacement, MemoryLimits, NodeId, Progress, SolidSpec, TetMesh, Touch,
    WhenUnderdetermined,
};
use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

pub(crate) const YOUNG: f64 = 1e4;
pub(crate) const POISSON: f64 = 0.3;

pub(crate) fn material() -> IsotropicElastic {
    IsotropicElastic::new(YOUNG, POISSON).unwrap()
}

/// Makes a box of `cells` with five tetrahedra each, mirrored from cell to cell so that they fit.
/// Inner nodes are moved, so that no result is right only because the grid is regular.
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

/// Makes a box whose nodes, also those on the skin, are moved and numbered at random.
pub(crate) fn random_box(cells: [usize; 3], seed: u64) -> TetMesh {
    let size = Vector3::new(0.06, 0.05, 0.04);
    let mesh = shaken_box(size, cells);
    let mut random = Random(seed);
    // `shaken_box` has moved inner nodes by up to 0.15 of a cell already.
    let mut shaken = |x: &Point3<f64>| {
        x + Vector3::from_fn(|i, _| 0.1 * random.between(-1.0, 1.0) * size[i] / cells[i] as f64)
    };
    let positions = mesh.rest_positions().iter().map(&mut shaken).collect();
    let jittered = TetMesh::new(positions, mesh.elements().to_vec()).unwrap();
    renumbered(&jittered, &random.order(mesh.n_nodes()), &random.order(mesh.elements().len()))
}

/// Renumbers a mesh: node `i` becomes `names[i]`, and the elements get the order `elements`.
pub(crate) fn renumbered(mesh: &TetMesh, names: &[usize], elements: &[usize]) -> TetMesh {
    let mut positions = vec![Point3::origin(); mesh.n_nodes()];
    for (x, &name) in mesh.rest_positions().iter().zip(names) {
        positions[name] = *x;
    }
    let renamed = |&e: &usize| mesh.elements()[e].map(|n| NodeId(names[n.index()] as u32));
    TetMesh::new(positions, elements.iter().map(renamed).collect()).unwrap()
}

/// Pseudo-random numbers that are the same on every run ([`SplitMix64`](https://prng.di.unimi.it)).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u64) as usize
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns `0..n` in random order.
    pub(crate) fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for k in (1..n).rev() {
            order.swap(k, self.below(k + 1));
        }
        order
    }

    /// Returns `n` of these nodes, ascending, each with a random displacement.
    pub(crate) fn known(&mut self, nodes: &[NodeId], n: usize) -> Vec<KnownDisplacement> {
        let mut chosen = self.order(nodes.len());
        chosen.truncate(n);
        chosen.sort_unstable();
        let mut any = || Vector3::from_fn(|_, _| self.between(-0.003, 0.003));
        chosen.into_iter().map(|i| KnownDisplacement::whole(nodes[i], any())).collect()
    }
}

/// Configuration of a property test with this number of cases, the same on every run.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(1998), ..ProptestConfig::default() }
}

/// Describes a free block of soft matter.
pub(crate) fn soft_block() -> SolidSpec {
    let mesh = shaken_box(Vector3::new(0.06, 0.05, 0.04), [4, 3, 3]);
    SolidSpec::new(mesh, material(), Vec::new()).unwrap()
}

/// Describes the block of [`soft_block`], glued to a table at its lowest face.
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

/// Makes a solid at rest.
pub(crate) fn solid(spec: &SolidSpec) -> Solid {
    Solid::of(Arc::new(model(spec)))
}

/// Solves exactly, at every node.
pub(crate) fn solve(spec: &SolidSpec, known: &[KnownDisplacement]) -> Result<Solution, SolveError> {
    model(spec).solve(known, WhenUnderdetermined::Refuse)
}

/// Makes a touch of known displacements.
pub(crate) fn touch(mut known: Vec<KnownDisplacement>) -> Touch {
    known.sort_by_key(|k| k.node);
    Touch { known, ..Touch::default() }
}

/// Displacement of the `i`-th touched node: a few millimetres in varying directions.
pub(crate) fn wave(i: usize) -> Vector3<f64> {
    Vector3::from_fn(|axis, _| 0.003 * (2.3 * i as f64 + 1.9 * axis as f64).sin())
}

/// Length of the longest vector.
pub(crate) fn largest<'a>(vectors: impl IntoIterator<Item = &'a Vector3<f64>>) -> f64 {
    vectors.into_iter().map(|v| v.norm()).fold(0.0, f64::max)
}
