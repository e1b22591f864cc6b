//! Writes `.msh` files.

use physics::TetMesh;

use super::super::unit_comment::unit_comment;
use crate::check::Unit;

/// A version and form of `.msh`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GmshDialect {
    /// 4.1, binary: fast and exact.
    #[default]
    Binary4,
    /// 4.1, ASCII.
    Text4,
    /// 2.2, binary.
    Binary2,
    /// 2.2, ASCII: the most widely supported dialect.
    Text2,
}

/// The bytes of a file with this mesh as a single volume. Nodes and elements are counted from 1.
pub(in super::super) fn written(mesh: &TetMesh, dialect: GmshDialect, unit: Unit) -> Vec<u8> {
    let mut sink = Sink { bytes: Vec::new(), dialect };
    let (version, form) = match dialect {
        GmshDialect::Binary4 => ("4.1", 1),
        GmshDialect::Text4 => ("4.1", 0),
        GmshDialect::Binary2 => ("2.2", 1),
        GmshDialect::Text2 => ("2.2", 0),
    };
    sink.text(&format!("$MeshFormat\n{version} {form} 8\n"));
    if sink.is_binary() {
        sink.bytes.extend(1_u32.to_le_bytes());
        sink.text("\n");
    }
    sink.text(&format!("$EndMeshFormat\n$Comments\n{}\n$EndComments\n", unit_comment(unit)));
    match dialect {
        GmshDialect::Binary4 | GmshDialect::Text4 => version4(mesh, &mut sink),
        GmshDialect::Binary2 | GmshDialect::Text2 => version2(mesh, &mut sink),
    }
    sink.bytes
}

const TETRAHEDRON: u32 = 4;

fn version4(mesh: &TetMesh, sink: &mut Sink) {
    let (n_nodes, n_elements) = (mesh.n_nodes() as u64, mesh.elements().len() as u64);
    sink.text("$Nodes\n");
    sink.row(&[], &[1, n_nodes, 1, n_nodes], &[]);
    // Dimension and number of the volume, no parameters.
    sink.row(&[3, 1, 0], &[n_nodes], &[]);
    for number in 1..=n_nodes {
        sink.row(&[], &[number], &[]);
    }
    for x in mesh.rest_positions() {
        sink.row(&[], &[], &[x.x, x.y, x.z]);
    }
    sink.end("$EndNodes\n");
    sink.text("$Elements\n");
    sink.row(&[], &[1, n_elements, 1, n_elements], &[]);
    sink.row(&[3, 1, TETRAHEDRON], &[n_elements], &[]);
    for (nodes, number) in mesh.elements().iter().zip(1..) {
        let [a, b, c, d] = nodes.map(|node| u64::from(node.0) + 1);
        sink.row(&[], &[number, a, b, c, d], &[]);
    }
    sink.end("$EndElements\n");
}

fn version2(mesh: &TetMesh, sink: &mut Sink) {
    sink.text(&format!("$Nodes\n{}\n", mesh.n_nodes()));
    for (x, number) in mesh.rest_positions().iter().zip(1..) {
        sink.row(&[number], &[], &[x.x, x.y, x.z]);
    }
    sink.end("$EndNodes\n");
    sink.text(&format!("$Elements\n{}\n", mesh.elements().len()));
    // Two tags: no physical group, and the number of the volume.
    if sink.is_binary() {
        sink.row(&[TETRAHEDRON, mesh.elements().len() as u32, 2], &[], &[]);
    }
    for (nodes, number) in mesh.elements().iter().zip(1..) {
        let [a, b, c, d] = nodes.map(|node| node.0 + 1);
        if sink.is_binary() {
            sink.row(&[number, 0, 1, a, b, c, d], &[], &[]);
        } else {
            sink.row(&[number, TETRAHEDRON, 2, 0, 1, a, b, c, d], &[], &[]);
        }
    }
    sink.end("$EndElements\n");
}

struct Sink {
    bytes: Vec<u8>,
    dialect: GmshDialect,
}

impl Sink {
    fn is_binary(&self) -> bool {
        matches!(self.dialect, GmshDialect::Binary4 | GmshDialect::Binary2)
    }

    fn text(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Writes integers, counts and coordinates, as a line of words or as bytes.
    fn row(&mut self, integers: &[u32], counts: &[u64], coordinates: &[f64]) {
        if self.is_binary() {
            self.bytes.extend(integers.iter().flat_map(|integer| integer.to_le_bytes()));
            self.bytes.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
            self.bytes.extend(coordinates.iter().flat_map(|x| x.to_le_bytes()));
            return;
        }
        let words = integers
            .iter()
            .map(u32::to_string)
            .chain(counts.iter().map(u64::to_string))
            .chain(coordinates.iter().map(f64::to_string));
        for (i, word) in words.enumerate() {
            if i > 0 {
                self.text(" ");
            }
            self.text(&word);
        }
        self.text("\n");
    }

    /// Writes the end of a section, on a line of its own.
    fn end(&mut self, mark: &str) {
        if self.is_binary() {
            self.text("\n");
        }
        self.text(mark);
    }
}
