//! Wavefront `.obj`: points, their colours, and polygons; normals, textures, materials and groups
//! are ignored.

use std::borrow::Cow;
use std::fmt::Write;

use super::raw_mesh::{ElementShape, MISSING, RawMesh};
use super::srgb::{encoded, linear};
use super::text::{JOINT, Line, Lines};
use super::unit_comment::unit_comment;
use super::write::Skin;
use super::{Field, FormatError};
use crate::check::Unit;

/// Reads points and faces; polygons become fans of triangles.
pub(super) fn parse(bytes: &[u8]) -> Result<RawMesh, FormatError> {
    let mut mesh = RawMesh::of("Wavefront OBJ");
    let joined = joined_lines(bytes);
    let mut lines = Lines::of(&joined, "#");
    let (mut corners, mut colours) = (Vec::new(), Vec::new());
    while let Some(mut line) = lines.next() {
        match line.next_word() {
            Some(b"v") => {
                mesh.points.push(line.point()?);
                colours.extend(colour(&mut line));
            }
            Some(b"f") => {
                corners.clear();
                while let Some(word) = line.next_word() {
                    let name = corner(&line, word)?;
                    corners.push(place(name, &mut mesh));
                }
                if corners.len() < 3 {
                    return Err(line.unexpected("a face with at least three corners"));
                }
                mesh.add_polygon(&corners);
            }
            Some(b"l") => mesh.skip(ElementShape::Line, 1),
            Some(b"p") => mesh.skip(ElementShape::Point, 1),
            // Other statements do not concern the shape, but bytes that are not text mean that this
            // is not an OBJ file.
            Some(word) if word.iter().all(|byte| byte.is_ascii_graphic()) => {}
            _ => return Err(line.unexpected("a line of text such as `v 0 0 0` or `f 1 2 3`")),
        }
    }
    // Points are named by their number in the file, counted from 1.
    let is_beyond = |corner: &&u32| **corner != MISSING && **corner as usize >= mesh.points.len();
    let beyond = mesh.triangles.iter().enumerate().find_map(|(i, corners)| {
        corners.iter().find(is_beyond).map(|corner| (i, i128::from(*corner) + 1))
    });
    if let Some(beyond) = beyond.filter(|(i, _)| mesh.first_missing.is_none_or(|(at, _)| *i < at)) {
        mesh.first_missing = Some(beyond);
    }
    // If only some points have colours, those of the others are unknown.
    if !colours.is_empty() && colours.len() == mesh.points.len() {
        mesh.fields.push(Field::colours(&colours));
    }
    Ok(mesh)
}

/// Writes points and triangles; reading the numbers gives exactly the same bits.
pub(super) fn written(skin: &Skin, unit: Unit) -> Vec<u8> {
    let mut text = format!("# {}\n", unit_comment(unit));
    for (i, x) in skin.points.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "v {} {} {}", x.x, x.y, x.z);
        if let Some(colour) = skin.colours.as_ref().map(|colours| colours[i]) {
            let [red, green, blue] = colour.map(encoded);
            let _ = write!(text, " {red} {green} {blue}");
        }
        text.push('\n');
    }
    for triangle in &skin.triangles {
        let [a, b, c] = triangle.map(|i| i + 1);
        let _ = writeln!(text, "f {a} {b} {c}");
    }
    text.into_bytes()
}

/// Red, green and blue, as many programs write them after the coordinates. (A single number there
/// is a weight.)
fn colour(line: &mut Line<'_>) -> Option<[f32; 3]> {
    let mut share = || line.word::<f32>("a share").ok().filter(|share| (0.0..=1.0).contains(share));
    let colour = [share()?, share()?, share()?];
    Some(colour.map(linear))
}

/// The number of the point in a word such as `7`, `7/1`, `7//3` or `-1/1/1`.
fn corner(line: &Line<'_>, word: &[u8]) -> Result<i64, FormatError> {
    let number = word.split(|byte| *byte == b'/').next().unwrap_or_default();
    std::str::from_utf8(number)
        .ok()
        .and_then(|number| number.parse().ok())
        .filter(|number| *number != 0)
        .ok_or_else(|| line.unexpected("corners such as 7, 7/1 or 7//3, counted from 1"))
}

/// Index of a point: positive numbers count from the first point, which may come later in the file,
/// negative ones back from the newest.
fn place(name: i64, mesh: &mut RawMesh) -> u32 {
    let place = if name > 0 { name - 1 } else { mesh.points.len() as i64 + name };
    match u32::try_from(place) {
        Ok(place) if place < MISSING => place,
        _ => {
            mesh.note_missing(mesh.triangles.len(), name);
            MISSING
        }
    }
}

/// The text with lines that end with a backslash joined with the next one. The mark of a joint
/// keeps the numbers of lines right.
fn joined_lines(bytes: &[u8]) -> Cow<'_, [u8]> {
    let is_continued = |at: usize| {
        let line = bytes[..at].strip_suffix(b"\r").unwrap_or(&bytes[..at]);
        line.ends_with(b"\\")
    };
    let ends = || bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    if !ends().any(is_continued) {
        return Cow::Borrowed(bytes);
    }
    let mut joined = bytes.to_vec();
    for at in ends().filter(|at| is_continued(*at)) {
        joined[at] = JOINT;
        let backslash = if bytes[at - 1] == b'\r' { at - 2 } else { at - 1 };
        joined[backslash] = b' ';
    }
    Cow::Owned(joined)
}
