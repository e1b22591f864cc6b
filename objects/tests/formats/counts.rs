//! Files that announce a number of items and hold another one: read only if both agree.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use objects::check::FindingKind;
use objects::format::{Sibling, open};
use objects::{FileKind, ReadingOptions};
use proptest::prelude::*;

use super::check_error;

/// Corners of a tetrahedron.
const POINTS: [[f32; 3]; 4] = [[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]];
/// Its faces.
const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

/// A file with one count that can be chosen.
struct Counted {
    name: &'static str,
    kind: FileKind,
    /// Number of items that the file holds.
    present: i64,
    /// The bytes of the file, with this count.
    file: fn(i64) -> Vec<u8>,
    /// Bytes of a second file.
    sibling: fn(i64) -> Vec<u8>,
}

const ALONE: fn(i64) -> Vec<u8> = |_| Vec::new();

fn rows(numbers: impl Iterator<Item = String>) -> String {
    numbers.map(|row| row + "\n").collect()
}

fn points(first: Option<usize>) -> String {
    rows(POINTS.iter().enumerate().map(|(i, [x, y, z])| match first {
        Some(first) => format!("{} {x} {y} {z}", first + i),
        None => format!("{x} {y} {z}"),
    }))
}

fn doubles(order: fn(f64) -> [u8; 8]) -> Vec<u8> {
    POINTS.iter().flatten().flat_map(|c| order(f64::from(*c))).collect()
}

/// A file of version 4.1; the numbers are those of all nodes, of the block's nodes, of all elements
/// and of the block's elements.
fn gmsh_41_ascii([nodes, in_block, elements, in_element_block]: [i64; 4]) -> Vec<u8> {
    format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 {nodes} 1 4\n3 1 0 {in_block}\n1\n2\n3\n4\n{}\
         $EndNodes\n$Elements\n1 {elements} 1 1\n3 1 4 {in_element_block}\n1 1 2 3 4\n$EndElements\n",
        points(None)
    )
    .into_bytes()
}

fn gmsh_41_binary([nodes, in_block, elements, in_element_block]: [i64; 4]) -> Vec<u8> {
    let longs = |longs: &[i64]| -> Vec<u8> { longs.iter().flat_map(|n| n.to_le_bytes()).collect() };
    let ints = |ints: [i32; 3]| -> Vec<u8> { ints.iter().flat_map(|n| n.to_le_bytes()).collect() };
    let head = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_vec();
    let middle = b"\n$EndNodes\n$Elements\n".to_vec();
    [
        head,
        longs(&[1, nodes, 1, 4]),
        ints([3, 1, 0]),
        longs(&[in_block, 1, 2, 3, 4]),
        doubles(f64::to_le_bytes),
        middle,
        longs(&[1, elements, 1, 1]),
        ints([3, 1, 4]),
        longs(&[in_element_block, 1, 1, 2, 3, 4]),
        b"\n$EndElements\n".to_vec(),
    ]
    .concat()
}

fn gmsh_22([nodes, elements]: [i64; 2]) -> Vec<u8> {
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{nodes}\n{}$EndNodes\n$Elements\n{elements}\n\
         1 4 0 1 2 3 4\n$EndElements\n",
        points(Some(1))
    )
    .into_bytes()
}

fn gmsh_22_binary([nodes, elements]: [i64; 2]) -> Vec<u8> {
    let mut bytes =
        format!("$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n{nodes}\n").into_bytes();
    for (i, point) in POINTS.iter().enumerate() {
        bytes.extend((i as i32 + 1).to_le_bytes());
        bytes.extend(point.iter().flat_map(|c| f64::from(*c).to_le_bytes()));
    }
    bytes.extend(format!("\n$EndNodes\n$Elements\n{elements}\n").into_bytes());
    bytes.extend([4, 1, 0, 1, 1, 2, 3, 4].into_iter().flat_map(i32::to_le_bytes));
    bytes.extend(b"\n$EndElements\n");
    bytes
}

fn vtk([nodes, cells, types]: [i64; 3]) -> Vec<u8> {
    format!(
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {nodes} double\n{}\
         CELLS {cells} 5\n4 0 1 2 3\nCELL_TYPES {types}\n10\n",
        points(None)
    )
    .into_bytes()
}

fn vtk_binary([nodes, cells, types]: [i64; 3]) -> Vec<u8> {
    let ints = |ints: &[i32]| -> Vec<u8> { ints.iter().flat_map(|n| n.to_be_bytes()).collect() };
    [
        format!("# vtk DataFile Version 3.0\n\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS {nodes} double\n")
            .into_bytes(),
        doubles(f64::to_be_bytes),
        format!("\nCELLS {cells} 5\n").into_bytes(),
        ints(&[4, 0, 1, 2, 3]),
        format!("\nCELL_TYPES {types}\n").into_bytes(),
        ints(&[10]),
        b"\n".to_vec(),
    ]
    .concat()
}

/// Numbers of points and cells in the tag of the piece, and the size of a block of its compressed
/// points.
fn vtu([n_points, n_cells, block]: [i64; 3]) -> Vec<u8> {
    let mut appended = Vec::new();
    let mut offset_of = |bytes: Vec<u8>, block: i64| {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&bytes).unwrap();
        let packed = encoder.finish().unwrap();
        let offset = appended.len();
        let head = [1, block as u32, 0, packed.len() as u32];
        appended.extend(head.into_iter().flat_map(u32::to_le_bytes));
        appended.extend(packed);
        offset
    };
    let longs = |longs: &[i64]| -> Vec<u8> { longs.iter().flat_map(|n| n.to_le_bytes()).collect() };
    let coordinates = offset_of(doubles(f64::to_le_bytes), block);
    let corners = offset_of(longs(&[0, 1, 2, 3]), 32);
    let ends = offset_of(longs(&[4]), 8);
    let types = offset_of(vec![10], 1);
    let array = |kind: &str, name: &str, offset: usize, more: &str| {
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" {more} format=\"appended\" offset=\"{offset}\"/>"
        )
    };
    let mut file = format!(
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" compressor=\"vtkZLibDataCompressor\">\
         <UnstructuredGrid><Piece NumberOfPoints=\"{n_points}\" NumberOfCells=\"{n_cells}\"><Points>{}</Points>\
         <Cells>{}{}{}</Cells></Piece></UnstructuredGrid><AppendedData encoding=\"raw\">_",
        array("Float64", "Points", coordinates, "NumberOfComponents=\"3\""),
        array("Int64", "connectivity", corners, ""),
        array("Int64", "offsets", ends, ""),
        array("UInt8", "types", types, ""),
    )
    .into_bytes();
    file.extend(appended);
    file
}

fn medit([vertices, tetrahedra]: [i64; 2]) -> Vec<u8> {
    let with_reference = |row: &[f32; 3]| format!("{} {} {} 0", row[0], row[1], row[2]);
    format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices\n{vertices}\n{}Tetrahedra\n{tetrahedra}\n1 2 3 4 0\nEnd\n",
        rows(POINTS.iter().map(with_reference))
    )
    .into_bytes()
}

fn meditb([vertices, tetrahedra]: [i64; 2]) -> Vec<u8> {
    let ints = |ints: &[i32]| -> Vec<u8> { ints.iter().flat_map(|n| n.to_le_bytes()).collect() };
    let mut bytes = ints(&[1, 2, 3, 20, 3]);
    let next = bytes.len() as i32 + 12 + 4 * 28;
    bytes.extend(ints(&[4, next, vertices as i32]));
    for point in &POINTS {
        bytes.extend(point.iter().flat_map(|c| f64::from(*c).to_le_bytes()));
        bytes.extend(ints(&[0]));
    }
    bytes.extend(ints(&[8, next + 32, tetrahedra as i32, 1, 2, 3, 4, 0, 54, 0]));
    bytes
}

fn ply([vertices, faces]: [i64; 2]) -> Vec<u8> {
    let faces_text = rows(FACES.iter().map(|[a, b, c]| format!("3 {a} {b} {c}")));
    format!(
        "ply\nformat ascii 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {faces}\nproperty list uchar int vertex_indices\nend_header\n{}{faces_text}",
        points(None)
    )
    .into_bytes()
}

fn ply_binary([vertices, faces]: [i64; 2]) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\n\
         property float z\nelement face {faces}\nproperty list int int vertex_indices\nend_header\n"
    )
    .into_bytes();
    bytes.extend(POINTS.iter().flatten().flat_map(|c| c.to_le_bytes()));
    for face in &FACES {
        bytes.extend(3_i32.to_le_bytes());
        bytes.extend(face.iter().flat_map(|i| i.to_le_bytes()));
    }
    bytes
}

fn stl(triangles: i64) -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend((triangles as u32).to_le_bytes());
    for face in &FACES {
        bytes.extend([0; 12]);
        let corners = face.map(|i| POINTS[i as usize]);
        bytes.extend(corners.as_flattened().iter().flat_map(|c| c.to_le_bytes()));
        bytes.extend([0, 0]);
    }
    bytes
}

/// Length of the whole file, of the buffer, and number of indices.
fn glb([length, buffer, indices]: [i64; 3]) -> Vec<u8> {
    let mut data: Vec<u8> = POINTS.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
    data.extend(FACES.iter().flatten().flat_map(|i| i.to_le_bytes()));
    let mut json = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}},\
         \"indices\":1}}]}}],\"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"}},\
         {{\"bufferView\":1,\"componentType\":5125,\"count\":{indices},\"type\":\"SCALAR\"}}],\
         \"bufferViews\":[{{\"buffer\":0,\"byteLength\":48}},{{\"buffer\":0,\"byteOffset\":48,\"byteLength\":48}}],\
         \"buffers\":[{{\"byteLength\":{buffer}}}]}}"
    )
    .into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let whole = (12 + 8 + json.len() + 8 + data.len()) as i64;
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((whole.wrapping_add(length) as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(data);
    bytes
}

fn thesis([vertices, elements, faces]: [i64; 3]) -> Vec<u8> {
    let faces_text = rows(FACES.iter().map(|[a, b, c]| format!("{a} {b} {c}")));
    format!(
        "vertices {vertices}\n{}elements {elements}\n0 1 2 3\nfaces {faces}\n{faces_text}",
        points(None)
    )
    .into_bytes()
}

fn node(n: i64) -> Vec<u8> {
    format!("{n} 3 0 0\n{}", points(Some(1))).into_bytes()
}

fn ele(n: i64) -> Vec<u8> {
    format!("{n} 4 0\n1 1 2 3 4\n").into_bytes()
}

/// All formats with counts, and each of their counts.
fn all() -> Vec<Counted> {
    use FileKind::*;
    let of = |name, kind, present, file| Counted { name, kind, present, file, sibling: ALONE };
    vec![
        of("obj3 vertices", Thesis, 4, |n| thesis([n, 1, 4])),
        of("obj3 elements", Thesis, 1, |n| thesis([4, n, 4])),
        of("obj3 faces", Thesis, 4, |n| thesis([4, 1, n])),
        of("msh 2.2 nodes", Gmsh, 4, |n| gmsh_22([n, 1])),
        of("msh 2.2 elements", Gmsh, 1, |n| gmsh_22([4, n])),
        of("msh 2.2 binary nodes", Gmsh, 4, |n| gmsh_22_binary([n, 1])),
        of("msh 2.2 binary elements", Gmsh, 1, |n| gmsh_22_binary([4, n])),
        of("msh 4.1 nodes", Gmsh, 4, |n| gmsh_41_ascii([n, 4, 1, 1])),
        of("msh 4.1 nodes of a block", Gmsh, 4, |n| gmsh_41_ascii([4, n, 1, 1])),
        of("msh 4.1 elements", Gmsh, 1, |n| gmsh_41_ascii([4, 4, n, 1])),
        of("msh 4.1 elements of a block", Gmsh, 1, |n| gmsh_41_ascii([4, 4, 1, n])),
        of("msh 4.1 binary nodes", Gmsh, 4, |n| gmsh_41_binary([n, 4, 1, 1])),
        of("msh 4.1 binary nodes of a block", Gmsh, 4, |n| gmsh_41_binary([4, n, 1, 1])),
        of("msh 4.1 binary elements", Gmsh, 1, |n| gmsh_41_binary([4, 4, n, 1])),
        of("msh 4.1 binary elements of a block", Gmsh, 1, |n| gmsh_41_binary([4, 4, 1, n])),
        Counted { sibling: |_| ele(1), ..of("TetGen nodes", TetGenNodes, 4, node) },
        Counted { sibling: ele, ..of("TetGen elements", TetGenNodes, 1, |_| node(4)) },
        of("vtk points", Vtk, 4, |n| vtk([n, 1, 1])),
        of("vtk cells", Vtk, 1, |n| vtk([4, n, 1])),
        of("vtk types", Vtk, 1, |n| vtk([4, 1, n])),
        of("vtk binary points", Vtk, 4, |n| vtk_binary([n, 1, 1])),
        of("vtk binary cells", Vtk, 1, |n| vtk_binary([4, n, 1])),
        of("vtk binary types", Vtk, 1, |n| vtk_binary([4, 1, n])),
        of("vtu points", Vtu, 4, |n| vtu([n, 1, 96])),
        of("vtu cells", Vtu, 1, |n| vtu([4, n, 96])),
        of("vtu bytes of a block", Vtu, 96, |n| vtu([4, 1, n])),
        of("mesh vertices", Medit, 4, |n| medit([n, 1])),
        of("mesh tetrahedra", Medit, 1, |n| medit([4, n])),
        of("meshb vertices", MeditBinary, 4, |n| meditb([n, 1])),
        of("meshb tetrahedra", MeditBinary, 1, |n| meditb([4, n])),
        of("ply vertices", Ply, 4, |n| ply([n, 4])),
        of("ply faces", Ply, 4, |n| ply([4, n])),
        of("ply binary vertices", Ply, 4, |n| ply_binary([n, 4])),
        of("ply binary faces", Ply, 4, |n| ply_binary([4, n])),
        of("glb length", Glb, 0, |n| glb([n, 96, 12])),
    ]
}

impl Counted {
    fn opened(&self, claimed: i64) -> Result<objects::OpenedObject, objects::format::FormatError> {
        let mut siblings = |sibling: Sibling<'_>| match sibling {
            Sibling::Extension("ele") => Some((self.sibling)(claimed)),
            _ => None,
        };
        open(self.kind, &(self.file)(claimed), &mut siblings, &ReadingOptions::default())
    }

    fn check(&self, claimed: i64) {
        let opened = self.opened(claimed);
        let name = self.name;
        // Binary formats keep some counts in 32 bits.
        let is_it = claimed == self.present
            || (claimed as u32 == self.present as u32
                && matches!(self.kind, FileKind::MeditBinary | FileKind::Vtu | FileKind::Glb));
        match opened {
            Ok(opened) => assert!(is_it, "{name}: {claimed} claimed: {}", opened.findings),
            Err(error) => {
                let words = error.to_string();
                assert!(!is_it, "{name}: {words}");
                assert!(
                    !words.contains('\n') && !words.contains("184467440737"),
                    "{name}: {words}"
                );
            }
        }
    }
}

#[test]
fn a_file_is_read_only_if_it_holds_as_many_items_as_it_announces() {
    for counted in all() {
        let n = counted.present;
        for claimed in [n, n - 1, n + 1, 0, -1, -n - 1, 1000 * n + 7, 0x7fff_fff0, i64::MAX - 1] {
            counted.check(claimed);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_number_of_items_is_announced(which in 0..35_usize, claimed in any::<i64>(), shift in 0_u32..64) {
        let all = all();
        all[which % all.len()].check(claimed >> shift);
    }
}

/// Expects words about a contradiction, with the numbers as they are in the file.
#[track_caller]
fn check_words(name: &str, claimed: i64, expected: &str) {
    let all = all();
    let counted = all.iter().find(|counted| counted.name == name).unwrap();
    check_error(counted.opened(claimed), expected);
}

#[test]
fn contradictory_counts_are_said_with_place_and_sign() {
    let blocks = "the section $Nodes cannot be read: it announces -41 items, but its blocks hold 4";
    check_words("msh 4.1 binary nodes", -41, blocks);
    check_words(
        "msh 4.1 elements",
        9,
        "the section $Elements cannot be read: it announces 9 items, but its blocks hold 1",
    );
    check_words("msh 2.2 nodes", -4, "line 5: expected the number of nodes, found \"-4\"");
    check_words("vtu points", -5, "it announces -5 points, but its Points array holds 4");
    check_words(
        "vtu cells",
        1 << 40,
        "it announces 1099511627776 cells, but its types array holds 1",
    );
    check_words(
        "vtu bytes of a block",
        90,
        "the array \"Points\" cannot be read: its block 0 unfolds to more than 90 bytes",
    );
    check_words(
        "vtu bytes of a block",
        97,
        "its block 0 unfolds to 96 bytes, expected 97, which its header announces",
    );
    check_words("vtk cells", 2, "it announces 2 cells, but holds 1");
    check_words(
        "TetGen nodes",
        3,
        "line 5: expected the end of the file after the nodes that its first line announces",
    );
    check_words(
        "TetGen elements",
        2,
        "\".ele\", which belongs to this file: the file ends where an element should follow",
    );
    check_words("ply faces", 3, "bytes follow the last element that its header announces");
    check_words("glb length", 4, "its header announces");
    check_words("meshb tetrahedra", -3, "a list has the length -3");
}

/// The format has no end mark, and programs read such files.
#[test]
fn bytes_after_the_last_triangle_are_left_out_and_counted() {
    for (claimed, n_bytes) in [(3, 50), (4, 0)] {
        let opened = open(FileKind::Stl, &stl(claimed), &mut |_| None, &ReadingOptions::default());
        let findings = opened.unwrap().findings.findings;
        let found = findings.iter().find(|finding| finding.what == FindingKind::TrailingBytes);
        assert_eq!(found.map_or(0, |finding| finding.count), n_bytes);
    }
    let two_more = [stl(4), vec![7, 7]].concat();
    let opened = open(FileKind::Stl, &two_more, &mut |_| None, &ReadingOptions::default()).unwrap();
    assert!(opened.findings.to_string().contains("2 bytes after the last triangle; left out"));
    let five = open(FileKind::Stl, &stl(5), &mut |_| None, &ReadingOptions::default());
    check_error(five, "its header announces 5 triangles, which take 334 bytes, but it has 284");
}

/// An accessor may use a part of its buffer, but not more than there is.
#[test]
fn parts_of_a_buffer_stay_within_it() {
    let opened =
        |file: Vec<u8>| open(FileKind::Glb, &file, &mut |_| None, &ReadingOptions::default());
    opened(glb([0, 96, 12])).unwrap();
    opened(glb([0, 90, 9])).unwrap();
    check_error(opened(glb([0, 96, 13])), "too short");
    check_error(opened(glb([0, 97, 12])), "buffer 0 announces 97 bytes, but there are 96");
    check_error(opened(glb([0, -1, 12])), "buffer 0 announces -1 bytes, but there are 96");
}
