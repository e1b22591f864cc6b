//! glTF 2.0: a scene of triangles as a separate document (`.gltf`) or in one file (`.glb`).
//!
//! Reads all meshes of the scene, each placed by its node, with the colours of its points and of
//! its material. Textures, skins and animations are ignored.

mod accessor;
mod document;
mod write;

use nalgebra::Matrix4;

use super::memory::Memory;
use super::raw_mesh::{ElementShape, MISSING, RawMesh};
use super::{Field, FormatError, Sibling, Siblings};
use accessor::Accessors;
use document::{Document, Material, Mode, Primitive};

pub(super) use write::written;

/// Reads the triangles of the scene.
pub(super) fn parse(
    bytes: &[u8],
    siblings: &mut Siblings<'_>,
    memory: &mut Memory,
) -> Result<RawMesh, FormatError> {
    let (json, binary) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
    let document: Document = serde_json::from_slice(json).map_err(|e| damaged(e.to_string()))?;
    document.check()?;
    let mut mesh = RawMesh::of(if binary.is_some() { "glTF, binary" } else { "glTF" });
    let mut fetch = |name: &str| {
        let bytes = siblings(Sibling::Name(name));
        bytes.ok_or_else(|| FormatError::NoSibling(name.to_owned()))
    };
    let mut colours = Colours::default();
    let mut accessors = Accessors::new(&document, binary, &mut fetch, memory)?;
    each_placed_mesh(&document, |number, scene_from_mesh| {
        let Some(found) = document.meshes.get(number) else {
            return Err(damaged(format!("a node names mesh {number}, which does not exist")));
        };
        for primitive in &found.primitives {
            add(primitive, scene_from_mesh, &mut accessors, &mut mesh)?;
            colours.add(primitive, &document, &mut accessors, mesh.points.len())?;
        }
        Ok(())
    })?;
    if colours.are_any {
        mesh.fields.push(Field::colours(&colours.of_points));
    }
    Ok(mesh)
}

/// The two chunks of a `.glb` file: the document, and the bytes of its first buffer.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), FormatError> {
    const JSON: &[u8; 4] = b"JSON";
    const BINARY: &[u8; 4] = b"BIN\0";
    let ends = || FormatError::Ends("a chunk of the glTF file".to_owned());
    let (head, mut rest) = bytes.split_first_chunk::<12>().ok_or_else(ends)?;
    if head[4..8] != [2, 0, 0, 0] {
        return Err(FormatError::Unsupported("this is not glTF 2.0".to_owned()));
    }
    let [_, announced] = [head.first_chunk::<4>(), head.last_chunk::<4>()];
    let announced = announced.map_or(0, |length| u32::from_le_bytes(*length) as usize);
    if announced != bytes.len() {
        let n = bytes.len();
        return Err(FormatError::Damaged {
            what: "the glTF file".to_owned(),
            why: format!("its header announces {announced} bytes, but it has {n}"),
        });
    }
    let (mut json, mut binary) = (None, None);
    while let Some((head, after)) = rest.split_first_chunk::<8>() {
        let [length, kind] = [head.first_chunk::<4>(), head.last_chunk::<4>()];
        let length = length.map_or(0, |length| u32::from_le_bytes(*length) as usize);
        let (data, after) = after.split_at_checked(length).ok_or_else(ends)?;
        match kind {
            Some(JSON) => json = json.or(Some(data)),
            Some(BINARY) => binary = binary.or(Some(data)),
            _ => {}
        }
        rest = after;
    }
    Ok((json.ok_or_else(ends)?, Some(binary.unwrap_or_default())))
}

/// Visits every mesh of the scene with its placement; if there are no scenes, every mesh without
/// one.
fn each_placed_mesh(
    document: &Document,
    mut visit: impl FnMut(usize, &Matrix4<f64>) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let Some(scene) = document.scenes.get(document.scene.unwrap_or(0)) else {
        return (0..document.meshes.len()).try_for_each(|i| visit(i, &Matrix4::identity()));
    };
    let mut was_visited = vec![false; document.nodes.len()];
    // Placements of nodes with children, and of the scene itself. Nodes that wait name them: there
    // may be many nodes, and they are small in the file.
    let mut placements: Vec<Matrix4<f64>> = vec![Matrix4::identity()];
    let mut waiting: Vec<(u32, u32)> = scene.nodes.iter().rev().map(|node| (*node, 0)).collect();
    while let Some((number, parent)) = waiting.pop() {
        let (number, scene_from_parent) = (number as usize, placements[parent as usize]);
        let Some(node) = document.nodes.get(number) else {
            return Err(damaged(format!("the scene names node {number}, which does not exist")));
        };
        // A node has one parent; otherwise a small file could expand to an endless scene.
        if std::mem::replace(&mut was_visited[number], true) {
            return Err(damaged(format!("node {number} has two parents, expected one")));
        }
        let scene_from_node = match &node.parent_from_node {
            Some(parent_from_node) => scene_from_parent * **parent_from_node,
            None => scene_from_parent,
        };
        if let Some(mesh) = node.mesh {
            visit(mesh as usize, &scene_from_node)?;
        }
        if !node.children.is_empty() {
            let place = placements.len() as u32;
            placements.push(scene_from_node);
            waiting.extend(node.children.iter().rev().map(|child| (*child, place)));
        }
    }
    Ok(())
}

fn add(
    primitive: &Primitive,
    scene_from_mesh: &Matrix4<f64>,
    accessors: &mut Accessors<'_>,
    mesh: &mut RawMesh,
) -> Result<(), FormatError> {
    let Some(positions) = primitive.attributes.position else { return Ok(()) };
    let mode = match primitive.mode {
        Mode::Points => {
            mesh.skip(ElementShape::Point, 1);
            return Ok(());
        }
        Mode::Lines => {
            mesh.skip(ElementShape::Line, 1);
            return Ok(());
        }
        mode @ (Mode::Triangles | Mode::Strip | Mode::Fan) => mode,
    };
    let base = mesh.points.len();
    let points = accessors.points(positions)?;
    let n_points = points.len();
    mesh.points.extend(points.iter().map(|x| scene_from_mesh.transform_point(x)));
    let indices = match primitive.indices {
        Some(indices) => accessors.indices(indices)?,
        None => (0..n_points as u64).collect(),
    };
    let mut place = |index: u64| {
        if index < n_points as u64 {
            return u32::try_from(base as u64 + index).unwrap_or(MISSING);
        }
        mesh.note_missing(mesh.triangles.len(), index);
        MISSING
    };
    let corners: Vec<u32> = indices.iter().map(|index| place(*index)).collect();
    // A mirror reverses every triangle.
    let is_mirrored = scene_from_mesh.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
    let turned = |[a, b, c]: [u32; 3]| if is_mirrored { [a, c, b] } else { [a, b, c] };
    match mode {
        Mode::Triangles => {
            mesh.triangles.extend(corners.as_chunks().0.iter().map(|corners| turned(*corners)));
        }
        Mode::Strip => {
            let odd = |i: usize, t: &[u32]| {
                if i.is_multiple_of(2) { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] }
            };
            let strip = corners.windows(3).enumerate().map(|(i, t)| turned(odd(i, t)));
            mesh.triangles.extend(strip);
        }
        Mode::Fan => {
            let fan = corners.get(1..).unwrap_or_default().windows(2);
            mesh.triangles.extend(fan.map(|t| turned([corners[0], t[0], t[1]])));
        }
        Mode::Points | Mode::Lines => {}
    }
    Ok(())
}

/// Colours of all points.
#[derive(Default)]
struct Colours {
    of_points: Vec<[f32; 3]>,
    /// True if the file has any colours; otherwise all points are white by default.
    are_any: bool,
}

impl Colours {
    /// Adds the colours of the points of a primitive, so that there are `n_points` colours.
    fn add(
        &mut self,
        primitive: &Primitive,
        document: &Document,
        accessors: &mut Accessors<'_>,
        n_points: usize,
    ) -> Result<(), FormatError> {
        let first = self.of_points.len();
        let material = primitive.material.and_then(|number| document.materials.get(number));
        let base = material.and_then(Material::colour);
        self.of_points.resize(n_points, base.unwrap_or([1.0; 3]));
        self.are_any |= base.is_some();
        let Some(number) = primitive.attributes.colour.filter(|_| n_points > first) else {
            return Ok(());
        };
        self.are_any = true;
        for (colour, vertex) in self.of_points[first..].iter_mut().zip(accessors.colours(number)?) {
            for (share, vertex) in colour.iter_mut().zip(vertex) {
                // White times a colour is exactly that colour.
                *share *= vertex;
            }
        }
        Ok(())
    }
}

fn damaged(why: String) -> FormatError {
    FormatError::Damaged { what: "the glTF document".to_owned(), why }
}
