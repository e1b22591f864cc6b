//! Shader inputs besides vertices: light, view and shadow map.

use bytemuck::{Pod, Zeroable};
use wgpu::{BindGroup, BindGroupLayout, Buffer, Device, TextureView};

use super::light::LightUniform;
use super::targets::{DEPTH_FORMAT, texture};
use super::viewpoint::{Backdrop, Viewpoint};

/// Uniform buffers and the shadow map, bound and ready.
#[derive(Debug)]
pub(super) struct Bindings {
    /// Holds a [`LightUniform`].
    pub(super) light: Buffer,
    /// One [`ViewUniform`] for each eye, so that both eyes can draw the same moment.
    pub(super) views: [Buffer; N_EYES],
    pub(super) shadow_map: TextureView,
    /// Group 0 of all shaders, for each eye.
    pub(super) uniforms: [BindGroup; N_EYES],
    pub(super) uniforms_layout: BindGroupLayout,
    /// Group 1 of the shaders that make the picture.
    pub(super) shadow: BindGroup,
    pub(super) shadow_layout: BindGroupLayout,
}

/// Viewpoint of the picture; `View` in the shaders.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ViewUniform {
    clip_from_world: [[f32; 4]; 4],
    world_from_clip: [[f32; 4]; 4],
    eye: [f32; 3],
    /// 1 if the backdrop stays fixed in the picture, 0 if it stays fixed in the world.
    is_flat: f32,
}

/// Number of views: a window needs one, a headset two.
pub(super) const N_EYES: usize = 2;

/// Texels along an edge of the shadow map; each covers 0.7 mm.
const SHADOW_SIZE: u32 = 768;

impl From<&Viewpoint> for ViewUniform {
    fn from(viewpoint: &Viewpoint) -> Self {
        let world_from_clip = viewpoint.clip_from_world.try_inverse().unwrap_or_default();
        Self {
            clip_from_world: viewpoint.clip_from_world.into(),
            world_from_clip: world_from_clip.into(),
            eye: viewpoint.eye_in_world.into(),
            is_flat: match viewpoint.backdrop {
                Backdrop::Picture => 1.0,
                Backdrop::World => 0.0,
            },
        }
    }
}

impl Bindings {
    pub(super) fn new(device: &Device) -> Self {
        let light = uniform_buffer(device, "light", size_of::<LightUniform>());
        let views = [(); N_EYES].map(|()| uniform_buffer(device, "view", size_of::<ViewUniform>()));
        let shadow_map = texture(device, [SHADOW_SIZE; 2], 1, DEPTH_FORMAT);
        // Blends the results of four comparisons: the first step of a soft edge.
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("shadow"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..Default::default()
        });

        let uniforms_layout = group_layout(
            device,
            wgpu::ShaderStages::VERTEX_FRAGMENT,
            [uniform_type(size_of::<LightUniform>()), uniform_type(size_of::<ViewUniform>())],
        );
        let shadow_layout = group_layout(
            device,
            wgpu::ShaderStages::FRAGMENT,
            [
                wgpu::BindingType::Texture {
                    sample_type: wgpu::TextureSampleType::Depth,
                    view_dimension: wgpu::TextureViewDimension::D2,
                    multisampled: false,
                },
                wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison),
            ],
        );
        let uniforms = views.each_ref().map(|view| {
            group(device, &uniforms_layout, [light.as_entire_binding(), view.as_entire_binding()])
        });
        let shadow = group(
            device,
            &shadow_layout,
            [
                wgpu::BindingResource::TextureView(&shadow_map),
                wgpu::BindingResource::Sampler(&sampler),
            ],
        );
        Self { light, views, shadow_map, uniforms, uniforms_layout, shadow, shadow_layout }
    }
}

fn uniform_buffer(device: &Device, label: &str, size: usize) -> Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: size as u64,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

fn uniform_type(size: usize) -> wgpu::BindingType {
    wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset: false,
        min_binding_size: wgpu::BufferSize::new(size as u64),
    }
}

fn group_layout(
    device: &Device,
    visibility: wgpu::ShaderStages,
    types: [wgpu::BindingType; 2],
) -> BindGroupLayout {
    let [first, second] = types;
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[entry(0, first), entry(1, second)],
    })
}

fn group(
    device: &Device,
    layout: &BindGroupLayout,
    resources: [wgpu::BindingResource<'_>; 2],
) -> BindGroup {
    let [first, second] = resources;
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout,
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: first },
            wgpu::BindGroupEntry { binding: 1, resource: second },
        ],
    })
}
