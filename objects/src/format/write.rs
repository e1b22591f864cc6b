//! Writes objects as bytes, and verifies the result. The caller stores the bytes.

use nalgebra::Point3;
use physics::{TetMesh, rounded};

use super::field::{Field, FieldPlace};
use super::file_kind::{FileKind, Precision};
use super::srgb::{encoded, linear};
use super::{FormatError, GmshDialect, Limits, RawMesh, gltf, gmsh, no_siblings, obj, parse, stl};
use super::{obj3, vtu};
use crate::check::Unit;
use crate::surface::TriangleSurface;

/// An object to be written.
#[derive(Debug, Clone, Copy)]
pub struct ObjectToWrite<'a> {
    /// The object. Formats for surfaces use the skin of a solid.
    pub body: BodyToWrite<'a>,
    /// Unit of its numbers, for formats with room for a comment.
    pub unit: Unit,
    /// Values at the nodes and elements of a solid.
    pub fields: &'a [Field],
}

/// Bodies that can be written.
#[derive(Debug, Clone, Copy)]
pub enum BodyToWrite<'a> {
    /// Tetrahedra.
    Solid(&'a TetMesh),
    /// Triangles.
    Surface(&'a TriangleSurface),
}

/// Error of writing an object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The format can only be read.
    #[error(
        ".{} files are only read, expected .obj3, .msh, .vtu, .obj, .stl or .glb",
        .0.extension()
    )]
    ReadOnly(FileKind),
    /// The format holds solids, but the object is a surface.
    #[error(".{} files hold solids, expected .obj, .stl or .glb for a surface", .0.extension())]
    NoSurfaces(FileKind),
    /// The format has no place for the fields.
    #[error(
        ".{} files do not hold these values at nodes or elements, expected .vtu",
        .0.extension()
    )]
    NoFields(FileKind),
    /// A field has the wrong number of rows.
    #[error("the values {name:?} have {got} rows, expected {want}")]
    Rows {
        /// Name of the field.
        name: String,
        /// Number of rows of the field.
        got: usize,
        /// Number of nodes or elements.
        want: usize,
    },
    /// The name of a field cannot be written.
    #[error("the values {0:?} need a name without control characters")]
    Name(String),
    /// The format counts bytes with 32 bits.
    #[error("the object is too large for a .{} file", .0.extension())]
    TooLarge(FileKind),
}

/// Error of verifying a written file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum VerifyError {
    /// The file cannot be read.
    #[error("the written file cannot be read")]
    Unreadable(#[from] FormatError),
    /// The file holds something else.
    #[error("the {0} in the written file differ from those of the object")]
    Differs(&'static str),
    /// The object cannot be written in this format, so there is nothing to compare with.
    #[error(transparent)]
    Unwritable(#[from] WriteError),
}

/// The bytes of a file of this kind.
pub fn write(kind: FileKind, object: &ObjectToWrite<'_>) -> Result<Vec<u8>, WriteError> {
    check(kind, object)?;
    match (kind, object.body) {
        (FileKind::Thesis, BodyToWrite::Solid(mesh)) => {
            Ok(obj3::written(mesh, colours(object.fields).as_deref()).into_bytes())
        }
        (FileKind::Gmsh, BodyToWrite::Solid(mesh)) => {
            Ok(gmsh::written(mesh, GmshDialect::default(), object.unit))
        }
        (FileKind::Vtu, BodyToWrite::Solid(mesh)) => {
            Ok(vtu::written(mesh, object.fields, object.unit))
        }
        (FileKind::Obj, _) => Ok(obj::written(&Skin::of(object), object.unit)),
        (FileKind::Stl, _) => Ok(stl::written(&Skin::of(object), object.unit)),
        (FileKind::Glb, _) => gltf::written(&Skin::of(object)).ok_or(WriteError::TooLarge(kind)),
        _ => Err(WriteError::NoSurfaces(kind)),
    }
}

/// The bytes of a `.msh` file in the given dialect, in metres.
pub fn write_gmsh(mesh: &TetMesh, dialect: GmshDialect) -> Vec<u8> {
    gmsh::written(mesh, dialect, Unit::Metre)
}

/// Reads a file back and compares it with the object, to the last bit that the format can hold.
pub fn verify(kind: FileKind, bytes: &[u8], object: &ObjectToWrite<'_>) -> Result<(), VerifyError> {
    let holds = check(kind, object)?;
    let limits = Limits { file_bytes: usize::MAX, unfolded_bytes: usize::MAX };
    let read = parse(kind, bytes, &mut no_siblings, &limits)?;
    match object.body {
        BodyToWrite::Solid(mesh) if holds.solids => verify_solid(&read, mesh, object.fields),
        BodyToWrite::Solid(_) | BodyToWrite::Surface(_) => {
            verify_skin(&read, &Skin::of(object), kind, holds.precision)
        }
    }
}

fn check(kind: FileKind, object: &ObjectToWrite<'_>) -> Result<super::Holds, WriteError> {
    let holds = kind.holds().ok_or(WriteError::ReadOnly(kind))?;
    let (n_nodes, n_elements) = match object.body {
        BodyToWrite::Surface(_) if holds.solids => return Err(WriteError::NoSurfaces(kind)),
        BodyToWrite::Surface(surface) => (surface.points().len(), surface.triangles().len()),
        BodyToWrite::Solid(mesh) => (mesh.n_nodes(), mesh.elements().len()),
    };
    if !object.fields.iter().all(|field| holds.holds(field)) {
        return Err(WriteError::NoFields(kind));
    }
    for field in object.fields {
        let (name, got) = (field.name().to_owned(), field.n_rows());
        let want = match field.place() {
            FieldPlace::Nodes => n_nodes,
            FieldPlace::Elements => n_elements,
        };
        if got != want {
            return Err(WriteError::Rows { name, got, want });
        }
        if !field.has_fit_name() {
            return Err(WriteError::Name(name));
        }
    }
    Ok(holds)
}

/// Content of surface formats: outward triangles, the points that they name, and the colours of
/// these points.
pub(super) struct Skin {
    pub(super) points: Vec<Point3<f64>>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) colours: Option<Vec<[f32; 3]>>,
}

/// The colours among the fields, if there are any.
fn colours(fields: &[Field]) -> Option<Vec<[f32; 3]>> {
    fields.iter().find_map(Field::as_colours)
}

impl Skin {
    fn of(object: &ObjectToWrite<'_>) -> Self {
        let colours = colours(object.fields);
        match object.body {
            BodyToWrite::Surface(surface) => Self {
                points: surface.points().to_vec(),
                triangles: surface.triangles().to_vec(),
                colours,
            },
            BodyToWrite::Solid(mesh) => {
                let topology = mesh.surface().topology;
                let position = |node: &physics::NodeId| mesh.rest_positions()[node.index()];
                let points = topology.nodes.iter().map(position).collect();
                let of_skin = |colours: Vec<[f32; 3]>| {
                    topology.nodes.iter().map(|node| colours[node.index()]).collect()
                };
                let triangles = topology.triangles.clone();
                Self { points, triangles, colours: colours.map(of_skin) }
            }
        }
    }
}

fn verify_solid(read: &RawMesh, mesh: &TetMesh, fields: &[Field]) -> Result<(), VerifyError> {
    let bits = |x: &Point3<f64>| x.coords.map(f64::to_bits);
    if !read.points.iter().map(bits).eq(mesh.rest_positions().iter().map(bits)) {
        return Err(VerifyError::Differs("nodes"));
    }
    let elements = mesh.elements().iter().map(|nodes| nodes.map(|node| node.0));
    if !read.tetrahedra.iter().copied().eq(elements) {
        return Err(VerifyError::Differs("elements"));
    }
    let is_same = |field: &Field| {
        read.fields.iter().any(|read| {
            let bits = |field: &Field| -> Vec<u64> {
                field.values().iter().map(|value| value.to_bits()).collect()
            };
            (read.name(), read.place(), read.n_components())
                == (field.name(), field.place(), field.n_components())
                && bits(read) == bits(field)
        })
    };
    if read.fields.len() != fields.len() || !fields.iter().all(is_same) {
        return Err(VerifyError::Differs("values"));
    }
    Ok(())
}

fn verify_skin(
    read: &RawMesh,
    skin: &Skin,
    kind: FileKind,
    precision: Precision,
) -> Result<(), VerifyError> {
    // STL has no points apart from triangles, so corners are compared in all formats.
    let corners = |points: &[Point3<f64>], triangles: &[[u32; 3]]| -> Vec<Point3<f64>> {
        triangles.as_flattened().iter().map(|i| points[*i as usize]).collect()
    };
    let exists = |i: &u32| (*i as usize) < read.points.len();
    let are_same = read.triangles.len() == skin.triangles.len()
        && read.triangles.as_flattened().iter().all(exists)
        && {
            let mut written = corners(&skin.points, &skin.triangles);
            if precision == Precision::Single {
                written
                    .iter_mut()
                    .for_each(|x| *x = Point3::from(rounded(&x.coords).map(f64::from)));
            }
            // Where corners are welded, -0.0 and 0.0 are the same.
            corners(&read.points, &read.triangles) == written
        };
    if !are_same {
        return Err(VerifyError::Differs("triangles"));
    }
    // Colours as they are after reading this format back.
    let in_file = |share: f32| if kind == FileKind::Obj { linear(encoded(share)) } else { share };
    let written = skin.colours.as_ref().map(|colours| -> Vec<[f32; 3]> {
        colours.iter().map(|colour| colour.map(in_file)).collect()
    });
    if colours(&read.fields) != written {
        return Err(VerifyError::Differs("colours"));
    }
    Ok(())
}
