//! Small files written by hand, and what is wrong with others.

use std::path::Path;

use objects::format::{FormatError, no_siblings, open, read};
use objects::{Kind, Opened, Reading};
use physics::{NodeId, TetMesh};

use super::{check_error, surface};

/// As Gmsh writes it: numbers of nodes with gaps, a physical name, triangles among the elements.
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

fn obj(from: &str, to: &str) -> Result<Opened, FormatError> {
    let text = OBJ.replacen(from, to, 1);
    open(Kind::Obj, text.as_bytes(), &mut no_siblings, &Reading::default())
}

fn text(kind: Kind, text: &str) -> Result<Opened, FormatError> {
    open(kind, text.as_bytes(), &mut no_siblings, &Reading::default())
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
        "1 tetrahedron (0) names nodes that are not there, first 77",
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
    check_error(thesis("0 1 2 3", "0 1 2 4"), "names nodes that are not there, first 4");
    check_error(thesis("0 2 1\n", "0 2 9\n"), "line 10: expected three vertices of the list above");
    check_error(thesis("0 0 0\n", "0 0 nan\n"), "1 node (0) is nowhere");
    check_error(thesis("0 0 0\n", "0 0 0 7\n"), "expected the end of the line, found \"7\"");
    check_error(thesis("0 0 0.1", "0.05 0.05 0"), "1 tetrahedron (0) is flat");
    check_error(read(Path::new("thing.xyz"), b""), "unknown kind of file");
}

#[test]
fn broken_surfaces_are_refused_with_line_and_reason() {
    check_error(obj("f 2 3 5", "f 2 3 50"), "names nodes that are not there, first 50");
    check_error(obj("f 2 3 5", "f 2 3"), "line 12: expected a face with at least three corners");
    check_error(obj("f 2 3 5", "f 0 3 5"), "counted from 1");
    check_error(obj("v 0.1 0 0", "v 0.1 0"), "line 4: expected a coordinate");
    check_error(obj("f 2 3 5", "\u{1} 3 5"), "expected a line of text");
    check_error(text(Kind::Obj, ""), "the file is empty");
    check_error(text(Kind::Obj, "# nothing"), "neither tetrahedra nor triangles");
    check_error(
        text(Kind::Stl, "solid x\nfacet normal 0 0 1\nvertex 0 0 0\nendfacet"),
        "three corners",
    );
    check_error(text(Kind::Stl, "nothing of the kind"), "neither begins with");
    check_error(text(Kind::Ply, "ply\nformat ascii 1.0\nelement vertex 3\n"), "end_header");
    check_error(
        text(
            Kind::Ply,
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
        ),
        "no x, y and z",
    );
    check_error(read(Path::new("thing.obj"), OBJ.as_bytes()), "expected a solid");
}

#[test]
fn broken_volumes_are_refused_with_reason() {
    check_error(text(Kind::TetGenNodes, "1 3 0 0\n1 0 0 0\n"), "\".ele\"");
    check_error(text(Kind::TetGenElements, "1 4 0\n1 1 2 3 4\n"), "\".node\"");
    check_error(text(Kind::Medit, "MeshVersionFormatted 2\nDimension 2\n"), "three dimensions");
    check_error(
        text(Kind::Medit, "MeshVersionFormatted 2\nHexahedra 1\n1 2 3 4 5 6 7 8 0"),
        "hexahedra",
    );
    check_error(
        text(Kind::Vtk, "# vtk DataFile Version 3.0\n\nASCII\nDATASET STRUCTURED_GRID"),
        "line 4",
    );
    check_error(text(Kind::Vtu, "<VTKFile type=\"PolyData\"></VTKFile>"), "\"PolyData\"");
    check_error(text(Kind::Vtu, "<a><b></a>"), "XML document");
    check_error(
        text(Kind::Vtu, "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece>"),
        "the file ends where the rest of the XML document should follow",
    );
    check_error(text(Kind::Gltf, "{\"asset\": {\"version\": \"1.0\"}}"), "glTF 1.0");
    let draco = "{\"asset\": {\"version\": \"2.0\"}, \"extensionsRequired\": [\"KHR_draco\"]}";
    check_error(text(Kind::Gltf, draco), "KHR_draco");
}
