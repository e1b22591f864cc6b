//! A window's surface: the picture in it and the panels over it.

use std::sync::Arc;
use std::time::Duration;

use interaction::scene::Scene;
use wgpu::{CurrentSurfaceTexture, Surface, SurfaceConfiguration, TextureFormat};
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::window::Window;

use super::controls::Claim;
use super::keepsake::Keepsake;
use super::passes::for_next_pass;
use super::{Going, Show};
use crate::render::{Antialiasing, Camera, Gpu, Part, RenderError, SceneRenderer, Target};
use crate::ui::Overlay;

/// Draws into one window. Fields are dropped in this order: what draws, then the surface, then the
/// device, then the window.
pub(super) struct Canvas {
    renderer: SceneRenderer,
    overlay: Overlay,
    input: egui_winit::State,
    /// Events that the panels take in their next pass.
    postponed: Vec<egui::Event>,
    /// Where the panels leave the picture free, in points.
    free: egui::Rect,
    /// Absent where pictures cannot be copied to the window, and are drawn anew each time.
    keepsake: Option<Keepsake>,
    surface: Surface<'static>,
    config: SurfaceConfiguration,
    gpu: Gpu,
    window: Arc<Window>,
    /// How often in a row the surface was lost.
    n_lost: u32,
}

/// What became of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawing {
    /// It is on the screen; the panels move by themselves and want the next one so much later.
    Shown { going: Going, again_after: Duration },
    /// The window could not take it now.
    Postponed,
    /// Nobody could see it: the window is minimised or hidden.
    Unseen,
}

/// What the panels make of an event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heard {
    pub(super) claim: Claim,
    /// Whether they may look different now.
    pub(super) want_picture: bool,
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
        let capabilities = surface.get_capabilities(&gpu.adapter);
        let can_keep = capabilities.usages.contains(Keepsake::NEEDS);
        let offered = capabilities.formats;
        let format = FORMATS
            .into_iter()
            .find(|format| offered.contains(format))
            .ok_or(RenderError::UnsupportedSurface)?;
        let mut config = SurfaceConfiguration {
            format,
            present_mode: wgpu::PresentMode::AutoVsync,
            // A frame in the queue is a frame late.
            desired_maximum_frame_latency: 1,
            ..surface
                .get_default_config(&gpu.adapter, 1, 1)
                .ok_or(RenderError::UnsupportedSurface)?
        };
        let keepsake = can_keep.then(|| Keepsake::new(&gpu.device, [1, 1], format));
        config.usage.set(Keepsake::NEEDS, can_keep);
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
            keepsake,
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

    /// The scene of all pictures from now on.
    pub(super) fn show(&mut self, scene: &Scene) {
        self.renderer.upload(scene);
        self.keepsake.iter_mut().for_each(Keepsake::forget);
    }

    /// Lets the panels hear of an event, and says what they make of it.
    pub(super) fn hear(&mut self, event: &WindowEvent) -> Heard {
        let response = self.input.on_window_event(&self.window, event);
        let context = self.overlay.context();
        let waiting = self.postponed.iter().chain(&self.input.egui_input().events);
        let pointer = waiting.rev().find_map(|event| match event {
            egui::Event::PointerMoved(to) => Some(*to),
            _ => None,
        });
        // What has been heard since the last picture is newer than what the panels know.
        let pointer = pointer.or_else(|| context.pointer_latest_pos());
        let claim = Claim::of(context, self.free, pointer);
        Heard { claim, want_picture: response.repaint }
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

    pub(super) fn draw(
        &mut self,
        camera: &Camera,
        show: &mut dyn Show,
    ) -> Result<Drawing, RenderError> {
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
        let mut going = Going::On;
        let mut input = self.input.take_egui_input(&self.window);
        input.events.splice(..0, self.postponed.drain(..));
        self.postponed = for_next_pass(&mut input.events);
        let laid_out = self.overlay.lay_out(input, |ui| {
            // A pass may be repeated; what was asked for in the first is not forgotten.
            if show.panels(ui) == Going::Over {
                going = Going::Over;
            }
        });
        self.free = laid_out.free;
        let surroundings = self.overlay.context().theme().into();
        self.renderer.surround(surroundings);
        let part = self.picture_part();
        if part.has_area() {
            let viewpoint = show.viewpoint(camera, part.aspect());
            match &mut self.keepsake {
                Some(keepsake) => {
                    if keepsake.size() != target.size {
                        *keepsake =
                            Keepsake::new(&self.gpu.device, target.size, self.config.format);
                    }
                    let wanted = (viewpoint, part, surroundings);
                    keepsake.show_in(&frame.texture, &mut self.renderer, wanted, &self.gpu);
                }
                None => self.renderer.draw(&viewpoint, target, part),
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
        Ok(Drawing::Shown { going, again_after })
    }

    /// What the panels leave free, in pixels.
    pub(super) fn picture_part(&self) -> Part {
        let scale = self.overlay.context().pixels_per_point();
        let size = [self.config.width, self.config.height];
        let [left, top, right, bottom] =
            [self.free.min.x, self.free.min.y, self.free.max.x, self.free.max.y].map(|x| x * scale);
        Part::between([left, top], [right, bottom], size)
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
