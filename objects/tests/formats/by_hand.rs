//! Reads small files written by hand, valid and broken.

use std::path::Path;

use objects::format::{
    Field, FieldPlace, FormatError, NumberKind, Sibling, no_siblings, open, read,
};
use objects::{FileKind, OpenedObject, ReadingOptions};
use physics::{NodeId, TetMesh};

use super::{check_error, surface};

/// A file as Gmsh writes it: node numbers with gaps, a physical name, triangles among the elements.
const GMSH: &str = "\
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
3 1 \"body\"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 0.1 0 0
5 0 0.1 0
9 0 0 0.1
10 0.1 0.1 0.1
$EndNodes
$Elements
4
1 15 2 0 1 1
2 2 2 0 1 1 2 5
3 4 2 1 1 1 2 5 9
4 4 3 1 1 0 2 10 5 9
$EndElements
";

const THESIS: &str = "\
# one tetrahedron
vertices 4
0 0 0
0.1 0 0
0 1e-1 0
0 0 0.1
elements 1
0 1 2 3
faces 1
0 2 1
";

const OBJ: &str = "\
# a pyramid with a square base, in several ways to name corners
mtllib stone.mtl
v 0 0 0
v 0.1 0 0
v 0.1 0.1 0 1.0
v 0 0.1 0
v 0.05 0.05 0.1
vn 0 0 -1
usemtl stone
f 4//1 3//1 2//1 1//1
f 1/1 2/1 5/1
f 2 3 5
f -3/1/1 -2/1/1 -1/1/1
f 4 1 5
";

fn gmsh(from: &str, to: &str) -> Result<TetMesh, FormatError> {
    read(Path::new("thing.msh"), GMSH.replacen(from, to, 1).as_bytes())
}

fn thesis(from: &str, to: &str) -> Result<TetMesh, FormatError> {
    read(Path::new("thing.obj3"), THESIS.replacen(from, to, 1).as_bytes())
}

fn obj(from: &str, to: &str) -> Result<OpenedObject, FormatError> {
    let text = OBJ.replacen(from, to, 1);
    open(FileKind::Obj, text.as_bytes(), &mut no_siblings, &ReadingOptions::default())
}

fn text(kind: FileKind, text: &str) -> Result<OpenedObject, FormatError> {
    open(kind, text.as_bytes(), &mut no_siblings, &ReadingOptions::default())
}

#[test]
fn a_gmsh_file_gives_its_tetrahedra() {
    let mesh = read(Path::new("two.MSH"), GMSH.as_bytes()).unwrap();
    assert_eq!(mesh.n_nodes(), 5);
    assert_eq!(mesh.elements(), [[0, 1, 2, 3].map(NodeId), [1, 4, 2, 3].map(NodeId)]);
    assert_eq!(mesh.rest_positions()[3].z, 0.1);
}

#[test]
fn a_thesis_file_gives_its_tetrahedra() {
    let mesh = read(Path::new("one.obj3"), THESIS.as_bytes()).unwrap();
    assert_eq!(mesh.elements(), [[0, 1, 2, 3].map(NodeId)]);
}

#[test]
fn an_obj_file_gives_its_triangles() {
    let found = surface(obj("", "").unwrap());
    assert_eq!((found.points().len(), found.triangles().len()), (5, 6));
    assert_eq!(found.triangles()[..2], [[3, 2, 1], [3, 1, 0]]);
    assert_eq!(found.triangles()[4], [2, 3, 4]);
}

#[test]
fn broken_gmsh_files_are_refused_with_line_and_reason() {
    check_error(gmsh("2.2 0 8", "4.0 0 8"), "version 4");
    check_error(gmsh("2.2 0 8", "2.2 7 8"), "neither ASCII nor binary");
    check_error(gmsh("2.2 0 8", "2.2 0 4"), "numbers of 4 bytes");
    check_error(gmsh("0.1 0 0", "0.1 zero 0"), "line 11: expected a coordinate, found \"zero\"");
    check_error(
        gmsh("5 9\n4", "5 77\n4"),
        "1 tetrahedron (0) names nodes that do not exist, first 77",
    );
    check_error(gmsh("$EndNodes", ""), "line 16: expected $EndNodes, found \"$Elements\"");
    check_error(
        gmsh("\n5\n", "\n99999999999\n"),
        "expected the number of a node, found \"$EndNodes\"",
    );
    check_error(gmsh("9 0 0 0.1", "5 0 0 0.1"), "two nodes have the number 5");
    check_error(gmsh("$EndElements", "$Nodes\n0\n$EndNodes"), "expected $EndElements");
    check_error(gmsh("3 4 2", "3 5 2"), "the file has hexahedra");
    check_error(gmsh("3 4 2", "3 4711 2"), "Gmsh's type 4711");
    let half = GMSH.split("5\n1 0").next().unwrap();
    check_error(read(Path::new("half.msh"), half.as_bytes()), "the file ends where");
    check_error(read(Path::new("half.msh"), &[0xff, 0xfe]), "expected $MeshFormat");
}

#[test]
fn broken_thesis_files_are_refused_with_line_and_reason() {
    check_error(
        thesis("vertices 4", "vertices -4"),
        "line 2: expected `vertices` and their number",
    );
    check_error(thesis("0 1 2 3", "0 1 2 4"), "names nodes that do not exist, first 4");
    check_error(thesis("0 2 1\n", "0 2 9\n"), "line 10: expected three vertices of the list above");
    check_error(thesis("0 0 0\n", "0 0 nan\n"), "1 node (0) has no valid position");
    check_error(thesis("0 0 0\n", "0 0 0 7\n"), "expected the end of the line, found \"7\"");
    check_error(thesis("0 0 0\n", "0 0\n"), "expected a coordinate, found the end of the line");
    check_error(thesis("0 0 0.1", "0.05 0.05 0"), "1 tetrahedron (0) is flat");
    check_error(read(Path::new("thing.xyz"), b""), "unknown kind of file");
}

#[test]
fn broken_surfaces_are_refused_with_line_and_reason() {
    check_error(obj("f 2 3 5", "f 2 3 50"), "names nodes that do not exist, first 50");
    check_error(obj("f 2 3 5", "f 2 3"), "line 12: expected a face with at least three corners");
    check_error(obj("f 2 3 5", "f 0 3 5"), "counted from 1");
    check_error(obj("v 0.1 0 0", "v 0.1 0"), "line 4: expected a coordinate");
    check_error(obj("f 2 3 5", "\u{1} 3 5"), "expected a line of text");
    check_error(text(FileKind::Obj, ""), "the file is empty");
    check_error(text(FileKind::Obj, "# nothing"), "neither tetrahedra nor triangles");
    check_error(
        text(FileKind::Stl, "solid x\nfacet normal 0 0 1\nvertex 0 0 0\nendfacet"),
        "three corners",
    );
    check_error(text(FileKind::Stl, "nothing of the kind"), "neither begins with");
    check_error(text(FileKind::Ply, "ply\nformat ascii 1.0\nelement vertex 3\n"), "end_header");
    check_error(
        text(
            FileKind::Ply,
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
        ),
        "no x, y and z",
    );
    check_error(read(Path::new("thing.obj"), OBJ.as_bytes()), "expected a solid");
}

#[test]
fn broken_volumes_are_refused_with_reason() {
    check_error(text(FileKind::TetGenNodes, "1 3 0 0\n1 0 0 0\n"), "\".ele\"");
    check_error(text(FileKind::TetGenElements, "1 4 0\n1 1 2 3 4\n"), "\".node\"");
    check_error(text(FileKind::Medit, "MeshVersionFormatted 2\nDimension 2\n"), "three dimensions");
    check_error(
        text(FileKind::Medit, "MeshVersionFormatted 2\nHexahedra 1\n1 2 3 4 5 6 7 8 0"),
        "hexahedra",
    );
    check_error(
        text(FileKind::Vtk, "# vtk DataFile Version 3.0\n\nASCII\nDATASET STRUCTURED_GRID"),
        "line 4",
    );
    check_error(text(FileKind::Vtu, "<VTKFile type=\"PolyData\"></VTKFile>"), "\"PolyData\"");
    check_error(text(FileKind::Vtu, "<a><b></a>"), "XML document");
    check_error(
        text(FileKind::Vtu, "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece>"),
        "the file ends where the rest of the XML document should follow",
    );
    check_error(text(FileKind::Gltf, "{\"asset\": {\"version\": \"1.0\"}}"), "glTF 1.0");
    let draco = "{\"asset\": {\"version\": \"2.0\"}, \"extensionsRequired\": [\"KHR_draco\"]}";
    check_error(text(FileKind::Gltf, draco), "KHR_draco");
}

/// The first attribute of a tetrahedron says which region it belongs to.
#[test]
fn attributes_of_tetgen_are_read_as_regions() {
    let nodes = "5 3 1 0\n1 0 0 0 0.5\n2 .1 0 0 1\n3 0 .1 0 2\n4 0 0 .1 3\n5 .1 .1 .1 4\n";
    let elements = "# two regions\n2 4 1\n1 1 2 3 4 7\n2 2 5 3 4 9\n";
    let mut siblings = |sibling: Sibling<'_>| match sibling {
        Sibling::Extension("ele") => Some(elements.as_bytes().to_vec()),
        _ => None,
    };
    let reading = ReadingOptions::default();
    let opened = open(FileKind::TetGenNodes, nodes.as_bytes(), &mut siblings, &reading).unwrap();
    let fields: Vec<(&str, FieldPlace, NumberKind, &[f64])> =
        opened.fields.iter().map(|f| (f.name(), f.place(), f.numbers(), f.values())).collect();
    let expected = [
        ("attribute 1", FieldPlace::Nodes, NumberKind::Floating, &[0.5, 1.0, 2.0, 3.0, 4.0][..]),
        ("region", FieldPlace::Elements, NumberKind::Whole, &[7.0, 9.0]),
    ];
    assert_eq!(fields, expected);
}

#[test]
fn comments_may_come_before_the_format_of_a_gmsh_file() {
    let commented = format!("$Comments\nby hand\n$Nodes\n$EndComments\n{GMSH}");
    let mesh = read(Path::new("two.msh"), commented.as_bytes()).unwrap();
    assert_eq!(mesh, read(Path::new("two.msh"), GMSH.as_bytes()).unwrap());
    let wrong = commented.replacen("0.1 0 0", "0.1 zero 0", 1);
    check_error(
        read(Path::new("two.msh"), wrong.as_bytes()),
        "line 15: expected a coordinate, found \"zero\"",
    );
}

/// Triangle of a binary STL file; its header begins with `begin`.
fn binary_stl(begin: &[u8]) -> Vec<u8> {
    let mut bytes = begin.to_vec();
    bytes.resize(80, b' ');
    bytes.extend(1_u32.to_le_bytes());
    let corners = [0.0_f32, 0.0, 1.0, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1, 0.0];
    bytes.extend(corners.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend([0, 0]);
    bytes
}

#[test]
fn a_byte_order_mark_before_a_text_is_no_part_of_it() {
    let stl = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0.1 0 0\n\
               vertex 0 0.1 0\nendloop\nendfacet\nendsolid x\n";
    for (kind, plain) in [
        (FileKind::Thesis, THESIS),
        (FileKind::Gmsh, GMSH),
        (FileKind::Vtk, VTK),
        (FileKind::Obj, OBJ),
        (FileKind::Stl, stl),
    ] {
        let marked = text(kind, &format!("\u{feff}{plain}")).unwrap();
        assert_eq!(marked.body, text(kind, plain).unwrap().body, "{kind:?}");
    }
}

/// The header of a binary STL file has 80 bytes of any kind.
#[test]
fn a_header_of_a_binary_stl_file_may_begin_like_a_marked_text() {
    let opened = |begin: &[u8]| {
        let bytes = binary_stl(begin);
        open(FileKind::Stl, &bytes, &mut no_siblings, &ReadingOptions::default()).unwrap()
    };
    let plain = opened(b"by hand");
    for begin in ["\u{feff}by hand", "\u{feff}solid x"] {
        let marked = opened(begin.as_bytes());
        assert_eq!(marked.findings.dialect, "STL, binary");
        assert_eq!(marked.body, plain.body);
    }
}

#[test]
fn lines_that_a_continued_line_spans_are_counted() {
    let continued = OBJ.replace("f 2 3 5", "f 2 \\\n3 \\\r\n5");
    let opened = text(FileKind::Obj, &continued).unwrap();
    assert_eq!(surface(opened).triangles(), surface(obj("", "").unwrap()).triangles());
    let wrong = continued.replace("f 4 1 5", "f 4 x 5");
    check_error(text(FileKind::Obj, &wrong), "line 16: expected corners such as 7");
}

/// The names of groups are reported in the same way for all versions and forms.
#[test]
fn what_is_left_out_of_a_gmsh_file_is_named() {
    let more = "3 1 \"body\"\n2 7 \"the \"left\" side\"";
    let values = "$NodeData\n1\n\"heat\"\n1\n0\n3\n0\n1\n1\n1 2.5\n$EndNodeData\n";
    let two = GMSH.replace("3 1 \"body\"", more) + values;
    let names = &two[two.find("$PhysicalNames").unwrap()..two.find("$Nodes").unwrap()];
    let mesh = objects::generate::cube(0.1, 1).unwrap();
    let four = objects::format::write_gmsh(&mesh, objects::format::GmshDialect::default());
    let end = b"$EndMeshFormat\n";
    let at = four.windows(end.len()).position(|bytes| bytes == end).unwrap() + end.len();
    let four = [&four[..at], names.as_bytes(), &four[at..], values.as_bytes()].concat();
    for (bytes, dialect) in [(two.as_bytes(), "Gmsh 2.2, ASCII"), (&four[..], "Gmsh 4.1, binary")] {
        let opened =
            open(FileKind::Gmsh, bytes, &mut no_siblings, &ReadingOptions::default()).unwrap();
        let words = opened.findings.to_string();
        assert!(words.starts_with(dialect), "{words}");
        let groups = "- 2 physical groups left out: body, the \\\"left\\\" side\n";
        assert!(words.contains(groups), "{words}");
        assert!(words.contains("- 1 kind of values left out: heat\n"), "{words}");
    }
}

/// One tetrahedron after a line, so that the numbers of cells and of tetrahedra differ.
const VTK: &str = "\
# vtk DataFile Version 3.0
by hand
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 float
0 0 0 0.1 0 0 0 0.1 0 0 0 0.1
CELLS 2 8
2 0 1
4 0 1 2 3
CELL_TYPES 2
3 10
POINT_DATA 4
SCALARS heat%20flow float
LOOKUP_TABLE default
1 2 3 4.5
SCALARS two int 2
LOOKUP_TABLE default
1 2 3 4 5 6 7 8
LOOKUP_TABLE default 1
0 0 0 1
VECTORS way double
0 0 1 0 0 2 0 0 3 0 0 4
CELL_DATA 2
FIELD FieldData 2
number 1 2 vtktypeint64
9007199254740993 9007199254740994
METADATA
COMPONENT_NAMES
who

note 1 2 string
a
b
";

#[test]
fn values_of_an_older_vtk_file_come_along() {
    let opened = text(FileKind::Vtk, VTK).unwrap();
    let field =
        |name: &str| -> &Field { opened.fields.iter().find(|field| field.name() == name).unwrap() };
    assert_eq!(field("heat flow").values(), [1.0, 2.0, 3.0, 4.5]);
    assert_eq!(field("heat flow").numbers(), NumberKind::Floating);
    assert_eq!((field("two").n_components(), field("two").numbers()), (2, NumberKind::Whole));
    assert_eq!(field("way").values()[9..], [0.0, 0.0, 4.0]);
    let number = field("number");
    assert_eq!(
        (number.place(), number.values()),
        (FieldPlace::Elements, &[9007199254740994.0][..])
    );
    assert_eq!(number.component_names(), ["who"]);
    assert_eq!(opened.fields.len(), 4);
    let words = opened.findings.to_string();
    assert!(words.contains("1 kind of values left out: note"), "{words}");
    assert!(words.contains("1 whole number among the values cannot be held exactly"), "{words}");
}

#[test]
fn a_negative_index_in_an_older_vtk_file_is_named_as_it_is_written() {
    check_error(
        text(FileKind::Vtk, &VTK.replace("4 0 1 2 3", "4 -1 1 2 3")),
        "1 tetrahedron (0) names nodes that do not exist, first -1",
    );
}

const VTU: &str = "\
<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" compressor=\"vtkLZ4DataCompressor\">
<UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">
<PointData>
<DataArray type=\"Int64\" Name=\"id\">9007199254740993 -9007199254740993 4 5</DataArray>
<DataArray type=\"String\" Name=\"label\">65 0</DataArray>
</PointData>
<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">
0 0 0 0.1 0 0 0 0.1 0 0 0 0.1</DataArray></Points>
<Cells><DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 3</DataArray>
<DataArray type=\"Int32\" Name=\"offsets\">4</DataArray>
<DataArray type=\"UInt8\" Name=\"types\">10</DataArray></Cells>
</Piece></UnstructuredGrid></VTKFile>";

/// Words are not compressed, even if the header names a compressor.
#[test]
fn words_are_read_whatever_compresses_bytes() {
    let opened = text(FileKind::Vtu, VTU).unwrap();
    let words = opened.findings.to_string();
    assert!(words.starts_with("VTK XML, ASCII"), "{words}");
    assert!(words.contains("1 kind of values left out: label"), "{words}");
    let bytes = VTU.replacen("\"UInt8\"", "\"UInt8\" format=\"binary\"", 1);
    let bytes = bytes.replace(">10<", ">AQAAAAo=<");
    check_error(text(FileKind::Vtu, &bytes), "the file is compressed by \"vtkLZ4DataCompressor\"");
}

#[test]
fn whole_numbers_that_are_too_large_are_counted() {
    let opened = text(FileKind::Vtu, VTU).unwrap();
    assert_eq!(opened.fields[0].numbers(), NumberKind::Whole);
    let expected = "- 2 whole numbers among the values cannot be held exactly; rounded";
    assert!(opened.findings.to_string().contains(expected), "{}", opened.findings);
    // Four numbers of eight bytes, the first of them 2^53 + 1.
    let bytes = VTU
        .replace(" compressor=\"vtkLZ4DataCompressor\"", "")
        .replace("Name=\"id\">", "Name=\"id\" format=\"binary\">")
        .replace(
            "9007199254740993 -9007199254740993 4 5",
            "IAAAAAEAAAAAACAAAQAAAAAAAAACAAAAAAAAAAMAAAAAAAAA",
        );
    let opened = text(FileKind::Vtu, &bytes).unwrap();
    assert_eq!(opened.fields[0].values(), [9007199254740992.0, 1.0, 2.0, 3.0]);
    let expected = "- 1 whole number among the values cannot be held exactly; rounded";
    assert!(opened.findings.to_string().contains(expected), "{}", opened.findings);
}

/// Triangles are joined and left out, so they cannot keep values.
#[test]
fn values_of_triangles_are_named_when_they_are_left_out() {
    let flat = VTU.replace(">0 1 2 3<", ">0 1 2<").replace(">4<", ">3<").replace(">10<", ">5<");
    let flat = flat.replace("PointData", "CellData").replace(" -9007199254740993 4 5", "");
    let words = text(FileKind::Vtu, &flat).unwrap().findings.to_string();
    assert!(words.contains("2 kinds of values left out: label, id"), "{words}");
}
