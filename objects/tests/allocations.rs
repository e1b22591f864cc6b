//! Memory that reading takes: below 40 times the file's size and 64 MB, whatever a file claims.
//! This is a test binary of its own because it counts allocations.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

use std::io::Write as _;

use allocation_counter::{AllocationInfo, measure};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use objects::format::{
    BodyToWrite, FormatError, GmshDialect, ObjectToWrite, Sibling, open, write, write_gmsh,
};
use objects::generate::cube;
use objects::{FileKind, OpenedObject, ReadingOptions, Unit};

/// Reads a file, and checks the largest memory at any time, which includes the file itself.
fn opened(name: &str, kind: FileKind, bytes: &[u8]) -> Result<OpenedObject, FormatError> {
    let mut result = None;
    let taken: AllocationInfo = measure(|| {
        let bytes = bytes.to_vec();
        let mut none = |_: Sibling<'_>| None;
        result = Some(open(kind, &bytes, &mut none, &ReadingOptions::default()));
    });
    let (most, limit) = (taken.bytes_max as usize, 40 * bytes.len() + 64_000_000);
    let times = most as f64 / bytes.len() as f64;
    assert!(most < limit, "{name}: {} bytes took {most}, {times:.1} times", bytes.len());
    result.unwrap()
}

fn check_refused(name: &str, kind: FileKind, bytes: &[u8], expected: &str) {
    match opened(name, kind, bytes) {
        Ok(opened) => panic!("{name}: {}", opened.findings),
        Err(error) => assert!(error.to_string().contains(expected), "{name}: {error}"),
    }
}

fn packed(n_bytes: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![0; n_bytes]).unwrap();
    encoder.finish().unwrap()
}

/// A grid with compressed arrays; `head` is the list of lengths in front of the blocks.
fn vtu(head: &[u32], block: &[u8], n_arrays: usize, n_pieces: usize) -> Vec<u8> {
    let array = |name: &str| {
        format!(
            "<DataArray type=\"Float64\" Name=\"{name}\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>"
        )
    };
    let values: String = (0..n_arrays).map(|i| array(&format!("height{i}"))).collect();
    let piece = format!(
        "<Piece><Points>{}</Points><PointData>{values}</PointData></Piece>",
        array("Points")
    );
    let mut file = format!(
        "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid>{}\
         </UnstructuredGrid><AppendedData encoding=\"raw\">_",
        piece.repeat(n_pieces)
    )
    .into_bytes();
    file.extend(head.iter().flat_map(|n| n.to_le_bytes()));
    file.extend(block.repeat(head[0] as usize));
    file
}

#[test]
fn compressed_parts_never_unfold_to_more_than_the_limit() {
    const MEGA: u32 = 1 << 20;
    let block = packed(12 << 20);
    let n = block.len() as u32;
    // Honest, and too large.
    let head =
        |n_blocks: u32, size: u32| [vec![n_blocks, size, 0], vec![n; n_blocks as usize]].concat();
    let file = vtu(&head(20, 12 * MEGA), &block, 0, 1);
    check_refused("blocks", FileKind::Vtu, &file, "reading it would take");
    // The same bytes for many arrays and many pieces.
    let file = vtu(&head(1, 12 * MEGA), &block, 60, 1);
    check_refused("arrays", FileKind::Vtu, &file, "reading it would take");
    let file = vtu(&head(1, 12 * MEGA), &block, 1, 40);
    check_refused("pieces", FileKind::Vtu, &file, "reading it would take");
    // Headers that lie.
    let file = vtu(&head(1, 1000), &block, 1, 1);
    check_refused(
        "more",
        FileKind::Vtu,
        &file,
        "the array \"Points\" cannot be read: its block 0 unfolds to more",
    );
    let file = vtu(&head(1, 13 * MEGA), &block, 1, 1);
    check_refused(
        "less",
        FileKind::Vtu,
        &file,
        "the array \"Points\" cannot be read: its block 0 unfolds to 12582912",
    );
    let file = vtu(&[1, u32::MAX, 0, n], &block, 1, 1);
    check_refused("far more", FileKind::Vtu, &file, "expected at most 2 GiB");
    let file = vtu(&[1, MEGA, 0, u32::MAX], &block, 1, 1);
    check_refused(
        "ends",
        FileKind::Vtu,
        &file,
        "the file ends where the data of the array \"Points\"",
    );
}

/// The most items in the fewest bytes, in each format.
#[test]
fn the_smallest_items_take_no_more_than_the_limit() {
    const N: usize = 1_000_000;
    let repeated = |begin: &str, item: &str, end: &str| {
        [begin.as_bytes(), item.as_bytes().repeat(N / item.len()).as_slice(), end.as_bytes()]
            .concat()
    };
    let ply = |vertices: usize, properties: &str, faces: usize, index: &str| {
        format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\n{properties}element face {faces}\n\
             property list uchar {index} vertex_indices\nend_header\n"
        )
    };
    let chars = "property uchar x\nproperty uchar y\nproperty uchar z\n";
    // Points of three bytes.
    let mut small_points = ply(N / 3, chars, 1, "uint").into_bytes();
    small_points.extend((0..N as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8));
    small_points.extend([3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
    // Polygons with a corner in each byte.
    let mut polygons = ply(256, chars, N / 256, "uchar").into_bytes();
    polygons.extend((0..768_u32).map(|i| (i * 37 % 251) as u8));
    for i in 0..N / 256 {
        polygons.push(255);
        polygons
            .extend((0..255_u32).map(|j| (j * (2 * (i as u32 % 120) + 1) + i as u32 / 7) as u8));
    }
    let vtu = "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>";
    let gltf = "{\"asset\":{\"version\":\"2.0\"},";
    let vtk = "# vtk DataFile Version 5.1\n\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\n";
    let cells = format!(
        "{vtk}POLYGONS 2 {}\nOFFSETS vtktypeint64\n0 {}\nCONNECTIVITY vtktypeint64\n",
        N / 2,
        N / 2
    );
    let empty_cells = format!("{vtk}POLYGONS {} 0\nOFFSETS vtktypeint64\n", N / 2);
    for (name, kind, bytes) in [
        ("points of a PLY", FileKind::Ply, small_points),
        ("polygons of a PLY", FileKind::Ply, polygons),
        ("points of an OBJ", FileKind::Obj, repeated("", "v 1 2 3\n", "f 1 2 3\n")),
        (
            "polygon of an OBJ",
            FileKind::Obj,
            repeated("v 0 0 0\nv 1 0 0\nv 0 1 0\nf", " 1 2 3", "\n"),
        ),
        (
            "triangles of an OBJ",
            FileKind::Obj,
            repeated("v 0 0 0\nv 1 0 0\nv 0 1 0\n", "f 1 2 3\n", ""),
        ),
        ("arrays of a VTU", FileKind::Vtu, repeated(&format!("{vtu}<Piece>"), "<DataArray/>", "")),
        ("pieces of a VTU", FileKind::Vtu, repeated(vtu, "<Piece/>", "")),
        (
            "words of a VTU",
            FileKind::Vtu,
            repeated(
                &format!("{vtu}<Piece><PointData><DataArray type=\"Int8\">"),
                "0 ",
                "</DataArray>",
            ),
        ),
        ("nodes of a glTF", FileKind::Gltf, repeated(&format!("{gltf}\"nodes\":["), "{},", "{}]}")),
        (
            "buffers of a glTF",
            FileKind::Gltf,
            repeated(&format!("{gltf}\"buffers\":["), "{},", "{}]}"),
        ),
        (
            "names of nodes of a glTF",
            FileKind::Gltf,
            repeated(&format!("{gltf}\"nodes\":[{{}}],\"scenes\":[{{\"nodes\":["), "0,", "0]}]}"),
        ),
        ("polygon of a VTK", FileKind::Vtk, repeated(&cells, "1 ", "")),
        (
            "empty polygons of a VTK",
            FileKind::Vtk,
            repeated(&empty_cells, "0 ", "CONNECTIVITY vtktypeint64\n"),
        ),
        (
            "numbers of Gmsh nodes",
            FileKind::Gmsh,
            repeated(
                &format!(
                    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n3 1 0 {}\n",
                    N / 2
                ),
                "1 ",
                "",
            ),
        ),
        (
            "metadata of a VTK",
            FileKind::Vtk,
            repeated(&format!("{vtk}POINT_DATA 3\nMETADATA\nCOMPONENT_NAMES\n"), "a\n", "\n"),
        ),
        (
            "lists of a TetGen file",
            FileKind::TetGenNodes,
            repeated(&format!("{} 3 0 0\n", N / 8), "1 0 0 0\n", ""),
        ),
        (
            "words of a PLY header",
            FileKind::Ply,
            repeated("ply\nformat ascii 1.0\n", "element a 0\n", "end_header\n"),
        ),
    ] {
        // Whether it is refused does not matter here.
        let _ = opened(name, kind, &bytes);
    }
}

/// Files as programs write them stay far from the limit, also if their coordinates are small.
#[test]
fn ordinary_files_are_within_the_limit() {
    let mesh = cube(0.1, 30).unwrap();
    let object = ObjectToWrite { body: BodyToWrite::Solid(&mesh), unit: Unit::Metre, fields: &[] };
    for kind in FileKind::ALL.into_iter().filter(|kind| kind.holds().is_some()) {
        let bytes = write(kind, &object).unwrap();
        opened(kind.extension(), kind, &bytes).unwrap();
    }
    for dialect in [GmshDialect::Text2, GmshDialect::Binary2, GmshDialect::Text4] {
        opened("Gmsh", FileKind::Gmsh, &write_gmsh(&mesh, dialect)).unwrap();
    }
}
