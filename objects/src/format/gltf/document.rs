//! The document of a glTF file, reduced to the parts that describe shape and colour.

use nalgebra::{Matrix4, Quaternion, Translation3, UnitQuaternion, Vector3};
use serde::Deserialize;

use super::super::FormatError;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    asset: Asset,
    #[serde(default)]
    extensions_required: Vec<String>,
    pub(super) scene: Option<usize>,
    #[serde(default)]
    pub(super) scenes: Vec<Scene>,
    #[serde(default)]
    pub(super) nodes: Vec<Node>,
    #[serde(default)]
    pub(super) meshes: Vec<Mesh>,
    #[serde(default)]
    pub(super) materials: Vec<Material>,
    #[serde(default)]
    pub(super) accessors: Vec<Accessor>,
    #[serde(default)]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub(super) buffers: Vec<Buffer>,
}

#[derive(Deserialize)]
struct Asset {
    version: String,
}

#[derive(Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub(super) nodes: Vec<u32>,
}

/// A node, kept small: it may take only three bytes in the file.
#[derive(Deserialize)]
#[serde(from = "NodeInFile")]
pub(super) struct Node {
    pub(super) mesh: Option<u32>,
    pub(super) children: Box<[u32]>,
    /// `None` for a node that is placed like its parent.
    pub(super) parent_from_node: Option<Box<Matrix4<f64>>>,
}

#[derive(Deserialize)]
struct NodeInFile {
    mesh: Option<u32>,
    #[serde(default)]
    children: Vec<u32>,
    matrix: Option<[f64; 16]>,
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
}

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: Option<usize>,
    pub(super) material: Option<usize>,
    #[serde(default)]
    pub(super) mode: Mode,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material {
    pbr_metallic_roughness: Option<Roughness>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Roughness {
    base_color_factor: Option<[f32; 4]>,
}

impl Material {
    /// Linear base colour; textures are ignored.
    pub(super) fn colour(&self) -> Option<[f32; 3]> {
        let [red, green, blue, _] = self.pbr_metallic_roughness.as_ref()?.base_color_factor?;
        Some([red, green, blue].map(|share| share.clamp(0.0, 1.0)))
    }
}

#[derive(Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(super) position: Option<usize>,
    #[serde(rename = "COLOR_0")]
    pub(super) colour: Option<usize>,
}

/// Topology of a primitive's indices.
#[derive(Deserialize, Clone, Copy, Default)]
#[serde(try_from = "u32")]
pub(super) enum Mode {
    Points,
    Lines,
    #[default]
    Triangles,
    Strip,
    Fan,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sparse: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    pub(super) byte_stride: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) uri: Option<String>,
    pub(super) byte_length: Option<i64>,
}

impl Document {
    /// Refuses other versions, and required extensions that change the shape.
    pub(super) fn check(&self) -> Result<(), FormatError> {
        if !self.asset.version.starts_with("2.") {
            let version = &self.asset.version;
            return Err(FormatError::Unsupported(format!("this is glTF {version}, expected 2.0")));
        }
        let known = |name: &String| {
            // None of these change positions; quantized coordinates are read like any others.
            name == "KHR_mesh_quantization"
                || name.starts_with("KHR_materials_")
                || name.starts_with("KHR_texture_")
                || name.starts_with("KHR_lights_")
        };
        match self.extensions_required.iter().find(|name| !known(name)) {
            Some(name) => Err(FormatError::Unsupported(format!(
                "the file needs the glTF extension {name:?}, expected plain triangles"
            ))),
            None => Ok(()),
        }
    }
}

impl From<NodeInFile> for Node {
    fn from(node: NodeInFile) -> Self {
        let is_placed = node.matrix.is_some()
            || node.translation.is_some()
            || node.rotation.is_some()
            || node.scale.is_some();
        Self {
            mesh: node.mesh,
            parent_from_node: is_placed.then(|| Box::new(node.parent_from_node())),
            children: node.children.into_boxed_slice(),
        }
    }
}

impl NodeInFile {
    fn parent_from_node(&self) -> Matrix4<f64> {
        if let Some(matrix) = &self.matrix {
            return Matrix4::from_column_slice(matrix);
        }
        let translation = Translation3::from(self.translation.unwrap_or_default());
        let [x, y, z, w] = self.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let rotation =
            UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 0.0).unwrap_or_default();
        let scale = Vector3::from(self.scale.unwrap_or([1.0; 3]));
        (translation * rotation).to_homogeneous() * Matrix4::new_nonuniform_scaling(&scale)
    }
}

impl TryFrom<u32> for Mode {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        Ok(match number {
            0 => Self::Points,
            1..=3 => Self::Lines,
            4 => Self::Triangles,
            5 => Self::Strip,
            6 => Self::Fan,
            _ => return Err(format!("unknown mode {number}, expected 0 to 6")),
        })
    }
}
