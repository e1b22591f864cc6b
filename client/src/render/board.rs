//! A board within the scene that shows panels.

use bytemuck::{Pod, Zeroable};
use nalgebra::{Isometry3, Point3, Vector3};
use wgpu::{
    BindGroup, BindGroupLayout, Buffer, Device, Queue, RenderPass, RenderPipeline, TextureFormat,
    TextureView,
};

use super::bindings::Bindings;
use super::targets::{Antialiasing, DEPTH_FORMAT};
use crate::ui::{Board, PaintedBoard};

/// The board on the device.
pub struct BoardView {
    device: Device,
    queue: Queue,
    pipeline: RenderPipeline,
    painter: egui_wgpu::Renderer,
    /// Picture of the panels.
    panels: TextureView,
    /// Holds a [`BoardUniform`].
    place: Buffer,
    group: BindGroup,
    is_shown: bool,
}

/// Pose and size of the board; `Board` in the shader.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct BoardUniform {
    corner: [f32; 4],
    right: [f32; 4],
    down: [f32; 4],
}

/// Colour format without sRGB encoding: the panels' colours are encoded already.
const FORMAT: TextureFormat = TextureFormat::Rgba8Unorm;

impl BoardView {
    pub(super) fn new(
        device: &Device,
        queue: &Queue,
        format: TextureFormat,
        antialiasing: Antialiasing,
        bindings: &Bindings,
    ) -> Self {
        let layout = group_layout(device);
        let place = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("board"),
            size: size_of::<BoardUniform>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let [width, height] = Board::PIXELS;
        let panels = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("board"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let panels = panels.create_view(&wgpu::TextureViewDescriptor::default());
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("board"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        let resources = [
            place.as_entire_binding(),
            wgpu::BindingResource::TextureView(&panels),
            wgpu::BindingResource::Sampler(&sampler),
        ];
        let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("board"),
            layout: &layout,
            entries: &entries,
        });
        Self {
            device: device.clone(),
            queue: queue.clone(),
            pipeline: pipeline(device, format, antialiasing, bindings, &layout),
            painter: egui_wgpu::Renderer::new(
                device,
                FORMAT,
                egui_wgpu::RendererOptions::default(),
            ),
            panels,
            place,
            group,
            is_shown: false,
        }
    }

    /// Sets the panels of the board.
    pub fn paint(&mut self, panels: PaintedBoard) {
        panels.paint(&self.device, &self.queue, &mut self.painter, &self.panels);
    }

    /// Sets pose and size, in metres. The board's middle is the frame's origin; x is to the right
    /// and y up as seen from its front.
    pub fn place(&mut self, world_from_board: &Isometry3<f64>, [width, height]: [f64; 2]) {
        let corner = world_from_board * Point3::new(-width / 2.0, height / 2.0, 0.0);
        let right = world_from_board * Vector3::new(width, 0.0, 0.0);
        let down = world_from_board * Vector3::new(0.0, -height, 0.0);
        let place = BoardUniform {
            corner: corner.cast().to_homogeneous().into(),
            right: right.cast().to_homogeneous().into(),
            down: down.cast().to_homogeneous().into(),
        };
        self.queue.write_buffer(&self.place, 0, bytemuck::bytes_of(&place));
        self.is_shown = true;
    }

    pub fn hide(&mut self) {
        self.is_shown = false;
    }

    /// Drawn after everything that does not hide it.
    pub(super) fn draw(&self, pass: &mut RenderPass<'_>) {
        if self.is_shown {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(1, &self.group, &[]);
            pass.draw(0..4, 0..1);
        }
    }
}

impl std::fmt::Debug for BoardView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BoardView").field("is_shown", &self.is_shown).finish_non_exhaustive()
    }
}

fn group_layout(device: &Device) -> BindGroupLayout {
    let types = [
        wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: wgpu::BufferSize::new(size_of::<BoardUniform>() as u64),
        },
        wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: true },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        },
        wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
    ];
    let visibility = wgpu::ShaderStages::VERTEX_FRAGMENT;
    let entries: Vec<wgpu::BindGroupLayoutEntry> = (0..)
        .zip(types)
        .map(|(binding, ty)| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None })
        .collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("board"),
        entries: &entries,
    })
}

fn pipeline(
    device: &Device,
    format: TextureFormat,
    antialiasing: Antialiasing,
    bindings: &Bindings,
    board: &BindGroupLayout,
) -> RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("board"),
        source: wgpu::ShaderSource::Wgsl(include_str!("shaders/board.wgsl").into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("board"),
        bind_group_layouts: &[Some(&bindings.uniforms_layout), Some(board)],
        immediate_size: 0,
    });
    let encode = if format.is_srgb() { 0.0 } else { 1.0 };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("board"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("corner"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState {
            topology: wgpu::PrimitiveTopology::TriangleStrip,
            ..Default::default()
        },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            // Depth is tested, because a finger may reach through the board.
            depth_write_enabled: Some(false),
            depth_compare: Some(wgpu::CompareFunction::LessEqual),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: antialiasing.multisample_state(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("panel_colour"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[("encode", encode)],
                ..Default::default()
            },
            targets: &[Some(wgpu::ColorTargetState {
                format,
                blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
