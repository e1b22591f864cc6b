//! The gloves and the marks on the graphics device: placed copies of a few shapes.

use std::ops::Range;

use interaction::scene::Scene;
use wgpu::util::DeviceExt;
use wgpu::{Buffer, BufferUsages, Device, RenderPass};

use super::growing_buffer::{GrowingBuffer, Upload};
use super::hand_shapes::{ShapeInstance, ShapeInstances};
use super::light::Casters;
use super::unit_shapes::{N_SHAPES, ShapeMeshes, UnitShape};

/// The gloves' shapes and the marks on the device.
#[derive(Debug)]
pub(super) struct HandBuffers {
    vertices: Buffer,
    indices: Buffer,
    meshes: ShapeMeshes,
    placements: GrowingBuffer,
    /// Placements as last sent.
    sent: Vec<ShapeInstance>,
    /// Reused for every scene.
    parts: ShapeInstances,
    to_send: Vec<ShapeInstance>,
    /// Ranges of placements for each shape.
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
            sent: Vec::new(),
            parts: ShapeInstances::default(),
            to_send: Vec::new(),
            placed: [const { 0..0 }; N_SHAPES],
        }
    }

    /// Sends the placements of the scene's shapes.
    pub(super) fn update(&mut self, to: &mut Upload<'_>, scene: &Scene) {
        self.parts.clear();
        self.parts.add_marks(&scene.marks);
        scene.hands.iter().for_each(|hand| self.parts.add_hand(hand));
        let mut start = 0;
        self.placed = self.parts.by_shape.each_ref().map(|placements| {
            let range = start..start + placements.len() as u32;
            start = range.end;
            range
        });
        self.to_send.clear();
        self.parts
            .by_shape
            .iter()
            .for_each(|placements| self.to_send.extend_from_slice(placements));
        if self.to_send != self.sent {
            self.placements.write(to, &self.to_send);
            std::mem::swap(&mut self.to_send, &mut self.sent);
        }
    }

    /// Adds the bounds of all shapes to those of the shadow casters.
    pub(super) fn cast(&self, casters: &mut Casters) {
        for shape in UnitShape::ALL {
            let [low, high] = shape.bounds();
            let Range { start, end } = self.placed[shape as usize].clone();
            for placement in &self.sent[start as usize..end as usize] {
                casters.add_box(low, high, &placement.world_from_shape());
            }
        }
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
