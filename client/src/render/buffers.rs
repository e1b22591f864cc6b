//! Vertices of the moving things, kept on the graphics device and renewed when they change.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::NoUninit;
use physics::{SurfaceFrame, Topology};
use wgpu::util::DeviceExt;
use wgpu::{Buffer, BufferUsages, Device, Queue, RenderPass};

use super::hand::{Placement, placements, sign_placements};
use super::shapes::{N_SHAPES, ShapeMeshes, UnitShape};
use super::skin::Skin;
use crate::scene::{Colouring, ObjectView, Scene};

/// Where an object is, as its shader reads it.
pub(super) type Place = [[f32; 4]; 4];

/// An object's surface on the device.
#[derive(Debug)]
pub(super) struct ObjectBuffers {
    topology: Arc<Topology>,
    skin: Skin,
    indices: Buffer,
    vertices: GrowingBuffer,
    place: GrowingBuffer,
    /// The frame and the colours that the vertices stand for.
    frame: Arc<SurfaceFrame>,
    colours: Option<Arc<Vec<[f32; 3]>>>,
    colouring: Colouring,
}

impl ObjectBuffers {
    pub(super) fn new(
        device: &Device,
        queue: &Queue,
        object: &ObjectView,
        colouring: Colouring,
    ) -> Self {
        let topology = Arc::clone(&object.frame.topology);
        let skin = Skin::new(&topology.triangles, &topology.rest_positions);
        let indices = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("object indices"),
            contents: bytemuck::cast_slice(&skin.triangles),
            usage: BufferUsages::INDEX,
        });
        let (frame, colours) = (Arc::clone(&object.frame), object.colours.clone());
        let vertices = GrowingBuffer::new("object vertices");
        let place = GrowingBuffer::new("object place");
        let mut buffers =
            Self { topology, skin, indices, vertices, place, frame, colours, colouring };
        buffers.renew_place(device, queue, object);
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
    pub(super) fn update(
        &mut self,
        device: &Device,
        queue: &Queue,
        object: &ObjectView,
        colouring: Colouring,
    ) {
        let address = |colours: &Option<Arc<_>>| colours.as_ref().map(Arc::as_ptr);
        if !Arc::ptr_eq(&self.frame, &object.frame)
            || address(&self.colours) != address(&object.colours)
            || self.colouring != colouring
        {
            self.colouring = colouring;
            self.frame = Arc::clone(&object.frame);
            self.colours.clone_from(&object.colours);
            self.renew_vertices(device, queue, object);
        }
        self.renew_place(device, queue, object);
    }

    pub(super) fn draw(&self, pass: &mut RenderPass<'_>) {
        let (Some(vertices), Some(place)) = (&self.vertices.buffer, &self.place.buffer) else {
            return;
        };
        pass.set_vertex_buffer(0, vertices.slice(..));
        pass.set_vertex_buffer(1, place.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..3 * self.skin.triangles.len() as u32, 0, 0..1);
    }

    fn renew_vertices(&mut self, device: &Device, queue: &Queue, object: &ObjectView) {
        let _span = tracing::trace_span!("upload", sample = object.frame.sample.0).entered();
        let colours = object.colours.as_deref().map(Vec::as_slice);
        let (frame, rest) = (&object.frame, &object.frame.topology.rest_positions);
        let vertices = self.skin.vertices(&frame.positions, rest, colours, self.colouring);
        self.vertices.write(device, queue, &vertices);
    }

    fn renew_place(&mut self, device: &Device, queue: &Queue, object: &ObjectView) {
        let place: Place = object.world_from_object.to_homogeneous().cast().into();
        self.place.write(device, queue, &[place]);
    }
}

/// The gloves' shapes and the signs on the device.
#[derive(Debug)]
pub(super) struct HandBuffers {
    vertices: Buffer,
    indices: Buffer,
    meshes: ShapeMeshes,
    placements: GrowingBuffer,
    /// Which placements are of which shape.
    placed: [Range<u32>; N_SHAPES],
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
            placed: [const { 0..0 }; N_SHAPES],
        }
    }

    /// Moves the shapes to where the scene has them.
    pub(super) fn update(&mut self, device: &Device, queue: &Queue, scene: &Scene) {
        let mut by_shape = sign_placements(&scene.marks);
        for hand in &scene.hands {
            for (all, own) in by_shape.iter_mut().zip(placements(hand)) {
                all.extend(own);
            }
        }
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
pub(super) struct GrowingBuffer {
    label: &'static str,
    /// Absent while nothing was written.
    pub(super) buffer: Option<Buffer>,
}

impl GrowingBuffer {
    pub(super) fn new(label: &'static str) -> Self {
        Self { label, buffer: None }
    }

    pub(super) fn write<T: NoUninit>(&mut self, device: &Device, queue: &Queue, contents: &[T]) {
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
