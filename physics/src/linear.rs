//! Large matrices: assembly, factorisation, compliance.
//!
//! The matrix depends on mesh and material, not on the fingers; so it is factorised once and every
//! touch is a small dense problem. The formulation, with `B` selecting the `m` prescribed degrees of
//! freedom, `d` their displacements and `R` the rigid-body modes:
//!
//! ```text
//! u = G B l + R a,     [ A    C ] [ l ]   [ d ]      A = B^T G B   (m x m)
//!                      [ C^T  0 ] [ a ] = [ 0 ]      C = B^T R     (m x 6)
//! ```
//!
//! `G` inverts `K` for loads in equilibrium, `l` are the reactions. Eliminating `l` and `a` gives back
//! the known-displacement equations of [Ma98], 3.43, to rounding.

mod assembly;
mod bodies;
mod columns;
mod combine;
mod compliance;
mod contact;
pub mod factor;
mod graph;
mod ordering;
mod rigid;
mod stream;

pub use assembly::{Stiffness, Triangle, assemble};
pub use bodies::FreeBodies;
pub(crate) use bodies::Motions;
pub use columns::{ColumnCache, NodeColumns};
pub use compliance::{Compliance, ComplianceError};
pub use contact::{ContactAnswer, ContactError, ContactSystem};
pub use ordering::elimination_order;
pub use rigid::RigidModes;
pub(crate) use stream::{Rigid, RigidShare, are_finite, displace, displace_exactly, rigid_columns};
