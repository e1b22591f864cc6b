//! Stereolithography, ASCII and binary: triangles that repeat their corners, which are welded here.

use physics::rounded;

use super::raw_mesh::RawMesh;
use super::text::Scanner;
use super::unit_comment::unit_comment;
use super::welding::Welding;
use super::write::Skin;
use super::{FormatError, without_mark};
use crate::check::Unit;

/// Number of bytes of the header.
const HEAD: usize = 80;
/// Number of bytes of a triangle: a normal, three corners, and two bytes without meaning.
const ROW: usize = 50;

/// Reads triangles. Normals are ignored: the order of the corners gives the same information.
pub(super) fn parse(bytes: &[u8]) -> Result<RawMesh, FormatError> {
    // Many binary files begin with "solid" as well, so the length decides first. A text never looks
    // like a count that is small enough.
    if let Some((count, rest)) = bytes.get(HEAD..).and_then(|rest| rest.split_first_chunk()) {
        let n = u32::from_le_bytes(*count) as usize;
        let rows = n.checked_mul(ROW).and_then(|n_bytes| rest.get(..n_bytes));
        if let Some(rows) = rows.filter(|rows| !rows.is_empty() || rest.is_empty()) {
            let mut mesh = binary(rows);
            // Some programs write more there.
            mesh.n_trailing_bytes = rest.len() - rows.len();
            return Ok(mesh);
        }
    }
    // A header of a binary file may begin with any bytes, so only a text loses its mark.
    let words = without_mark(bytes).trim_ascii_start();
    if words.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) {
        return text(without_mark(bytes));
    }
    let why = match bytes.get(HEAD..).and_then(|rest| rest.first_chunk()) {
        Some(count) => {
            let n = u32::from_le_bytes(*count) as usize;
            let (expected, found) = (HEAD + 4 + n.saturating_mul(ROW), bytes.len());
            format!(
                "its header announces {n} triangles, which take {expected} bytes, but it has \
                 {found}"
            )
        }
        None => "it neither begins with \"solid\" nor is long enough for a binary one".to_owned(),
    };
    Err(FormatError::Damaged { what: "the STL file".to_owned(), why })
}

/// Writes triangles, rounded to `f32`, with their normals.
pub(super) fn written(skin: &Skin, unit: Unit) -> Vec<u8> {
    let mut bytes = format!("binary STL by {}", unit_comment(unit)).into_bytes();
    bytes.resize(HEAD, b' ');
    bytes.extend((skin.triangles.len() as u32).to_le_bytes());
    for triangle in &skin.triangles {
        let corners = triangle.map(|i| skin.points[i as usize]);
        let [a, b, c] = corners;
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
        let rows = [rounded(&normal), rounded(&a.coords), rounded(&b.coords), rounded(&c.coords)];
        bytes.extend(rows.as_flattened().iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend([0, 0]);
    }
    bytes
}

fn binary(rows: &[u8]) -> RawMesh {
    let mut mesh = RawMesh::of("STL, binary");
    let mut welding = Welding::default();
    for row in rows.as_chunks::<ROW>().0 {
        let (words, _) = row.as_chunks();
        let number = |i: usize| f32::from_le_bytes(words[i]);
        let corner = |i: usize| [number(i), number(i + 1), number(i + 2)];
        mesh.triangles.push([3, 6, 9].map(|i| welding.point(corner(i))));
    }
    mesh.points = welding.points;
    mesh
}

fn text(bytes: &[u8]) -> Result<RawMesh, FormatError> {
    let mut mesh = RawMesh::of("STL, ASCII");
    let mut welding = Welding::default();
    let mut scanner = Scanner::of(bytes, "");
    let mut corners = Vec::new();
    let mut has_ended = false;
    // The name of the solid is free text and may hold any words.
    scanner.full_line();
    while let Some(word) = scanner.next_word() {
        match word.to_ascii_lowercase().as_slice() {
            b"vertex" => {
                let mut coordinate = || scanner.word::<f32>("a coordinate");
                let corner = [coordinate()?, coordinate()?, coordinate()?];
                corners.push(welding.point(corner));
                if corners.len() > 3 {
                    return Err(scanner.unexpected("three corners in each facet", word));
                }
            }
            b"endfacet" => {
                let Ok(triangle) = <[u32; 3]>::try_from(corners.as_slice()) else {
                    return Err(scanner.unexpected("three corners in each facet", word));
                };
                mesh.triangles.push(triangle);
                corners.clear();
            }
            b"facet" => {
                for _ in 0..4 {
                    scanner.expect_word("`normal` and three numbers")?;
                }
            }
            b"outer" | b"loop" | b"endloop" => {}
            word @ (b"endsolid" | b"solid") => {
                has_ended = word == b"endsolid";
                scanner.next_line();
            }
            _ => return Err(scanner.unexpected("`facet`, `vertex` or `endsolid`", word)),
        }
    }
    if !has_ended {
        let why = "it ends before `endsolid`: the rest is missing".to_owned();
        return Err(FormatError::Damaged { what: "the STL file".to_owned(), why });
    }
    mesh.points = welding.points;
    Ok(mesh)
}
