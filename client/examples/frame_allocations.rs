//! Memory allocations per frame of a headset, with the active OpenXR runtime: those of the whole
//! loop, and those that wgpu makes for the two pictures alone. Allocations inside the runtime and
//! the graphics driver do not count.
//!
//! Start it by `cargo run --example frame_allocations` while wearing the headset; the tests run it
//! with an emulated headset.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use allocation_counter::measure;
use client::render::{Antialiasing, Camera, Gpu, SceneRenderer, Target, Viewport, layer};
use client::vr::{HeadsetLink, HeadsetOptions, Stance, WorldPlacement, run_headset};
use interaction::scene::Scene;

/// Duration of the short session. Beginning and end of a session cost the same in both, so they
/// cancel out.
const SHORT: Duration = Duration::from_secs(3);
/// Duration of the long session.
const LONG: Duration = Duration::from_secs(9);
const SIZE: [u32; 2] = [320, 240];

fn main() -> anyhow::Result<()> {
    let (few, many) = (loop_for(SHORT)?, loop_for(LONG)?);
    let n_frames = many.0.saturating_sub(few.0);
    anyhow::ensure!(n_frames > 0, "no frames were shown; is the headset on a head?");
    let of_loop = many.1.saturating_sub(few.1) as f64 / n_frames as f64;
    let of_pictures = pictures()?;
    let mut out = io::stdout();
    writeln!(out, "frames    {n_frames}")?;
    writeln!(out, "loop      {of_loop:.2} allocations for each")?;
    writeln!(out, "wgpu      {of_pictures:.2} of them for its two pictures")?;
    Ok(())
}

/// Number of frames in a session of this length, and of allocations on their thread.
fn loop_for(length: Duration) -> anyhow::Result<(u64, u64)> {
    let placement = WorldPlacement { stance: Stance::Seated, scale: 1.0 };
    let link = HeadsetLink::new(&Arc::default(), placement);
    link.scenes.put(Arc::new(Scene::default()));
    let stop = Arc::new(AtomicBool::new(false));
    let at_end = Arc::clone(&stop);
    let clock = std::thread::Builder::new().name("clock".to_owned()).spawn(move || {
        std::thread::sleep(length);
        at_end.store(true, Ordering::Relaxed);
    })?;
    let options = HeadsetOptions { pictures: false, hands: true, placement };
    let mut n_frames = 0;
    let info = measure(|| n_frames = run_headset(&link, &stop, options).n_frames);
    anyhow::ensure!(clock.join().is_ok(), "the clock panicked");
    Ok((n_frames, info.count_total))
}

/// Number of wgpu's allocations for two pictures of the same scene.
fn pictures() -> anyhow::Result<f64> {
    let gpu = Gpu::without_surface()?;
    let format = wgpu::TextureFormat::Rgba8UnormSrgb;
    let sheet = gpu.sheet(SIZE, 2, format);
    let views = [0, 1].map(|eye| layer(&sheet, eye));
    let mut renderer = SceneRenderer::new(&gpu, format, Antialiasing::Full);
    renderer.upload(&Scene::default());
    let viewpoint = Camera::default().viewpoint(1.0);
    let mut frames = |n_frames: u64| {
        for _ in 0..n_frames {
            let commands = [0, 1].map(|eye| {
                let target = Target { view: &views[eye], size: SIZE };
                renderer.record(eye, target, Viewport::whole(SIZE))
            });
            [0, 1].iter().for_each(|eye| renderer.aim(*eye, &viewpoint));
            renderer.take(commands);
            // With a runtime, the device has time between two frames to free resources.
            gpu.device.poll(wgpu::PollType::wait_indefinitely())?;
        }
        anyhow::Ok(())
    };
    frames(20)?;
    let mut ended = Ok(());
    let n_frames = 200;
    let info = measure(|| ended = frames(n_frames));
    ended?;
    Ok(info.count_total as f64 / n_frames as f64)
}
