//! Pipelines of the shadow map and of the picture.

use wgpu::{
    Device, PipelineLayout, RenderPipeline, ShaderModule, TextureFormat, VertexAttribute,
    VertexBufferLayout, VertexStepMode, vertex_attr_array,
};

use super::bindings::Bindings;
use super::colour_ramp;
use super::hand_shapes::ShapeInstance;
use super::lines::LineVertex;
use super::object_buffers::ObjectInstance;
use super::surface_vertices::SurfaceVertex;
use super::targets::{Antialiasing, DEPTH_FORMAT};
use super::unit_shapes::ShapeVertex;

/// Pipelines for each kind of content in each pass.
#[derive(Debug)]
pub(super) struct Pipelines {
    pub(super) object: SolidPipelines,
    pub(super) hand: SolidPipelines,
    pub(super) background: RenderPipeline,
    pub(super) ground: RenderPipeline,
    /// Pipelines for visible lines, and for hidden lines, which are drawn faintly.
    pub(super) lines: [RenderPipeline; 2],
}

/// Pipelines of content that casts a shadow.
#[derive(Debug)]
pub(super) struct SolidPipelines {
    pub(super) shadow: RenderPipeline,
    pub(super) colour: RenderPipeline,
}

/// A shader's source with the lighting before it.
macro_rules! lit_shader {
    ($file:literal) => {
        concat!(include_str!("shaders/lighting.wgsl"), include_str!(concat!("shaders/", $file)))
    };
}

const SKIN: [VertexAttribute; 2] = vertex_attr_array![0 => Float32x3, 1 => Float32x3];
const VALUE: [VertexAttribute; 1] = vertex_attr_array![2 => Float32];
const COLOUR: [VertexAttribute; 1] = vertex_attr_array![3 => Float32x3];
const PLACE: [VertexAttribute; 5] = vertex_attr_array![
    4 => Float32x4, 5 => Float32x4, 6 => Float32x4, 7 => Float32x4, 8 => Float32x4
];
const SHAPE: [VertexAttribute; 2] = vertex_attr_array![0 => Float32x3, 1 => Float32x3];
const LINE: [VertexAttribute; 2] = vertex_attr_array![0 => Float32x3, 1 => Float32x3];
const PLACEMENT: [VertexAttribute; 6] = vertex_attr_array![
    2 => Float32x4, 3 => Float32x4, 4 => Float32x4, 5 => Float32x4, 6 => Float32x4, 7 => Float32
];

impl Pipelines {
    /// `format` is that of the picture.
    pub(super) fn new(
        device: &Device,
        format: TextureFormat,
        antialiasing: Antialiasing,
        bindings: &Bindings,
    ) -> Self {
        let layout = |groups: &[_]| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: groups,
                immediate_size: 0,
            })
        };
        let maker = PipelineMaker {
            device,
            format,
            antialiasing,
            shadow: layout(&[Some(&bindings.uniforms_layout)]),
            picture: layout(&[Some(&bindings.uniforms_layout), Some(&bindings.shadow_layout)]),
        };
        let skin = buffer::<SurfaceVertex>(VertexStepMode::Vertex, &SKIN);
        let value = buffer::<f32>(VertexStepMode::Vertex, &VALUE);
        let colour = buffer::<[f32; 3]>(VertexStepMode::Vertex, &COLOUR);
        let place = buffer::<ObjectInstance>(VertexStepMode::Instance, &PLACE);
        let shape = buffer::<ShapeVertex>(VertexStepMode::Vertex, &SHAPE);
        let placement = buffer::<ShapeInstance>(VertexStepMode::Instance, &PLACEMENT);
        let line = buffer::<LineVertex>(VertexStepMode::Vertex, &LINE);
        let lines = maker.module("lines", lit_shader!("lines.wgsl"));
        let backdrop = maker.module("backdrop", lit_shader!("backdrop.wgsl"));
        Self {
            // A surface may be open and is then seen from both sides; a glove is closed.
            object: maker.solid(
                "object",
                &(colour_ramp::shader() + lit_shader!("object.wgsl")),
                None,
                &[skin, value, colour, place],
            ),
            hand: maker.solid(
                "hand",
                lit_shader!("hand.wgsl"),
                Some(wgpu::Face::Back),
                &[shape, placement],
            ),
            background: maker.backdrop(&backdrop, ["background", "background_colour"]),
            ground: maker.backdrop(&backdrop, ["ground", "ground_colour"]),
            lines: [
                maker.lines(
                    &lines,
                    std::slice::from_ref(&line),
                    wgpu::CompareFunction::LessEqual,
                    0.85,
                ),
                maker.lines(&lines, &[line], wgpu::CompareFunction::Greater, 0.3),
            ],
        }
    }
}

fn buffer<T>(
    step_mode: VertexStepMode,
    attributes: &[VertexAttribute],
) -> Option<VertexBufferLayout<'_>> {
    Some(VertexBufferLayout { array_stride: size_of::<T>() as u64, step_mode, attributes })
}

/// Input of a pipeline.
#[derive(Debug, Clone, Copy)]
struct Geometry<'a> {
    buffers: &'a [Option<VertexBufferLayout<'a>>],
    primitive: wgpu::PrimitiveState,
}

struct PipelineMaker<'a> {
    device: &'a Device,
    format: TextureFormat,
    antialiasing: Antialiasing,
    shadow: PipelineLayout,
    picture: PipelineLayout,
}

impl PipelineMaker<'_> {
    fn module(&self, label: &str, source: &str) -> ShaderModule {
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        })
    }

    fn solid(
        &self,
        label: &str,
        source: &str,
        cull_mode: Option<wgpu::Face>,
        buffers: &[Option<VertexBufferLayout<'_>>],
    ) -> SolidPipelines {
        let module = self.module(label, source);
        let primitive = wgpu::PrimitiveState { cull_mode, ..Default::default() };
        let geometry = Geometry { buffers, primitive };
        SolidPipelines {
            shadow: self.shadow(&module, geometry),
            colour: self.picture(&module, ["placed", "coloured"], geometry),
        }
    }

    /// A strip of corners that the shader generates.
    fn backdrop(&self, module: &ShaderModule, entry_points: [&str; 2]) -> RenderPipeline {
        let topology = wgpu::PrimitiveTopology::TriangleStrip;
        let primitive = wgpu::PrimitiveState { topology, ..Default::default() };
        self.picture(module, entry_points, Geometry { buffers: &[], primitive })
    }

    /// Line pipeline with this depth test and opacity; writes no depth.
    fn lines(
        &self,
        module: &ShaderModule,
        buffers: &[Option<VertexBufferLayout<'_>>],
        compare: wgpu::CompareFunction,
        opacity: f64,
    ) -> RenderPipeline {
        let encode = if self.format.is_srgb() { 0.0 } else { 1.0 };
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("lines"),
            layout: Some(&self.picture),
            vertex: vertex_state(module, "line", buffers),
            primitive: wgpu::PrimitiveState {
                topology: wgpu::PrimitiveTopology::LineList,
                ..Default::default()
            },
            depth_stencil: Some(wgpu::DepthStencilState {
                depth_write_enabled: Some(false),
                depth_compare: Some(compare),
                ..depth_state(wgpu::DepthBiasState::default())
            }),
            multisample: self.antialiasing.multisample_state(),
            fragment: Some(wgpu::FragmentState {
                module,
                entry_point: Some("line_colour"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &[("encode", encode), ("opacity", opacity)],
                    ..Default::default()
                },
                targets: &[Some(wgpu::ColorTargetState {
                    format: self.format,
                    blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    fn shadow(&self, module: &ShaderModule, geometry: Geometry<'_>) -> RenderPipeline {
        // The bias keeps a surface that the light grazes from shadowing itself.
        let bias = wgpu::DepthBiasState { constant: 2, slope_scale: 1.5, clamp: 0.0 };
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("shadow"),
            layout: Some(&self.shadow),
            vertex: vertex_state(module, "seen_from_light", geometry.buffers),
            primitive: geometry.primitive,
            depth_stencil: Some(depth_state(bias)),
            multisample: wgpu::MultisampleState::default(),
            fragment: None,
            multiview_mask: None,
            cache: None,
        })
    }

    fn picture(
        &self,
        module: &ShaderModule,
        [vertex, fragment]: [&str; 2],
        geometry: Geometry<'_>,
    ) -> RenderPipeline {
        let encode = if self.format.is_srgb() { 0.0 } else { 1.0 };
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(fragment),
            layout: Some(&self.picture),
            vertex: vertex_state(module, vertex, geometry.buffers),
            primitive: geometry.primitive,
            depth_stencil: Some(depth_state(wgpu::DepthBiasState::default())),
            multisample: self.antialiasing.multisample_state(),
            fragment: Some(wgpu::FragmentState {
                module,
                entry_point: Some(fragment),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &[("encode", encode)],
                    ..Default::default()
                },
                targets: &[Some(self.format.into())],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

fn vertex_state<'a>(
    module: &'a ShaderModule,
    entry_point: &'a str,
    buffers: &'a [Option<VertexBufferLayout<'a>>],
) -> wgpu::VertexState<'a> {
    wgpu::VertexState {
        module,
        entry_point: Some(entry_point),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        buffers,
    }
}

fn depth_state(bias: wgpu::DepthBiasState) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(true),
        depth_compare: Some(wgpu::CompareFunction::LessEqual),
        stencil: wgpu::StencilState::default(),
        bias,
    }
}
