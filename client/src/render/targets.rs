//! Textures that passes draw to.

use wgpu::{Device, TextureFormat, TextureView};

/// Samples of a pixel of the picture.
pub(super) const N_SAMPLES: u32 = 4;
pub(super) const DEPTH_FORMAT: TextureFormat = TextureFormat::Depth32Float;

/// A rectangle of a picture, in pixels; never beyond the picture's edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub left: u32,
    pub top: u32,
    pub width: u32,
    pub height: u32,
}

impl Part {
    /// All of a picture.
    pub fn whole([width, height]: [u32; 2]) -> Self {
        Self { left: 0, top: 0, width, height }
    }

    /// What two corners enclose of a picture of `size`.
    pub fn between(top_left: [f32; 2], bottom_right: [f32; 2], size: [u32; 2]) -> Self {
        // Casts to integers stop at their ends.
        let within = |x: f32, most: u32| (x.round() as u32).min(most);
        let [left, right] = [top_left[0], bottom_right[0]].map(|x| within(x, size[0]));
        let [top, bottom] = [top_left[1], bottom_right[1]].map(|y| within(y, size[1]));
        Self { left, top, width: right.saturating_sub(left), height: bottom.saturating_sub(top) }
    }

    pub fn has_area(&self) -> bool {
        self.width > 0 && self.height > 0
    }

    /// Width over height; of a part that has an area.
    pub fn aspect(&self) -> f64 {
        f64::from(self.width) / f64::from(self.height)
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(top_left: [f32; 2], bottom_right: [f32; 2], expected: [u32; 4]) {
        let part = Part::between(top_left, bottom_right, [1280, 720]);
        assert_eq!([part.left, part.top, part.width, part.height], expected);
    }

    #[test]
    fn a_part_stays_within_its_picture() {
        check([0.0, 0.0], [1280.0, 720.0], [0, 0, 1280, 720]);
        check([239.6, 80.0], [1280.0, 600.4], [240, 80, 1040, 520]);
        check([f32::NEG_INFINITY, -3.0], [f32::INFINITY, 9e9], [0, 0, 1280, 720]);
        // Panels that fill the window leave nothing.
        check([700.0, 10.0], [600.0, 10.0], [700, 10, 0, 0]);
        check([f32::NAN, 0.0], [f32::NAN, 720.0], [0, 0, 0, 720]);
    }
}
