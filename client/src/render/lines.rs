//! Thin lines on the graphics device.

use bytemuck::{Pod, Zeroable};
use wgpu::{Device, Queue, RenderPass};

use super::buffers::GrowingBuffer;
use crate::scene::Line;

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
}

impl Default for LineBuffer {
    fn default() -> Self {
        Self { vertices: GrowingBuffer::new("lines"), n_vertices: 0 }
    }
}

impl LineBuffer {
    pub(super) fn update(&mut self, device: &Device, queue: &Queue, lines: &[Line]) {
        let ends = |line: &Line| {
            let colour = line.colour;
            line.ends.map(|end| LineVertex { position: end.cast::<f32>().into(), colour })
        };
        let vertices: Vec<LineVertex> = lines.iter().flat_map(ends).collect();
        self.n_vertices = vertices.len() as u32;
        self.vertices.write(device, queue, &vertices);
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
