//! VTK's legacy format, `.vtk`, ASCII and binary: unstructured grids and surfaces of polygons.

pub(super) mod cell;
mod values;

use std::borrow::Cow;

use super::FormatError;
use super::binary::{ByteOrder, Scalar};
use super::memory::Memory;
use super::raw_mesh::{ElementShape, MISSING, RawMesh};
use super::text::Scanner;
use cell::{Cells, Integers};
use values::Values;

/// Reads points, cells and their values.
pub(super) fn parse(bytes: &[u8], memory: &mut Memory) -> Result<RawMesh, FormatError> {
    let mut scanner = Scanner::of(bytes, "");
    let first = scanner.next_line().unwrap_or_default();
    if !first.starts_with(b"# vtk DataFile Version") {
        return Err(scanner.unexpected("# vtk DataFile Version", first));
    }
    // The title, which may hold any text.
    scanner.next_line();
    let form = scanner.expect_word("ASCII or BINARY")?;
    let form = match form {
        b"ASCII" => Form::Text,
        b"BINARY" => Form::Binary,
        _ => return Err(scanner.unexpected("ASCII or BINARY", form)),
    };
    let mut mesh = RawMesh::of(match form {
        Form::Text => "VTK, ASCII",
        Form::Binary => "VTK, binary",
    });
    let mut source = NumberReader { scanner, form };
    let (mut cells, mut types, mut values) = (None, None, None);
    // Number of pieces of a surface, all of which have values.
    let mut n_pieces = 0;
    while let Some(word) = source.scanner.next_word() {
        match word {
            b"DATASET" => match source.scanner.expect_word("the kind of data")? {
                b"UNSTRUCTURED_GRID" | b"POLYDATA" => {}
                other => {
                    return Err(source
                        .scanner
                        .unexpected("DATASET UNSTRUCTURED_GRID or POLYDATA", other));
                }
            },
            b"POINTS" => points(&mut source, &mut mesh)?,
            b"CELLS" => cells = Some(source.cells()?),
            b"CELL_TYPES" => {
                let n = source.scanner.word("the number of cells")?;
                types = Some(source.integers(n, Scalar::I32)?);
            }
            b"POLYGONS" => source.cells()?.each(|corners| {
                mesh.add_polygon(&places(corners));
                n_pieces += 1;
                Ok(())
            })?,
            b"TRIANGLE_STRIPS" => source.cells()?.each(|corners| {
                add_strip(&places(corners), &mut mesh);
                n_pieces += 1;
                Ok(())
            })?,
            b"LINES" | b"VERTICES" => {
                let n = source.cells()?.len();
                mesh.skip(
                    if word == b"LINES" { ElementShape::Line } else { ElementShape::Point },
                    n,
                );
                n_pieces += n;
            }
            b"FIELD" => source.skip_field()?,
            b"METADATA" => drop(source.metadata()),
            // Sections of values come last.
            b"POINT_DATA" | b"CELL_DATA" => {
                values = Some(Values::read(&mut source, word, memory));
                break;
            }
            _ => {
                return Err(source.scanner.unexpected("a keyword such as POINTS or CELLS", word));
            }
        }
    }
    let add_values = |mesh: &mut RawMesh, tetrahedra: &[u32], n_cells: usize| {
        if let Some(values) = values {
            values.add_to(mesh, tetrahedra, n_cells);
        }
    };
    match (cells, types) {
        (Some(cells), Some(types)) => {
            let tetrahedra = cells.add_to(&mut mesh, &types)?;
            add_values(&mut mesh, &tetrahedra, cells.len());
        }
        (None, None) => add_values(&mut mesh, &[], n_pieces),
        _ => return Err(FormatError::Ends("CELLS and CELL_TYPES".to_owned())),
    }
    Ok(mesh)
}

fn points(source: &mut NumberReader<'_>, mesh: &mut RawMesh) -> Result<(), FormatError> {
    let n: usize = source.scanner.word("the number of points")?;
    let scalar = source.scalar()?;
    let coordinates = source.floats(n.saturating_mul(3), scalar)?;
    mesh.points.extend(coordinates.as_chunks().0.iter().map(|x| nalgebra::Point3::from(*x)));
    Ok(())
}

/// Adds a strip: every three consecutive corners are a triangle; every second one is reversed.
fn add_strip(corners: &[u32], mesh: &mut RawMesh) {
    for (i, triangle) in corners.windows(3).enumerate() {
        let [a, b, c] = [triangle[0], triangle[1], triangle[2]];
        mesh.triangles.push(if i.is_multiple_of(2) { [a, b, c] } else { [b, a, c] });
    }
}

fn places(corners: &[i64]) -> Vec<u32> {
    corners.iter().map(|corner| u32::try_from(*corner).unwrap_or(MISSING)).collect()
}

#[derive(Debug, Clone, Copy)]
enum Form {
    Text,
    /// Big-endian.
    Binary,
}

struct NumberReader<'a> {
    scanner: Scanner<'a>,
    form: Form,
}

impl<'a> NumberReader<'a> {
    fn scalar(&mut self) -> Result<Scalar, FormatError> {
        let name = self.scanner.expect_word("a type of numbers")?;
        let name = name.to_ascii_lowercase();
        Ok(match name.as_slice() {
            b"char" | b"signed_char" => Scalar::I8,
            b"unsigned_char" => Scalar::U8,
            b"short" => Scalar::I16,
            b"unsigned_short" => Scalar::U16,
            b"int" | b"vtkidtype" | b"vtktypeint32" => Scalar::I32,
            b"unsigned_int" | b"vtktypeuint32" => Scalar::U32,
            b"long" | b"vtktypeint64" => Scalar::I64,
            b"unsigned_long" | b"vtktypeuint64" => Scalar::U64,
            b"float" => Scalar::F32,
            b"double" => Scalar::F64,
            other => return Err(self.scanner.unexpected("a type such as float or int", other)),
        })
    }

    fn integers(&mut self, n: usize, scalar: Scalar) -> Result<Integers<'a>, FormatError> {
        Ok(match self.form {
            Form::Text => {
                let numbers: Result<_, _> =
                    (0..n).map(|_| self.scanner.word("a whole number")).collect();
                Integers::Decoded(numbers?)
            }
            Form::Binary => {
                let bytes = Cow::Borrowed(self.bytes(n, scalar)?);
                Integers::Bytes(bytes, scalar, ByteOrder::Big)
            }
        })
    }

    fn floats(&mut self, n: usize, scalar: Scalar) -> Result<Vec<f64>, FormatError> {
        match self.form {
            Form::Text => (0..n).map(|_| self.scanner.word("a number")).collect(),
            Form::Binary => Ok(scalar.floats(self.bytes(n, scalar)?, ByteOrder::Big)),
        }
    }

    /// Bytes that begin after the end of this line.
    fn bytes(&mut self, n: usize, scalar: Scalar) -> Result<&'a [u8], FormatError> {
        self.scanner.next_line();
        self.scanner.take(n, scalar.n_bytes(), "numbers")
    }

    /// Reads lists of corners: each after its length, or since version 5 all in one list with the
    /// positions of their ends.
    fn cells(&mut self) -> Result<Cells<'a>, FormatError> {
        let n: usize = self.scanner.word("a number of cells")?;
        let size: usize = self.scanner.word("a number of corners")?;
        let mut ahead = self.scanner.clone();
        if ahead.next_word() != Some(b"OFFSETS") {
            let cells = Cells::behind_lengths(self.integers(size, Scalar::I32)?)?;
            if cells.len() != n {
                let why = format!("it announces {n} cells, but holds {}", cells.len());
                return Err(FormatError::Damaged { what: "the list of cells".to_owned(), why });
            }
            return Ok(cells);
        }
        self.scanner = ahead;
        let scalar = self.scalar()?;
        let offsets = self.integers(n, scalar)?;
        let word = self.scanner.expect_word("CONNECTIVITY")?;
        if word != b"CONNECTIVITY" {
            return Err(self.scanner.unexpected("CONNECTIVITY", word));
        }
        let scalar = self.scalar()?;
        let corners = self.integers(size, scalar)?;
        // The first number is the start of the first cell.
        Cells::new(corners, offsets, 1)
    }

    /// Skips named arrays that belong to the file as a whole, such as a time.
    fn skip_field(&mut self) -> Result<(), FormatError> {
        self.scanner.expect_word("the name of a field")?;
        for _ in 0..self.scanner.word::<u64>("the number of arrays")? {
            self.metadata_if_next();
            self.scanner.expect_word("the name of an array")?;
            let n_components: usize = self.scanner.word("the number of components")?;
            let n_rows: usize = self.scanner.word("the number of rows")?;
            let scalar = self.scalar()?;
            let n = n_components.saturating_mul(n_rows);
            match self.form {
                Form::Text => {
                    for _ in 0..n {
                        self.scanner.expect_word("a number")?;
                    }
                }
                Form::Binary => drop(self.bytes(n, scalar)?),
            }
        }
        Ok(())
    }
}
