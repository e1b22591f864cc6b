//! VTK's XML format for unstructured grids, `.vtu`: numbers as words, as base64 or as raw bytes
//! after the document, compressed with zlib or not.

mod array;
mod base64;
mod document;
mod write;

use super::field::{Field, FieldPlace, NumberKind};
use super::raw_mesh::RawMesh;
use super::vtk::cell::Cells;
use super::{FormatError, Limits, MOST_FIELDS};
use array::Arrays;
use document::{Document, Piece, Section};

pub(super) use base64::Base64;
pub(super) use write::written;

/// Reads all pieces of a grid, with the values at its points and tetrahedra.
pub(super) fn parse(bytes: &[u8], limits: &Limits) -> Result<RawMesh, FormatError> {
    let document = Document::read(bytes)?;
    let mut arrays = Arrays::new(&document, limits);
    let mut mesh = RawMesh::of(format!("VTK XML, {}", document.form()));
    for (i, piece) in document.pieces.iter().enumerate() {
        let fields = read_piece(piece, &mut arrays, &mut mesh)?;
        if i == 0 {
            mesh.fields = fields;
        } else {
            append(&mut mesh, &fields);
        }
    }
    mesh.n_rounded = arrays.n_rounded();
    Ok(mesh)
}

/// Adds points and cells of a piece to the mesh; returns its fields.
fn read_piece(
    piece: &Piece,
    arrays: &mut Arrays<'_>,
    mesh: &mut RawMesh,
) -> Result<Vec<Field>, FormatError> {
    let base = mesh.points.len();
    for array in piece.arrays.iter().filter(|array| array.section == Section::Points) {
        if array.n_components != 3 {
            return Err(FormatError::Unsupported("points need three coordinates".to_owned()));
        }
        let coordinates = arrays.floats(array)?;
        mesh.points.extend(coordinates.as_chunks().0.iter().map(|x| nalgebra::Point3::from(*x)));
    }
    let mut cells = |name: &str| {
        let array = piece.arrays.iter().find(|a| a.section == Section::Cells && a.name == name);
        array.map_or(Ok(Vec::new()), |array| arrays.integers(array))
    };
    let (corners, ends, types) = (cells("connectivity")?, cells("offsets")?, cells("types")?);
    let n_cells = types.len();
    let tetrahedra = Cells::new(corners, ends)?.add_from(base, mesh, &types)?;
    let mut fields = Vec::new();
    for array in &piece.arrays {
        let (place, n_rows) = match array.section {
            Section::PointData => (FieldPlace::Nodes, mesh.points.len() - base),
            Section::CellData => (FieldPlace::Elements, n_cells),
            Section::Points | Section::Cells | Section::Other => continue,
        };
        let Some(scalar) = array.scalar.filter(|_| fields.len() < MOST_FIELDS) else {
            mesh.leave_out(&array.name);
            continue;
        };
        let values = arrays.values(array)?;
        let numbers = if scalar.is_whole() { NumberKind::Whole } else { NumberKind::Floating };
        let field = Field::new(array.name.as_str(), place, array.n_components, values);
        let named = |field: Field| {
            field.with_component_names(array.component_names.clone()).with_numbers(numbers)
        };
        let Some(field) = field.ok().map(named).filter(|field| field.n_rows() == n_rows) else {
            let name = &array.name;
            return Err(FormatError::Damaged {
                what: format!("the array {name:?}"),
                why: format!("it does not have {n_rows} rows, as many as nodes or cells"),
            });
        };
        fields.push(match place {
            FieldPlace::Nodes => field,
            FieldPlace::Elements => field.rows(tetrahedra.iter().copied()),
        });
    }
    Ok(fields)
}

/// Appends the fields of the next piece; fields that are not in both are left out.
fn append(mesh: &mut RawMesh, next: &[Field]) {
    let mut fields = std::mem::take(&mut mesh.fields);
    let key = |field: &Field| (field.name().to_owned(), field.place(), field.n_components());
    for lost in next.iter().filter(|next| !fields.iter().any(|field| key(field) == key(next))) {
        mesh.leave_out(lost.name());
    }
    fields.retain_mut(|field| match next.iter().find(|next| key(next) == key(field)) {
        Some(next) => {
            field.append(next);
            true
        }
        None => {
            mesh.leave_out(field.name());
            false
        }
    });
    mesh.fields = fields;
}
