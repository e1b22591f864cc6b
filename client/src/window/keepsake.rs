//! The last picture of the scene, kept while only the panels change: a menu, a status line or a word that is typed costs a
//! copy of it instead of a new one.

use wgpu::{Device, Texture, TextureFormat, TextureUsages, TextureView};

use crate::render::{Gpu, Part, SceneRenderer, Surroundings, Target, Viewpoint};

/// A picture as large as the window.
pub(super) struct Keepsake {
    texture: Texture,
    view: TextureView,
    size: [u32; 2],
    /// What it shows of the newest moment; nothing yet if that is unseen.
    shows: Option<(Viewpoint, Part, Surroundings)>,
}

impl Keepsake {
    /// What the window's surface must be good for.
    pub(super) const NEEDS: TextureUsages = TextureUsages::COPY_DST;

    pub(super) fn new(device: &Device, size: [u32; 2], format: TextureFormat) -> Self {
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("keepsake"),
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

    /// There is a new moment, of which it shows nothing.
    pub(super) fn forget(&mut self) {
        self.shows = None;
    }

    /// Draws the scene if it would look different, and copies it to where the panels are drawn over it.
    pub(super) fn show_in(
        &mut self,
        to: &Texture,
        renderer: &mut SceneRenderer,
        wanted: (Viewpoint, Part, Surroundings),
        gpu: &Gpu,
    ) {
        if self.shows.replace(wanted) != Some(wanted) {
            let (viewpoint, part, _) = wanted;
            let target = Target { view: &self.view, size: self.size };
            renderer.draw(&viewpoint, target, part);
        }
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let (from, to) = (self.texture.as_image_copy(), to.as_image_copy());
        encoder.copy_texture_to_texture(from, to, self.texture.size());
        gpu.queue.submit([encoder.finish()]);
    }
}
