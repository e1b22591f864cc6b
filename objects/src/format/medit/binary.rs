//! `.meshb`: each list begins with a code and the position of the next one.

use nalgebra::Point3;

use super::super::FormatError;
use super::super::binary::{ByteOrder, Scalar};
use super::super::raw_mesh::{ElementShape, ElementType, RawMesh};
use super::super::text::Scanner;
use super::{References, add};

/// Reads the binary format; unknown lists are skipped.
pub(in super::super) fn parse_binary(bytes: &[u8]) -> Result<RawMesh, FormatError> {
    let mut scanner = Scanner::of(bytes, "");
    let order = match scanner.array("a number that shows the byte order")? {
        [1, 0, 0, 0] => ByteOrder::Little,
        [0, 0, 0, 1] => ByteOrder::Big,
        _ => return Err(damaged("it does not begin with a 1 in either byte order")),
    };
    let mut source = NumberReader { scanner, order, version: 0 };
    source.version = source.integer("the version")?;
    if !(1..=4).contains(&source.version) {
        let version = source.version;
        return Err(FormatError::Unsupported(format!(
            "this is a Medit file of version {version}, expected 1 to 4"
        )));
    }
    let mut mesh = RawMesh::of("Medit, binary");
    let mut references = References::default();
    while !source.scanner.rest().is_empty() {
        let keyword = source.integer("the code of a list")?;
        if keyword == 54 {
            break;
        }
        let next = source.position()?;
        let is_read = list(&mut source, keyword, &mut mesh, &mut references)?;
        // The position of the next list must never lead back.
        let at = source.scanner.at();
        match usize::try_from(next) {
            Ok(0) => break,
            Ok(next) if next == at || (next > at && !is_read) => source.scanner.go_to(next),
            _ => {
                return Err(damaged(&format!(
                    "the list with the code {keyword} ends at byte {at} by its length, expected at \
                     byte {next}, where the next one begins"
                )));
            }
        }
    }
    references.add_to(&mut mesh);
    Ok(mesh)
}

/// Reads a list; returns false for one that is not known.
fn list(
    source: &mut NumberReader<'_>,
    keyword: i64,
    mesh: &mut RawMesh,
    references: &mut References,
) -> Result<bool, FormatError> {
    let (shape, n_nodes) = match keyword {
        3 => {
            return match source.integer("3, the dimension")? {
                3 => Ok(true),
                _ => Err(damaged("it is not in three dimensions")),
            };
        }
        4 => return vertices(source, mesh, references).map(|()| true),
        5 => (ElementShape::Line, 2),
        6 => (ElementShape::Triangle, 3),
        7 => (ElementShape::Quadrangle, 4),
        8 => (ElementShape::Tetrahedron, 4),
        9 => (ElementShape::Prism, 6),
        10 => (ElementShape::Hexahedron, 8),
        24 => (ElementShape::Triangle, 6),
        25 => (ElementShape::Line, 3),
        30 => (ElementShape::Tetrahedron, 10),
        49 => (ElementShape::Pyramid, 5),
        _ => return Ok(false),
    };
    let n = source.count()?;
    let scalar = if source.version < 4 { Scalar::I32 } else { Scalar::I64 };
    // A reference follows the nodes of each element.
    let row_bytes = (n_nodes + 1) * scalar.n_bytes();
    let rows = source.scanner.take(n, row_bytes, "elements")?;
    let kind = ElementType { shape, n_nodes };
    for row in rows.chunks_exact(row_bytes) {
        let numbers = scalar.integers(row, source.order);
        add(kind, &numbers[..n_nodes], mesh)?;
        references.note(kind.shape, numbers[n_nodes]);
    }
    Ok(true)
}

fn vertices(
    source: &mut NumberReader<'_>,
    mesh: &mut RawMesh,
    references: &mut References,
) -> Result<(), FormatError> {
    let n = source.count()?;
    let scalar = if source.version == 1 { Scalar::F32 } else { Scalar::F64 };
    let n_coordinates = 3 * scalar.n_bytes();
    let n_reference = if source.version < 4 { 4 } else { 8 };
    let rows = source.scanner.take(n, n_coordinates + n_reference, "vertices")?;
    for row in rows.chunks_exact(n_coordinates + n_reference) {
        let coordinates = scalar.floats(&row[..n_coordinates], source.order);
        mesh.points.push(Point3::from_slice(&coordinates));
        let reference = if n_reference == 4 { Scalar::I32 } else { Scalar::I64 };
        references.of_vertices.note(reference.float(&row[n_coordinates..], source.order));
    }
    Ok(())
}

struct NumberReader<'a> {
    scanner: Scanner<'a>,
    order: ByteOrder,
    version: i64,
}

impl NumberReader<'_> {
    fn integer(&mut self, expected: &str) -> Result<i64, FormatError> {
        Ok(self.order.i32(self.scanner.array(expected)?).into())
    }

    fn long(&mut self, expected: &str) -> Result<i64, FormatError> {
        Ok(self.order.u64(self.scanner.array(expected)?).cast_signed())
    }

    fn position(&mut self) -> Result<i64, FormatError> {
        let expected = "the position of the next list";
        if self.version < 3 { self.integer(expected) } else { self.long(expected) }
    }

    fn count(&mut self) -> Result<usize, FormatError> {
        let expected = "the length of a list";
        let count = if self.version < 4 { self.integer(expected) } else { self.long(expected) }?;
        usize::try_from(count).map_err(|_| damaged(&format!("a list has the length {count}")))
    }
}

fn damaged(why: &str) -> FormatError {
    FormatError::Damaged { what: "the Medit file".to_owned(), why: why.to_owned() }
}
