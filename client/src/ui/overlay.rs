//! Draws egui panels over a finished picture.

use wgpu::{Device, Queue, TextureFormat};

use crate::render::Target;

/// Draws panels; they take no input, so no window is needed.
pub struct Overlay {
    device: Device,
    queue: Queue,
    ctx: egui::Context,
    painter: egui_wgpu::Renderer,
}

impl Overlay {
    /// `format` is that of the targets, best one that is not encoded by itself.
    pub fn new(device: &Device, queue: &Queue, format: TextureFormat) -> Self {
        let ctx = egui::Context::default();
        ctx.set_theme(egui::Theme::Dark);
        Self {
            device: device.clone(),
            queue: queue.clone(),
            ctx,
            painter: egui_wgpu::Renderer::new(
                device,
                format,
                egui_wgpu::RendererOptions::default(),
            ),
        }
    }

    /// Draws what `panels` shows over what the target holds.
    pub fn draw(
        &mut self,
        target: Target<'_>,
        pixels_per_point: f32,
        mut panels: impl FnMut(&egui::Ui),
    ) {
        let screen = egui_wgpu::ScreenDescriptor { size_in_pixels: target.size, pixels_per_point };
        let mut output = self.ctx.run_ui(input(&screen), |ui| panels(ui));
        let shapes = std::mem::take(&mut output.shapes);
        let primitives = self.ctx.tessellate(shapes, output.pixels_per_point);

        for (id, deltas) in output.textures_delta.set.drain() {
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
                view: target.view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        self.painter.render(&mut pass.forget_lifetime(), &primitives, &screen);
        self.queue.submit(before.into_iter().chain([encoder.finish()]));
        for id in output.textures_delta.free.drain() {
            self.painter.free_texture(&id);
        }
    }
}

fn input(screen: &egui_wgpu::ScreenDescriptor) -> egui::RawInput {
    let [width, height] = screen.size_in_pixels.map(|pixels| pixels as f32);
    let size = egui::vec2(width, height) / screen.pixels_per_point;
    let mut input = egui::RawInput {
        screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size)),
        ..Default::default()
    };
    for viewport in input.viewports.values_mut() {
        viewport.native_pixels_per_point = Some(screen.pixels_per_point);
    }
    input
}
