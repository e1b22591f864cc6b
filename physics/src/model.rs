//! Models: the constant part of an object, which takes long to prepare.

use std::sync::Arc;

use crate::contact::ContactMatter;
use crate::deformable::Deformable;
use crate::family::solid::{Solid, SolidModel};
use crate::linear::ComplianceError;
use crate::linear::factor::FactorError;
use crate::progress::Progress;
use crate::spec::ObjectSpec;

/// An object cannot be built from its description.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The stiffness cannot be prepared.
    #[error(transparent)]
    Compliance(#[from] ComplianceError),
}

impl BuildError {
    /// Creates the error of a cancelled preparation.
    pub fn cancelled() -> Self {
        Self::Compliance(FactorError::Cancelled.into())
    }

    /// True if the preparation was cancelled.
    pub fn is_cancelled(&self) -> bool {
        *self == Self::cancelled()
    }

    /// True if the object needs more memory than its limits allow.
    pub fn is_over_budget(&self) -> bool {
        let Self::Compliance(why) = self;
        matches!(why, ComplianceError::OverBudget { .. })
    }

    /// Creates the error of a system without enough memory.
    pub fn out_of_memory() -> Self {
        Self::Compliance(FactorError::OutOfMemory.into())
    }

    /// True if the system did not have enough memory.
    pub fn is_out_of_memory(&self) -> bool {
        *self == Self::out_of_memory()
    }
}

/// Memory limits of an object, for the data that make its steps quick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Limit for the factorised stiffness, in bytes.
    pub factor_bytes: usize,
    /// Limit for cached columns of the compliance, in bytes.
    pub column_bytes: usize,
}

impl Default for MemoryLimits {
    /// Enough for the factor of a hundred thousand nodes, and for all columns of a small object.
    fn default() -> Self {
        Self { factor_bytes: 6_000_000_000, column_bytes: 512 << 20 }
    }
}

/// Constant part of an object. Several objects may share it.
#[derive(Clone)]
pub enum Model {
    /// Model of a linear elastic solid.
    Solid(Arc<SolidModel>),
}

impl Model {
    /// Prepares a model from a description, on the rayon pool of the caller. This takes long.
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

    /// Creates an object at rest.
    pub fn object(&self) -> Box<dyn Deformable> {
        match self {
            Self::Solid(model) => match model.contact_settings() {
                None => Box::new(Solid::of(Arc::clone(model))),
                Some(settings) => {
                    let matter = ContactMatter::of(Arc::clone(model), *settings);
                    Box::new(matter.expect("its description was checked"))
                }
            },
        }
    }

    /// Model of a linear elastic solid, if this is one. Only such models support single exact
    /// solves.
    pub fn solid(&self) -> Option<&Arc<SolidModel>> {
        match self {
            Self::Solid(model) => Some(model),
        }
    }

    /// Memory for the factorised stiffness, in bytes, with which the model would be quicker: the
    /// limit allowed single precision only, whose solutions need refinement. `None` if the limit
    /// was no obstacle.
    pub fn bytes_for_double(&self) -> Option<usize> {
        match self {
            Self::Solid(model) => model.compliance().bytes_for_double(),
        }
    }

    /// True if two models are the same in memory.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Solid(one), Self::Solid(other)) => Arc::ptr_eq(one, other),
        }
    }

    /// Memory of the model, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Solid(model) => model.bytes(),
        }
    }
}

/// Builds an object with a model of its own.
pub fn build(spec: &ObjectSpec) -> Result<Box<dyn Deformable>, BuildError> {
    Ok(Model::prepare(spec, MemoryLimits::default(), &Progress::default())?.object())
}
