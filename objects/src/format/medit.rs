//! Medit `.mesh` (words) and `.meshb` (bytes), as INRIA's tools and many meshers write them.

mod binary;

use super::raw_mesh::{ElementShape, ElementType, MISSING, RawMesh};
use super::tetgen::{Markers, add_if_it_differs};
use super::text::Scanner;
use super::{FieldPlace, FormatError};

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
    let mut references = References::default();
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
                references.of_vertices.note(scanner.word("a reference")?);
            }
        } else if let Some(kind) = element_type(word)? {
            for _ in 0..scanner.word::<u64>("the number of elements")? {
                row.clear();
                for _ in 0..kind.n_nodes {
                    row.push(scanner.word("the number of a vertex")?);
                }
                let reference = scanner.word("a reference")?;
                add(kind, &row, &mut mesh)?;
                references.note(kind.shape, reference);
            }
        } else if word.first().is_some_and(u8::is_ascii_alphabetic) {
            skip_numbers(&mut scanner);
        } else {
            let expected =
                "a keyword such as Vertices or Tetrahedra after as many rows as announced";
            return Err(scanner.unexpected(expected, word));
        }
    }
    references.add_to(&mut mesh);
    Ok(mesh)
}

/// The reference that ends each row: of tetrahedra, their region.
#[derive(Default)]
struct References {
    of_tetrahedra: Vec<f64>,
    of_triangles: Markers,
    of_vertices: Markers,
}

impl References {
    fn note(&mut self, shape: ElementShape, reference: i64) {
        match shape {
            ElementShape::Tetrahedron => self.of_tetrahedra.push(reference as f64),
            ElementShape::Triangle => self.of_triangles.note(reference as f64),
            _ => {}
        }
    }

    fn add_to(self, mesh: &mut RawMesh) {
        add_if_it_differs(mesh, "region", FieldPlace::Elements, self.of_tetrahedra);
        self.of_triangles.leave_out(mesh, "references of triangles");
        self.of_vertices.leave_out(mesh, "references of vertices");
    }
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
            mesh.note_missing(mesh.tetrahedra.len(), *name);
        }
    }
    mesh.add(kind, &places[..row.len().min(places.len())])
}
