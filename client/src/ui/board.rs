//! Panels on a board in the headset's scene: laid out on one thread and painted on another device.

use std::time::Instant;

use super::overlay::{Look, still_input};
use super::style;

/// Lays out panels as the window does; draws nothing itself.
pub struct Board {
    context: egui::Context,
    start: Instant,
}

/// Laid-out panels, ready to be painted on any device.
#[derive(Default)]
pub struct PaintedBoard {
    primitives: Vec<egui::ClippedPrimitive>,
    textures: egui::TexturesDelta,
}

impl Board {
    /// Width and height in points.
    pub const POINTS: [f32; 2] = [800.0, 900.0];
    /// Width and height in pixels.
    pub const PIXELS: [u32; 2] = [1000, 1125];
    const PIXELS_PER_POINT: f32 = 1.25;

    pub fn new() -> Self {
        let context = egui::Context::default();
        style::apply(&context);
        // A hand in the air trembles and is slow. A press and release on the same entry is always a
        // click.
        context.options_mut(|options| {
            options.input_options.max_click_dist = 24.0;
            options.input_options.max_click_duration = 10.0;
        });
        Self { context, start: Instant::now() }
    }

    /// Lays out `panels` after these events. It may call `panels` more than once; each event
    /// reaches `panels` only once.
    pub fn lay_out(
        &mut self,
        events: Vec<egui::Event>,
        panels: impl FnMut(&mut egui::Ui),
    ) -> PaintedBoard {
        let look = Look { pixels_per_point: Self::PIXELS_PER_POINT, ..Look::default() };
        let time = Some(self.start.elapsed().as_secs_f64());
        let input = egui::RawInput { events, time, ..still_input(Self::PIXELS, look) };
        let output = self.context.run_ui(input, panels);
        let primitives = self.context.tessellate(output.shapes, output.pixels_per_point);
        PaintedBoard { primitives, textures: output.textures_delta }
    }
}

impl Default for Board {
    fn default() -> Self {
        Self::new()
    }
}

impl PaintedBoard {
    /// Returns this board together with the texture changes of `before`, which was never painted.
    pub fn after(mut self, mut before: Self) -> Self {
        let mut textures = std::mem::take(&mut before.textures);
        textures.append(std::mem::take(&mut self.textures));
        self.textures = textures;
        self
    }

    /// Clears `view` and paints the board into it.
    pub fn paint(
        mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        painter: &mut egui_wgpu::Renderer,
        view: &wgpu::TextureView,
    ) {
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: Board::PIXELS,
            pixels_per_point: Board::PIXELS_PER_POINT,
        };
        for (id, deltas) in self.textures.set.drain() {
            for delta in deltas {
                painter.update_texture(device, queue, id, &delta);
            }
        }
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let before = painter.update_buffers(device, queue, &mut encoder, &self.primitives, &screen);
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("board"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        painter.render(&mut pass.forget_lifetime(), &self.primitives, &screen);
        queue.submit(before.into_iter().chain([encoder.finish()]));
        for id in self.textures.free.drain() {
            painter.free_texture(&id);
        }
    }
}

/// Discards the textures: a board may be dropped before it is painted, which egui would report as
/// an error.
impl Drop for PaintedBoard {
    fn drop(&mut self) {
        self.textures.clear();
    }
}

impl std::fmt::Debug for PaintedBoard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PaintedBoard").field("n_primitives", &self.primitives.len()).finish()
    }
}
