//! Findings in files: kinds, outcomes and texts.

use std::fmt::Write;

use objects::check::{FindingKind, FindingOutcome};
use objects::format::{DuplicateNodes, FormatError, no_siblings, open};
use objects::{Body, FileKind, OpenedObject, ReadingOptions, Unit};
use physics::NodeId;

use super::{check_error, open_file, solid, surface};

/// The corners of a cube of 0.1, and a point in its middle.
const POINTS: [[f64; 3]; 9] = [
    [0.0, 0.0, 0.0],
    [0.1, 0.0, 0.0],
    [0.1, 0.1, 0.0],
    [0.0, 0.1, 0.0],
    [0.0, 0.0, 0.1],
    [0.1, 0.0, 0.1],
    [0.1, 0.1, 0.1],
    [0.0, 0.1, 0.1],
    [0.05, 0.05, 0.05],
];

fn thesis(points: &[[f64; 3]], elements: &[[u32; 4]]) -> String {
    let mut text = format!("vertices {}\n", points.len());
    points.iter().for_each(|[x, y, z]| writeln!(text, "{x} {y} {z}").unwrap());
    writeln!(text, "elements {}", elements.len()).unwrap();
    elements.iter().for_each(|[a, b, c, d]| writeln!(text, "{a} {b} {c} {d}").unwrap());
    text
}

fn obj(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> String {
    let mut text = String::new();
    points.iter().for_each(|[x, y, z]| writeln!(text, "v {x} {y} {z}").unwrap());
    let triangles = triangles.iter().map(|corners| corners.map(|i| i + 1));
    triangles.for_each(|[a, b, c]| writeln!(text, "f {a} {b} {c}").unwrap());
    text
}

fn opened_with(
    kind: FileKind,
    text: &str,
    reading: &ReadingOptions,
) -> Result<OpenedObject, FormatError> {
    open(kind, text.as_bytes(), &mut no_siblings, reading)
}

fn opened(kind: FileKind, text: &str) -> Result<OpenedObject, FormatError> {
    opened_with(kind, text, &ReadingOptions::default())
}

/// Asserts that the findings are exactly these, with count and first offenders.
#[track_caller]
fn check(opened: &OpenedObject, expected: &[(FindingKind, usize, &[usize], FindingOutcome)]) {
    let found: Vec<(FindingKind, usize, &[usize], FindingOutcome)> =
        opened.findings.findings.iter().map(|f| (f.what, f.count, &f.first[..], f.done)).collect();
    assert_eq!(found, expected, "{}", opened.findings);
}

/// The five tetrahedra that fill a cube.
const FIVE: [[u32; 4]; 5] = [[0, 1, 3, 4], [1, 2, 3, 6], [1, 3, 4, 6], [1, 4, 5, 6], [3, 4, 6, 7]];

#[test]
fn a_good_solid_has_no_findings() {
    let opened = opened(FileKind::Thesis, &thesis(&POINTS[..8], &FIVE)).unwrap();
    check(&opened, &[]);
    let quality = opened.findings.quality.as_ref().unwrap();
    // One regular tetrahedron and four corners of a cube.
    assert_eq!(quality.angles, [0, 0, 0, 0, 0, 4, 0, 1]);
    assert_eq!(quality.ratios, [0, 0, 0, 0, 0, 0, 0, 4, 0, 1]);
    let words = opened.findings.to_string();
    assert!(words.contains("8 nodes, 5 tetrahedra, 100.0 mm by 100.0 mm by 100.0 mm"), "{words}");
    assert!(words.contains("numbers taken as metres, as the format defines"), "{words}");
    assert!(words.contains("smallest dihedral angle 54.7 degrees (tetrahedron"), "{words}");
}

#[test]
fn inverted_elements_are_turned_round() {
    let mut elements = FIVE;
    elements[2].swap(0, 1);
    let some = opened(FileKind::Thesis, &thesis(&POINTS[..8], &elements)).unwrap();
    check(&some, &[(FindingKind::Inverted(5), 1, &[2], FindingOutcome::Turned)]);
    assert!(
        some.findings.to_string().contains("1 of 5 tetrahedra (2) was inside out; turned round")
    );
    elements = FIVE;
    elements.iter_mut().for_each(|nodes| nodes.swap(0, 1));
    let all = opened(FileKind::Thesis, &thesis(&POINTS[..8], &elements)).unwrap();
    check(&all, &[(FindingKind::Inverted(5), 5, &[0, 1, 2, 3, 4], FindingOutcome::Turned)]);
    assert_eq!(solid(all).surface().topology.triangles.len(), 12);
}

#[test]
fn a_tangled_mesh_is_told_from_one_that_is_only_numbered_otherwise() {
    // The point in the middle is pulled out through a face.
    let points = [POINTS[0], POINTS[1], POINTS[3], POINTS[4], [-0.05, 0.02, 0.02]];
    let elements = [[0, 1, 2, 4], [0, 1, 4, 3], [0, 4, 2, 3], [1, 2, 3, 4]];
    let opened = opened(FileKind::Thesis, &thesis(&points, &elements)).unwrap();
    let words = opened.findings.to_string();
    assert!(
        words.contains("inside out; turned round") && words.contains("the mesh is tangled"),
        "{words}"
    );
}

#[test]
fn elements_without_volume_are_left_out_only_if_nothing_opens() {
    let collapsed = [&FIVE[..], &[[0, 0, 1, 2], [5, 1, 4, 6]]].concat();
    let opened_mesh = opened(FileKind::Thesis, &thesis(&POINTS[..8], &collapsed)).unwrap();
    check(
        &opened_mesh,
        &[
            (FindingKind::Collapsed, 1, &[5], FindingOutcome::LeftOut),
            (FindingKind::Repeated, 1, &[6], FindingOutcome::LeftOut),
        ],
    );
    assert_eq!(solid(opened_mesh).elements().len(), 5);
    let flat = [&FIVE[..], &[[0, 1, 2, 3]]].concat();
    let error = opened(FileKind::Thesis, &thesis(&POINTS[..8], &flat));
    check_error(error, "1 tetrahedron (5) is flat: without volume there is nothing to squeeze");
}

/// Elements that were left out count, so that a number leads to the element in the file.
#[test]
fn a_hinge_is_named_by_the_numbers_of_the_file() {
    let away = POINTS.map(|x| x.map(|c| c + 0.1));
    let points = [&POINTS[..7], &away[1..2], &away[3..5]].concat();
    let elements = [[0, 0, 1, 2], [1, 4, 5, 6], [1, 4, 6, 5], [6, 7, 8, 9]];
    let opened = opened(FileKind::Thesis, &thesis(&points, &elements)).unwrap();
    let is_hinge = |what: &FindingKind| matches!(what, FindingKind::Hinge { .. });
    let hinge = opened.findings.findings.iter().map(|f| f.what).find(is_hinge);
    assert_eq!(hinge, Some(FindingKind::Hinge { node: 6, elements: [1, 3] }));
}

#[test]
fn nodes_that_are_not_needed_are_kept_and_named() {
    let opened = opened(FileKind::Thesis, &thesis(&POINTS, &FIVE)).unwrap();
    check(&opened, &[(FindingKind::Unreferenced, 1, &[8], FindingOutcome::Kept)]);
    assert_eq!(solid(opened).n_nodes(), 9);
}

#[test]
fn duplicate_nodes_are_kept_apart_or_joined() {
    // Two halves of a cube, each with nodes of its own on the face between them.
    let points = [&POINTS[..8], &[POINTS[1], POINTS[4], POINTS[6]]].concat();
    let elements = [[0, 1, 3, 4], [1, 2, 3, 6], [1, 3, 4, 6], [8, 9, 5, 10], [3, 4, 6, 7]];
    let text = thesis(&points, &elements);
    let apart = opened(FileKind::Thesis, &text).unwrap();
    check(
        &apart,
        &[
            (FindingKind::DuplicateNodes, 3, &[8, 9, 10], FindingOutcome::Kept),
            (FindingKind::Parts, 2, &[], FindingOutcome::Kept),
        ],
    );
    let reading =
        ReadingOptions { duplicate_nodes: DuplicateNodes::Join, ..ReadingOptions::default() };
    let joined = opened_with(FileKind::Thesis, &text, &reading).unwrap();
    check(&joined, &[(FindingKind::DuplicateNodes, 3, &[8, 9, 10], FindingOutcome::Joined)]);
    let mesh = solid(joined);
    assert_eq!((mesh.n_nodes(), mesh.n_bodies()), (8, 1));
    assert_eq!(mesh.elements()[3], [1, 4, 5, 6].map(NodeId));
}

#[test]
fn the_unit_is_given_or_guessed_and_reported() {
    let text = |scale: f64| {
        obj(&POINTS[..8].iter().map(|x| x.map(|c| c * scale)).collect::<Vec<_>>(), &CUBE)
    };
    let side = |opened: &OpenedObject| opened.findings.size[0];
    for (scale, unit) in [(1.0, Unit::Metre), (100.0, Unit::Centimetre), (1000.0, Unit::Millimetre)]
    {
        let opened = opened(FileKind::Obj, &text(scale)).unwrap();
        assert_eq!(opened.findings.unit, unit);
        assert!((side(&opened) - 0.1).abs() < 1e-12);
        let words = opened.findings.to_string();
        assert!(words.contains("guessed from the size"), "{words}");
        let other = "its numbers may also be millimetres; then it is 10.0 mm across: --unit mm \
                     or --unit cm says which";
        assert_eq!(words.contains(other), unit == Unit::Centimetre, "{words}");
    }
    let reading = ReadingOptions { unit: Some(Unit::Inch), ..ReadingOptions::default() };
    let inches = opened_with(FileKind::Obj, &text(10.0), &reading).unwrap();
    assert!((side(&inches) - 0.0254).abs() < 1e-12);
    assert!(inches.findings.to_string().contains("numbers taken as inches, as given"));
    let Body::Surface(found) = &inches.body else { panic!("it is a surface") };
    assert!((found.points()[1].x - 0.0254).abs() < 1e-12);
    let large = opened_with(
        FileKind::Obj,
        &text(100.0),
        &ReadingOptions { unit: Some(Unit::Metre), ..ReadingOptions::default() },
    );
    assert!(
        large
            .unwrap()
            .findings
            .to_string()
            .contains("10.00 m across is unusual for something to squeeze")
    );
    check_error(opened(FileKind::Obj, &text(1e12)), "across cannot be right: say which unit");
}

/// A node far away that no element uses says nothing about the size.
#[test]
fn an_unused_node_far_away_does_not_change_the_guessed_unit() {
    let small: Vec<[f64; 3]> = POINTS[..8].iter().map(|x| x.map(|c| 0.5 * c)).collect();
    let stray = [&small[..], &[[1e3, -1e3, 1e3]]].concat();
    let read = |points: &[[f64; 3]]| opened(FileKind::Obj, &obj(points, &CUBE)).unwrap();
    let (alone, beside) = (read(&small), read(&stray));
    assert_eq!((alone.findings.unit, beside.findings.unit), (Unit::Metre, Unit::Metre));
    assert_eq!(beside.findings.size, alone.findings.size);
    assert!((beside.findings.size[0] - 0.05).abs() < 1e-12);
    // A solid in a format without a unit.
    let vtk = |points: &[[f64; 3]]| {
        let n = points.len();
        let mut text = format!(
            "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {n} double\n"
        );
        points.iter().for_each(|[x, y, z]| writeln!(text, "{x} {y} {z}").unwrap());
        text += "CELLS 5 25\n";
        FIVE.iter().for_each(|[a, b, c, d]| writeln!(text, "4 {a} {b} {c} {d}").unwrap());
        text + "CELL_TYPES 5\n10 10 10 10 10\n"
    };
    let beside = opened(FileKind::Vtk, &vtk(&stray)).unwrap();
    assert_eq!((beside.findings.unit, beside.findings.size), (Unit::Metre, alone.findings.size));
    assert_eq!(solid(beside).n_nodes(), 9);
}

/// The sides of a cube, outward.
const CUBE: [[u32; 3]; 12] = [
    [0, 2, 1],
    [0, 3, 2],
    [4, 5, 6],
    [4, 6, 7],
    [0, 1, 5],
    [0, 5, 4],
    [1, 2, 6],
    [1, 6, 5],
    [2, 3, 7],
    [2, 7, 6],
    [3, 0, 4],
    [3, 4, 7],
];

#[test]
fn a_good_surface_has_no_findings() {
    let opened = opened(FileKind::Obj, &obj(&POINTS[..8], &CUBE)).unwrap();
    check(&opened, &[]);
    assert_eq!(surface(opened).triangles(), CUBE);
}

#[test]
fn torn_and_turned_surfaces_are_mended_as_far_as_possible() {
    let open_box = opened(FileKind::Obj, &obj(&POINTS[..8], &CUBE[2..])).unwrap();
    check(&open_box, &[(FindingKind::OpenEdges, 4, &[], FindingOutcome::Kept)]);
    let mut triangles = CUBE;
    triangles[3].swap(0, 1);
    let one = opened(FileKind::Obj, &obj(&POINTS[..8], &triangles)).unwrap();
    check(&one, &[(FindingKind::TurnedTriangles, 1, &[3], FindingOutcome::Turned)]);
    triangles = CUBE;
    triangles.iter_mut().for_each(|corners| corners.swap(0, 1));
    let inside_out = opened(FileKind::Obj, &obj(&POINTS[..8], &triangles)).unwrap();
    check(
        &inside_out,
        &[(FindingKind::TurnedTriangles, 12, &[0, 1, 2, 3, 4], FindingOutcome::Turned)],
    );
    let fin = [&CUBE[..], &[[0, 1, 8], [0, 0, 1], [2, 1, 0]]].concat();
    let with_fin = opened(FileKind::Obj, &obj(&POINTS, &fin)).unwrap();
    check(
        &with_fin,
        &[
            (FindingKind::Collapsed, 1, &[13], FindingOutcome::LeftOut),
            (FindingKind::Repeated, 1, &[14], FindingOutcome::LeftOut),
            (FindingKind::OpenEdges, 2, &[], FindingOutcome::Kept),
            (FindingKind::CrowdedEdges, 1, &[], FindingOutcome::Kept),
            (FindingKind::Parts, 2, &[], FindingOutcome::Kept),
        ],
    );
}

#[test]
fn a_hollow_stays_a_hollow() {
    // A smaller cube inside, inward, as the wall of a cavity.
    let inner = POINTS[..8].iter().map(|x| x.map(|c| 0.025 + 0.5 * c));
    let points: Vec<[f64; 3]> = POINTS[..8].iter().copied().chain(inner).collect();
    let hollow = CUBE.map(|[a, b, c]| [a + 8, c + 8, b + 8]);
    let triangles = [CUBE, hollow].concat();
    let opened = opened(FileKind::Obj, &obj(&points, &triangles)).unwrap();
    check(&opened, &[(FindingKind::Parts, 2, &[], FindingOutcome::Kept)]);
    assert_eq!(surface(opened).triangles(), triangles);
}

#[test]
fn faces_of_the_file_that_are_not_on_the_skin_are_reported() {
    let text = thesis(&POINTS[..8], &FIVE) + "faces 2\n0 1 3\n1 3 4\n";
    let opened = opened(FileKind::Thesis, &text).unwrap();
    check(&opened, &[(FindingKind::OffSkin, 1, &[1], FindingOutcome::LeftOut)]);
}

/// Checks the whole text, as the crate's README shows it. Gmsh calls the least ratio ("gamma")
/// 0.5138.
#[test]
fn a_real_file_in_words() {
    let opened = open_file("gmsh-41-binary.msh", &ReadingOptions::default()).unwrap();
    let expected = "Gmsh 4.1, binary: 40 nodes, 88 tetrahedra, 60.0 mm by 40.0 mm by 20.0 mm \
                    (numbers taken as millimetres, guessed from the size)\n\
                    - 8 points left out\n- 24 lines left out\n\
                    - smallest dihedral angle 26.5 degrees (tetrahedron 44), 0 of 88 below 10; \
                    least radius ratio 0.514 (tetrahedron 25), 0 of 88 below 0.1";
    assert_eq!(opened.findings.to_string(), expected);
}

#[test]
fn places_are_those_in_the_file() {
    let mut elements = [&[[0, 0, 1, 2]], &FIVE[..]].concat();
    elements[3].swap(0, 1);
    let opened_mesh = opened(FileKind::Thesis, &thesis(&POINTS[..8], &elements)).unwrap();
    check(
        &opened_mesh,
        &[
            (FindingKind::Inverted(5), 1, &[3], FindingOutcome::Turned),
            (FindingKind::Collapsed, 1, &[0], FindingOutcome::LeftOut),
        ],
    );
    let mut triangles = [&[[0, 0, 1]], &CUBE[..]].concat();
    triangles[4].swap(0, 1);
    let opened_surface = opened(FileKind::Obj, &obj(&POINTS[..8], &triangles)).unwrap();
    check(
        &opened_surface,
        &[
            (FindingKind::TurnedTriangles, 1, &[4], FindingOutcome::Turned),
            (FindingKind::Collapsed, 1, &[0], FindingOutcome::LeftOut),
        ],
    );
}
