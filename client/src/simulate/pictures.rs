//! Pictures of a simulation: the body, and the shapes that touch it.

use std::f64::consts::{PI, TAU};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use interaction::scene::{ObjectView, Scene, ThinLine};
use nalgebra::{Isometry3, Point3, Vector3};
use physics::contact::{ContactSolid, ProxyShape};
use physics::{Bounds, Grip, SurfaceFrame, Topology, rounded};

use crate::atomic_write::replace_file;
use crate::render::{Camera, Offscreen, StatusPanel};

/// Linear colour of shapes.
const SHAPE_COLOUR: [f32; 3] = [0.03, 0.27, 0.31];

/// Linear colour of planes that are not the ground.
const PLANE_COLOUR: [f32; 3] = [0.1, 0.6, 0.7];

/// Draws moments of one simulation from a fixed place.
pub(super) struct Painter {
    offscreen: Offscreen,
    camera: Camera,
}

impl Painter {
    /// Opens the graphics, and looks at a solid where it is now.
    pub(super) fn new(solid: &ContactSolid, size: [u32; 2]) -> anyhow::Result<Self> {
        let topology = &solid.model().rest_surface().topology;
        let pose = solid.motion().world_from_object;
        let points = topology.rest_positions.iter().map(|x| pose * Point3::from(x.map(f64::from)));
        let bounds = Bounds::around(points);
        let distance = (3.5 * (bounds.high - bounds.low).norm()).clamp(0.08, 2.0);
        let camera = Camera { target: bounds.middle(), distance, ..Camera::default() };
        Ok(Self { offscreen: Offscreen::new(size[0], size[1])?, camera })
    }

    /// Draws the present moment and writes a PNG.
    pub(super) fn draw<'a>(
        &mut self,
        solid: &mut ContactSolid,
        shapes: impl Iterator<Item = (&'a ProxyShape, Isometry3<f64>)>,
        path: &Path,
    ) -> anyhow::Result<()> {
        let mut positions = Vec::new();
        solid.surface_positions(&mut positions);
        let topology = Arc::clone(&solid.model().rest_surface().topology);
        let body = ObjectView {
            thing: 0,
            frame: Arc::new(SurfaceFrame::at_rest(topology, Arc::new(positions))),
            world_from_object: solid.motion().world_from_object,
            colours: None,
        };
        let mut scene = Scene { objects: vec![body], ..Scene::default() };
        for (number, (shape, pose)) in shapes.enumerate() {
            match shape {
                ProxyShape::Plane => scene.lines.extend(square(&pose)),
                _ => scene.objects.push(view(number + 1, shape, pose)),
            }
        }
        let picture = self.offscreen.picture(&scene, &self.camera, StatusPanel::Hidden)?;
        let mut bytes = Vec::new();
        picture.write_png(&mut bytes)?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        replace_file(path, &bytes).with_context(|| format!("cannot write {}", path.display()))
    }
}

fn view(thing: usize, shape: &ProxyShape, pose: Isometry3<f64>) -> ObjectView {
    let (points, triangles) = triangles(shape);
    let positions: Vec<[f32; 3]> = points.iter().map(|x| rounded(&x.coords)).collect();
    let colours = Some(Arc::new(vec![SHAPE_COLOUR; positions.len()]));
    let topology = Topology::of_points(Grip::Contact, positions.clone(), triangles);
    let frame = Arc::new(SurfaceFrame::at_rest(Arc::new(topology), Arc::new(positions)));
    ObjectView { thing, frame, world_from_object: pose, colours }
}

/// Outline of a part of a plane. The ground is drawn anyhow.
fn square(pose: &Isometry3<f64>) -> Vec<ThinLine> {
    const HALF: f64 = 0.06;
    let is_ground =
        pose.translation.vector.y.abs() < 1e-6 && (pose.rotation * Vector3::y()).y > 0.999_999;
    if is_ground {
        return Vec::new();
    }
    let corner = |at: usize| {
        let [x, z] = [[-HALF, -HALF], [HALF, -HALF], [HALF, HALF], [-HALF, HALF]][at % 4];
        pose * Point3::new(x, 0.0, z)
    };
    (0..4).map(|at| ThinLine { ends: [corner(at), corner(at + 1)], colour: PLANE_COLOUR }).collect()
}

/// Points and triangles of a shape's surface, counter-clockwise seen from outside.
fn triangles(shape: &ProxyShape) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    /// Half of the number of points around.
    const N: u32 = 24;
    match *shape {
        // The half profile from top to bottom: radius and height.
        ProxyShape::Sphere { radius } => turned((0..=N).map(|i| {
            let angle = PI * f64::from(i) / f64::from(N);
            [radius * angle.sin(), radius * angle.cos()]
        })),
        ProxyShape::Cylinder { radius, half_length, is_rounded: true } => {
            turned((0..=2 * N).map(|i| {
                let angle = PI * f64::from(i.saturating_sub(i / (N + 1))) / f64::from(2 * N - 1);
                let end = if i <= N { half_length } else { -half_length };
                [radius * angle.sin(), radius * angle.cos() + end]
            }))
        }
        ProxyShape::Cylinder { radius, half_length, is_rounded: false } => turned(
            [
                [0.0, half_length],
                [radius, half_length],
                [radius, -half_length],
                [0.0, -half_length],
            ]
            .into_iter(),
        ),
        ProxyShape::Box { half_extents } => {
            let corner = |at: u32| {
                let side = |axis: u32| if at >> axis & 1 == 1 { 1.0 } else { -1.0 };
                Point3::from(half_extents.component_mul(&Vector3::new(side(0), side(1), side(2))))
            };
            // Corners of the six faces, counter-clockwise seen from outside.
            let faces: [[u32; 4]; 6] = [
                [0, 4, 6, 2],
                [1, 3, 7, 5],
                [0, 1, 5, 4],
                [2, 6, 7, 3],
                [0, 2, 3, 1],
                [4, 5, 7, 6],
            ];
            let halves = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
            ((0..8).map(corner).collect(), faces.into_iter().flat_map(halves).collect())
        }
        ProxyShape::Plane => (Vec::new(), Vec::new()),
    }
}

/// Surface of a half profile that turns about y.
fn turned(profile: impl Iterator<Item = [f64; 2]>) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    const AROUND: u32 = 48;
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for (row, [radius, height]) in (0_u32..).zip(profile) {
        for at in 0..AROUND {
            let angle = TAU * f64::from(at) / f64::from(AROUND);
            points.push(Point3::new(radius * angle.cos(), height, radius * angle.sin()));
            if row > 0 {
                let next = (at + 1) % AROUND;
                let (above, below) = ((row - 1) * AROUND, row * AROUND);
                triangles.push([above + at, above + next, below + at]);
                triangles.push([above + next, below + next, below + at]);
            }
        }
    }
    (points, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_shapes_enclose_their_volume_from_outside() {
        let (radius, half_length) = (0.01_f64, 0.02);
        let ball = 4.0 / 3.0 * PI * radius.powi(3);
        let tube = PI * radius * radius * 2.0 * half_length;
        for (shape, expected) in [
            (ProxyShape::Sphere { radius }, ball),
            (ProxyShape::Cylinder { radius, half_length, is_rounded: false }, tube),
            (ProxyShape::Cylinder { radius, half_length, is_rounded: true }, tube + ball),
            (ProxyShape::Box { half_extents: Vector3::new(0.01, 0.02, 0.03) }, 8.0 * 6e-6),
        ] {
            let (points, triangles) = triangles(&shape);
            let at = |i: u32| points[i as usize].coords;
            let of = |t: &[u32; 3]| at(t[0]).dot(&at(t[1]).cross(&at(t[2]))) / 6.0;
            let volume: f64 = triangles.iter().map(of).sum();
            assert!((volume / expected - 1.0).abs() < 0.02, "{shape:?}: {volume:e} {expected:e}");
        }
    }
}
