//! Bodies of the fuzz targets: one plain function each, so that a test on a stable compiler can
//! call them, too. They panic if a reader breaks a promise.

use objects::format::{
    Body, BodyToWrite, DuplicateNodes, Field, Limits, ObjectToWrite, Sibling, open, verify, write,
};
use objects::{FileKind, OpenedObject, ReadingOptions, Unit};

/// Valid files, one for each dialect.
pub const FILES: &[(FileKind, &[u8])] = &[
    (FileKind::Thesis, include_bytes!("../../tests/files/box.obj3")),
    (FileKind::Thesis, include_bytes!("../../tests/files/coloured.obj3")),
    (FileKind::Gmsh, include_bytes!("../../tests/files/gmsh-22-ascii.msh")),
    (FileKind::Gmsh, include_bytes!("../../tests/files/gmsh-22-binary.msh")),
    (FileKind::Gmsh, include_bytes!("../../tests/files/gmsh-41-ascii.msh")),
    (FileKind::Gmsh, include_bytes!("../../tests/files/gmsh-41-binary.msh")),
    (FileKind::Gmsh, include_bytes!("../../tests/files/gmsh-41-parametric.msh")),
    (FileKind::Gmsh, include_bytes!("../../tests/files/gmsh-second-order.msh")),
    (FileKind::TetGenNodes, include_bytes!("../../tests/files/tetgen.node")),
    (FileKind::TetGenElements, include_bytes!("../../tests/files/tetgen.ele")),
    (FileKind::Medit, include_bytes!("../../tests/files/gmsh.mesh")),
    (FileKind::MeditBinary, include_bytes!("../../tests/files/meshio.meshb")),
    (FileKind::Vtk, include_bytes!("../../tests/files/vtk-42-ascii.vtk")),
    (FileKind::Vtk, include_bytes!("../../tests/files/vtk-42-binary.vtk")),
    (FileKind::Vtk, include_bytes!("../../tests/files/vtk-51-binary.vtk")),
    (FileKind::Vtk, include_bytes!("../../tests/files/vtk-strips.vtk")),
    (FileKind::Vtu, include_bytes!("../../tests/files/vtk-ascii.vtu")),
    (FileKind::Vtu, include_bytes!("../../tests/files/vtk-base64-zlib.vtu")),
    (FileKind::Vtu, include_bytes!("../../tests/files/vtk-raw.vtu")),
    (FileKind::Vtu, include_bytes!("../../tests/files/vtk-raw-zlib.vtu")),
    (FileKind::Vtu, include_bytes!("../../tests/files/vtk-appended-base64.vtu")),
    (FileKind::Obj, include_bytes!("../../tests/files/trimesh.obj")),
    (FileKind::Stl, include_bytes!("../../tests/files/gmsh-ascii.stl")),
    (FileKind::Stl, include_bytes!("../../tests/files/gmsh-binary.stl")),
    (FileKind::Ply, include_bytes!("../../tests/files/meshio-ascii.ply")),
    (FileKind::Ply, include_bytes!("../../tests/files/meshio-binary.ply")),
    (FileKind::Ply, include_bytes!("../../tests/files/vtk-big-endian.ply")),
    (FileKind::Gltf, include_bytes!("../../tests/files/trimesh-embedded.gltf")),
    (FileKind::Glb, include_bytes!("../../tests/files/trimesh.glb")),
    (FileKind::Obj, include_bytes!("../../tests/files/trimesh-coloured.obj")),
    (FileKind::Ply, include_bytes!("../../tests/files/trimesh-coloured.ply")),
    (FileKind::Glb, include_bytes!("../../tests/files/trimesh-coloured.glb")),
];

/// Reads bytes as a file. The first byte selects the kind; half of the rest serves as the siblings.
pub fn any_file(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let kind = FileKind::ALL[usize::from(*kind) % FileKind::ALL.len()];
    let (file, sibling) = bytes.split_at(bytes.len() / 2);
    check(kind, bytes, sibling);
    check(kind, file, sibling);
}

/// Reads a damaged file. The first bytes select a valid file, the position and the kind of the
/// damage: overwritten, cut out or inserted.
pub fn damaged_file(bytes: &[u8]) {
    let Some(([file, low, high, how], bytes)) = bytes.split_first_chunk() else { return };
    let (kind, good) = FILES[usize::from(*file) % FILES.len()];
    let at = usize::from(u16::from_le_bytes([*low, *high])) % good.len();
    let (before, after) = good.split_at(at);
    let n = bytes.len().min(after.len());
    let damaged = match how % 4 {
        0 => [before, &bytes[..n], &after[n..]].concat(),
        1 => [before, &after[n..]].concat(),
        2 => [before, bytes, after].concat(),
        _ => before.to_vec(),
    };
    check(kind, &damaged, sibling_of(kind));
}

/// The second of the two files that TetGen needs.
fn sibling_of(kind: FileKind) -> &'static [u8] {
    let wanted = match kind {
        FileKind::TetGenNodes => FileKind::TetGenElements,
        _ => FileKind::TetGenNodes,
    };
    FILES.iter().find(|(kind, _)| *kind == wanted).map_or(&[], |(_, bytes)| bytes)
}

/// Numbers of the valid files that cannot be opened.
pub fn refused() -> Vec<usize> {
    let opens = |(kind, file): &(FileKind, &[u8])| check(*kind, file, sibling_of(*kind)) == 2;
    (0..FILES.len()).filter(|i| !opens(&FILES[*i])).collect()
}

/// Opens a file in two ways and writes the objects; returns the number of objects.
fn check(kind: FileKind, file: &[u8], sibling: &[u8]) -> usize {
    let mut n_opened = 0;
    for (unit, duplicate_nodes) in
        [(None, DuplicateNodes::Keep), (Some(Unit::Inch), DuplicateNodes::Join)]
    {
        let limits = Limits { file_bytes: 1 << 20, unfolded_bytes: 1 << 20 };
        let reading = ReadingOptions { unit, duplicate_nodes, limits };
        let mut siblings = |asked: Sibling<'_>| match asked {
            Sibling::Extension("node" | "ele") | Sibling::Name(_) => Some(sibling.to_vec()),
            Sibling::Extension(_) => None,
        };
        match open(kind, file, &mut siblings, &reading) {
            Ok(opened) => {
                check_opened(&opened);
                n_opened += 1;
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    n_opened
}

fn check_opened(opened: &OpenedObject) {
    let findings = &opened.findings;
    assert!(!findings.to_string().is_empty() && findings.refusal().is_empty(), "{findings}");
    let (body, n_nodes, n_elements) = match &opened.body {
        Body::Solid(mesh) => (BodyToWrite::Solid(mesh), mesh.n_nodes(), mesh.elements().len()),
        Body::Surface(surface) => {
            let (points, triangles) = (surface.points(), surface.triangles());
            (BodyToWrite::Surface(surface), points.len(), triangles.len())
        }
    };
    assert_eq!((findings.n_nodes, findings.n_elements), (n_nodes, n_elements));
    assert!(n_elements > 0, "an object without elements");
    let is_solid = matches!(opened.body, Body::Solid(_));
    let writable = |kind: &FileKind| kind.holds().is_some_and(|holds| is_solid || !holds.solids);
    for kind in FileKind::ALL.into_iter().filter(writable) {
        let holds = |field: &&Field| kind.holds().is_some_and(|holds| holds.holds(field));
        // Names in a file may repeat; only the first field of each name is written.
        let is_first = |i: usize| {
            let [this, before] = [&opened.fields[i..=i], &opened.fields[..i]];
            before.iter().all(|field| field.name() != this[0].name())
        };
        let is_named =
            |field: &Field| !field.name().is_empty() && !field.name().contains(char::is_control);
        let fields: Vec<Field> = (0..opened.fields.len())
            .filter(|i| is_first(*i))
            .map(|i| &opened.fields[i])
            .filter(|field| is_named(field) && holds(field))
            .cloned()
            .collect();
        let object = ObjectToWrite { body, unit: Unit::Metre, fields: &fields };
        let bytes = write(kind, &object).expect("a format holds what can be opened");
        verify(kind, &bytes, &object).expect("the written file holds the object");
    }
}
