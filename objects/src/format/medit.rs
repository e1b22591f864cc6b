//! Medit `.mesh` (words) and `.meshb` (bytes), as INRIA's tools and many meshers write them.

mod binary;

use super::FormatError;
use super::raw_mesh::{ElementShape, ElementType, MISSING, RawMesh};
use super::text::Scanner;

pub(super) use binary::parse_binary;

/// Reads the text format; unknown lists are skipped.
pub(super) fn parse(bytes: &[u8]) -> Result<RawMesh, FormatError> {
    let mut mesh = RawMesh::of("Medit, ASCII");
    let mut scanner = Scanner::of(bytes, "#");
    let first = scanner.expect_word("MeshVersionFormatted")?;
    if first != b"MeshVersionFormatted" {
        return Err(scanner.unexpected("MeshVersionFormatted", first));
    }
    scanner.word::<u32>("the version")?;
    let mut row = Vec::new();
    while let Some(word) = scanner.next_word() {
        if word == b"End" {
            break;
        } else if word == b"Dimension" {
            if scanner.word::<u32>("3, the dimension")? != 3 {
                return Err(scanner.unexpected("three dimensions", word));
            }
        } else if word == b"Vertices" {
            for _ in 0..scanner.word::<u64>("the number of vertices")? {
                mesh.points.push(scanner.point()?);
                scanner.word::<i64>("a reference")?;
            }
        } else if let Some(kind) = element_type(word)? {
            for _ in 0..scanner.word::<u64>("the number of elements")? {
                row.clear();
                for _ in 0..kind.n_nodes {
                    row.push(scanner.word("the number of a vertex")?);
                }
                scanner.word::<i64>("a reference")?;
                add(kind, &row, &mut mesh)?;
            }
        } else if word.first().is_some_and(u8::is_ascii_alphabetic) {
            skip_numbers(&mut scanner);
        } else {
            return Err(scanner.unexpected("a keyword such as Vertices or Tetrahedra", word));
        }
    }
    Ok(mesh)
}

/// Skips to the next word that is not a number.
fn skip_numbers(scanner: &mut Scanner<'_>) {
    loop {
        let at = scanner.at();
        match scanner.next_word() {
            Some(word) if word.first().is_some_and(u8::is_ascii_alphabetic) => {
                return scanner.go_to(at);
            }
            Some(_) => {}
            None => return,
        }
    }
}

fn element_type(keyword: &[u8]) -> Result<Option<ElementType>, FormatError> {
    let (shape, n_nodes) = match keyword {
        b"Edges" => (ElementShape::Line, 2),
        b"EdgesP2" => (ElementShape::Line, 3),
        b"Triangles" => (ElementShape::Triangle, 3),
        b"TrianglesP2" => (ElementShape::Triangle, 6),
        b"Quadrilaterals" => (ElementShape::Quadrangle, 4),
        b"Tetrahedra" => (ElementShape::Tetrahedron, 4),
        b"TetrahedraP2" => (ElementShape::Tetrahedron, 10),
        b"Hexahedra" => (ElementShape::Hexahedron, 8),
        b"Prisms" => (ElementShape::Prism, 6),
        b"Pyramids" => (ElementShape::Pyramid, 5),
        _ => return Ok(None),
    };
    Ok(Some(ElementType { shape, n_nodes }))
}

/// Adds an element, given by node numbers that count from 1. Lists of vertices may come later.
fn add(kind: ElementType, row: &[i64], mesh: &mut RawMesh) -> Result<(), FormatError> {
    let mut places = [MISSING; 10];
    for (place, name) in places.iter_mut().zip(row) {
        *place = name.checked_sub(1).and_then(|place| u32::try_from(place).ok()).unwrap_or(MISSING);
        if *place == MISSING {
            mesh.note_missing(mesh.tetrahedra.len(), name.unsigned_abs());
        }
    }
    mesh.add(kind, &places[..row.len().min(places.len())])
}
