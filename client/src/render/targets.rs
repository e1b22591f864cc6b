//! Textures that render passes draw to.

use wgpu::{Adapter, Device, DeviceType, TextureFormat, TextureView};

/// Number of samples per pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Antialiasing {
    /// Four samples of each pixel: for pictures that are kept.
    Full,
    /// One sample of each pixel.
    Off,
}

impl Antialiasing {
    /// For pictures that follow the hand. Four samples take a processor twice as long as one
    /// (`cargo bench -p client --bench rendering`), and there a quicker answer is worth more.
    pub fn at_interactive_speed(adapter: &Adapter) -> Self {
        match adapter.get_info().device_type {
            DeviceType::Cpu => Self::Off,
            _ => Self::Full,
        }
    }

    pub(super) fn multisample_state(self) -> wgpu::MultisampleState {
        wgpu::MultisampleState { count: self.n_samples(), ..Default::default() }
    }

    fn n_samples(self) -> u32 {
        match self {
            Self::Full => 4,
            Self::Off => 1,
        }
    }
}

pub(super) const DEPTH_FORMAT: TextureFormat = TextureFormat::Depth32Float;

/// A rectangle of a picture, in pixels; never beyond the picture's edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Viewport {
    pub left: u32,
    pub top: u32,
    pub width: u32,
    pub height: u32,
}

impl Viewport {
    /// Returns the whole picture.
    pub fn whole([width, height]: [u32; 2]) -> Self {
        Self { left: 0, top: 0, width, height }
    }

    /// Returns the rectangle between two corners in a picture of `size`.
    pub fn between(top_left: [f32; 2], bottom_right: [f32; 2], size: [u32; 2]) -> Self {
        // Float to integer casts saturate.
        let within = |x: f32, most: u32| (x.round() as u32).min(most);
        let [left, right] = [top_left[0], bottom_right[0]].map(|x| within(x, size[0]));
        let [top, bottom] = [top_left[1], bottom_right[1]].map(|y| within(y, size[1]));
        Self { left, top, width: right.saturating_sub(left), height: bottom.saturating_sub(top) }
    }

    pub fn has_area(&self) -> bool {
        self.width > 0 && self.height > 0
    }

    /// Width over height; of a viewport that has an area.
    pub fn aspect(&self) -> f64 {
        f64::from(self.width) / f64::from(self.height)
    }
}

/// Samples and depths of a picture.
#[derive(Debug)]
pub(super) struct Samples {
    pub(super) size: [u32; 2],
    /// Resolved into the picture's pixels; none if each pixel has one sample, which is the pixel.
    colour: Option<TextureView>,
    pub(super) depth: TextureView,
}

impl Samples {
    pub(super) fn new(
        device: &Device,
        size: [u32; 2],
        format: TextureFormat,
        antialiasing: Antialiasing,
    ) -> Self {
        let n_samples = antialiasing.n_samples();
        Self {
            size,
            colour: (n_samples > 1).then(|| texture(device, size, n_samples, format)),
            depth: texture(device, size, n_samples, DEPTH_FORMAT),
        }
    }

    /// Returns the attachment of a pass that draws into `target`.
    pub(super) fn attachment<'a>(
        &'a self,
        target: &'a TextureView,
    ) -> wgpu::RenderPassColorAttachment<'a> {
        let (view, resolve_target, store) = match &self.colour {
            Some(samples) => (samples, Some(target), wgpu::StoreOp::Discard),
            None => (target, None, wgpu::StoreOp::Store),
        };
        let load = wgpu::LoadOp::Clear(wgpu::Color::BLACK);
        wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target,
            ops: wgpu::Operations { load, store },
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
        let viewport = Viewport::between(top_left, bottom_right, [1280, 720]);
        assert_eq!([viewport.left, viewport.top, viewport.width, viewport.height], expected);
    }

    #[test]
    fn a_part_stays_within_its_picture() {
        check([0.0, 0.0], [1280.0, 720.0], [0, 0, 1280, 720]);
        check([239.6, 80.0], [1280.0, 600.4], [240, 80, 1040, 520]);
        check([f32::NEG_INFINITY, -3.0], [f32::INFINITY, 9e9], [0, 0, 1280, 720]);
        // Panels that fill the window leave no area.
        check([700.0, 10.0], [600.0, 10.0], [700, 10, 0, 0]);
        check([f32::NAN, 0.0], [f32::NAN, 720.0], [0, 0, 0, 720]);
    }
}
