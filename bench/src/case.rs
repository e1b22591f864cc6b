//! The objects that are measured: a body in a size, with fingers on it.

use std::fmt;
use std::sync::Arc;

use clap::ValueEnum;
use nalgebra::Vector3;
use physics::linear::{Stiffness, assemble};
use physics::material::IsotropicElastic;
use physics::{KnownDisplacement, NodeId, SolidSpec, TetMesh, Touch};

/// Kinds of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Body {
    /// A ball of 10 cm
    Sphere,
    /// An irregular body of 10 cm
    Blob,
}

/// One object.
pub(crate) struct Case {
    pub(crate) body: Body,
    pub(crate) mesh: TetMesh,
    pub(crate) material: IsotropicElastic,
    pub(crate) stiffness: Arc<Stiffness>,
    /// Three nodes far apart, all their degrees of freedom.
    pub(crate) held: Vec<bool>,
    pub(crate) surface: Vec<NodeId>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = format!("{:?}", self.body).to_lowercase();
        write!(f, "{body:<6} {:>6}", self.mesh.n_nodes())
    }
}

impl Case {
    pub(crate) fn new(body: Body, n_nodes: usize) -> anyhow::Result<Self> {
        let mesh = match body {
            Body::Sphere => objects::generate::sphere(0.05, n_nodes)?,
            Body::Blob => objects::generate::blob(0.1, n_nodes)?,
        };
        let material = IsotropicElastic::new(1e5, 0.3)?;
        let stiffness = Arc::new(assemble(&mesh, &material));
        let surface = mesh.surface().topology.nodes.clone();
        let mut held = vec![false; 3 * mesh.n_nodes()];
        // Where the first squeeze does not touch.
        let n = surface.len();
        for node in [n / 10, n / 10 + n / 3, n / 10 + 2 * n / 3].map(|i| surface[i]) {
            held[3 * node.index()..3 * node.index() + 3].fill(true);
        }
        Ok(Self { body, mesh, material, stiffness, held, surface })
    }

    pub(crate) fn spec(&self) -> anyhow::Result<SolidSpec> {
        Ok(SolidSpec::new(self.mesh.clone(), self.material, Vec::new())?)
    }

    /// Nodes under five fingertips, a few neighbours each, somewhere on the surface.
    pub(crate) fn fingers(&self, n_nodes: usize, shift: usize) -> Vec<NodeId> {
        let n = self.surface.len();
        let mut nodes: Vec<NodeId> = (0..n_nodes.min(n))
            .map(|i| self.surface[(shift + (i % 5) * n / 5 + i / 5) % n])
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// A squeeze of these nodes, a little different for each `step`.
    pub(crate) fn squeeze(&self, nodes: &[NodeId], step: usize) -> Touch {
        let depth = 0.001 + 1e-6 * (step % 1000) as f64;
        let known = nodes
            .iter()
            .map(|&node| {
                let x = self.mesh.rest_positions()[node.index()].coords;
                KnownDisplacement::whole(node, -depth * x / x.norm() + Vector3::z() * 1e-4)
            })
            .collect();
        Touch { known, ..Touch::default() }
    }
}

/// The degrees of freedom of some nodes.
pub(crate) fn dofs(nodes: &[NodeId]) -> Vec<usize> {
    nodes.iter().flat_map(|node| 3 * node.index()..3 * node.index() + 3).collect()
}
