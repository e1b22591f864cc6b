//! Textures that passes draw to.

use wgpu::{Device, TextureFormat, TextureView};

/// Samples of a pixel of the picture.
pub(super) const N_SAMPLES: u32 = 4;
pub(super) const DEPTH_FORMAT: TextureFormat = TextureFormat::Depth32Float;

/// Samples and depths of a picture before they are resolved into its pixels.
#[derive(Debug)]
pub(super) struct Samples {
    pub(super) size: [u32; 2],
    pub(super) colour: TextureView,
    pub(super) depth: TextureView,
}

impl Samples {
    pub(super) fn new(device: &Device, size: [u32; 2], format: TextureFormat) -> Self {
        Self {
            size,
            colour: texture(device, size, N_SAMPLES, format),
            depth: texture(device, size, N_SAMPLES, DEPTH_FORMAT),
        }
    }
}

/// A texture to draw to, and to read from if it has one sample.
pub(super) fn texture(
    device: &Device,
    [width, height]: [u32; 2],
    sample_count: u32,
    format: TextureFormat,
) -> TextureView {
    let mut usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
    usage.set(wgpu::TextureUsages::TEXTURE_BINDING, sample_count == 1);
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    });
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}
