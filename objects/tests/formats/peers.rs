//! Exchanges files with meshio and Gmsh, which `cargo xtask setup --python` and `test` install from
//! PyPI: one process writes files that are read here, and one reads files that were written here.

#![allow(clippy::print_stderr, reason = "a test that cannot run says so")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use objects::format::{Body, BodyToWrite, Field, ObjectToWrite, Sibling, open, write};
use objects::generate::cube;
use objects::{FileKind, OpenedObject, ReadingOptions, Unit};

/// Python with both programs; `None` with a loud word if it is not installed.
fn python() -> Option<PathBuf> {
    let this = env::current_exe().unwrap();
    let target = this.ancestors().nth(3).unwrap();
    let python = target.join("test-python/bin/python");
    if python.exists() {
        return Some(python);
    }
    eprintln!(
        "\n*** NOT RUN: no file was exchanged with meshio and Gmsh, because {} does not exist. ***\n\
         *** `cargo xtask setup --python` installs them from PyPI. ***",
        python.display()
    );
    None
}

/// Runs the script; returns the words of the lines of its output.
fn said(python: &Path, arguments: &[&str]) -> Vec<Vec<String>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/peers.py");
    let output = Command::new(python).arg(script).args(arguments).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the script failed: {words}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
}

fn opened(folder: &Path, name: &str) -> OpenedObject {
    let path = folder.join(name);
    let mut siblings = |sibling: Sibling<'_>| match sibling {
        Sibling::Extension(extension) => fs::read(path.with_extension(extension)).ok(),
        Sibling::Name(name) => fs::read(folder.join(name)).ok(),
    };
    let reading = ReadingOptions { unit: Some(Unit::Millimetre), ..ReadingOptions::default() };
    let kind = FileKind::of(&path).unwrap();
    match open(kind, &fs::read(&path).unwrap(), &mut siblings, &reading) {
        Ok(opened) => opened,
        Err(error) => panic!("{name}: {error}"),
    }
}

/// Number of elements, and volume in cubic millimetres.
fn measured(opened: &OpenedObject) -> (usize, f64) {
    let volume = |corners: &[nalgebra::Point3<f64>; 4]| {
        let [a, b, c, d] = corners;
        (b - a).dot(&(c - a).cross(&(d - a))) / 6.0 * 1e9
    };
    match &opened.body {
        Body::Solid(mesh) => {
            let at = |node: physics::NodeId| mesh.rest_positions()[node.index()];
            let volumes = mesh.elements().iter().map(|nodes| volume(&nodes.map(at)));
            (mesh.elements().len(), volumes.sum())
        }
        Body::Surface(surface) => {
            let origin = surface.points()[0];
            let at = |i: u32| surface.points()[i as usize];
            let volumes = surface.triangles().iter().map(|t| {
                let [a, b, c] = t.map(at);
                volume(&[origin, a, b, c])
            });
            (surface.triangles().len(), volumes.sum())
        }
    }
}

#[test]
fn files_of_meshio_and_gmsh_are_read_as_they_were_meant() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let lines = said(&python, &["write", folder.to_str().unwrap()]);
    let mut n_files = 0;
    for line in &lines {
        let [name, _, n_cells, size] = line.as_slice() else { continue };
        if !folder.join(name).exists() {
            continue;
        }
        let opened = opened(folder, name);
        let (n_found, volume) = measured(&opened);
        assert_eq!(n_found, n_cells.parse::<usize>().unwrap(), "{name}");
        let expected: f64 = size.parse().unwrap();
        assert!((volume / expected - 1.0).abs() < 1e-5, "{name}: {volume} of {expected}");
        assert_eq!(opened.findings.unsolvable(), None, "{name}");
        n_files += 1;
        if name.starts_with("regions") {
            let regions = opened.fields.iter().find(|field| field.name() == "region");
            let regions = regions.unwrap_or_else(|| panic!("{name} has no regions"));
            let both = |value: f64| regions.values().contains(&value);
            assert!(both(1.0) && both(2.0) && regions.n_rows() == n_found, "{name}");
        }
    }
    assert_eq!(n_files, 28, "{lines:?}");
}

#[test]
fn files_of_ours_are_read_by_meshio_and_gmsh() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mesh = cube(0.06, 4).unwrap();
    let heat: Vec<f64> = mesh.rest_positions().iter().map(|x| x.x).collect();
    let heat = Field::new("heat", objects::format::FieldPlace::Nodes, 1, heat).unwrap();
    let fields = [
        heat.with_unit("K"),
        Field::stress(&vec![[1.0; 6]; mesh.elements().len()]).with_unit("Pa"),
    ];
    let mut paths = Vec::new();
    for kind in [FileKind::Gmsh, FileKind::Vtu, FileKind::Obj, FileKind::Stl] {
        let fields = if kind == FileKind::Vtu { &fields[..] } else { &[] };
        let object = ObjectToWrite { body: BodyToWrite::Solid(&mesh), unit: Unit::Metre, fields };
        let path = folder.path().join(format!("ours.{}", kind.extension()));
        fs::write(&path, write(kind, &object).unwrap()).unwrap();
        paths.push(path.to_str().unwrap().to_owned());
    }
    let arguments: Vec<&str> =
        std::iter::once("read").chain(paths.iter().map(String::as_str)).collect();
    let lines = said(&python, &arguments);
    let n_skin = mesh.surface().topology.triangles.len();
    for (reader, name, n_cells) in [
        ("meshio", "ours.msh", mesh.elements().len()),
        ("gmsh", "ours.msh", mesh.elements().len()),
        ("meshio", "ours.vtu", mesh.elements().len()),
        ("meshio", "ours.obj", n_skin),
        ("meshio", "ours.stl", n_skin),
        ("gmsh", "ours.stl", n_skin),
    ] {
        let line =
            lines.iter().find(|line| line.len() == 5 && line[0] == reader && line[1] == name);
        let line = line.unwrap_or_else(|| panic!("{reader} did not read {name}: {lines:?}"));
        assert_eq!(line[3].parse::<usize>().unwrap(), n_cells, "{reader} {name}");
        let volume: f64 = line[4].parse().unwrap();
        assert!((volume / 0.06_f64.powi(3) - 1.0).abs() < 1e-5, "{reader} {name}: {volume}");
    }
    for field in ["heat", "stress"] {
        let expected = ["field", "ours.vtu", field];
        assert!(lines.iter().any(|line| line == &expected), "meshio misses {field}: {lines:?}");
    }
}
