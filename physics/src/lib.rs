//! Mechanics of deformable matter, without I/O, clocks, logging set-up or globals.
//!
//! - [`contact`]: frictional contact of rigid shapes with a solid;
//! - [`contact_model`]: what a hand's shape feels near its place, for devices that push back;
//! - [`deformable`]: the trait that every family of matter implements;
//! - [`touch`]: the input of a step ([`Touch`]);
//! - [`proxy`]: the shapes of hands in a touch;
//! - [`surface_frame`]: the output of a step ([`SurfaceFrame`]);
//! - [`frame_content`]: its content: the surface, or the displacements of all nodes;
//! - [`state`]: the state of an object as a value;
//! - [`spec`]: checked descriptions to build an object from;
//! - [`model`]: the constant part of an object, prepared once from its description;
//! - [`family`]: the families of matter;
//! - [`mesh`]: nodes, elements and surfaces;
//! - [`material`]: constitutive laws;
//! - [`element`]: stiffness of single elements;
//! - [`linear`]: large matrices: assembly, factorisation, compliance;
//! - [`progress`]: progress and cancellation of long work.
//!
//! All quantities are SI (metres, newtons, pascals, seconds) in the object's own frame, in `f64`. A
//! [`SurfaceFrame`] rounds to `f32` once, so that every way of delivering it gives the same bits.
//! `X` is a rest position, `x` a position, `u = x - X` a displacement, `K` the stiffness matrix.
//!
//! Parallel loops run on the rayon pool of the caller; results do not depend on the pool's size.

#![warn(missing_docs)]

pub mod contact;
pub mod contact_model;
pub mod deformable;
pub mod element;
pub mod family;
pub mod frame_content;
pub mod linear;
pub mod material;
pub mod mesh;
pub mod model;
pub mod progress;
pub mod proxy;
pub mod spec;
pub mod state;
pub mod surface_frame;
pub mod touch;

pub use contact_model::ContactModel;
pub use deformable::{Deformable, IdleWork, Outcome, StepReport};
pub use frame_content::{FrameContent, NodalDisplacements};
pub use mesh::{
    Bounds, Dof, ElementId, FieldKind, FieldValues, Grip, MeshError, NodeId, Surface, TetMesh,
    Topology,
};
pub use model::{BuildError, MemoryLimits, Model, build};
pub use progress::{Progress, Stage, Stages};
pub use proxy::{Proxy, ProxyId, Shape};
pub use spec::{NewRest, ObjectSpec, RestError, SolidSpec, SpecError};
pub use state::{Snapshot, State, StateError};
pub use surface_frame::{ContactForce, FrameHistory, Reaction, SurfaceFrame, rounded};
pub use touch::{HalfSpace, KnownDisplacement, SampleId, Surroundings, Touch, WhenUnderdetermined};
