//! What never changes about an object: the long part of building one.

use std::sync::Arc;

use crate::deformable::Deformable;
use crate::family::solid::{Solid, SolidModel};
use crate::linear::ComplianceError;
use crate::linear::factor::FactorError;
use crate::progress::Progress;
use crate::spec::ObjectSpec;

/// Why an object cannot be built from its description.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The stiffness cannot be prepared.
    #[error(transparent)]
    Compliance(#[from] ComplianceError),
}

impl BuildError {
    /// The preparation was cancelled.
    pub fn cancelled() -> Self {
        Self::Compliance(FactorError::Cancelled.into())
    }

    /// Whether the preparation was cancelled.
    pub fn is_cancelled(&self) -> bool {
        *self == Self::cancelled()
    }
}

/// How much memory an object may take for what makes it quick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    /// For its factorised stiffness, in bytes.
    pub factor_bytes: usize,
    /// For columns of the compliance that are kept for later, in bytes.
    pub column_bytes: usize,
}

impl Default for MemoryLimits {
    /// Enough for a hundred thousand nodes, and for all columns of a small object.
    fn default() -> Self {
        Self { factor_bytes: 6 << 30, column_bytes: 512 << 20 }
    }
}

/// What never changes about an object. Several objects may share it.
#[derive(Clone)]
pub enum Model {
    /// Of a linear elastic solid.
    Solid(Arc<SolidModel>),
}

impl Model {
    /// Assembles and factorises, on the rayon pool that the caller is in.
    pub fn prepare(
        spec: &ObjectSpec,
        memory: MemoryLimits,
        progress: &Progress,
    ) -> Result<Self, BuildError> {
        match spec {
            ObjectSpec::Solid(spec) => {
                Ok(Self::Solid(Arc::new(SolidModel::new(spec, memory, progress)?)))
            }
        }
    }

    /// An object at rest.
    pub fn object(&self) -> Box<dyn Deformable> {
        match self {
            Self::Solid(model) => Box::new(Solid::of(Arc::clone(model))),
        }
    }

    /// The model of a linear elastic solid, if it is one: only that is solved exactly by itself.
    pub fn solid(&self) -> Option<&Arc<SolidModel>> {
        match self {
            Self::Solid(model) => Some(model),
        }
    }

    /// Whether two models are one in memory.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Solid(one), Self::Solid(other)) => Arc::ptr_eq(one, other),
        }
    }

    /// Memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Solid(model) => model.bytes(),
        }
    }
}

/// Prepares a model of its own and makes an object of it.
pub fn build(spec: &ObjectSpec) -> Result<Box<dyn Deformable>, BuildError> {
    Ok(Model::prepare(spec, MemoryLimits::default(), &Progress::default())?.object())
}
