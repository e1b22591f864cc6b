//! Tests the limits: counts without data, files that expand without end, names outside of the
//! folder.

use objects::format::{ByteCount, Limits, no_siblings, open};
use objects::{FileKind, ReadingOptions};

use super::{check_error, folder};

fn check(kind: FileKind, bytes: &[u8], expected: &str) {
    check_error(open(kind, bytes, &mut no_siblings, &ReadingOptions::default()), expected);
}

/// If a reader believed one of these counts, it would run out of memory at once.
#[test]
fn counts_without_bytes_are_no_counts() {
    let huge = u64::MAX / 64;
    let msh = |rest: &str| format!("$MeshFormat\n{rest}");
    check(
        FileKind::Gmsh,
        msh(&format!("2.2 0 8\n$EndMeshFormat\n$Nodes\n{huge}\n")).as_bytes(),
        "ends",
    );
    let head = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_vec();
    let counts = [1_u64, huge, 1, huge].into_iter().flat_map(u64::to_le_bytes);
    let block = [3_u32, 1, 0].into_iter().flat_map(u32::to_le_bytes).chain(huge.to_le_bytes());
    check(
        FileKind::Gmsh,
        &head.into_iter().chain(counts).chain(block).collect::<Vec<u8>>(),
        "ends",
    );
    check(FileKind::Thesis, format!("vertices {huge}\n").as_bytes(), "ends");
    check(FileKind::TetGenNodes, b"1 3\n1 0 0 0", "\".ele\"");
    check(FileKind::Medit, format!("MeshVersionFormatted 2 Vertices {huge}").as_bytes(), "ends");
    let vertices = [1_u32, 2, 4, 0, u32::MAX / 4].into_iter().flat_map(u32::to_le_bytes);
    check(FileKind::MeditBinary, &vertices.collect::<Vec<u8>>(), "ends");
    let vtk = "# vtk DataFile Version 3.0\n\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS";
    check(FileKind::Vtk, format!("{vtk} {huge} double\n").as_bytes(), "ends");
    let ply = "ply\nformat binary_little_endian 1.0\nelement vertex";
    let properties = "property float x\nproperty float y\nproperty float z\nend_header\n";
    check(FileKind::Ply, format!("{ply} {huge}\n{properties}").as_bytes(), "ends");
    let gltf = format!(
        "{{\"asset\": {{\"version\": \"2.0\"}}, \"meshes\": [{{\"primitives\": \
         [{{\"attributes\": {{\"POSITION\": 0}}}}]}}], \
         \"accessors\": [{{\"bufferView\": 0, \"componentType\": 5126, \
         \"count\": {huge}, \"type\": \"VEC3\"}}], \
         \"bufferViews\": [{{\"buffer\": 0, \"byteLength\": 3}}], \
         \"buffers\": [{{\"byteLength\": 3, \"uri\": \"data:;base64,AAAA\"}}]}}"
    );
    check(FileKind::Gltf, gltf.as_bytes(), "too short");
}

#[test]
fn files_that_are_too_large_are_refused() {
    let bytes = std::fs::read(folder().join("vtk-raw-zlib.vtu")).unwrap();
    let with = |limits: Limits| {
        let reading = ReadingOptions { limits, ..ReadingOptions::default() };
        open(FileKind::Vtu, &bytes, &mut no_siblings, &reading)
    };
    let limits = Limits { file_bytes: bytes.len() - 1, ..Limits::default() };
    check_error(with(limits), "too many bytes");
    let limits = Limits { unfolded_bytes: 2000, ..Limits::default() };
    check_error(with(limits), "too many bytes when it is unfolded");
    with(Limits { file_bytes: bytes.len(), unfolded_bytes: 50_000 }).unwrap();
}

#[test]
fn limits_are_reported_in_readable_numbers() {
    for (n_bytes, expected) in [
        (2 << 30, "2 GiB"),
        (3 << 20, "3 MiB"),
        (1 << 10, "1 KiB"),
        (1500, "1500 bytes"),
        (0, "0 bytes"),
    ] {
        assert_eq!(ByteCount(n_bytes).to_string(), expected);
    }
}

#[test]
fn buffers_stay_in_their_folder() {
    for name in ["../secret", "/etc/passwd", "http://somewhere/x.bin", "..%2Fsecret", "a\\\\b", ""]
    {
        let gltf = format!(
            "{{\"asset\": {{\"version\": \"2.0\"}}, \
             \"buffers\": [{{\"byteLength\": 3, \"uri\": \"{name}\"}}]}}"
        );
        check(FileKind::Gltf, gltf.as_bytes(), "expected a file in the same folder");
    }
}

#[test]
fn a_scene_that_contains_itself_is_refused() {
    let gltf = "{\"asset\": {\"version\": \"2.0\"}, \"scenes\": [{\"nodes\": [0]}], \
                \"nodes\": [{\"children\": [1]}, {\"children\": [0]}]}";
    check(FileKind::Gltf, gltf.as_bytes(), "has two parents");
    let deep = "{\"asset\": ".to_owned() + &"[".repeat(100_000);
    check(FileKind::Gltf, deep.as_bytes(), "cannot be read");
    check(FileKind::Vtu, "<a>".repeat(100_000).as_bytes(), "nested more than");
}
