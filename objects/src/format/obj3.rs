//! The three lists of the thesis (\[Ma98\], table 3.1) as a text file, `.obj3`.
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
//! colours 4
//! 0.55 0.01 0.02       linear red, green and blue of each vertex, from 0 to 1
//! ...
//! ```
//!
//! The thesis prints no file layout, so this one is ours. Faces are optional; they are derived from
//! the elements in any case, and only checked here. Colours are optional, too.

use std::fmt::Write;

use physics::TetMesh;

use super::raw_mesh::RawMesh;
use super::text::{Line, Lines};
use super::{Field, FormatError};

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
    let mut next = lines.next();
    if let Some(line) = next.take_if(|line| line.starts_with("faces")) {
        for _ in 0..count(&mut { line }, "faces")? {
            let mut line = lines.expect("a face")?;
            let face = indices(&mut line)?;
            if face.iter().any(|&vertex| vertex as usize >= mesh.points.len()) {
                return Err(line.unexpected("three vertices of the list above"));
            }
            mesh.triangles.push(face);
        }
        next = lines.next();
    }
    if let Some(line) = next.take_if(|line| line.starts_with("colours")) {
        mesh.fields.push(Field::colours(&colours(&mut { line }, &mut lines, mesh.points.len())?));
        next = lines.next();
    }
    match next {
        Some(line) => Err(line.unexpected("`faces`, `colours` or the end of the file")),
        None => Ok(mesh),
    }
}

fn colours(
    head: &mut Line<'_>,
    lines: &mut Lines<'_>,
    n_vertices: usize,
) -> Result<Vec<[f32; 3]>, FormatError> {
    if count(head, "colours")? != n_vertices {
        return Err(head.unexpected("as many colours as vertices"));
    }
    let mut colours = Vec::new();
    for _ in 0..n_vertices {
        let mut line = lines.expect("a colour")?;
        let expected = "three shares of a colour, from 0 to 1";
        let mut colour = [0.0; 3];
        for share in &mut colour {
            *share = line.word(expected)?;
        }
        line.end()?;
        if !colour.iter().all(|share| (0.0..=1.0).contains(share)) {
            return Err(line.unexpected(expected));
        }
        colours.push(colour);
    }
    Ok(colours)
}

/// Writes the three lists, then the colours of the vertices.
pub(super) fn written(mesh: &TetMesh, colours: Option<&[[f32; 3]]>) -> String {
    let mut text = write_thesis(mesh);
    if let Some(colours) = colours {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "colours {}", colours.len());
        for [red, green, blue] in colours {
            let _ = writeln!(text, "{red} {green} {blue}");
        }
    }
    text
}

/// Writes the three lists; reading the numbers gives exactly the same bits.
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
