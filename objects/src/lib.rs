//! Things to squeeze: [`generate`] makes them by formula, [`format`](mod@format) reads and writes files,
//! [`check`] says what is wrong with them, [`solid`] fills closed surfaces with tetrahedra, and [`materials`]
//! knows what things are made of.

pub mod check;
pub mod format;
pub mod generate;
pub mod materials;
pub mod solid;
pub mod surface;

pub use check::{Findings, Unit};
pub use format::{Body, Kind, Opened, Reading, open};
pub use surface::{SurfaceError, TriangleSurface};
