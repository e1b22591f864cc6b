//! Objects that are measured: a body in a size, with the data that other solvers need.

use std::fmt;
use std::sync::Arc;

use benchmark::{Body, Subject};
use physics::NodeId;
use physics::linear::{Stiffness, assemble};

/// An object to measure.
pub(crate) struct Case {
    pub(crate) body: Body,
    pub(crate) subject: Subject,
    pub(crate) stiffness: Arc<Stiffness>,
    /// Degrees of freedom of three nodes far apart, which are held.
    pub(crate) held: Vec<bool>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<6} {:>6}", self.body, self.subject.mesh.n_nodes())
    }
}

impl Case {
    pub(crate) fn new(body: Body, n_nodes: usize) -> anyhow::Result<Self> {
        let subject = Subject::body(body, n_nodes)?;
        let stiffness = Arc::new(assemble(&subject.mesh, &subject.material));
        let surface = &subject.surface;
        let mut held = vec![false; 3 * subject.mesh.n_nodes()];
        // These nodes are not touched by the first squeeze.
        let n = surface.len();
        for node in [n / 10, n / 10 + n / 3, n / 10 + 2 * n / 3].map(|i| surface[i]) {
            held[3 * node.index()..3 * node.index() + 3].fill(true);
        }
        Ok(Self { body, subject, stiffness, held })
    }
}

/// Degrees of freedom of some nodes.
pub(crate) fn dofs(nodes: &[NodeId]) -> Vec<usize> {
    nodes.iter().flat_map(|node| 3 * node.index()..3 * node.index() + 3).collect()
}
