//! Writes `.glb` files: positions, smooth normals and indices.

use nalgebra::Vector3;
use physics::rounded;
use serde_json::json;

use super::super::write::Skin;

/// The bytes of a file with this skin, rounded to `f32`; `None` if it is too large for the format.
pub(in super::super) fn written(skin: &Skin) -> Option<Vec<u8>> {
    let positions: Vec<[f32; 3]> = skin.points.iter().map(|x| rounded(&x.coords)).collect();
    let normals: Vec<[f32; 3]> = normals(skin).iter().map(rounded).collect();
    let mut buffer = Vec::new();
    for numbers in [&positions, &normals] {
        buffer.extend(numbers.as_flattened().iter().flat_map(|number| number.to_le_bytes()));
    }
    let n_vertex_bytes = 12 * positions.len();
    buffer.extend(skin.triangles.as_flattened().iter().flat_map(|index| index.to_le_bytes()));
    let n_index_bytes = 12 * skin.triangles.len();
    let limit = |pick: fn(f32, f32) -> f32| -> Vec<f64> {
        let axis = |axis: usize| positions.iter().map(move |x| x[axis]).reduce(pick);
        (0..3).map(|i| f64::from(axis(i).unwrap_or_default())).collect()
    };
    let document = json!({
        "asset": {"version": "2.0", "generator": "Palpate"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [
            {"attributes": {"POSITION": 0, "NORMAL": 1}, "indices": 2, "mode": 4}
        ]}],
        "buffers": [{"byteLength": buffer.len()}],
        "bufferViews": [
            {"buffer": 0, "byteLength": n_vertex_bytes, "target": 34962},
            {"buffer": 0, "byteOffset": n_vertex_bytes, "byteLength": n_vertex_bytes, "target": 34962},
            {"buffer": 0, "byteOffset": 2 * n_vertex_bytes, "byteLength": n_index_bytes, "target": 34963},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": positions.len(), "type": "VEC3",
             "min": limit(f32::min), "max": limit(f32::max)},
            {"bufferView": 1, "componentType": 5126, "count": normals.len(), "type": "VEC3"},
            {"bufferView": 2, "componentType": 5125, "count": 3 * skin.triangles.len(), "type": "SCALAR"},
        ],
    });
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let length = 12 + 8 + json.len() + 8 + buffer.len();
    let mut bytes = b"glTF".to_vec();
    for number in [2, u32::try_from(length).ok()?, json.len() as u32] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend_from_slice(b"JSON");
    bytes.extend(json);
    bytes.extend((buffer.len() as u32).to_le_bytes());
    bytes.extend_from_slice(b"BIN\0");
    bytes.extend(buffer);
    Some(bytes)
}

/// The normal at each point: the mean of those of its triangles, by their areas.
fn normals(skin: &Skin) -> Vec<Vector3<f64>> {
    let mut sums = vec![Vector3::zeros(); skin.points.len()];
    for triangle in &skin.triangles {
        let [a, b, c] = triangle.map(|i| skin.points[i as usize]);
        let doubled_area = (b - a).cross(&(c - a));
        triangle.iter().for_each(|i| sums[*i as usize] += doubled_area);
    }
    // The format wants a unit vector also where there is no direction.
    sums.iter().map(|sum| sum.try_normalize(0.0).unwrap_or_else(Vector3::x)).collect()
}
