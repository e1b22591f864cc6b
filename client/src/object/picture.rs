//! Draws a picture of an object from a file, standing on the table.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use interaction::scene::{ObjectView, Scene};
use nalgebra::{Isometry3, Point3, Vector3};
use objects::format::{Body, Field, OpenedObject};
use physics::{Grip, NodeId, SurfaceFrame, Topology, rounded};

use crate::atomic_write::replace_file;
use crate::render::{Camera, Offscreen, StatusPanel};

const SIZE: [u32; 2] = [1280, 960];

/// Draws it and writes a PNG.
pub(super) fn draw(opened: &OpenedObject, path: &Path) -> anyhow::Result<()> {
    let (points, triangles, nodes) = skin(&opened.body);
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for x in &points {
        (low, high) = (low.inf(&x.coords), high.sup(&x.coords));
    }
    let middle = (low + high) / 2.0;
    // Scaled to a size that fits between hands: the picture shows the shape.
    let scale = 0.1 / (high - low).max().max(f64::MIN_POSITIVE);
    let position = |x: &Point3<f64>| rounded(&((x.coords - middle) * scale));
    let positions: Vec<[f32; 3]> = points.iter().map(position).collect();
    let colours = opened.fields.iter().find_map(Field::as_colours).map(|colours| {
        Arc::new(nodes.iter().map(|node| colours[node.index()]).collect::<Vec<_>>())
    });
    let topology = Topology {
        version: 0,
        grip: Grip::Nodes,
        nodes,
        rest_positions: positions.clone(),
        triangles,
        fields: Vec::new(),
    };
    let frame = SurfaceFrame::at_rest(Arc::new(topology), Arc::new(positions));
    let height = (high - low).y * scale;
    let view = ObjectView {
        thing: 0,
        frame: Arc::new(frame),
        world_from_object: Isometry3::translation(0.0, height / 2.0, 0.0),
        colours,
    };
    let scene = Scene { objects: vec![view], ..Scene::default() };
    let target = Point3::new(0.0, height / 2.0, 0.0);
    let camera = Camera { target, distance: 0.3, ..Camera::default() };
    let picture =
        Offscreen::new(SIZE[0], SIZE[1])?.picture(&scene, &camera, StatusPanel::Hidden)?;
    let mut bytes = Vec::new();
    picture.write_png(&mut bytes)?;
    replace_file(path, &bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn skin(body: &Body) -> (Vec<Point3<f64>>, Vec<[u32; 3]>, Vec<NodeId>) {
    match body {
        Body::Solid(mesh) => {
            let skin = mesh.surface().topology;
            let place = |node: &NodeId| mesh.rest_positions()[node.index()];
            (skin.nodes.iter().map(place).collect(), skin.triangles.clone(), skin.nodes.clone())
        }
        Body::Surface(surface) => {
            let nodes = (0..surface.points().len() as u32).map(NodeId).collect();
            (surface.points().to_vec(), surface.triangles().to_vec(), nodes)
        }
    }
}
