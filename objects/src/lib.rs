//! Things to squeeze: [`generate`] makes them by formula, [`format`](mod@format) reads and writes files. A
//! material library belongs here too.

pub mod format;
pub mod generate;
