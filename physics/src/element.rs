//! Elements: local stiffness from rest positions and a material.

mod tet;

pub use tet::tet_stiffness;
