//! Memory allocations of a new picture for both eyes. This is a test binary of its own because it
//! counts allocations.

#[allow(dead_code, reason = "shared with the tests of collisions, which need more of it")]
#[path = "../../interaction/tests/collision/shapes.rs"]
mod shapes;

use std::sync::Arc;

use allocation_counter::{AllocationInfo, measure};
use client::render::{Antialiasing, Camera, Gpu, SceneRenderer, Target, Viewport, layer};
use interaction::scene::{Mark, MarkShape, ObjectView, Scene, ThinLine};
use nalgebra::{Isometry3, Point3};
use shapes::{Body, Random, Waves};

const SIZE: [u32; 2] = [64, 64];
const N_FRAMES: usize = 40;

/// A ball with this many cells along an edge, and as many marks, in two different scenes.
fn scenes(cells: usize) -> [Scene; 2] {
    let (body, mut random) = (Body::ball(0.05, cells), Random(7));
    [0.0, 1.0].map(|shift| {
        let waves = Waves::random(&mut random, 0.2);
        let frame = body.frame(|x| waves.moved(x));
        let colours = Some(Arc::new(vec![[0.5; 3]; frame.positions.len()]));
        let world_from_object = Isometry3::translation(0.0, 0.05, 0.0);
        let ball = ObjectView { thing: 0, frame, world_from_object, colours };
        let place = |n: usize| Point3::new(n as f64 * 0.01, shift, 0.0);
        let mark = |n| {
            let shape = MarkShape::Arrow { from: place(n), to: place(n + 1), radius: 0.001 };
            Mark { shape, colour: [1.0; 3] }
        };
        let line = |n| ThinLine { ends: [place(n), place(n + 1)], colour: [1.0; 3] };
        Scene {
            objects: vec![ball],
            marks: (0..cells).map(mark).collect(),
            lines: (0..cells).map(line).collect(),
            ..Scene::default()
        }
    })
}

/// Allocations of both eyes' pictures while the scene changes.
fn check(gpu: &Gpu, cells: usize) -> AllocationInfo {
    let format = wgpu::TextureFormat::Rgba8UnormSrgb;
    let view = layer(&gpu.sheet(SIZE, 1, format), 0);
    let target = Target { view: &view, size: SIZE };
    let mut renderer = SceneRenderer::new(gpu, format, Antialiasing::Full);
    let viewpoint = Camera::default().viewpoint(1.0);
    let mut scenes = scenes(cells);
    scenes[1].objects[0].colours = scenes[0].objects[0].colours.clone();
    let mut frame = |n: usize| {
        renderer.upload(&scenes[n % 2]);
        let commands = [0, 1].map(|eye| renderer.record(eye, target, Viewport::whole(SIZE)));
        [0, 1].iter().for_each(|eye| renderer.aim(*eye, &viewpoint));
        renderer.take(commands);
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device is there");
    };
    (0..10).for_each(&mut frame);
    measure(|| (0..N_FRAMES).for_each(&mut frame))
}

#[test]
fn a_large_thing_takes_no_more_memory_for_each_picture_than_a_small_one() {
    let gpu = Gpu::without_surface().unwrap();
    let [small, large] = [4, 40].map(|cells| check(&gpu, cells));
    assert!(large.count_total <= small.count_total + N_FRAMES as u64, "{large:?} beside {small:?}");
    assert!(large.bytes_total <= small.bytes_total * 11 / 10, "{large:?} beside {small:?}");
}
