//! The sections of version 4.1: blocks, one for each piece of the model.

use super::super::FormatError;
use super::super::binary::ByteOrder;
use super::super::raw_mesh::{ElementShape, MISSING, RawMesh};
use super::element::element_type;
use super::number_reader::{NumberReader, size};
use super::numbering::{Numbering, signed};
use super::{Form, section_mark};

/// `$Nodes`: in each block, first the numbers of its nodes, then their positions.
pub(super) fn nodes(
    source: &mut NumberReader<'_>,
    mesh: &mut RawMesh,
    numbering: &mut Numbering,
) -> Result<(), FormatError> {
    let n_blocks = source.count("the number of blocks of nodes")?;
    let n_announced = source.count("the number of nodes")?;
    for what in ["the least number of a node", "the greatest"] {
        source.count(what)?;
    }
    let mut numbers = Vec::new();
    for _ in 0..n_blocks {
        let dimension = source.integer("the dimension of an entity")?;
        source.integer("the number of an entity")?;
        let has_parameters = source.integer("0, or 1 for parameters")? != 0;
        let n_parameters = if has_parameters { dimension.clamp(0, 3) as usize } else { 0 };
        let n = size(source.count("the number of nodes in a block")?);
        source.counts(n, 1, "the number of a node", &mut numbers)?;
        source.points(n, n_parameters, &mut mesh.points)?;
    }
    if numbers.len() < mesh.points.len() {
        return Err(source.scanner.unexpected("nodes in one section only", b"$Nodes"));
    }
    check_count("$Nodes", n_announced, numbers.len() as u64)?;
    *numbering = Numbering::of(&numbers)?;
    section_mark(&mut source.scanner, "$EndNodes")
}

/// `$Elements`: in each block, elements of one type, each a number and its nodes.
pub(super) fn elements(
    source: &mut NumberReader<'_>,
    mesh: &mut RawMesh,
    numbering: &Numbering,
) -> Result<(), FormatError> {
    let n_blocks = source.count("the number of blocks of elements")?;
    let n_announced = source.count("the number of elements")?;
    for what in ["the least number of an element", "the greatest"] {
        source.count(what)?;
    }
    let mut n_found = 0_u64;
    for _ in 0..n_blocks {
        source.integer("the dimension of an entity")?;
        source.integer("the number of an entity")?;
        let kind = element_type(source.integer("the type of elements")?)?;
        let n = source.count("the number of elements in a block")?;
        n_found = n_found.saturating_add(n);
        let n = size(n);
        if let Form::Binary(order) = source.header.form
            && kind.shape == ElementShape::Tetrahedron
            && kind.n_nodes == 4
            && source.header.count_bytes == 8
        {
            tetrahedra(source, n, order, mesh, numbering)?;
            continue;
        }
        let mut rows = Vec::new();
        source.counts(n, 1 + kind.n_nodes, "an element", &mut rows)?;
        let mut places = Vec::with_capacity(kind.n_nodes);
        for row in rows.chunks_exact(1 + kind.n_nodes) {
            places.clear();
            places.extend(row[1..].iter().map(|number| numbering.place(*number)));
            if let Some(i) = places.iter().position(|place| *place == MISSING) {
                mesh.note_missing(mesh.tetrahedra.len(), signed(row[1 + i]));
            }
            mesh.add(kind, &places)?;
        }
    }
    check_count("$Elements", n_announced, n_found)?;
    section_mark(&mut source.scanner, "$EndElements")
}

/// Compares the count in the first line of a section with that of all its blocks.
fn check_count(section: &str, announced: u64, found: u64) -> Result<(), FormatError> {
    if announced == found {
        return Ok(());
    }
    Err(FormatError::Damaged {
        what: format!("the section {section}"),
        why: format!("it announces {} items, but its blocks hold {found}", signed(announced)),
    })
}

/// Tetrahedra as most large files have them: rows of five numbers of eight bytes.
fn tetrahedra(
    source: &mut NumberReader<'_>,
    n: usize,
    order: ByteOrder,
    mesh: &mut RawMesh,
    numbering: &Numbering,
) -> Result<(), FormatError> {
    const ROW: usize = 40;
    let bytes = source.scanner.take(n, ROW, "tetrahedra")?;
    let rows = bytes.as_chunks::<ROW>().0;
    let names = |row: &[u8; ROW]| {
        let (words, _) = row.as_chunks();
        [1, 2, 3, 4].map(|i| order.u64(words[i]))
    };
    numbering.take_tetrahedra(rows.iter().map(names), mesh);
    Ok(())
}
