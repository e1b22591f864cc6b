//! Gmsh `.msh`, versions 2.2 and 4.1, ASCII and binary of either byte order: nodes and tetrahedra.
//!
//! Nodes have numbers of their own in the file; in memory they are numbered by their position in
//! it. Unknown sections are skipped.

mod element;
mod number_reader;
mod numbering;
mod version2;
mod version4;
mod write;

use super::FormatError;
use super::binary::ByteOrder;
use super::raw_mesh::RawMesh;
use super::text::Scanner;
use number_reader::NumberReader;
use numbering::Numbering;

pub use write::GmshDialect;
pub(super) use write::written;

/// Reads nodes and elements.
pub(super) fn parse(bytes: &[u8]) -> Result<RawMesh, FormatError> {
    let mut scanner = Scanner::of(bytes, "");
    let header = Header::read(&mut scanner)?;
    let mut source = NumberReader { scanner, header };
    let Header { version, form, .. } = header;
    let mut mesh = RawMesh::of(match (version, form) {
        (Version::Two, Form::Text) => "Gmsh 2.2, ASCII",
        (Version::Two, Form::Binary(_)) => "Gmsh 2.2, binary",
        (Version::Four, Form::Text) => "Gmsh 4.1, ASCII",
        (Version::Four, Form::Binary(_)) => "Gmsh 4.1, binary",
    });
    let mut numbering = Numbering::default();
    while let Some(line) = source.scanner.full_line() {
        match (line, version) {
            (b"$Nodes", Version::Two) => version2::nodes(&mut source, &mut mesh, &mut numbering)?,
            (b"$Nodes", Version::Four) => version4::nodes(&mut source, &mut mesh, &mut numbering)?,
            (b"$Elements", Version::Two) => version2::elements(&mut source, &mut mesh, &numbering)?,
            (b"$Elements", Version::Four) => {
                version4::elements(&mut source, &mut mesh, &numbering)?;
            }
            (b"$PhysicalNames", _) => mesh.groups_left_out.extend(names(&mut source.scanner)?),
            ([b'$', name @ ..], _) if name.ends_with(b"Data") => {
                left_out_values(&mut source.scanner, name, &mut mesh)?;
            }
            ([b'$', name @ ..], _) => skip_section(&mut source.scanner, name)?,
            _ if line.starts_with(b"//") => {}
            _ => {
                let expected = "the beginning of a section, such as $Nodes";
                return Err(source.scanner.unexpected(expected, line));
            }
        }
    }
    Ok(mesh)
}

/// The section `$MeshFormat`.
#[derive(Debug, Clone, Copy)]
struct Header {
    version: Version,
    form: Form,
    /// Number of bytes of a count in a binary file of version 4.1.
    count_bytes: usize,
}

#[derive(Debug, Clone, Copy)]
enum Version {
    Two,
    Four,
}

#[derive(Debug, Clone, Copy)]
enum Form {
    Text,
    Binary(ByteOrder),
}

impl Header {
    fn read(scanner: &mut Scanner<'_>) -> Result<Self, FormatError> {
        // Comments may come first.
        while scanner.clone().full_line() == Some(b"$Comments") {
            scanner.full_line();
            skip_section(scanner, b"Comments")?;
        }
        section_mark(scanner, "$MeshFormat")?;
        let version: f64 = scanner.word("the version")?;
        let form: u8 = scanner.word("0 for ASCII or 1 for binary")?;
        let data_bytes: usize = scanner.word("the size of a number")?;
        scanner.next_line();
        let unsupported = |what: &str| {
            FormatError::Unsupported(format!(
                "this is a Gmsh file {what}; versions 2.2 and 4.1 are read \
                 (gmsh -save -format msh41 FILE writes one)"
            ))
        };
        let version = match version {
            4.1 => Version::Four,
            2.0..3.0 => Version::Two,
            _ => return Err(unsupported(&format!("of version {version}"))),
        };
        let form = match form {
            0 => Form::Text,
            1 => Form::Binary(match scanner.array("a number that shows the byte order")? {
                [1, 0, 0, 0] => ByteOrder::Little,
                [0, 0, 0, 1] => ByteOrder::Big,
                other => return Err(unsupported(&format!("of unknown byte order {other:?}"))),
            }),
            _ => return Err(unsupported("that is neither ASCII nor binary")),
        };
        if !matches!((version, data_bytes), (Version::Two, 8) | (Version::Four, 4 | 8)) {
            return Err(unsupported(&format!("with numbers of {data_bytes} bytes")));
        }
        section_mark(scanner, "$EndMeshFormat")?;
        Ok(Self { version, form, count_bytes: data_bytes })
    }
}

fn section_mark(scanner: &mut Scanner<'_>, mark: &str) -> Result<(), FormatError> {
    let line = scanner.full_line().ok_or_else(|| FormatError::Ends(mark.to_owned()))?;
    if line == mark.as_bytes() { Ok(()) } else { Err(scanner.unexpected(mark, line)) }
}

/// Names of groups, each in quotes at the end of a text line, even in binary files.
fn names(scanner: &mut Scanner<'_>) -> Result<Vec<String>, FormatError> {
    const END: &str = "$EndPhysicalNames";
    let mut names = Vec::new();
    while let Some(line) = scanner.next_line() {
        if line == END.as_bytes() {
            return Ok(names);
        }
        names.extend(quoted(line));
    }
    Err(FormatError::Ends(END.to_owned()))
}

/// Notes a section such as `$NodeData` as left out; its name follows a count, even in binary files.
fn left_out_values(
    scanner: &mut Scanner<'_>,
    section: &[u8],
    mesh: &mut RawMesh,
) -> Result<(), FormatError> {
    let mut ahead = scanner.clone();
    ahead.next_line();
    let name = ahead.next_line().and_then(quoted);
    mesh.leave_out(&name.unwrap_or_else(|| String::from_utf8_lossy(section).into_owned()));
    skip_section(scanner, section)
}

/// Text between the first and the last quote of a line.
fn quoted(line: &[u8]) -> Option<String> {
    let first = line.iter().position(|byte| *byte == b'"')?;
    let last = line.iter().rposition(|byte| *byte == b'"').filter(|last| *last > first)?;
    Some(String::from_utf8_lossy(&line[first + 1..last]).into_owned())
}

/// Skips a section, which may hold any bytes, up to the line after its end mark.
fn skip_section(scanner: &mut Scanner<'_>, name: &[u8]) -> Result<(), FormatError> {
    let end = [b"$End", name].concat();
    while let Some(line) = scanner.next_line() {
        // After binary numbers, the mark need not be at the beginning of a line.
        if line.ends_with(&end) {
            return Ok(());
        }
    }
    Err(FormatError::Ends(String::from_utf8_lossy(&end).into_owned()))
}
