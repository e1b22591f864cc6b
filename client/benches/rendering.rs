//! Times of a picture on the available graphics adapter, for skins of 5000 and 50 000 triangles.
//! `cargo xtask bench rendering` starts this.
//!
//! Machines are noisy, so compared times are measured in turn within one run. Times are from the
//! scene to the finished picture: the least of many rounds, with the median in brackets; ratios are
//! of the least.

#[allow(dead_code, reason = "shared with the benchmark of collisions, which needs more of it")]
#[path = "../../interaction/benches/collision/measure.rs"]
mod measure;
#[allow(dead_code, reason = "shared with the tests, which need more of it")]
#[path = "../../interaction/tests/collision/shapes.rs"]
mod shapes;

use std::io::{self, Write};
use std::process::ExitCode;

use client::render::{Antialiasing, Camera, Gpu, SceneRenderer, Target, Uploads, Viewport, layer};
use interaction::scene::{ObjectView, Scene};
use measure::Times;
use nalgebra::Isometry3;
use shapes::{Body, Random, Waves};

/// Same allocator as in the measured program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Cells along the edges of the cubes that are blown up to balls of 4800 and 50 700 triangles.
const CELLS: [usize; 2] = [20, 65];
const RADIUS: f64 = 0.05;
const SIZE: [u32; 2] = [1280, 720];
const ROUNDS: usize = 41;

/// A ball that trembles between two shapes.
struct Case {
    scenes: [Scene; 2],
    renderer: SceneRenderer,
    one_sample_renderer: SceneRenderer,
    /// Times with a new shape for every picture.
    new_shape: Times,
    /// Times with the same shape again.
    same_shape: Times,
    /// Times of a second eye at the same moment.
    second_eye: Times,
    /// Times with the same shape and one sample per pixel.
    one_sample: Times,
    /// Bytes sent to the device for the last new shape.
    sent_new: u64,
    /// Bytes sent to the device for the same shape.
    sent_same: u64,
}

fn main() -> ExitCode {
    match measure_pictures() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Fails only if nothing reads the errors.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure_pictures() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = Gpu::without_surface()?;
    let info = gpu.adapter.get_info();
    let mut out = io::stdout().lock();
    writeln!(out, "{} ({}), pictures of {} x {}", info.name, info.driver_info, SIZE[0], SIZE[1])?;
    let format = wgpu::TextureFormat::Rgba8Unorm;
    let view = layer(&gpu.sheet(SIZE, 1, format), 0);
    let target = Target { view: &view, size: SIZE };
    let mut cases = CELLS.map(|cells| Case::new(&gpu, cells));
    for round in 0..ROUNDS {
        for case in &mut cases {
            case.round(round, &gpu, target)?;
        }
    }
    table(&mut out, &cases)?;
    Ok(())
}

impl Case {
    fn new(gpu: &Gpu, cells: usize) -> Self {
        let body = Body::ball(RADIUS, cells);
        let mut random = Random(7);
        let scenes = [(); 2].map(|()| {
            let waves = Waves::random(&mut random, 0.2);
            let frame = body.frame(|x| waves.moved(x));
            let world_from_object = Isometry3::translation(0.0, RADIUS, 0.0);
            let ball = ObjectView { thing: 0, frame, world_from_object, colours: None };
            Scene { objects: vec![ball], ..Scene::default() }
        });
        let renderer =
            |antialiasing| SceneRenderer::new(gpu, wgpu::TextureFormat::Rgba8Unorm, antialiasing);
        Self {
            scenes,
            renderer: renderer(Antialiasing::Full),
            one_sample_renderer: renderer(Antialiasing::Off),
            new_shape: Times::default(),
            same_shape: Times::default(),
            second_eye: Times::default(),
            one_sample: Times::default(),
            sent_new: 0,
            sent_same: 0,
        }
    }

    fn round(
        &mut self,
        round: usize,
        gpu: &Gpu,
        target: Target<'_>,
    ) -> Result<(), wgpu::PollError> {
        let whole = Viewport::whole(SIZE);
        let mut camera = Camera { distance: 0.3, ..Camera::default() };
        let left = camera.viewpoint(whole.aspect());
        camera.orbit(0.1, 0.0);
        let right = camera.viewpoint(whole.aspect());
        let scene = &self.scenes[round % 2];
        let finished = || gpu.device.poll(wgpu::PollType::wait_indefinitely()).map(|_| ());
        let before = self.renderer.uploads();
        self.new_shape.time(|| {
            self.renderer.upload(scene);
            self.renderer.draw(&left, target, whole);
            finished()
        })?;
        self.sent_new = bytes_since(&self.renderer, before);
        let before = self.renderer.uploads();
        self.same_shape.time(|| {
            self.renderer.upload(scene);
            self.renderer.draw(&left, target, whole);
            finished()
        })?;
        self.sent_same = bytes_since(&self.renderer, before);
        self.second_eye.time(|| {
            self.renderer.draw(&right, target, whole);
            finished()
        })?;
        self.one_sample_renderer.upload(scene);
        finished()?;
        self.one_sample.time(|| {
            self.one_sample_renderer.upload(scene);
            self.one_sample_renderer.draw(&left, target, whole);
            finished()
        })
    }

    fn n_triangles(&self) -> usize {
        self.scenes[0].objects.iter().map(|object| object.frame.topology.triangles.len()).sum()
    }
}

fn bytes_since(renderer: &SceneRenderer, before: Uploads) -> u64 {
    renderer.uploads().bytes - before.bytes
}

fn table(out: &mut impl Write, cases: &[Case; 2]) -> io::Result<()> {
    writeln!(
        out,
        "| triangles | new shape | same shape | second eye | one sample a pixel | new / same | \
         second eye / first | one sample / four | sent, new and same |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|")?;
    for case in cases {
        let milli =
            |times: &Times| format!("{:.1} ({:.1}) ms", times.least() * 1e3, times.median() * 1e3);
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {} kB, {} kB |",
            case.n_triangles(),
            milli(&case.new_shape),
            milli(&case.same_shape),
            milli(&case.second_eye),
            milli(&case.one_sample),
            case.new_shape.least() / case.same_shape.least(),
            case.second_eye.least() / case.new_shape.least(),
            case.one_sample.least() / case.same_shape.least(),
            case.sent_new / 1000,
            case.sent_same / 1000,
        )?;
    }
    let [small, large] = cases;
    writeln!(
        out,
        "ten times the triangles cost {:.2} times a new shape and {:.2} times the same one",
        large.new_shape.least() / small.new_shape.least(),
        large.same_shape.least() / small.same_shape.least()
    )
}
