//! Readers against files written by hand, round trips, and bytes that are no files.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

use std::path::Path;

use objects::format::{FormatError, read, read_gmsh, read_thesis, write_thesis};
use objects::generate::cube;
use physics::NodeId;
use proptest::prelude::*;

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
fn a_round_trip_keeps_every_bit() {
    let mesh = cube(0.1 / 3.0, 3).unwrap();
    assert_eq!(read_thesis(write_thesis(&mesh).as_bytes()).unwrap(), mesh);
}

fn check(result: Result<impl Sized, FormatError>, expected: &str) {
    let Err(error) = result else { panic!("no error, expected {expected:?}") };
    let error = error.to_string();
    assert!(error.contains(expected), "{error:?} does not contain {expected:?}");
}

#[test]
fn broken_files_are_refused_with_line_and_reason() {
    let gmsh = |from: &str, to: &str| read_gmsh(GMSH.replacen(from, to, 1).as_bytes());
    check(gmsh("2.2 0 8", "4.1 0 8"), "version 4.1");
    check(gmsh("2.2 0 8", "2.2 1 8"), "binary Gmsh file");
    check(gmsh("0.1 0 0", "0.1 zero 0"), "line 11: expected a coordinate, found \"zero\"");
    check(gmsh("5 9\n4", "5 77\n4"), "nodes that exist, not 77");
    check(gmsh("$EndNodes", ""), "expected $EndNodes");
    check(gmsh("\n5\n", "\n99999999999\n"), "expected the number of a node, found \"$EndNodes\"");
    check(gmsh("9 0 0 0.1", "5 0 0 0.1"), "a number of its own");
    check(gmsh("1 2 5 9\n", "2 1 5 9\n"), "element 0 has a volume of");
    check(read_gmsh(b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n"), "the file ends");
    check(read_gmsh(&[0xff, 0xfe]), "not text");

    let thesis = |from: &str, to: &str| read_thesis(THESIS.replacen(from, to, 1).as_bytes());
    check(thesis("vertices 4", "vertices -4"), "line 2: expected `vertices` and their number");
    check(thesis("0 1 2 3", "0 1 2 4"), "names node 4");
    check(thesis("0 2 1\n", "0 2 9\n"), "line 10: expected three vertices of the list above");
    check(thesis("0 0 0\n", "0 0 nan\n"), "not finite");
    check(thesis("0 0 0\n", "0 0 0 7\n"), "expected the end of the line, found \"7\"");
    check(read(Path::new("thing.xyz"), b""), "unknown kind of file");
}

proptest! {
    #[test]
    fn arbitrary_text_gives_a_mesh_or_an_error(text in "[$0-9a-zA-Z .\n-]{0,300}") {
        let _ = read_gmsh(text.as_bytes());
        let _ = read_thesis(text.as_bytes());
    }

    #[test]
    fn a_damaged_file_gives_a_mesh_or_an_error(at in 0..10_000usize, byte in any::<u8>()) {
        for (text, reader) in [(GMSH, read_gmsh as fn(&[u8]) -> _), (THESIS, read_thesis)] {
            let mut bytes = text.as_bytes().to_vec();
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = reader(&bytes);
            let _ = reader(&bytes[..at]);
        }
    }
}
