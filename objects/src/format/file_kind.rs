//! Kinds of files, by their extensions, and what each can hold.

use std::path::Path;

use super::field::Field;
use crate::check::Unit;

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// The three lists of the thesis.
    Thesis,
    /// Gmsh, 2.2 and 4.1, ASCII and binary.
    Gmsh,
    /// TetGen, opened by its nodes.
    TetGenNodes,
    /// TetGen, opened by its elements.
    TetGenElements,
    /// VTK's legacy format, ASCII and binary.
    Vtk,
    /// VTK's XML format for unstructured grids.
    Vtu,
    /// Medit, ASCII.
    Medit,
    /// Medit, binary.
    MeditBinary,
    /// Wavefront.
    Obj,
    /// Stereolithography, ASCII and binary.
    Stl,
    /// Polygon file, ASCII and binary.
    Ply,
    /// glTF 2.0 with its buffers beside it or inside.
    Gltf,
    /// glTF 2.0 in one file.
    Glb,
}

/// Capabilities of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holds {
    /// True if it holds tetrahedra, not only a skin.
    pub solids: bool,
    /// True if it holds any values at nodes and elements.
    pub fields: bool,
    /// True if it holds colours of nodes.
    pub colours: bool,
    /// Precision of coordinates.
    pub precision: Precision,
}

/// Precision of coordinates in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Exact to the last bit of an `f32`.
    Single,
    /// Exact to the last bit of an `f64`.
    Double,
}

impl Holds {
    /// True if the format can hold this field.
    pub fn holds(&self, field: &Field) -> bool {
        self.fields || (self.colours && field.as_colours().is_some())
    }
}

impl FileKind {
    /// All kinds.
    pub const ALL: [Self; 13] = [
        Self::Thesis,
        Self::Gmsh,
        Self::TetGenNodes,
        Self::TetGenElements,
        Self::Vtk,
        Self::Vtu,
        Self::Medit,
        Self::MeditBinary,
        Self::Obj,
        Self::Stl,
        Self::Ply,
        Self::Gltf,
        Self::Glb,
    ];

    /// The kind for the extension of a file's name, in upper or lower case.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL.into_iter().find(|kind| kind.extension() == extension)
    }

    /// Extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Thesis => "obj3",
            Self::Gmsh => "msh",
            Self::TetGenNodes => "node",
            Self::TetGenElements => "ele",
            Self::Vtk => "vtk",
            Self::Vtu => "vtu",
            Self::Medit => "mesh",
            Self::MeditBinary => "meshb",
            Self::Obj => "obj",
            Self::Stl => "stl",
            Self::Ply => "ply",
            Self::Gltf => "gltf",
            Self::Glb => "glb",
        }
    }

    /// Unit that the format defines, if it defines one.
    pub fn own_unit(self) -> Option<Unit> {
        match self {
            Self::Thesis | Self::Gltf | Self::Glb => Some(Unit::Metre),
            Self::Gmsh
            | Self::TetGenNodes
            | Self::TetGenElements
            | Self::Vtk
            | Self::Vtu
            | Self::Medit
            | Self::MeditBinary
            | Self::Obj
            | Self::Stl
            | Self::Ply => None,
        }
    }

    /// Capabilities of the format when writing; `None` for kinds that are only read.
    pub fn holds(self) -> Option<Holds> {
        let (solids, fields, colours, precision) = match self {
            Self::Thesis => (true, false, true, Precision::Double),
            Self::Gmsh => (true, false, false, Precision::Double),
            Self::Vtu => (true, true, true, Precision::Double),
            Self::Obj => (false, false, true, Precision::Double),
            Self::Glb => (false, false, true, Precision::Single),
            Self::Stl => (false, false, false, Precision::Single),
            Self::TetGenNodes
            | Self::TetGenElements
            | Self::Vtk
            | Self::Medit
            | Self::MeditBinary
            | Self::Ply
            | Self::Gltf => return None,
        };
        Some(Holds { solids, fields, colours, precision })
    }
}

/// All extensions, for messages.
pub(super) fn known() -> String {
    let extensions: Vec<String> =
        FileKind::ALL.iter().map(|kind| format!(".{}", kind.extension())).collect();
    extensions.join(", ")
}
