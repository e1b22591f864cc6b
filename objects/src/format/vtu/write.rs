//! Writes `.vtu` files, with raw bytes after the document, which keep every bit.

use std::fmt::Write;

use physics::TetMesh;

use super::super::field::{Field, FieldPlace};
use super::super::unit_comment::unit_comment;
use crate::check::Unit;

const TETRAHEDRON: u8 = 10;

/// The bytes of a file with this mesh as a single piece.
pub(in super::super) fn written(mesh: &TetMesh, fields: &[Field], unit: Unit) -> Vec<u8> {
    let mut sink = Sink::default();
    let n_cells = mesh.elements().len();
    sink.text(&format!("<?xml version=\"1.0\"?>\n<!-- {} -->\n", unit_comment(unit)));
    sink.text("<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" ");
    sink.text("header_type=\"UInt64\">\n<UnstructuredGrid>\n");
    let n_points = mesh.n_nodes();
    sink.text(&format!("<Piece NumberOfPoints=\"{n_points}\" NumberOfCells=\"{n_cells}\">\n"));
    for (place, section) in [(FieldPlace::Nodes, "PointData"), (FieldPlace::Elements, "CellData")] {
        sink.text(&format!("<{section}>\n"));
        for field in fields.iter().filter(|field| field.place() == place) {
            let data = field.values().iter().flat_map(|value| value.to_le_bytes());
            let name = escaped(field.name());
            let shape = (field.n_components(), field.component_names(), field.unit());
            sink.named_array("Float64", &name, shape, data);
        }
        sink.text(&format!("</{section}>\n"));
    }
    sink.text("<Points>\n");
    let coordinates = mesh.rest_positions().iter().flat_map(|x| [x.x, x.y, x.z]);
    sink.array("Float64", "Points", 3, coordinates.flat_map(f64::to_le_bytes));
    sink.text("</Points>\n<Cells>\n");
    let corners = mesh.elements().as_flattened().iter().map(|node| i64::from(node.0));
    sink.array("Int64", "connectivity", 1, corners.flat_map(i64::to_le_bytes));
    let ends = (1..=n_cells as i64).map(|i| 4 * i);
    sink.array("Int64", "offsets", 1, ends.flat_map(i64::to_le_bytes));
    sink.array("UInt8", "types", 1, std::iter::repeat_n(TETRAHEDRON, n_cells));
    sink.text("</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
    sink.document.extend_from_slice(&sink.appended);
    sink.text("\n</AppendedData>\n</VTKFile>\n");
    sink.document
}

#[derive(Default)]
struct Sink {
    document: Vec<u8>,
    appended: Vec<u8>,
}

impl Sink {
    fn text(&mut self, text: &str) {
        self.document.extend_from_slice(text.as_bytes());
    }

    fn array(
        &mut self,
        kind: &str,
        name: &str,
        n_components: usize,
        data: impl Iterator<Item = u8>,
    ) {
        self.named_array(kind, name, (n_components, &[], None), data);
    }

    fn named_array(
        &mut self,
        kind: &str,
        name: &str,
        (n_components, component_names, unit): (usize, &[String], Option<&str>),
        data: impl Iterator<Item = u8>,
    ) {
        let offset = self.appended.len();
        self.text(&format!("<DataArray type=\"{kind}\" Name=\"{name}\""));
        // One is the default, and some programs make rows of one if the attribute is there.
        if n_components != 1 {
            self.text(&format!(" NumberOfComponents=\"{n_components}\""));
        }
        for (i, name) in component_names.iter().enumerate() {
            self.text(&format!(" ComponentName{i}=\"{}\"", escaped(name)));
        }
        self.text(&format!(" format=\"appended\" offset=\"{offset}\""));
        match unit {
            // The key by which VTK keeps units.
            Some(unit) => self.text(&format!(
                "><InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">{unit}</InformationKey>\
                 </DataArray>\n"
            )),
            None => self.text("/>\n"),
        }
        // The length is filled in after the data.
        self.appended.extend([0; 8]);
        self.appended.extend(data);
        let length = (self.appended.len() - offset - 8) as u64;
        self.appended[offset..offset + 8].copy_from_slice(&length.to_le_bytes());
    }
}

/// Escapes a name for an XML attribute.
fn escaped(name: &str) -> String {
    name.chars().fold(String::new(), |mut text, letter| {
        match letter {
            '&' | '<' | '>' | '"' | '\'' | '\0'..=' ' => {
                // Writing to a string cannot fail.
                let _ = write!(text, "&#{};", u32::from(letter));
            }
            _ => text.push(letter),
        }
        text
    })
}
