//! Objects to squeeze: made by formula or read from files, then checked and filled.
//!
//! - [`generate`]: objects made by formula, with any number of nodes;
//! - [`format`](mod@format): readers and writers of file formats, as pure functions of bytes;
//! - [`check`]: checks on what was read, with a report of findings and repairs;
//! - [`surface`]: surfaces of triangles, closed or open;
//! - [`filling`]: fills closed surfaces with tetrahedra;
//! - [`materials`]: elastic constants and densities of materials, with their sources.
//!
//! No function of this crate reads or writes a file: bytes come in and go out.

pub mod check;
pub mod filling;
pub mod format;
pub mod generate;
pub mod materials;
pub mod surface;

pub use check::{Findings, Unit};
pub use format::{Body, FileKind, OpenedObject, ReadingOptions, open};
pub use surface::{SurfaceError, TriangleSurface};
