//! File formats, one file each, each a pure function of bytes.
//!
//! Readers hold limits, trust no count before the bytes are there, and never panic; an error names the
//! line and what was expected there.

mod gmsh;
mod text;
mod thesis;

use std::path::Path;

use physics::{MeshError, TetMesh};

pub use gmsh::read_gmsh;
pub use thesis::{read_thesis, write_thesis};

/// Why bytes are not an object.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FormatError {
    /// No reader knows such files.
    #[error(
        "unknown kind of file {0:?}, expected .msh (Gmsh 2.2, ASCII) or .obj3 (vertices, elements, faces)"
    )]
    UnknownKind(String),
    /// Text formats must be text.
    #[error("the file is not text (byte {0} is not UTF-8)")]
    NotText(usize),
    /// A line is not what the format wants there.
    #[error("line {line}: expected {expected}, found {found:?}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// In words.
        expected: String,
        /// The offending word or line, shortened.
        found: String,
    },
    /// The file ends too soon.
    #[error("the file ends where {0} should follow")]
    Ends(String),
    /// A dialect that is not read.
    #[error("{0}")]
    Unsupported(String),
    /// Numbers that make no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// Reads an object from the bytes of a file; its name tells the format.
pub fn read(path: &Path, bytes: &[u8]) -> Result<TetMesh, FormatError> {
    match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("msh") => read_gmsh(bytes),
        Some("obj3") => read_thesis(bytes),
        _ => Err(FormatError::UnknownKind(path.display().to_string())),
    }
}
