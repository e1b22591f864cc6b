//! Vertices of the moving things, kept on the graphics device and renewed when they change.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::NoUninit;
use physics::{SurfaceFrame, Topology};
use wgpu::util::DeviceExt;
use wgpu::{Buffer, BufferUsages, Device, Queue, RenderPass};

use super::hand::{Placement, placements};
use super::shapes::{ShapeMeshes, UnitShape};
use super::skin::Skin;
use crate::scene::{HandView, ObjectView};

/// The object's surface on the device.
#[derive(Debug)]
pub(super) struct ObjectBuffers {
    topology: Arc<Topology>,
    skin: Skin,
    indices: Buffer,
    vertices: GrowingBuffer,
    /// The frame that the vertices stand for.
    frame: Arc<SurfaceFrame>,
}

impl ObjectBuffers {
    pub(super) fn new(device: &Device, queue: &Queue, object: &ObjectView) -> Self {
        let topology = Arc::clone(&object.frame.topology);
        let skin = Skin::new(&topology.triangles, &topology.rest_positions);
        let indices = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("object indices"),
            contents: bytemuck::cast_slice(&skin.triangles),
            usage: BufferUsages::INDEX,
        });
        let frame = Arc::clone(&object.frame);
        let vertices = GrowingBuffer::new("object vertices");
        let mut buffers = Self { topology, skin, indices, vertices, frame };
        buffers.renew_vertices(device, queue, object);
        buffers
    }

    /// Whether the object still hangs together in the way that these buffers say.
    pub(super) fn fit(&self, object: &ObjectView) -> bool {
        let topology = &object.frame.topology;
        // Frames from afar may carry an equal copy.
        Arc::ptr_eq(&self.topology, topology) || self.topology == *topology
    }

    /// Moves the vertices to where `object` has them.
    pub(super) fn update(&mut self, device: &Device, queue: &Queue, object: &ObjectView) {
        if !Arc::ptr_eq(&self.frame, &object.frame) {
            self.frame = Arc::clone(&object.frame);
            self.renew_vertices(device, queue, object);
        }
    }

    pub(super) fn draw(&self, pass: &mut RenderPass<'_>) {
        let Some(vertices) = &self.vertices.buffer else { return };
        pass.set_vertex_buffer(0, vertices.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..3 * self.skin.triangles.len() as u32, 0, 0..1);
    }

    fn renew_vertices(&mut self, device: &Device, queue: &Queue, object: &ObjectView) {
        let _span = tracing::trace_span!("upload", sample = object.frame.sample.0).entered();
        let vertices =
            self.skin.vertices(&object.frame.positions, &object.frame.topology.rest_positions);
        self.vertices.write(device, queue, &vertices);
    }
}

/// The glove's shapes on the device.
#[derive(Debug)]
pub(super) struct HandBuffers {
    vertices: Buffer,
    indices: Buffer,
    meshes: ShapeMeshes,
    placements: GrowingBuffer,
    /// Which placements are of which shape.
    placed: [Range<u32>; 3],
}

impl HandBuffers {
    pub(super) fn new(device: &Device) -> Self {
        let meshes = ShapeMeshes::new();
        let buffer = |label, contents, usage| {
            let label = Some(label);
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label, contents, usage })
        };
        Self {
            vertices: buffer(
                "shape vertices",
                bytemuck::cast_slice(&meshes.vertices),
                BufferUsages::VERTEX,
            ),
            indices: buffer(
                "shape indices",
                bytemuck::cast_slice(&meshes.indices),
                BufferUsages::INDEX,
            ),
            meshes,
            placements: GrowingBuffer::new("placements"),
            placed: [0..0, 0..0, 0..0],
        }
    }

    /// Moves the shapes to where `hand` has them.
    pub(super) fn update(&mut self, device: &Device, queue: &Queue, hand: Option<&HandView>) {
        let by_shape = hand.map(placements).unwrap_or_default();
        let mut start = 0;
        self.placed = by_shape.each_ref().map(|placements| {
            let range = start..start + placements.len() as u32;
            start = range.end;
            range
        });
        let all: Vec<Placement> = by_shape.concat();
        self.placements.write(device, queue, &all);
    }

    pub(super) fn draw(&self, pass: &mut RenderPass<'_>) {
        let Some(placements) = &self.placements.buffer else { return };
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_vertex_buffer(1, placements.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        for shape in UnitShape::ALL {
            let placed = self.placed[shape as usize].clone();
            pass.draw_indexed(self.meshes.indices_of(shape), 0, placed);
        }
    }
}

/// A vertex buffer that is replaced by a larger one when its contents outgrow it.
#[derive(Debug)]
struct GrowingBuffer {
    label: &'static str,
    /// Absent while nothing was written.
    buffer: Option<Buffer>,
}

impl GrowingBuffer {
    fn new(label: &'static str) -> Self {
        Self { label, buffer: None }
    }

    fn write<T: NoUninit>(&mut self, device: &Device, queue: &Queue, contents: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(contents);
        if bytes.is_empty() {
            return;
        }
        let size = bytes.len() as u64;
        let buffer = self.buffer.take().filter(|old| old.size() >= size).unwrap_or_else(|| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(self.label),
                size: size.next_power_of_two(),
                usage: BufferUsages::VERTEX | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        queue.write_buffer(self.buffer.insert(buffer), 0, bytes);
    }
}
