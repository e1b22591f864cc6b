//! Why known displacements have no answer: each reason names the offender and what was expected.

use crate::linear::ContactError;
use crate::mesh::{NodeId, TetMesh};
use crate::touch::KnownDisplacement;

/// Why known displacements have no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// They are not meant for this object.
    #[error(transparent)]
    Touch(#[from] TouchError),
    /// They cannot be prescribed together.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// There is not enough memory for the dense matrices of so many of them.
    #[error("{what} takes {needed_mb} MB, expected at most {allowed_mb} MB")]
    OverBudget {
        /// What is too large.
        what: Dense,
        /// What it would take.
        needed_mb: usize,
        /// What it may take.
        allowed_mb: usize,
    },
    /// Displacements or forces are too large to be numbers.
    #[error("the answer is too large for numbers, expected displacements that an object can bear")]
    Overflow,
    /// Nobody wants the answer any more.
    #[error("the solve was cancelled")]
    Cancelled,
}

/// A dense matrix that may be too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dense {
    /// The system of so many known components.
    Known(usize),
    /// The inverse for so many free degrees of freedom.
    Free(usize),
}

impl std::fmt::Display for Dense {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Known(n) => write!(f, "a system of {n} known components"),
            Self::Free(n) => write!(f, "the dense inverse of {n} free degrees of freedom"),
        }
    }
}

impl SolveError {
    /// Unless so many bytes are allowed.
    pub(super) fn over_budget(what: Dense, needed: usize, allowed: usize) -> Result<(), Self> {
        if needed <= allowed {
            return Ok(());
        }
        let (needed_mb, allowed_mb) = (needed.div_ceil(1_000_000), allowed / 1_000_000);
        Err(Self::OverBudget { what, needed_mb, allowed_mb })
    }
}

/// Why known displacements cannot be meant for this object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TouchError {
    /// A node that does not exist.
    #[error("node {} does not exist, there are {n_nodes} nodes", node.0)]
    NoSuchNode {
        /// The offender.
        node: NodeId,
        /// How many there are.
        n_nodes: usize,
    },
    /// A node that is part of nothing.
    #[error("node {} belongs to no element, expected nodes of the object", .0.0)]
    LooseNode(NodeId),
    /// A displacement that is no number.
    #[error("the displacement of node {} is not finite", .0.0)]
    NotFinite(NodeId),
    /// Nodes must ascend, so that none is known twice.
    #[error("node {} follows node {}, expected ascending nodes, each once", node.0, after.0)]
    Order {
        /// The offender.
        node: NodeId,
        /// The one before it.
        after: NodeId,
    },
    /// The touch is for a surface that the object no longer has.
    #[error("the touch is for topology {got}, the object has {want}")]
    Topology {
        /// The touch's.
        got: u32,
        /// The object's.
        want: u32,
    },
    /// More nodes than fingertips cover.
    #[error("{n_touched} nodes are touched, expected at most {most}")]
    TooMany {
        /// How many are touched.
        n_touched: usize,
        /// How many may be.
        most: usize,
    },
    /// Frames are for what a hand can reach.
    #[error("node {} is inside the object, expected nodes of its surface", .0.0)]
    Inside(NodeId),
}

/// Says what is wrong with prescribed displacements, if anything is.
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
