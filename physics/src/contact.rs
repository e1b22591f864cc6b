//! Frictional contact of rigid shapes with a linear solid, on the solid's compliance.
//!
//! [`ContactSolid`] advances a solid, free or supported, under shapes that press, hold and rub it.
//! [`ContactProxy`] is one such shape with its [`Pad`] and [`Friction`]; [`ProxyReport`] is what it
//! feels. In the formulation, contact `i` has a place on the skin, a frame of its own (normal and
//! two tangents, the rows of `E_i`), a force `l_i` and a displacement `u_i` in that frame:
//!
//! ```text
//! u = W l + w,    W = E [B^T Ghat B + D] E^T + dt² (E C) J^-1 (E C)^T + pads,    C = B^T R
//! 0 <= l_n ⊥ u_n >= 0,    |l_t| <= mu l_n,    u_t = 0 inside the cone, else against l_t
//! ```
//!
//! `B` takes forces at points of the skin to the nodes, `Ghat` is the elastic compliance in the
//! frame that floats with the body, `D` the local compliance that a coarse mesh lacks, `R` and `J`
//! the rigid motions and their inertia. Friction is a bristle between a point and its anchor on the
//! shape, so what sticks does not creep.
//!
//! - [`shape`]: distances and normals of spheres, cylinders, boxes and planes;
//! - [`pad`]: soft layers and friction of a shape;
//! - [`points`]: places on the skin, each with its share of the area;
//! - [`mod@one_contact`]: exact solution for a single contact;
//! - [`gauss_seidel`]: sweeps over all contacts;
//! - [`held`]: nodes that are held while shapes push the same body;
//! - [`anchors`]: memory of contacts from substep to substep;
//! - [`free_body`]: rigid motion, mass, and compliance in the floating frame;
//! - [`matter`]: a solid in contact behind [`crate::Deformable`];
//! - [`tangent`]: stiffness that each shape feels;
//! - [`report`]: forces and amounts for each shape, and the energy account.

pub mod anchors;
mod candidates;
pub mod free_body;
pub mod gauss_seidel;
pub mod held;
mod holding;
mod local_compliance;
pub mod matter;
mod nearby;
mod node_compliance;
pub mod one_contact;
pub mod pad;
mod pair_compliance;
pub mod points;
pub mod report;
mod settings;
pub mod shape;
mod solid;
mod substep;
pub mod tangent;

pub use anchors::{ContactMemory, ContactState};
pub use free_body::{FreeBody, Motion};
pub use gauss_seidel::{ContactProblem, SolveReport};
pub use held::SubstepError;
pub use matter::ContactMatter;
pub use one_contact::one_contact;
pub use pad::{Friction, Pad};
pub use points::{Facet, SkinPoint, SkinPoints};
pub use report::{EnergyAccount, ProxyReport, SubstepReport};
pub use settings::{ContactError, ContactSettings};
pub use shape::{ContactProxy, Gap, ProxyShape};
pub use solid::ContactSolid;
pub use tangent::Tangent;
