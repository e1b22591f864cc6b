//! Things to squeeze: made by formula or read from files, checked, and filled.
//!
//! - [`generate`]: objects made by formula, in any resolution;
//! - [`format`](mod@format): file formats, one file each, each a pure function of bytes;
//! - [`check`]: what is wrong with what was read, and what was done about it;
//! - [`surface`]: surfaces of triangles, closed or not; [`solid`]: fills closed ones with
//!   tetrahedra;
//! - [`materials`]: what things are made of, with where the numbers come from.
//!
//! Nothing here reads or writes a file: bytes come in and go out.

pub mod check;
pub mod format;
pub mod generate;
pub mod materials;
pub mod solid;
pub mod surface;

pub use check::{Findings, Unit};
pub use format::{Body, Kind, Opened, Reading, open};
pub use surface::{SurfaceError, TriangleSurface};
