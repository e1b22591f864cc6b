//! Families of matter, one folder each. Callers use all of them through [`crate::Deformable`].

pub mod solid;
