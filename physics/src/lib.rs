//! Deformable matter: pure mechanics without I/O, clocks, logging set-up or globals.
//!
//! Where to look:
//! - [`deformable`]: the one trait that every family of matter implements;
//! - [`touch`]: what goes into a step ([`Touch`]); [`frame`]: what comes out ([`SurfaceFrame`]);
//!   [`state`]: what is inside in between, as a value;
//! - [`spec`]: checked descriptions to build an object from; [`model`]: what is built of them once;
//! - [`mesh`]: nodes, elements and surfaces; [`material`]: constitutive laws, one per file;
//! - [`element`]: local stiffness; [`linear`]: large matrices;
//! - [`family`]: the kinds of matter themselves;
//! - [`progress`]: how far long work has come, and the wish to end it.
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
pub mod model;
pub mod progress;
pub mod spec;
pub mod state;
pub mod touch;

pub use deformable::{Deformable, IdleWork, Outcome, StepReport};
pub use frame::{ContactForce, Course, Reaction, SurfaceFrame, rounded};
pub use mesh::{
    Dof, ElementId, FieldKind, FieldValues, Grip, MeshError, NodeId, Surface, TetMesh, Topology,
};
pub use model::{BuildError, MemoryLimits, Model, build};
pub use progress::{Progress, Stage, Stages};
pub use spec::{Bounds, NewRest, ObjectSpec, RestError, SolidSpec, SpecError};
pub use state::{Snapshot, State, StateError};
pub use touch::{
    HalfSpace, KnownDisplacement, Loose, Proxy, ProxyId, SampleId, Shape, Surroundings, Touch,
};
