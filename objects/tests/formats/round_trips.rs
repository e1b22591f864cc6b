//! Tests that written objects read back, to the last bit that the format can hold.

use nalgebra::{Point3, Vector3};
use objects::format::{
    Body, BodyToWrite, Field, FieldPlace, GmshDialect, ObjectToWrite, Precision, VerifyError,
    no_siblings, open, parse, verify, write, write_gmsh, write_thesis,
};
use objects::generate::{cube, sphere};
use objects::{FileKind, ReadingOptions, TriangleSurface, Unit};
use physics::{NodeId, TetMesh};
use proptest::prelude::*;

use super::{check_error, solid, surface};

fn in_metres() -> ReadingOptions {
    ReadingOptions { unit: Some(Unit::Metre), ..ReadingOptions::default() }
}

fn of(mesh: &TetMesh) -> ObjectToWrite<'_> {
    ObjectToWrite { body: BodyToWrite::Solid(mesh), unit: Unit::Metre, fields: &[] }
}

/// A mesh whose coordinates use all digits.
fn mesh() -> TetMesh {
    cube(0.1 / 3.0, 3).unwrap()
}

fn fields(mesh: &TetMesh) -> [Field; 3] {
    let vectors: Vec<Vector3<f64>> = mesh.rest_positions().iter().map(|x| x.coords / 7.0).collect();
    let stresses: Vec<[f64; 6]> = (0..mesh.elements().len())
        .map(|i| [1, 2, 3, 4, 5, 6].map(|k| f64::from(k) / (i + 3) as f64))
        .collect();
    let mut displacement = vectors.clone();
    displacement[0].x = f64::NAN;
    [
        Field::nodal_vectors("displacement", &displacement),
        Field::nodal_vectors("reactions & <\"more\">", &vectors),
        Field::stress(&stresses),
    ]
}

/// Positions of the corners of a surface's triangles.
fn corners(surface: &TriangleSurface) -> Vec<Point3<f64>> {
    let corners = surface.triangles().as_flattened();
    corners.iter().map(|i| surface.points()[*i as usize]).collect()
}

#[test]
fn solids_keep_every_bit_and_surfaces_theirs() {
    let mesh = mesh();
    let skin = mesh.surface().topology;
    let nodes = skin.triangles.as_flattened().iter().map(|i| skin.nodes[*i as usize]);
    let expected: Vec<Point3<f64>> =
        nodes.map(|node| mesh.rest_positions()[node.index()]).collect();
    for kind in FileKind::ALL {
        let Some(holds) = kind.holds() else {
            check_error(write(kind, &of(&mesh)), "only read");
            continue;
        };
        let bytes = write(kind, &of(&mesh)).unwrap();
        verify(kind, &bytes, &of(&mesh)).unwrap();
        let opened = open(kind, &bytes, &mut no_siblings, &in_metres()).unwrap();
        if holds.solids {
            assert_eq!(solid(opened), mesh, "{kind:?}");
            continue;
        }
        let rounded = |x: &Point3<f64>| x.map(|c| f64::from(c as f32));
        let expected = match holds.precision {
            Precision::Double => expected.clone(),
            Precision::Single => expected.iter().map(rounded).collect(),
        };
        assert_eq!(corners(&surface(opened)), expected, "{kind:?}");
    }
}

/// A different colour for each node.
fn colours(n: usize) -> Vec<[f32; 3]> {
    (0..n).map(|i| [i as f32 / n as f32, 0.2, 1.0 - i as f32 / n as f32]).collect()
}

#[test]
fn colours_come_back_from_wherever_they_can_be() {
    let mesh = mesh();
    let of_nodes = colours(mesh.n_nodes());
    let fields = [Field::colours(&of_nodes)];
    let object =
        ObjectToWrite { body: BodyToWrite::Solid(&mesh), unit: Unit::Metre, fields: &fields };
    let skin = mesh.surface().topology;
    for kind in FileKind::ALL {
        let Some(holds) = kind.holds() else { continue };
        if !holds.colours {
            check_error(write(kind, &object), "do not hold these values");
            continue;
        }
        let bytes = write(kind, &object).unwrap();
        verify(kind, &bytes, &object).unwrap();
        let opened = open(kind, &bytes, &mut no_siblings, &in_metres()).unwrap();
        let found = opened.fields.iter().find_map(Field::as_colours).unwrap();
        let expected: Vec<[f32; 3]> = match holds.solids {
            true => of_nodes.clone(),
            false => skin.nodes.iter().map(|node| of_nodes[node.index()]).collect(),
        };
        let largest = |(a, b): (&[f32; 3], &[f32; 3])| {
            (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f32::max)
        };
        let off = found.iter().zip(&expected).map(largest).fold(0.0, f32::max);
        // OBJ files have sRGB colours; the conversion rounds.
        let most = if kind == FileKind::Obj { 1e-6 } else { 0.0 };
        assert!(found.len() == expected.len() && off <= most, "{kind:?}: {off}");
        let others = [Field::colours(&vec![[0.5; 3]; mesh.n_nodes()])];
        let other =
            ObjectToWrite { body: BodyToWrite::Solid(&mesh), unit: Unit::Metre, fields: &others };
        assert!(verify(kind, &bytes, &other).is_err(), "{kind:?} has other colours");
    }
}

#[test]
fn surfaces_go_where_surfaces_can() {
    let points = [[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]].map(Point3::from);
    let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let surface = TriangleSurface::new(points.to_vec(), triangles).unwrap();
    let object =
        ObjectToWrite { body: BodyToWrite::Surface(&surface), unit: Unit::Metre, fields: &[] };
    for kind in [FileKind::Obj, FileKind::Stl, FileKind::Glb] {
        verify(kind, &write(kind, &object).unwrap(), &object).unwrap();
    }
    check_error(write(FileKind::Gmsh, &object), ".msh files hold solids");
}

#[test]
fn every_dialect_of_gmsh_keeps_every_bit() {
    let mesh = mesh();
    let dialects =
        [GmshDialect::Binary4, GmshDialect::Text4, GmshDialect::Binary2, GmshDialect::Text2];
    let files = dialects.map(|dialect| write_gmsh(&mesh, dialect));
    for bytes in files.into_iter().chain([big_endian_2(&mesh), big_endian_4(&mesh)]) {
        let opened = open(FileKind::Gmsh, &bytes, &mut no_siblings, &in_metres()).unwrap();
        assert_eq!(opened.body, Body::Solid(mesh.clone()), "{}", opened.findings.dialect);
        verify(FileKind::Gmsh, &bytes, &of(&mesh)).unwrap();
    }
}

/// Version 2.2 as a big-endian machine writes it, with one run for each element and three tags.
fn big_endian_2(mesh: &TetMesh) -> Vec<u8> {
    let mut bytes = b"$MeshFormat\n2.2 1 8\n\0\0\0\x01\n$EndMeshFormat\n".to_vec();
    bytes.extend(format!("$Nodes\n{}\n", mesh.n_nodes()).into_bytes());
    for (x, number) in mesh.rest_positions().iter().zip(1_i32..) {
        bytes.extend(number.to_be_bytes());
        bytes.extend(x.iter().flat_map(|c| c.to_be_bytes()));
    }
    bytes.extend(format!("\n$EndNodes\n$Elements\n{}\n", mesh.elements().len()).into_bytes());
    for (nodes, number) in mesh.elements().iter().zip(1_i32..) {
        let row = [4, 1, 3, number, 0, 1, 0].into_iter();
        let row = row.chain(nodes.iter().map(|node| node.0 as i32 + 1));
        bytes.extend(row.flat_map(i32::to_be_bytes));
    }
    bytes.extend(b"\n$EndElements\n");
    bytes
}

/// Version 4.1 as a big-endian machine writes it, with descending node numbers far from 1.
fn big_endian_4(mesh: &TetMesh) -> Vec<u8> {
    const LAST: u64 = 1 << 40;
    let (n_nodes, n_elements) = (mesh.n_nodes() as u64, mesh.elements().len() as u64);
    let counts =
        |counts: &[u64]| -> Vec<u8> { counts.iter().flat_map(|c| c.to_be_bytes()).collect() };
    let integers = |i: [u32; 3]| -> Vec<u8> { i.into_iter().flat_map(u32::to_be_bytes).collect() };
    let mut bytes = b"$MeshFormat\n4.1 1 8\n\0\0\0\x01\n$EndMeshFormat\n$Nodes\n".to_vec();
    bytes.extend(counts(&[1, n_nodes, LAST - n_nodes, LAST]));
    bytes.extend(integers([3, 1, 0]));
    bytes.extend(counts(&[n_nodes]));
    bytes.extend((0..n_nodes).flat_map(|i| (LAST - i).to_be_bytes()));
    bytes.extend(
        mesh.rest_positions().iter().flat_map(|x| [x.x, x.y, x.z]).flat_map(f64::to_be_bytes),
    );
    bytes.extend(b"\n$EndNodes\n$Elements\n");
    bytes.extend(counts(&[1, n_elements, 1, n_elements]));
    bytes.extend(integers([3, 1, 4]));
    bytes.extend(counts(&[n_elements]));
    for (nodes, number) in mesh.elements().iter().zip(1..) {
        let [a, b, c, d] = nodes.map(|node| LAST - u64::from(node.0));
        bytes.extend(counts(&[number, a, b, c, d]));
    }
    bytes.extend(b"\n$EndElements\n");
    bytes
}

#[test]
fn values_go_along_in_vtu_files_only() {
    let mesh = mesh();
    let fields = fields(&mesh);
    let object = ObjectToWrite { fields: &fields, ..of(&mesh) };
    let bytes = write(FileKind::Vtu, &object).unwrap();
    verify(FileKind::Vtu, &bytes, &object).unwrap();
    let opened = open(FileKind::Vtu, &bytes, &mut no_siblings, &in_metres()).unwrap();
    assert_eq!(opened.fields[1..], fields[1..]);
    assert_eq!(opened.fields[2].values()[..6], [1, 2, 3, 6, 4, 5].map(|k| f64::from(k) / 3.0));
    assert_eq!(opened.fields[2].component_names(), ["xx", "yy", "zz", "xy", "yz", "xz"]);
    check_error(write(FileKind::Gmsh, &object), "do not hold these values");
    let short = [Field::new("short", FieldPlace::Nodes, 1, vec![0.0; 3]).unwrap()];
    let object = ObjectToWrite { fields: &short, ..of(&mesh) };
    check_error(write(FileKind::Vtu, &object), "\"short\" have 3 rows, expected 64");
}

/// Some programs make rows of a scalar if the file says that it has one component.
#[test]
fn scalars_are_written_without_a_number_of_components() {
    let mesh = mesh();
    let heat = [Field::new("heat", FieldPlace::Nodes, 1, vec![0.5; mesh.n_nodes()]).unwrap()];
    let object = ObjectToWrite { fields: &heat, ..of(&mesh) };
    let bytes = write(FileKind::Vtu, &object).unwrap();
    let document = String::from_utf8_lossy(&bytes);
    assert_eq!(document.matches("NumberOfComponents").count(), 1, "only the points have three");
    let stress = [Field::stress(&vec![[0.0; 6]; mesh.elements().len()])];
    let bytes = write(FileKind::Vtu, &ObjectToWrite { fields: &stress, ..of(&mesh) }).unwrap();
    let document = String::from_utf8_lossy(&bytes);
    assert!(document.contains(" ComponentName3=\"xy\" ComponentName4=\"yz\""), "{document}");
}

#[test]
fn a_file_that_differs_is_not_verified() {
    let mesh = mesh();
    let fields = fields(&mesh);
    let object = ObjectToWrite { fields: &fields, ..of(&mesh) };
    let verified = |kind, bytes: &[u8]| verify(kind, bytes, &of(&mesh));
    let mut moved = mesh.rest_positions().to_vec();
    moved[5].x = f64::from_bits(moved[5].x.to_bits() + 1);
    let moved = TetMesh::new(moved, mesh.elements().to_vec()).unwrap();
    let [first, rest @ ..] = mesh.elements() else { panic!("it is not empty") };
    let [a, b, c, d] = *first;
    let elements = [&[[b, c, a, d]], rest].concat();
    let turned = TetMesh::new(mesh.rest_positions().to_vec(), elements).unwrap();
    for kind in [FileKind::Thesis, FileKind::Gmsh, FileKind::Vtu] {
        let bytes = write(kind, &of(&moved)).unwrap();
        assert_eq!(verified(kind, &bytes), Err(VerifyError::Differs("nodes")), "{kind:?}");
        let bytes = write(kind, &of(&turned)).unwrap();
        assert_eq!(verified(kind, &bytes), Err(VerifyError::Differs("elements")), "{kind:?}");
        check_error(verified(kind, &bytes[..bytes.len() / 2]), "cannot be read");
    }
    let bytes = write(FileKind::Vtu, &of(&mesh)).unwrap();
    assert_eq!(verify(FileKind::Vtu, &bytes, &object), Err(VerifyError::Differs("values")));
    let other = cube(0.1, 3).unwrap();
    for kind in [FileKind::Obj, FileKind::Stl, FileKind::Glb] {
        let bytes = write(kind, &of(&other)).unwrap();
        assert_eq!(verified(kind, &bytes), Err(VerifyError::Differs("triangles")), "{kind:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Tries random numbers, if they make a mesh.
    #[test]
    fn any_tetrahedron_goes_through_every_format(
        corner in prop::array::uniform3(-1e3..1e3_f64),
        edges in prop::array::uniform3(1e-3..1e3_f64),
        order in Just([0, 1, 2, 3]).prop_shuffle(),
    ) {
        let [x, y, z] = corner;
        let [a, b, c] = edges;
        let points = [[x, y, z], [x + a, y, z], [x, y + b, z], [x, y, z + c]];
        let points: Vec<Point3<f64>> = order.iter().map(|i| Point3::from(points[*i])).collect();
        let elements = [[0, 1, 2, 3], [0, 1, 3, 2]].map(|nodes| nodes.map(NodeId));
        let meshes = elements.map(|nodes| TetMesh::new(points.clone(), vec![nodes]));
        let Some(mesh) = meshes.into_iter().find_map(Result::ok) else { return Ok(()) };
        for kind in FileKind::ALL.into_iter().filter(|kind| kind.holds().is_some()) {
            let bytes = write(kind, &of(&mesh)).unwrap();
            prop_assert_eq!(verify(kind, &bytes, &of(&mesh)), Ok(()), "{:?}", kind);
        }
    }
}

#[test]
fn the_writer_of_the_thesis_format_is_text() {
    let text = write_thesis(&sphere(0.05, 100).unwrap());
    let raw =
        parse(FileKind::Thesis, text.as_bytes(), &mut no_siblings, &Default::default()).unwrap();
    assert!(text.is_ascii() && !raw.triangles.is_empty());
}

/// An object that is large, or not in metres, is not mistaken for a small one.
#[test]
fn a_written_file_carries_its_unit() {
    let mesh = cube(5.0, 2).unwrap();
    for kind in [FileKind::Gmsh, FileKind::Vtu, FileKind::Obj, FileKind::Stl] {
        for unit in Unit::ALL {
            let object = ObjectToWrite { unit, ..of(&mesh) };
            let bytes = write(kind, &object).unwrap();
            let opened = open(kind, &bytes, &mut no_siblings, &ReadingOptions::default()).unwrap();
            let [longest, ..] = opened.findings.size;
            assert_eq!(opened.findings.unit, unit, "{kind:?}");
            assert!((longest - 5.0 * unit.in_metres()).abs() < 1e-6, "{kind:?}: {longest}");
            // The caller's unit has priority.
            let told = ReadingOptions { unit: Some(Unit::Inch), ..ReadingOptions::default() };
            let opened = open(kind, &bytes, &mut no_siblings, &told).unwrap();
            assert_eq!(opened.findings.unit, Unit::Inch);
        }
    }
}
