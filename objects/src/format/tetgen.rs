//! TetGen's `.node`, `.ele` and `.face`: nodes, tetrahedra and triangles in files with the same
//! name.
//!
//! Numbers count from 0 or from 1; the first node shows which. Attributes of nodes and tetrahedra
//! become fields; the first attribute of a tetrahedron is its region.

use super::raw_mesh::{ElementShape, ElementType, MISSING, RawMesh};
use super::text::{Line, Lines};
use super::{Field, FieldPlace, FormatError, Limits, MOST_FIELDS, NumberKind, Sibling, Siblings};

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
    let are_nodes_first = nodes.is_some();
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
    let beside = |extension: &str| {
        let name = extension.to_owned();
        move |error| FormatError::InSibling { name, error: Box::new(error) }
    };
    let base = match are_nodes_first {
        true => read_nodes(nodes, &mut mesh)?,
        false => read_nodes(nodes, &mut mesh).map_err(beside(".node"))?,
    };
    if let Some(elements) = elements {
        let read = read_rows(elements, ElementShape::Tetrahedron, base, &mut mesh);
        if are_nodes_first { read.map_err(beside(".ele"))? } else { read? }
    }
    if let Some(faces) = &faces {
        read_rows(faces, ElementShape::Triangle, base, &mut mesh).map_err(beside(".face"))?;
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
    let mut attributes = Attributes::announced(&mut head);
    let has_markers = head.word::<u64>("").is_ok_and(|n| n > 0);
    let mut markers = Markers::default();
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
        mesh.points.push(line.point()?);
        attributes.read(&mut line)?;
        if has_markers {
            markers.read(&mut line)?;
        }
    }
    lines.end("the end of the file after the nodes that its first line announces")?;
    attributes.add_to(mesh, FieldPlace::Nodes, "attribute");
    markers.leave_out(mesh, "boundary markers of nodes");
    Ok(base)
}

/// Attributes in the columns after nodes or elements.
struct Attributes {
    n_columns: usize,
    values: Vec<f64>,
}

impl Attributes {
    /// As many as the first line of a file announces; none if it does not.
    fn announced(head: &mut Line<'_>) -> Self {
        Self { n_columns: head.word("").unwrap_or(0), values: Vec::new() }
    }

    fn read(&mut self, line: &mut Line<'_>) -> Result<(), FormatError> {
        for _ in 0..self.n_columns {
            self.values.push(line.word("an attribute, as the first line announces")?);
        }
        Ok(())
    }

    /// Adds a field for each column that differs between rows; equal numbers tell nothing apart.
    fn add_to(self, mesh: &mut RawMesh, place: FieldPlace, name: &str) {
        if self.values.is_empty() {
            return;
        }
        for column in 0..self.n_columns.min(MOST_FIELDS) {
            let rows = self.values.chunks_exact(self.n_columns);
            let values: Vec<f64> = rows.map(|row| row[column]).collect();
            let name = match (place, column) {
                (FieldPlace::Elements, 0) => "region".to_owned(),
                _ => format!("{name} {}", column + 1),
            };
            add_if_it_differs(mesh, &name, place, values);
        }
        if self.n_columns > MOST_FIELDS {
            mesh.leave_out(&format!("{name}s from {} on", MOST_FIELDS + 1));
        }
    }
}

/// Boundary markers, which are only compared with each other.
#[derive(Default)]
pub(super) struct Markers {
    first: Option<f64>,
    are_different: bool,
}

impl Markers {
    fn read(&mut self, line: &mut Line<'_>) -> Result<(), FormatError> {
        self.note(line.word("a boundary marker, as the first line announces")?);
        Ok(())
    }

    pub(super) fn note(&mut self, marker: f64) {
        self.are_different |= *self.first.get_or_insert(marker) != marker;
    }

    /// Notes the markers as left out, if they tell anything apart.
    pub(super) fn leave_out(&self, mesh: &mut RawMesh, name: &str) {
        if self.are_different {
            mesh.leave_out(name);
        }
    }
}

/// Adds values as a field, unless all are equal.
pub(super) fn add_if_it_differs(
    mesh: &mut RawMesh,
    name: &str,
    place: FieldPlace,
    values: Vec<f64>,
) {
    if values.windows(2).all(|pair| pair[0] == pair[1]) {
        return;
    }
    let is_whole = values.iter().all(|value| value.fract() == 0.0);
    let numbers = if is_whole { NumberKind::Whole } else { NumberKind::Floating };
    if let Ok(field) = Field::new(name, place, 1, values) {
        mesh.fields.push(field.with_numbers(numbers));
    }
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
    let (mut attributes, has_markers) = match shape {
        ElementShape::Tetrahedron => (Attributes::announced(&mut head), false),
        _ => (
            Attributes { n_columns: 0, values: Vec::new() },
            head.word::<u64>("").is_ok_and(|n| n > 0),
        ),
    };
    let mut markers = Markers::default();
    let mut places = Vec::with_capacity(n_nodes);
    for _ in 0..n {
        let mut line = lines.expect("an element")?;
        line.word::<u64>("the number of an element")?;
        places.clear();
        for _ in 0..n_nodes {
            places.push(place(&mut line, base, mesh)?);
        }
        mesh.add(kind, &places)?;
        attributes.read(&mut line)?;
        if has_markers {
            markers.read(&mut line)?;
        }
    }
    lines.end("the end of the file after the elements that its first line announces")?;
    attributes.add_to(mesh, FieldPlace::Elements, "attribute of elements");
    markers.leave_out(mesh, "boundary markers of faces");
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
