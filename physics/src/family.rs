//! The kinds of matter, one folder each. All of them are used through [`crate::Deformable`].

pub mod solid;
