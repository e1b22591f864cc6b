//! Lays out egui panels and draws them over a finished picture.

use std::time::Duration;

use wgpu::{Device, Queue, TextureFormat, TextureView};

use super::style;

/// Draws panels over a picture. The caller supplies their input.
pub struct Overlay {
    device: Device,
    queue: Queue,
    context: egui::Context,
    painter: egui_wgpu::Renderer,
}

/// Laid-out panels that have processed their input.
pub struct LaidOut {
    /// The part of the window that panels at the edges leave free for the picture, in points.
    pub free: egui::Rect,
    /// Delay after which the panels need a new layout without any input; [`Duration::MAX`] for
    /// never.
    pub again_after: Duration,
    output: egui::FullOutput,
}

/// Theme and size of panels in pictures without a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    pub theme: egui::Theme,
    pub pixels_per_point: f32,
}

impl Default for Look {
    fn default() -> Self {
        Self { theme: egui::Theme::Dark, pixels_per_point: 1.0 }
    }
}

impl Overlay {
    /// `format` is the targets' texture format, preferably one without automatic sRGB encoding.
    pub fn new(device: &Device, queue: &Queue, format: TextureFormat) -> Self {
        let context = egui::Context::default();
        style::apply(&context);
        let options = egui_wgpu::RendererOptions::default();
        Self {
            device: device.clone(),
            queue: queue.clone(),
            context,
            painter: egui_wgpu::Renderer::new(device, format, options),
        }
    }

    pub fn context(&self) -> &egui::Context {
        &self.context
    }

    /// Lays out `panels`. It may call `panels` more than once; each event reaches `panels` only
    /// once.
    pub fn lay_out(
        &mut self,
        input: egui::RawInput,
        mut panels: impl FnMut(&mut egui::Ui),
    ) -> LaidOut {
        let mut free = egui::Rect::NOTHING;
        let output = self.context.run_ui(input, |ui| {
            panels(ui);
            free = ui.available_rect_before_wrap();
        });
        let root = output.viewport_output.get(&egui::ViewportId::ROOT);
        let again_after = root.map_or(Duration::MAX, |root| root.repaint_delay);
        LaidOut { free, again_after, output }
    }

    /// Draws the panels over the contents of `view`, which has `size` pixels. Returns the panels'
    /// requests to the window, such as a cursor.
    pub fn paint(
        &mut self,
        view: &TextureView,
        size: [u32; 2],
        laid_out: LaidOut,
    ) -> egui::PlatformOutput {
        let egui::FullOutput {
            platform_output, mut textures_delta, shapes, pixels_per_point, ..
        } = laid_out.output;
        let screen = egui_wgpu::ScreenDescriptor { size_in_pixels: size, pixels_per_point };
        let primitives = self.context.tessellate(shapes, pixels_per_point);

        for (id, deltas) in textures_delta.set.drain() {
            for delta in deltas {
                self.painter.update_texture(&self.device, &self.queue, id, &delta);
            }
        }
        let mut encoder =
            self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let before = self.painter.update_buffers(
            &self.device,
            &self.queue,
            &mut encoder,
            &primitives,
            &screen,
        );
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("panels"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        self.painter.render(&mut pass.forget_lifetime(), &primitives, &screen);
        self.queue.submit(before.into_iter().chain([encoder.finish()]));
        for id in textures_delta.free.drain() {
            self.painter.free_texture(&id);
        }
        platform_output
    }
}

/// Input of panels without a window: only the picture's size.
pub fn still_input(size: [u32; 2], look: Look) -> egui::RawInput {
    let [width, height] = size.map(|pixels| pixels as f32);
    let screen = egui::vec2(width, height) / look.pixels_per_point;
    let mut input = egui::RawInput {
        screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, screen)),
        system_theme: Some(look.theme),
        ..Default::default()
    };
    for viewport in input.viewports.values_mut() {
        viewport.native_pixels_per_point = Some(look.pixels_per_point);
    }
    input
}
