//! The last picture of the scene, kept while only the panels change. A menu, a status line or a
//! typed letter then costs a copy of the picture instead of a new drawing.

use wgpu::{Device, Texture, TextureFormat, TextureUsages, TextureView};

use crate::render::{Gpu, SceneRenderer, Surroundings, Target, Viewpoint, Viewport};

/// A picture with the window's size.
pub(super) struct PictureCache {
    texture: Texture,
    view: TextureView,
    size: [u32; 2],
    /// View of the newest scene in the picture; `None` if the newest scene is not drawn yet.
    shows: Option<(Viewpoint, Viewport, Surroundings)>,
}

impl PictureCache {
    /// Texture usage that the window's surface must support.
    pub(super) const NEEDS: TextureUsages = TextureUsages::COPY_DST;

    pub(super) fn new(device: &Device, size: [u32; 2], format: TextureFormat) -> Self {
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("picture cache"),
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        Self { texture, view, size, shows: None }
    }

    pub(super) fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Marks the picture as out of date.
    pub(super) fn forget(&mut self) {
        self.shows = None;
    }

    /// Draws the scene if it would look different, and copies the picture to the surface below the
    /// panels.
    pub(super) fn show_in(
        &mut self,
        to: &Texture,
        renderer: &mut SceneRenderer,
        wanted: (Viewpoint, Viewport, Surroundings),
        gpu: &Gpu,
    ) {
        if self.shows.replace(wanted) != Some(wanted) {
            let (viewpoint, viewport, _) = wanted;
            let target = Target { view: &self.view, size: self.size };
            renderer.draw(&viewpoint, target, viewport);
        }
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let (from, to) = (self.texture.as_image_copy(), to.as_image_copy());
        encoder.copy_texture_to_texture(from, to, self.texture.size());
        gpu.queue.submit([encoder.finish()]);
    }
}
