//! TetGen's `.node`, `.ele` and `.face`: nodes, tetrahedra and triangles in files with the same
//! name.
//!
//! Numbers count from 0 or from 1; the first node shows which.

use super::raw_mesh::{ElementShape, ElementType, MISSING, RawMesh};
use super::text::{Line, Lines};
use super::{FormatError, Limits, Sibling, Siblings};

/// Reads the files; those that are not given are requested as siblings.
pub(super) fn parse(
    nodes: Option<&[u8]>,
    elements: Option<&[u8]>,
    siblings: &mut Siblings<'_>,
    limits: &Limits,
) -> Result<RawMesh, FormatError> {
    let mut fetch = |extension: &str| {
        let fetched = siblings(Sibling::Extension(extension));
        match &fetched {
            Some(bytes) if bytes.len() > limits.file_bytes => {
                Err(FormatError::TooLarge { what: "too many bytes", most: limits.file_bytes })
            }
            _ => Ok(fetched),
        }
    };
    let fetched_nodes;
    let nodes = match nodes {
        Some(nodes) => nodes,
        None => {
            fetched_nodes = fetch("node")?.ok_or(FormatError::NoSibling(".node".to_owned()))?;
            &fetched_nodes
        }
    };
    let fetched_elements;
    let elements = match elements {
        Some(elements) => Some(elements),
        None => {
            fetched_elements = fetch("ele")?;
            fetched_elements.as_deref()
        }
    };
    let faces = fetch("face")?;
    if elements.is_none() && faces.is_none() {
        return Err(FormatError::NoSibling(".ele".to_owned()));
    }
    let mut mesh = RawMesh::of("TetGen");
    let base = read_nodes(nodes, &mut mesh)?;
    if let Some(elements) = elements {
        read_rows(elements, ElementShape::Tetrahedron, base, &mut mesh)?;
    }
    if let Some(faces) = &faces {
        read_rows(faces, ElementShape::Triangle, base, &mut mesh)?;
    }
    Ok(mesh)
}

/// Reads the nodes; returns the number of the first one, 0 or 1.
fn read_nodes(bytes: &[u8], mesh: &mut RawMesh) -> Result<u64, FormatError> {
    let mut lines = Lines::of(bytes, "#");
    let mut head = lines.expect("the number of nodes")?;
    let n: u64 = head.word("the number of nodes")?;
    let dimension: u32 = head.word("3, the dimension")?;
    if dimension != 3 {
        return Err(head.unexpected("nodes in three dimensions"));
    }
    let mut base = 0;
    for i in 0..n {
        let mut line = lines.expect("a node")?;
        let number: u64 = line.word("the number of a node")?;
        if i == 0 {
            base = number;
        }
        if number.checked_sub(base) != Some(i) || base > 1 {
            return Err(line.unexpected("nodes that are counted from 0 or 1 and in order"));
        }
        // Attributes and a boundary marker may follow.
        mesh.points.push(line.point()?);
    }
    Ok(base)
}

/// Reads elements or faces: a number, the nodes, and then data for TetGen only.
fn read_rows(
    bytes: &[u8],
    shape: ElementShape,
    base: u64,
    mesh: &mut RawMesh,
) -> Result<(), FormatError> {
    let mut lines = Lines::of(bytes, "#");
    let mut head = lines.expect("a count")?;
    let n: u64 = head.word("a count")?;
    let n_nodes = if shape == ElementShape::Tetrahedron {
        match head.word::<usize>("4 or 10, the nodes of a tetrahedron")? {
            n @ (4 | 10) => n,
            _ => return Err(head.unexpected("4 or 10 nodes for each tetrahedron")),
        }
    } else {
        3
    };
    let kind = ElementType { shape, n_nodes };
    let mut places = Vec::with_capacity(n_nodes);
    for _ in 0..n {
        let mut line = lines.expect("an element")?;
        line.word::<u64>("the number of an element")?;
        places.clear();
        for _ in 0..n_nodes {
            places.push(place(&mut line, base, mesh)?);
        }
        mesh.add(kind, &places)?;
    }
    Ok(())
}

fn place(line: &mut Line<'_>, base: u64, mesh: &mut RawMesh) -> Result<u32, FormatError> {
    let name: u64 = line.word("the number of a node")?;
    let place = name.checked_sub(base).filter(|place| *place < mesh.points.len() as u64);
    if place.is_none() {
        mesh.note_missing(mesh.tetrahedra.len(), name);
    }
    Ok(place.map_or(MISSING, |place| place as u32))
}
