//! VTK's XML format for unstructured grids, `.vtu`: numbers as words, as base64 or as raw bytes
//! after the document, compressed with zlib or not.

mod array;
mod base64;
mod document;
mod write;

use super::field::{Field, FieldPlace, NumberKind};
use super::memory::Memory;
use super::raw_mesh::RawMesh;
use super::vtk::cell::{Cells, Integers};
use super::{FormatError, MOST_FIELDS};
use array::Arrays;
use document::{Document, Piece, Section};

pub(super) use base64::Base64;
pub(super) use write::written;

/// Reads all pieces of a grid, with the values at its points and tetrahedra.
pub(super) fn parse(bytes: &[u8], memory: &mut Memory) -> Result<RawMesh, FormatError> {
    let document = Document::read(bytes)?;
    let mut arrays = Arrays::new(&document, memory);
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
        let (points, rest) = coordinates.as_chunks();
        if !rest.is_empty() {
            let n = coordinates.len();
            let why = format!("it has {n} numbers, expected three for each point");
            return Err(of_array(&array.name, why));
        }
        // They are copied to a list that grows.
        arrays.take(2 * 8 * coordinates.len())?;
        mesh.points.extend(points.iter().map(|x| nalgebra::Point3::from(*x)));
        arrays.give_back(8 * coordinates.len());
    }
    check_count(piece.n_points, mesh.points.len() - base, "points", "Points array")?;
    let mut cells = |name: &str| {
        let array = piece.arrays.iter().find(|a| a.section == Section::Cells && a.name == name);
        array.map_or(Ok(Integers::Decoded(Vec::new())), |array| arrays.integers(array))
    };
    let (corners, ends, types) = (cells("connectivity")?, cells("offsets")?, cells("types")?);
    let n_cells = types.len();
    check_count(piece.n_cells, n_cells, "cells", "types array")?;
    let tetrahedra = Cells::new(corners, ends, 0)?.add_from(base, mesh, &types)?;
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
        let n_found = values.len();
        let field = Field::new(array.name.as_str(), place, array.n_components, values);
        let named = |field: Field| {
            field.with_component_names(array.component_names.clone()).with_numbers(numbers)
        };
        let Some(field) = field.ok().map(named).filter(|field| field.n_rows() == n_rows) else {
            let (of, width) = match place {
                FieldPlace::Nodes => ("point", array.n_components),
                FieldPlace::Elements => ("cell", array.n_components),
            };
            let why =
                format!("it has {n_found} numbers, expected {width} for each of {n_rows} {of}s");
            return Err(of_array(&array.name, why));
        };
        fields.push(match place {
            FieldPlace::Nodes => field,
            FieldPlace::Elements => {
                let copied = 3 * 8 * field.values().len();
                arrays.take(copied)?;
                let rows = field.rows(tetrahedra.iter().map(|i| *i as usize));
                arrays.give_back(copied);
                rows
            }
        });
    }
    Ok(fields)
}

/// Compares the count in the tag of a piece with what the piece holds.
fn check_count(
    announced: Option<i64>,
    found: usize,
    items: &str,
    place: &str,
) -> Result<(), FormatError> {
    match announced {
        Some(n) if usize::try_from(n).ok() != Some(found) => Err(FormatError::Damaged {
            what: "a piece".to_owned(),
            why: format!("it announces {n} {items}, but its {place} holds {found}"),
        }),
        _ => Ok(()),
    }
}

fn of_array(name: &str, why: String) -> FormatError {
    FormatError::Damaged { what: format!("the array {name:?}"), why }
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
