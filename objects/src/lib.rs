//! Things to squeeze: [`generate`] makes them by formula, [`format`](mod@format) reads and writes files,
//! [`check`] says what is wrong with them. A material library belongs here too.

pub mod check;
pub mod format;
pub mod generate;
pub mod surface;

pub use check::{Findings, Unit};
pub use format::{Body, Kind, Opened, Reading, open};
pub use surface::TriangleSurface;
