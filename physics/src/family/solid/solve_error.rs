//! Errors of a solve. Each names the wrong node or number and what was expected.

use crate::linear::ContactError;
use crate::mesh::{NodeId, TetMesh};
use crate::touch::KnownDisplacement;

/// Known displacements have no solution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// The displacements do not fit this object.
    #[error(transparent)]
    Touch(#[from] TouchError),
    /// The displacements cannot be prescribed together.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// The dense matrices would exceed the memory limit.
    #[error("{what} takes {needed_mb} MB, expected at most {allowed_mb} MB")]
    OverBudget {
        /// The matrix that is too large.
        what: DenseMatrix,
        /// Memory that the matrices would take, in MB.
        needed_mb: usize,
        /// Memory limit, in MB.
        allowed_mb: usize,
    },
    /// Displacements or forces are not finite.
    #[error("the solution is too large to be computed, expected smaller displacements")]
    Overflow,
    /// The solve was cancelled.
    #[error("the solve was cancelled")]
    Cancelled,
}

/// Dense matrix that may be too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DenseMatrix {
    /// System of this number of known components.
    Known(usize),
    /// Inverse for this number of free degrees of freedom.
    Free(usize),
}

impl std::fmt::Display for DenseMatrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Known(n) => write!(f, "a system of {n} known components"),
            Self::Free(n) => write!(f, "the dense inverse of {n} free degrees of freedom"),
        }
    }
}

impl SolveError {
    /// True if the solve was cancelled.
    pub fn is_cancelled(&self) -> bool {
        *self == Self::Cancelled
    }

    /// True if the solve needs more memory than its limit allows.
    pub fn is_over_budget(&self) -> bool {
        matches!(self, Self::OverBudget { .. })
    }

    /// Returns an error if `needed` bytes are more than `allowed`.
    pub(super) fn over_budget(
        what: DenseMatrix,
        needed: usize,
        allowed: usize,
    ) -> Result<(), Self> {
        if needed <= allowed {
            return Ok(());
        }
        let (needed_mb, allowed_mb) = (needed.div_ceil(1_000_000), allowed / 1_000_000);
        Err(Self::OverBudget { what, needed_mb, allowed_mb })
    }
}

/// Known displacements do not fit this object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TouchError {
    /// A node does not exist.
    #[error("node {} does not exist, there are {n_nodes} nodes", node.0)]
    NoSuchNode {
        /// The wrong node.
        node: NodeId,
        /// Number of nodes of the object.
        n_nodes: usize,
    },
    /// A node belongs to no element.
    #[error("node {} belongs to no element, expected nodes of the object", .0.0)]
    LooseNode(NodeId),
    /// A displacement is not finite.
    #[error("the displacement of node {} is not finite", .0.0)]
    NotFinite(NodeId),
    /// Nodes are not in ascending order, or a node is listed twice.
    #[error("node {} follows node {}, expected ascending nodes, each once", node.0, after.0)]
    Order {
        /// The wrong node.
        node: NodeId,
        /// The node before it.
        after: NodeId,
    },
    /// The touch is for another version of the topology.
    #[error("the touch is for topology {got}, the object has {want}")]
    Topology {
        /// Version of the touch.
        got: u32,
        /// Version of the object.
        want: u32,
    },
    /// Too many nodes are touched.
    #[error("{n_touched} nodes are touched, expected at most {most}")]
    TooMany {
        /// Number of touched nodes.
        n_touched: usize,
        /// Largest number allowed.
        most: usize,
    },
    /// A node is inside the object, where no hand can touch it.
    #[error("node {} is inside the object, expected nodes of its surface", .0.0)]
    Inside(NodeId),
}

/// Checks that known displacements are valid for this mesh.
pub(super) fn check_known(mesh: &TetMesh, known: &[KnownDisplacement]) -> Result<(), TouchError> {
    let n_nodes = mesh.n_nodes();
    for &KnownDisplacement { node, displacement } in known {
        if node.index() >= n_nodes {
            return Err(TouchError::NoSuchNode { node, n_nodes });
        }
        if mesh.body_of(node).is_none() {
            return Err(TouchError::LooseNode(node));
        }
        if !displacement.iter().flatten().all(|c| c.is_finite()) {
            return Err(TouchError::NotFinite(node));
        }
    }
    match known.windows(2).find(|pair| pair[0].node >= pair[1].node) {
        Some(pair) => Err(TouchError::Order { node: pair[1].node, after: pair[0].node }),
        None => Ok(()),
    }
}
