//! Reads files of other programs, which must give the same box; `files/README.md` says how they
//! were made.

use std::path::Path;

use nalgebra::Point3;
use objects::format::{Field, FieldPlace, read};
use objects::{OpenedObject, ReadingOptions, Unit};
use physics::TetMesh;

use super::{check_error, folder, open_file, solid, surface};

fn in_millimetres() -> ReadingOptions {
    ReadingOptions { unit: Some(Unit::Millimetre), ..ReadingOptions::default() }
}

/// The box as Gmsh's programming interface gave it, in millimetres.
fn box_in_millimetres() -> TetMesh {
    let bytes = std::fs::read(folder().join("box.obj3")).unwrap();
    read(Path::new("box.obj3"), &bytes).unwrap()
}

/// A position in whole micrometres, so that the last digits of a text do not matter.
fn micrometres(x: &Point3<f64>) -> [i64; 3] {
    [x.x, x.y, x.z].map(|coordinate| (1e6 * coordinate).round() as i64)
}

/// Sorts corners and shapes, so that the numbers of nodes do not matter.
fn sorted<const N: usize>(mut shapes: Vec<[[i64; 3]; N]>) -> Vec<[[i64; 3]; N]> {
    shapes.iter_mut().for_each(|corners| corners.sort_unstable());
    shapes.sort_unstable();
    shapes
}

fn tetrahedra(mesh: &TetMesh, scale: f64) -> Vec<[[i64; 3]; 4]> {
    let corner =
        |node: physics::NodeId| micrometres(&(mesh.rest_positions()[node.index()] * scale));
    sorted(mesh.elements().iter().map(|nodes| nodes.map(corner)).collect())
}

#[track_caller]
fn check_solid(name: &str) -> OpenedObject {
    let opened = open_file(name, &in_millimetres()).unwrap();
    let found = tetrahedra(&solid(opened.clone()), 1.0);
    assert_eq!(found, tetrahedra(&box_in_millimetres(), 1e-3), "{name}");
    opened
}

/// Asserts that a file has the skin of the box: the same triangles, outward, with the same volume.
#[track_caller]
fn check_surface(name: &str, reading: &ReadingOptions) {
    let found = surface(open_file(name, reading).unwrap());
    let skin = box_in_millimetres().surface();
    let expected = skin.topology.triangles.iter().map(|corners| {
        corners.map(|i| {
            let position = skin.topology.rest_positions[i as usize].map(f64::from);
            micrometres(&(Point3::from(position) * 1e-3))
        })
    });
    let corner = |i: u32| found.points()[i as usize];
    let triangles =
        found.triangles().iter().map(|corners| corners.map(|i| micrometres(&corner(i))));
    assert_eq!(sorted(triangles.collect()), sorted(expected.collect()), "{name}");
    let volume: f64 = found
        .triangles()
        .iter()
        .map(|corners| corners.map(|i| corner(i).coords))
        .map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0)
        .sum();
    assert!((volume - 0.06 * 0.04 * 0.02).abs() < 1e-9, "{name}: {volume}");
}

/// Checks the values that were given to every program: a formula of the position, in millimetres
/// like the displacements.
#[track_caller]
fn check_fields(name: &str) {
    let opened = check_solid(name);
    assert!(opened.findings.fields_left_out.is_empty(), "{name}: {}", opened.findings);
    let [displacement, stress] = &opened.fields[..] else { panic!("{name}: {:?}", opened.fields) };
    let check = |field: &Field, expected: Vec<f64>| {
        assert_eq!(field.values().len(), expected.len());
        for (found, expected) in field.values().iter().zip(expected) {
            let margin = 1e-9 * expected.abs().max(1e-3);
            assert!((found - expected).abs() < margin, "{name}: {found} instead of {expected}");
        }
    };
    let mesh = solid(opened.clone());
    let at = |node: physics::NodeId| mesh.rest_positions()[node.index()] * 1e3;
    assert_eq!((displacement.name(), displacement.place()), ("displacement", FieldPlace::Nodes));
    let nodes = (0..mesh.n_nodes() as u32).map(|i| at(physics::NodeId(i)));
    // Converted to metres, like the points.
    check(displacement, nodes.flat_map(|x| [1e-6 * x.x, 2e-6 * x.y, 3e-6 * x.z]).collect());
    assert_eq!((stress.name(), stress.place()), ("stress", FieldPlace::Elements));
    let means = mesh.elements().iter().map(|e| e.iter().map(|n| at(*n).x).sum::<f64>() / 4.0);
    check(
        stress,
        means.flat_map(|mean| [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|k| k * mean)).collect(),
    );
}

#[test]
fn gmsh() {
    for name in ["22-ascii", "22-binary", "41-ascii", "41-binary", "41-parametric"] {
        check_solid(&format!("gmsh-{name}.msh"));
    }
    for name in ["gmsh.mesh", "gmsh-ascii.vtk", "gmsh-binary.vtk"] {
        check_solid(name);
    }
    for name in ["gmsh-ascii.stl", "gmsh-binary.stl"] {
        check_surface(name, &in_millimetres());
    }
}

#[test]
fn gmsh_with_elements_of_second_order() {
    let opened = open_file("gmsh-second-order.msh", &in_millimetres()).unwrap();
    let words = opened.findings.to_string();
    assert!(words.contains("of second or higher order; only corners were used"), "{words}");
    assert!(words.contains("nodes") && words.contains("that no element uses"), "{words}");
    let mesh = solid(opened);
    let volume: f64 = mesh
        .elements()
        .iter()
        .map(|nodes| nodes.map(|node| mesh.rest_positions()[node.index()]))
        .map(|[a, b, c, d]| (b - a).dot(&(c - a).cross(&(d - a))) / 6.0)
        .sum();
    assert!((volume - 0.06 * 0.04 * 0.02).abs() < 1e-12, "{volume}");
}

#[test]
fn gmsh_with_hexahedra_is_refused() {
    check_error(open_file("gmsh-hexahedra.msh", &in_millimetres()), "the file has hexahedra");
}

#[test]
fn meshio() {
    for name in ["22.msh", "41.msh", "42-ascii.vtk", "51-binary.vtk"] {
        check_solid(&format!("meshio-{name}"));
    }
    for name in ["meshio.mesh", "meshio.meshb", "meshio.node", "meshio.ele"] {
        check_solid(name);
    }
    for name in ["ascii", "base64", "zlib"] {
        check_fields(&format!("meshio-{name}.vtu"));
    }
    for name in ["meshio-ascii.ply", "meshio-binary.ply", "meshio.obj"] {
        check_surface(name, &in_millimetres());
    }
    check_error(open_file("meshio-lzma.vtu", &in_millimetres()), "vtkLZMADataCompressor");
}

#[test]
fn vtk() {
    for name in ["42-ascii", "42-binary", "51-ascii", "51-binary"] {
        check_fields(&format!("vtk-{name}.vtk"));
    }
    for name in [
        "ascii",
        "base64",
        "base64-zlib",
        "raw",
        "raw-zlib",
        "raw-big-endian",
        "appended-base64",
        "appended-base64-zlib",
    ] {
        check_fields(&format!("vtk-{name}.vtu"));
    }
    for name in ["vtk-big-endian.ply", "vtk-polydata.vtk", "vtk-strips.vtk"] {
        check_surface(name, &in_millimetres());
    }
}

#[test]
fn trimesh() {
    for name in ["trimesh.obj", "trimesh.ply"] {
        check_surface(name, &in_millimetres());
    }
    for name in ["trimesh.glb", "trimesh.gltf", "trimesh-embedded.gltf"] {
        check_surface(name, &ReadingOptions::default());
    }
}

/// TetGen makes nodes of its own, so only shape and counts can be compared.
#[test]
fn tetgen() {
    for name in ["tetgen.node", "tetgen.ele"] {
        let opened = open_file(name, &in_millimetres()).unwrap();
        assert!(opened.findings.findings.is_empty(), "{}", opened.findings);
        let mesh = solid(opened);
        assert_eq!((mesh.n_nodes(), mesh.elements().len()), (68, 122));
        let volume: f64 = mesh
            .elements()
            .iter()
            .map(|nodes| nodes.map(|node| mesh.rest_positions()[node.index()]))
            .map(|[a, b, c, d]| (b - a).dot(&(c - a).cross(&(d - a))) / 6.0)
            .sum();
        assert!((volume - 0.06 * 0.04 * 0.02).abs() < 1e-12, "{volume}");
    }
}

/// Red where x is positive, some green where y is: linear in glTF, sRGB in the others.
#[test]
fn colours_of_other_programs_are_read() {
    let share = 188.0 / 255.0_f32;
    let on_screens = ((share + 0.055) / 1.055).powf(2.4);
    for (name, green) in [
        ("trimesh-coloured.obj", on_screens),
        ("trimesh-coloured.ply", on_screens),
        ("trimesh-coloured.glb", share),
    ] {
        let opened = open_file(name, &ReadingOptions::default()).unwrap();
        let colours = opened.fields.iter().find_map(Field::as_colours).unwrap();
        let found = surface(opened);
        assert_eq!(colours.len(), 8, "{name}");
        for (x, [r, g, b]) in found.points().iter().zip(colours) {
            let expected = if x.y > 0.0 { green } else { 0.0 };
            assert_eq!((r, b), (f32::from(u8::from(x.x > 0.0)), 0.0), "{name} at {x}");
            assert!((g - expected).abs() < 1e-6, "{name} at {x}: {g}");
        }
    }
}
