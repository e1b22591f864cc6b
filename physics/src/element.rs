//! Elements: local stiffness from rest positions and a material.

mod tet;

pub use tet::{Tet, tet_stiffness};
