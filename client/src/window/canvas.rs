//! A window's surface: draws the picture and the panels over it.

use std::sync::Arc;
use std::time::Duration;

use interaction::scene::Scene;
use wgpu::{CurrentSurfaceTexture, Surface, SurfaceConfiguration, TextureFormat};
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::window::Window;

use super::egui_passes::for_next_pass;
use super::picture_cache::PictureCache;
use super::view_controls::PanelClaim;
use super::{WindowContent, WindowFlow};
use crate::render::{Antialiasing, Camera, Gpu, RenderError, SceneRenderer, Target, Viewport};
use crate::ui::Overlay;

/// Draws into one window. Fields are dropped in this order: first the drawing resources, then the
/// surface, the device and the window.
pub(super) struct Canvas {
    renderer: SceneRenderer,
    overlay: Overlay,
    input: egui_winit::State,
    /// Events for the panels' next pass.
    postponed: Vec<egui::Event>,
    /// The part of the window that the panels leave free, in points.
    free: egui::Rect,
    /// Absent if the surface accepts no copies; the picture is then drawn every time.
    picture_cache: Option<PictureCache>,
    surface: Surface<'static>,
    config: SurfaceConfiguration,
    gpu: Gpu,
    window: Arc<Window>,
    /// Number of successive losses of the surface.
    n_lost: u32,
}

/// Outcome of drawing one picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DrawOutcome {
    /// The picture is on the screen. `again_after` is the delay until animated panels need the next
    /// one.
    Shown { flow: WindowFlow, again_after: Duration },
    /// The window cannot accept a picture now.
    Postponed,
    /// The window is minimised or hidden.
    Unseen,
}

/// The panels' reaction to an event.
#[derive(Debug, Clone, Copy)]
pub(super) struct PanelResponse {
    pub(super) claim: PanelClaim,
    /// True if the panels may look different now.
    pub(super) want_picture: bool,
}

/// Surface formats in order of preference. The panels' colours are meant for formats without
/// automatic sRGB encoding.
const FORMATS: [TextureFormat; 4] = [
    TextureFormat::Bgra8Unorm,
    TextureFormat::Rgba8Unorm,
    TextureFormat::Bgra8UnormSrgb,
    TextureFormat::Rgba8UnormSrgb,
];
/// Largest number of successive losses of the surface before the window gives up.
const MOST_LOSSES: u32 = 10;

impl Canvas {
    pub(super) fn new(window: Window) -> Result<Self, RenderError> {
        let window = Arc::new(window);
        let (gpu, surface) = Gpu::with_surface(Arc::clone(&window))?;
        let capabilities = surface.get_capabilities(&gpu.adapter);
        let can_keep = capabilities.usages.contains(PictureCache::NEEDS);
        let offered = capabilities.formats;
        let format = FORMATS
            .into_iter()
            .find(|format| offered.contains(format))
            .ok_or(RenderError::UnsupportedSurface)?;
        let mut config = SurfaceConfiguration {
            format,
            present_mode: wgpu::PresentMode::AutoVsync,
            // Each queued frame adds one frame of delay.
            desired_maximum_frame_latency: 1,
            ..surface
                .get_default_config(&gpu.adapter, 1, 1)
                .ok_or(RenderError::UnsupportedSurface)?
        };
        let picture_cache = can_keep.then(|| PictureCache::new(&gpu.device, [1, 1], format));
        config.usage.set(PictureCache::NEEDS, can_keep);
        let overlay = Overlay::new(&gpu.device, &gpu.queue, format);
        let input = egui_winit::State::new(
            overlay.context().clone(),
            egui::ViewportId::ROOT,
            &*window,
            Some(window.scale_factor() as f32),
            window.theme(),
            usize::try_from(gpu.device.limits().max_texture_dimension_2d).ok(),
        );
        let mut canvas = Self {
            renderer: SceneRenderer::new(
                &gpu,
                format,
                Antialiasing::at_interactive_speed(&gpu.adapter),
            ),
            overlay,
            input,
            postponed: Vec::new(),
            free: egui::Rect::EVERYTHING,
            picture_cache,
            surface,
            config,
            gpu,
            n_lost: 0,
            window,
        };
        canvas.resize(canvas.window.inner_size());
        canvas.show(&Scene::default());
        Ok(canvas)
    }

    /// Sets the scene for all following pictures.
    pub(super) fn show(&mut self, scene: &Scene) {
        self.renderer.upload(scene);
        self.picture_cache.iter_mut().for_each(PictureCache::forget);
    }

    /// Passes an event to the panels. Returns their reaction.
    pub(super) fn take_event(&mut self, event: &WindowEvent) -> PanelResponse {
        let response = self.input.on_window_event(&self.window, event);
        let context = self.overlay.context();
        let waiting = self.postponed.iter().chain(&self.input.egui_input().events);
        let pointer = waiting.rev().find_map(|event| match event {
            egui::Event::PointerMoved(to) => Some(*to),
            _ => None,
        });
        // Events since the last picture are newer than the panels' state.
        let pointer = pointer.or_else(|| context.pointer_latest_pos());
        let claim = PanelClaim::of(context, self.free, pointer);
        PanelResponse { claim, want_picture: response.repaint }
    }

    pub(super) fn resize(&mut self, size: PhysicalSize<u32>) {
        let largest = self.gpu.device.limits().max_texture_dimension_2d;
        // A surface must not be empty. A window without area shows nothing anyway.
        self.config.width = size.width.clamp(1, largest);
        self.config.height = size.height.clamp(1, largest);
        self.surface.configure(&self.gpu.device, &self.config);
    }

    pub(super) fn request_redraw(&self) {
        self.window.request_redraw();
    }

    pub(super) fn draw(
        &mut self,
        camera: &Camera,
        content: &mut dyn WindowContent,
    ) -> Result<DrawOutcome, RenderError> {
        let size = self.window.inner_size();
        if size.width == 0 || size.height == 0 {
            return Ok(DrawOutcome::Unseen);
        }
        let frame = match self.surface.get_current_texture() {
            CurrentSurfaceTexture::Success(frame) | CurrentSurfaceTexture::Suboptimal(frame) => {
                frame
            }
            CurrentSurfaceTexture::Occluded => return Ok(DrawOutcome::Unseen),
            CurrentSurfaceTexture::Timeout => return Ok(DrawOutcome::Postponed),
            CurrentSurfaceTexture::Outdated => {
                self.resize(size);
                return Ok(DrawOutcome::Postponed);
            }
            CurrentSurfaceTexture::Lost | CurrentSurfaceTexture::Validation => {
                self.replace_surface()?;
                return Ok(DrawOutcome::Postponed);
            }
        };
        self.n_lost = 0;
        let view = frame.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let target = Target { view: &view, size: [self.config.width, self.config.height] };
        let mut flow = WindowFlow::Continue;
        let mut input = self.input.take_egui_input(&self.window);
        input.events.splice(..0, self.postponed.drain(..));
        self.postponed = for_next_pass(&mut input.events);
        let laid_out = self.overlay.lay_out(input, |ui| {
            // egui may repeat the pass; a request of the first pass still counts.
            if content.panels(ui) == WindowFlow::Close {
                flow = WindowFlow::Close;
            }
        });
        self.free = laid_out.free;
        let surroundings = self.overlay.context().theme().into();
        self.renderer.surround(surroundings);
        let viewport = self.picture_viewport();
        if viewport.has_area() {
            let viewpoint = content.viewpoint(camera, viewport.aspect());
            match &mut self.picture_cache {
                Some(picture_cache) => {
                    if picture_cache.size() != target.size {
                        *picture_cache =
                            PictureCache::new(&self.gpu.device, target.size, self.config.format);
                    }
                    let wanted = (viewpoint, viewport, surroundings);
                    picture_cache.show_in(&frame.texture, &mut self.renderer, wanted, &self.gpu);
                }
                None => self.renderer.draw(&viewpoint, target, viewport),
            }
        }
        let again_after = match self.postponed.is_empty() {
            true => laid_out.again_after,
            false => Duration::ZERO,
        };
        let platform = self.overlay.paint(target.view, target.size, laid_out);
        self.input.handle_platform_output(&self.window, platform);
        self.window.pre_present_notify();
        self.gpu.queue.present(frame);
        Ok(DrawOutcome::Shown { flow, again_after })
    }

    /// The part of the window that the panels leave free, in pixels.
    pub(super) fn picture_viewport(&self) -> Viewport {
        let scale = self.overlay.context().pixels_per_point();
        let size = [self.config.width, self.config.height];
        let [left, top, right, bottom] =
            [self.free.min.x, self.free.min.y, self.free.max.x, self.free.max.y].map(|x| x * scale);
        Viewport::between([left, top], [right, bottom], size)
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
