//! Gmsh `.msh`, version 2.2, ASCII: nodes and four-node tetrahedra.
//!
//! Nodes have numbers of their own in the file; ours are their places in it. Points, lines and faces
//! are passed over, sections that we do not know as well; other volumes are refused.

use std::collections::HashMap;

use physics::{NodeId, TetMesh};

use super::FormatError;
use super::text::Lines;

/// Element type of a four-node tetrahedron.
const TETRAHEDRON: u32 = 4;

/// Types without volume, which are passed over: points, lines, triangles and quadrangles of all orders.
const THINNER: [u32; 21] =
    [1, 2, 3, 8, 9, 10, 15, 16, 20, 21, 22, 23, 24, 25, 26, 27, 28, 36, 37, 38, 62];

/// Reads nodes and tetrahedra.
pub fn read_gmsh(bytes: &[u8]) -> Result<TetMesh, FormatError> {
    let mut lines = Lines::of(bytes, "//")?;
    let mut nodes = Vec::new();
    let mut node_of_number = HashMap::new();
    let mut elements = Vec::new();
    check_version(&mut lines)?;
    while let Some(line) = lines.next() {
        match line.text() {
            "$Nodes" => {
                let n: usize = lines.expect("the number of nodes")?.word("the number of nodes")?;
                for _ in 0..n {
                    let mut line = lines.expect("a node")?;
                    let number: u64 = line.word("the number of a node")?;
                    let id = NodeId(nodes.len() as u32);
                    if node_of_number.insert(number, id).is_some() {
                        return Err(line.unexpected("a node with a number of its own"));
                    }
                    nodes.push(line.point()?);
                }
                end_section(&mut lines, "$EndNodes")?;
            }
            "$Elements" => {
                let n: usize =
                    lines.expect("the number of elements")?.word("the number of elements")?;
                for _ in 0..n {
                    elements.extend(tetrahedron(&mut lines, &node_of_number)?);
                }
                end_section(&mut lines, "$EndElements")?;
            }
            name if name.starts_with('$') => skip_section(&mut lines, name)?,
            _ => return Err(line.unexpected("the beginning of a section, such as $Nodes")),
        }
    }
    Ok(TetMesh::new(nodes, elements)?)
}

fn check_version(lines: &mut Lines<'_>) -> Result<(), FormatError> {
    let first = lines.expect("$MeshFormat")?;
    if first.text() != "$MeshFormat" {
        return Err(first.unexpected("$MeshFormat"));
    }
    let mut line = lines.expect("the version")?;
    let version: String = line.word("the version")?;
    let is_binary: u8 = line.word("0 for ASCII or 1 for binary")?;
    if !version.starts_with("2.") || is_binary != 0 {
        return Err(FormatError::Unsupported(format!(
            "this is a {} Gmsh file of version {version}; only ASCII files of version 2.2 are read so far \
             (gmsh -save -format msh22 FILE writes one)",
            if is_binary == 0 { "text" } else { "binary" }
        )));
    }
    end_section(lines, "$EndMeshFormat")
}

/// The nodes of the next element if it is a tetrahedron.
fn tetrahedron(
    lines: &mut Lines<'_>,
    node_of_number: &HashMap<u64, NodeId>,
) -> Result<Option<[NodeId; 4]>, FormatError> {
    let mut line = lines.expect("an element")?;
    let number: u64 = line.word("the number of an element")?;
    let kind: u32 = line.word("the type of an element")?;
    let n_tags: usize = line.word("the number of tags")?;
    if kind != TETRAHEDRON && !THINNER.contains(&kind) {
        return Err(FormatError::Unsupported(format!(
            "element {number} is of Gmsh's type {kind}, expected only four-node tetrahedra (type 4) beside \
             points, lines and faces"
        )));
    }
    if kind != TETRAHEDRON {
        return Ok(None);
    }
    for _ in 0..n_tags {
        line.word::<i64>("a tag")?;
    }
    let mut nodes = [NodeId(0); 4];
    for node in &mut nodes {
        let number: u64 = line.word("the number of a node")?;
        *node = *node_of_number
            .get(&number)
            .ok_or_else(|| line.unexpected(&format!("nodes that exist, not {number}")))?;
    }
    line.end()?;
    Ok(Some(nodes))
}

fn end_section(lines: &mut Lines<'_>, end: &str) -> Result<(), FormatError> {
    let line = lines.expect(end)?;
    if line.text() == end { Ok(()) } else { Err(line.unexpected(end)) }
}

fn skip_section(lines: &mut Lines<'_>, name: &str) -> Result<(), FormatError> {
    let end = format!("$End{}", &name[1..]);
    while lines.expect(&end)?.text() != end {}
    Ok(())
}
