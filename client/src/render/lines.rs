//! Thin lines on the graphics device.

use bytemuck::{Pod, Zeroable};
use interaction::scene::ThinLine;
use wgpu::RenderPass;

use super::growing_buffer::{GrowingBuffer, Upload};

/// One end of a line, as its shader reads it.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LineVertex {
    position: [f32; 3],
    colour: [f32; 3],
}

/// All lines of a scene.
#[derive(Debug)]
pub(super) struct LineBuffer {
    vertices: GrowingBuffer,
    n_vertices: u32,
    /// Lines as last sent.
    sent: Vec<ThinLine>,
    /// Reused for every scene.
    to_send: Vec<LineVertex>,
}

impl Default for LineBuffer {
    fn default() -> Self {
        let (sent, to_send) = (Vec::new(), Vec::new());
        Self { vertices: GrowingBuffer::new("lines"), n_vertices: 0, sent, to_send }
    }
}

impl LineBuffer {
    pub(super) fn update(&mut self, to: &mut Upload<'_>, lines: &[ThinLine]) {
        if self.sent == lines {
            return;
        }
        let ends = |line: &ThinLine| {
            let colour = line.colour;
            line.ends.map(|end| LineVertex { position: end.cast::<f32>().into(), colour })
        };
        self.to_send.clear();
        self.to_send.extend(lines.iter().flat_map(ends));
        self.n_vertices = self.to_send.len() as u32;
        self.vertices.write(to, &self.to_send);
        self.sent.clear();
        self.sent.extend_from_slice(lines);
    }

    pub(super) fn draw(&self, pass: &mut RenderPass<'_>) {
        if let Some(vertices) = &self.vertices.buffer
            && self.n_vertices > 0
        {
            pass.set_vertex_buffer(0, vertices.slice(..));
            pass.draw(0..self.n_vertices, 0..1);
        }
    }
}
