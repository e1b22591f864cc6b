//! Deformable matter: pure mechanics without I/O, clocks, logging set-up or globals.
//!
//! Where to look:
//! - [`deformable`]: the one trait that every family of matter implements;
//! - [`frame`]: what goes in ([`Touch`]) and what comes out ([`SurfaceFrame`]);
//! - [`spec`]: checked descriptions to build an object from, and [`build`];
//! - [`mesh`]: nodes, elements and surfaces; [`material`]: constitutive laws, one per file;
//! - [`element`]: local stiffness; [`linear`]: large matrices;
//! - [`family`]: the kinds of matter themselves.
//!
//! Everything is SI (metres, newtons, pascals, seconds) in the object's own frame, in `f64`; a
//! [`SurfaceFrame`] rounds to `f32` once, so that every way of delivering it gives the same bits.
//! `X` is a rest position, `x` a position, `u = x - X` a displacement, `K` the stiffness matrix.
//!
//! Parallel loops run on the rayon pool that the caller is in; results do not depend on its size.

#![warn(missing_docs)]

pub mod deformable;
pub mod element;
pub mod family;
pub mod frame;
pub mod linear;
pub mod material;
pub mod mesh;
pub mod progress;
pub mod spec;

pub use deformable::{Deformable, IdleWork, Outcome, StepReport};
pub use frame::{
    KnownDisplacement, Loose, Proxy, Reaction, SampleId, Shape, SurfaceFrame, Touch, rounded,
};
pub use mesh::{Dof, ElementId, Grip, MeshError, NodeId, Surface, TetMesh, Topology};
pub use progress::{Progress, Stage, Stages};
pub use spec::{BuildError, MemoryLimits, Model, ObjectSpec, SolidSpec, SpecError, build};
