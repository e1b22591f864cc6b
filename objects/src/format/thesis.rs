//! The three lists of the thesis ([Ma98], table 3.1) as a text file, `.obj3`.
//!
//! ```text
//! # comment
//! vertices 4
//! 0.0 0.0 0.0          x y z in metres, one line each, counted from 0
//! ...
//! elements 1
//! 0 1 2 3              four vertices of a tetrahedron
//! faces 4
//! 0 2 1                three vertices of a display triangle, counter-clockwise from outside
//! ...
//! ```
//!
//! The thesis prints no layout, so this one is ours. Faces may be left out; they are derived from the
//! elements in any case, and only checked here.

use std::fmt::Write;

use physics::TetMesh;

use super::FormatError;
use super::raw::RawMesh;
use super::text::{Line, Lines};

/// Reads the three lists.
pub(super) fn parse(bytes: &[u8]) -> Result<RawMesh, FormatError> {
    let mut mesh = RawMesh::of("the thesis' three lists");
    let mut lines = Lines::of(bytes, "#");
    for _ in 0..count(&mut lines.expect("`vertices` and their number")?, "vertices")? {
        let mut line = lines.expect("a vertex")?;
        mesh.points.push(line.point()?);
        line.end()?;
    }
    for _ in 0..count(&mut lines.expect("`elements` and their number")?, "elements")? {
        mesh.tetrahedra.push(indices(&mut lines.expect("an element")?)?);
    }
    if let Some(mut line) = lines.next() {
        for _ in 0..count(&mut line, "faces")? {
            let mut line = lines.expect("a face")?;
            let face = indices(&mut line)?;
            if face.iter().any(|&vertex| vertex as usize >= mesh.points.len()) {
                return Err(line.unexpected("three vertices of the list above"));
            }
            mesh.triangles.push(face);
        }
    }
    match lines.next() {
        Some(line) => Err(line.unexpected("the end of the file")),
        None => Ok(mesh),
    }
}

/// Writes the three lists; numbers are written so that reading gives back the same bits.
pub fn write_thesis(mesh: &TetMesh) -> String {
    let mut text = String::from("# Palpate object: vertices (m), tetrahedra, display faces\n");
    let surface = mesh.surface();
    let topology = &surface.topology;
    let faces = topology.triangles.iter().map(|face| face.map(|i| topology.nodes[i as usize].0));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "vertices {}", mesh.n_nodes());
    for x in mesh.rest_positions() {
        let _ = writeln!(text, "{} {} {}", x.x, x.y, x.z);
    }
    let _ = writeln!(text, "elements {}", mesh.elements().len());
    for nodes in mesh.elements() {
        let [a, b, c, d] = nodes.map(|n| n.0);
        let _ = writeln!(text, "{a} {b} {c} {d}");
    }
    let _ = writeln!(text, "faces {}", faces.len());
    for [a, b, c] in faces {
        let _ = writeln!(text, "{a} {b} {c}");
    }
    text
}

fn count(line: &mut Line<'_>, name: &str) -> Result<usize, FormatError> {
    let expected = format!("`{name}` and their number");
    if line.word::<String>(&expected)? != name {
        return Err(line.unexpected(&expected));
    }
    let count = line.word(&expected)?;
    line.end()?;
    Ok(count)
}

fn indices<const N: usize>(line: &mut Line<'_>) -> Result<[u32; N], FormatError> {
    let mut indices = [0; N];
    for index in &mut indices {
        *index = line.word("the number of a vertex, from 0")?;
    }
    line.end()?;
    Ok(indices)
}
