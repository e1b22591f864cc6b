//! A window's surface and the picture in it.

use std::sync::Arc;

use wgpu::{CurrentSurfaceTexture, Surface, SurfaceConfiguration, TextureFormat};
use winit::dpi::PhysicalSize;
use winit::window::Window;

use crate::render::{Camera, Gpu, RenderError, SceneRenderer, Target};
use crate::scene::Scene;
use crate::ui::{Overlay, help_line, status_panel};

/// Draws into one window. Fields are dropped in this order: what draws, then the surface, then the
/// device, then the window.
pub(super) struct Canvas {
    renderer: SceneRenderer,
    overlay: Overlay,
    surface: Surface<'static>,
    config: SurfaceConfiguration,
    gpu: Gpu,
    window: Arc<Window>,
    scene: Arc<Scene>,
    /// How often in a row the surface was lost.
    n_lost: u32,
}

/// What became of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawing {
    /// It is on the screen.
    Shown,
    /// The window could not take it now.
    Postponed,
    /// Nobody could see it: the window is minimised or hidden.
    Unseen,
}

/// In order of preference: the panels' colours are meant for formats that are not encoded by
/// themselves.
const FORMATS: [TextureFormat; 4] = [
    TextureFormat::Bgra8Unorm,
    TextureFormat::Rgba8Unorm,
    TextureFormat::Bgra8UnormSrgb,
    TextureFormat::Rgba8UnormSrgb,
];
/// A surface that is lost this often in a row does not come back.
const MOST_LOSSES: u32 = 10;

impl Canvas {
    pub(super) fn new(window: Window) -> Result<Self, RenderError> {
        let window = Arc::new(window);
        let (gpu, surface) = Gpu::with_surface(Arc::clone(&window))?;
        let offered = surface.get_capabilities(&gpu.adapter).formats;
        let format = FORMATS
            .into_iter()
            .find(|format| offered.contains(format))
            .ok_or(RenderError::UnsupportedSurface)?;
        let config = SurfaceConfiguration {
            format,
            present_mode: wgpu::PresentMode::AutoVsync,
            // A frame in the queue is a frame late.
            desired_maximum_frame_latency: 1,
            ..surface
                .get_default_config(&gpu.adapter, 1, 1)
                .ok_or(RenderError::UnsupportedSurface)?
        };
        let mut canvas = Self {
            renderer: SceneRenderer::new(&gpu.device, &gpu.queue, format),
            overlay: Overlay::new(&gpu.device, &gpu.queue, format),
            surface,
            config,
            gpu,
            scene: Arc::new(Scene::default()),
            n_lost: 0,
            window,
        };
        canvas.resize(canvas.window.inner_size());
        canvas.show(Arc::clone(&canvas.scene));
        Ok(canvas)
    }

    /// The scene of all pictures from now on.
    pub(super) fn show(&mut self, scene: Arc<Scene>) {
        self.renderer.upload(&scene);
        self.scene = scene;
    }

    pub(super) fn resize(&mut self, size: PhysicalSize<u32>) {
        let largest = self.gpu.device.limits().max_texture_dimension_2d;
        // No surface may be empty; a window without area shows nothing anyway.
        self.config.width = size.width.clamp(1, largest);
        self.config.height = size.height.clamp(1, largest);
        self.surface.configure(&self.gpu.device, &self.config);
    }

    pub(super) fn request_redraw(&self) {
        self.window.request_redraw();
    }

    /// In pixels.
    pub(super) fn height(&self) -> f64 {
        f64::from(self.config.height)
    }

    pub(super) fn draw(&mut self, camera: &Camera) -> Result<Drawing, RenderError> {
        let size = self.window.inner_size();
        if size.width == 0 || size.height == 0 {
            return Ok(Drawing::Unseen);
        }
        let frame = match self.surface.get_current_texture() {
            CurrentSurfaceTexture::Success(frame) | CurrentSurfaceTexture::Suboptimal(frame) => {
                frame
            }
            CurrentSurfaceTexture::Occluded => return Ok(Drawing::Unseen),
            CurrentSurfaceTexture::Timeout => return Ok(Drawing::Postponed),
            CurrentSurfaceTexture::Outdated => {
                self.resize(size);
                return Ok(Drawing::Postponed);
            }
            CurrentSurfaceTexture::Lost | CurrentSurfaceTexture::Validation => {
                self.replace_surface()?;
                return Ok(Drawing::Postponed);
            }
        };
        self.n_lost = 0;
        let view = frame.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let target = Target { view: &view, size: [self.config.width, self.config.height] };
        let aspect = f64::from(self.config.width) / f64::from(self.config.height);
        self.renderer.draw(&camera.viewpoint(aspect), target);
        self.overlay.draw(target, self.window.scale_factor() as f32, |ui| {
            status_panel(ui, &self.scene.status);
            help_line(ui);
        });
        self.window.pre_present_notify();
        self.gpu.queue.present(frame);
        Ok(Drawing::Shown)
    }

    fn replace_surface(&mut self) -> Result<(), RenderError> {
        self.n_lost += 1;
        if self.n_lost > MOST_LOSSES {
            return Err(RenderError::SurfaceLost(self.n_lost));
        }
        tracing::warn!("the window's surface was lost, making a new one");
        self.surface = self.gpu.instance.create_surface(Arc::clone(&self.window))?;
        self.surface.configure(&self.gpu.device, &self.config);
        Ok(())
    }
}
