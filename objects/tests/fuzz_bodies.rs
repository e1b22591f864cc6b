//! Runs the bodies of the fuzz targets with random bytes, for systems without a fuzzer.

use proptest::collection::vec;
use proptest::prelude::*;

#[path = "../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "it is a library when it is fuzzed")]
mod bodies;

/// Words that have a meaning in one of the formats, so that random files get further.
const WORDS: &[&str] = &[
    "$MeshFormat\n",
    "2.2 0 8\n",
    "4.1 0 8\n",
    "2.2 1 8\n\x01\0\0\0\n",
    "4.1 1 8\n\x01\0\0\0\n",
    "$EndMeshFormat\n",
    "$Nodes\n",
    "$EndNodes\n",
    "$Elements\n",
    "$EndElements\n",
    "vertices ",
    "elements ",
    "faces ",
    "colours ",
    "MeshVersionFormatted 2\n",
    "Dimension 3\n",
    "Vertices\n",
    "Tetrahedra\n",
    "Triangles\n",
    "End\n",
    "# vtk DataFile Version 3.0\n\n",
    "ASCII\n",
    "BINARY\n",
    "DATASET UNSTRUCTURED_GRID\n",
    "DATASET POLYDATA\n",
    "POINTS ",
    " double\n",
    " int\n",
    "CELLS ",
    "CELL_TYPES ",
    "POLYGONS ",
    "OFFSETS vtktypeint64\n",
    "CONNECTIVITY vtktypeint64\n",
    "METADATA\n",
    "FIELD f 1\n",
    "<VTKFile type=\"UnstructuredGrid\">",
    "<Piece>",
    "<Points>",
    "</Points>",
    "<Cells>",
    "<DataArray type=\"Float64\" NumberOfComponents=\"3\">",
    "</DataArray>",
    "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"binary\">",
    "<AppendedData encoding=\"raw\">_",
    "solid x\n",
    "facet normal 0 0 1\n",
    "vertex ",
    "endfacet\n",
    "endsolid\n",
    "ply\n",
    "format ascii 1.0\n",
    "format binary_big_endian 1.0\n",
    "element vertex 3\n",
    "element face 1\n",
    "property float x\n",
    "property float y\n",
    "property double z\n",
    "property uchar red\n",
    "property uchar green\n",
    "property float blue\n",
    "property list uchar int vertex_indices\n",
    "end_header\n",
    "v ",
    "f ",
    "{\"asset\":{\"version\":\"2.0\"}",
    ",\"meshes\":[{\"primitives\":[",
    "]}]",
    "}",
    "0 ",
    "1 ",
    "2 ",
    "3 ",
    "4 ",
    "-1 ",
    "0.5 ",
    "1e-3 ",
    "nan ",
    "\n",
    "18446744073709551615 ",
    "4294967295 ",
];

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(WORDS).prop_map(|word| word.as_bytes().to_vec());
    let noise = vec(any::<u8>(), 0..8);
    let pieces = vec(prop_oneof![8 => word, 1 => noise], 0..60).prop_map(|pieces| pieces.concat());
    let chosen = (any::<u8>(), pieces).prop_map(|(kind, rest)| [vec![kind], rest].concat());
    prop_oneof![1 => vec(any::<u8>(), 0..300), 3 => chosen]
}

/// A position in a file and some bytes; mostly small numbers, which are the most plausible.
fn damage() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        2 => prop::sample::select(&b"\0\x01\x02\x04\x7f\x80\xff"[..]),
        2 => prop::sample::select(&b"0123456789-. \n"[..]),
        1 => any::<u8>(),
    ];
    (any::<[u8; 4]>(), vec(byte, 0..12)).prop_map(|(head, bytes)| [head.to_vec(), bytes].concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_file(bytes in bytes()) {
        bodies::any_file(&bytes);
    }

    #[test]
    fn damaged_file(damage in damage()) {
        bodies::damaged_file(&damage);
    }
}

/// Without damage, every file opens, so the bodies reach their end.
#[test]
fn good_files_are_good() {
    assert_eq!(bodies::refused(), [0; 0]);
}

#[test]
fn every_kind_of_file_is_fuzzed() {
    for kind in objects::FileKind::ALL {
        assert!(bodies::FILES.iter().any(|(known, _)| *known == kind), "no {kind:?}");
    }
}
