//! Writes `.glb` files: positions, smooth normals, colours and indices.

use nalgebra::Vector3;
use physics::rounded;
use serde_json::json;

use super::super::write::Skin;

/// The bytes of a file with this skin, rounded to `f32`; `None` if it is too large for the format.
pub(in super::super) fn written(skin: &Skin) -> Option<Vec<u8>> {
    let positions: Vec<[f32; 3]> = skin.points.iter().map(|x| rounded(&x.coords)).collect();
    let normals: Vec<[f32; 3]> = normals(skin).iter().map(rounded).collect();
    let colours = skin.colours.as_deref();
    let mut buffer = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let mut attributes = json!({"POSITION": 0, "NORMAL": 1});
    for numbers in [Some(&positions[..]), Some(&normals[..]), colours].into_iter().flatten() {
        let n_bytes = 12 * numbers.len();
        let view = json!({
            "buffer": 0, "byteOffset": buffer.len(), "byteLength": n_bytes, "target": 34962
        });
        let accessor = json!(
            {
                "bufferView": views.len(), "componentType": 5126, "count": numbers.len(),
                "type": "VEC3"
            }
        );
        views.push(view);
        accessors.push(accessor);
        buffer.extend(numbers.as_flattened().iter().flat_map(|number| number.to_le_bytes()));
    }
    let limit = |pick: fn(f32, f32) -> f32| -> Vec<f64> {
        let axis = |axis: usize| positions.iter().map(move |x| x[axis]).reduce(pick);
        (0..3).map(|i| f64::from(axis(i).unwrap_or_default())).collect()
    };
    accessors[0]["min"] = json!(limit(f32::min));
    accessors[0]["max"] = json!(limit(f32::max));
    if colours.is_some() {
        attributes["COLOR_0"] = json!(2);
    }
    let n_index_bytes = 12 * skin.triangles.len();
    let view = json!({
        "buffer": 0, "byteOffset": buffer.len(), "byteLength": n_index_bytes, "target": 34963
    });
    let indices = json!(
        {
            "bufferView": views.len(), "componentType": 5125, "count": 3 * skin.triangles.len(),
            "type": "SCALAR"
        }
    );
    let primitive = json!({"attributes": attributes, "indices": accessors.len(), "mode": 4});
    views.push(view);
    accessors.push(indices);
    buffer.extend(skin.triangles.as_flattened().iter().flat_map(|index| index.to_le_bytes()));
    let document = json!({
        "asset": {"version": "2.0", "generator": "Palpate"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [primitive]}],
        "buffers": [{"byteLength": buffer.len()}],
        "bufferViews": views,
        "accessors": accessors,
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

/// Normals at the points: means of the normals of their triangles, weighted by area.
fn normals(skin: &Skin) -> Vec<Vector3<f64>> {
    let mut sums = vec![Vector3::zeros(); skin.points.len()];
    for triangle in &skin.triangles {
        let [a, b, c] = triangle.map(|i| skin.points[i as usize]);
        let doubled_area = (b - a).cross(&(c - a));
        triangle.iter().for_each(|i| sums[*i as usize] += doubled_area);
    }
    // The format requires a unit vector even where there is no direction.
    sums.iter().map(|sum| sum.try_normalize(0.0).unwrap_or_else(Vector3::x)).collect()
}
