//! Large matrices: assembly, factorisation, compliance.
//!
//! The stiffness depends on mesh and material, not on the fingers. So it is factorised once, and
//! every touch is a small dense problem. In the formulation, `B` selects the `m` prescribed degrees
//! of freedom, `d` are their displacements, and `R` are the rigid-body modes:
//!
//! ```text
//! u = G B l + R a,     [ A    C ] [ l ]   [ d ]      A = B^T G B   (m x m)
//!                      [ C^T  0 ] [ a ] = [ 0 ]      C = B^T R     (m x 6)
//! ```
//!
//! `G` inverts `K` for loads in equilibrium; `l` are the reactions, `a` the amounts of the rigid
//! modes. Eliminating `l` and `a` gives the known-displacement equations of \[Ma98\], 3.43, up to
//! rounding.

mod assembly;
mod column_cache;
mod column_sum;
mod compliance;
mod contact_system;
pub mod factor;
mod free_bodies;
mod graph;
mod ordering;
mod rigid_modes;
mod surface_product;

pub use assembly::{Stiffness, Triangle, assemble};
pub(crate) use column_cache::as_kept;
pub use column_cache::{ColumnCache, NodeColumns};
pub(crate) use column_sum::add_columns;
pub use compliance::{Compliance, ComplianceError};
pub use contact_system::{ContactAnswer, ContactError, ContactSystem};
pub use free_bodies::FreeBodies;
pub(crate) use free_bodies::Motions;
pub use ordering::elimination_order;
pub use rigid_modes::RigidModes;
pub(crate) use surface_product::{
    Rigid, RigidShare, are_finite, displace, displace_exactly, rigid_columns,
};
