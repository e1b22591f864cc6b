//! The sections of version 2.2: one flat list of nodes, one of elements.

use super::super::FormatError;
use super::super::binary::ByteOrder;
use super::super::raw_mesh::{ElementShape, ElementType, MISSING, RawMesh};
use super::element::element_type;
use super::number_reader::{NumberReader, point, size};
use super::numbering::{Numbering, signed};
use super::{Form, section_mark};

/// `$Nodes`: a number and three coordinates for each.
pub(super) fn nodes(
    source: &mut NumberReader<'_>,
    mesh: &mut RawMesh,
    numbering: &mut Numbering,
) -> Result<(), FormatError> {
    const ROW: usize = 4 + 3 * 8;
    if !mesh.points.is_empty() {
        return Err(source.scanner.unexpected("nodes in one section only", b"$Nodes"));
    }
    let n: u64 = source.scanner.word("the number of nodes")?;
    let n = size(n);
    let mut numbers = Vec::new();
    match source.header.form {
        Form::Text => {
            for _ in 0..n {
                numbers.push(source.scanner.word("the number of a node")?);
                mesh.points.push(source.scanner.point()?);
            }
        }
        Form::Binary(order) => {
            source.scanner.next_line();
            let rows = source.scanner.take(n, ROW, "nodes")?.as_chunks::<ROW>().0;
            numbers
                .extend(rows.iter().map(|row| number(*row.first_chunk().expect("4 of 28"), order)));
            let coordinates = rows.iter().map(|row| row.last_chunk().expect("24 of 28"));
            mesh.points.extend(coordinates.map(|bytes| point(bytes, order)));
        }
    }
    *numbering = Numbering::of(&numbers)?;
    section_mark(&mut source.scanner, "$EndNodes")
}

/// `$Elements`: number, type, tags, nodes. Binary files have runs of one type, each after a header.
pub(super) fn elements(
    source: &mut NumberReader<'_>,
    mesh: &mut RawMesh,
    numbering: &Numbering,
) -> Result<(), FormatError> {
    let n: u64 = source.scanner.word("the number of elements")?;
    match source.header.form {
        Form::Text => {
            for _ in 0..n {
                text_element(source, mesh, numbering)?;
            }
        }
        Form::Binary(order) => {
            source.scanner.next_line();
            let mut n_left = n;
            while n_left > 0 {
                let n_run = run(source, n_left, order, mesh, numbering)?;
                n_left -= n_run;
            }
        }
    }
    section_mark(&mut source.scanner, "$EndElements")
}

fn text_element(
    source: &mut NumberReader<'_>,
    mesh: &mut RawMesh,
    numbering: &Numbering,
) -> Result<(), FormatError> {
    let scanner = &mut source.scanner;
    scanner.word::<i64>("the number of an element")?;
    let kind = element_type(scanner.word("the type of an element")?)?;
    let n_tags: u64 = scanner.word("the number of tags")?;
    for _ in 0..n_tags {
        scanner.word::<i64>("a tag")?;
    }
    let mut places = Vec::with_capacity(kind.n_nodes);
    for _ in 0..kind.n_nodes {
        let name: i64 = scanner.word("the number of a node")?;
        let place = u64::try_from(name).map_or(MISSING, |name| numbering.place(name));
        if place == MISSING {
            mesh.note_missing(mesh.tetrahedra.len(), name);
        }
        places.push(place);
    }
    mesh.add(kind, &places)
}

/// Reads elements of one type after a header of three numbers; returns how many.
fn run(
    source: &mut NumberReader<'_>,
    n_left: u64,
    order: ByteOrder,
    mesh: &mut RawMesh,
    numbering: &Numbering,
) -> Result<u64, FormatError> {
    let kind = element_type(source.integer("the type of elements")?)?;
    let n_run = source.integer("the number of elements that follow")?;
    let n_tags = source.integer("the number of tags")?;
    let (Ok(n_run), Ok(n_tags)) = (u64::try_from(n_run), usize::try_from(n_tags)) else {
        return Err(damaged("negative counts"));
    };
    if !(1..=n_left).contains(&n_run) {
        return Err(damaged("runs that are empty or longer than the section"));
    }
    let row_bytes = 4 * (1 + n_tags + kind.n_nodes);
    let bytes = source.scanner.take(size(n_run), row_bytes, "elements")?;
    if kind == (ElementType { shape: ElementShape::Tetrahedron, n_nodes: 4 }) {
        // Gmsh writes two tags, and a loop over rows of known length is several times faster.
        match n_tags {
            2 => tetrahedra(bytes.as_chunks::<28>().0.iter().map(last), order, mesh, numbering),
            _ => {
                let rows = bytes.chunks_exact(row_bytes).filter_map(|row| row.last_chunk());
                tetrahedra(rows, order, mesh, numbering);
            }
        }
        return Ok(n_run);
    }
    let mut places = Vec::with_capacity(kind.n_nodes);
    for row in bytes.chunks_exact(row_bytes) {
        places.clear();
        for bytes in row[4 * (1 + n_tags)..].as_chunks().0 {
            let name = number(*bytes, order);
            let place = numbering.place(name);
            if place == MISSING {
                mesh.note_missing(mesh.tetrahedra.len(), signed(name));
            }
            places.push(place);
        }
        mesh.add(kind, &places)?;
    }
    Ok(n_run)
}

fn tetrahedra<'a>(
    rows: impl Iterator<Item = &'a [u8; 16]> + Clone,
    order: ByteOrder,
    mesh: &mut RawMesh,
    numbering: &Numbering,
) {
    let names = |row: &[u8; 16]| {
        let (words, _) = row.as_chunks();
        [0, 1, 2, 3].map(|i| number(words[i], order))
    };
    numbering.take_tetrahedra(rows.map(names), mesh);
}

fn last(row: &[u8; 28]) -> &[u8; 16] {
    row.last_chunk().expect("16 of 28")
}

/// Numbers are `int`s; a negative one becomes one beyond all others, which names no node.
fn number(bytes: [u8; 4], order: ByteOrder) -> u64 {
    i64::from(order.i32(bytes)).cast_unsigned()
}

fn damaged(why: &str) -> FormatError {
    FormatError::Damaged { what: "the list of elements".to_owned(), why: why.to_owned() }
}
