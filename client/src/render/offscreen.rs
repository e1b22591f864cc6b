//! Renders pictures of a scene without a window.

use interaction::scene::Scene;
use wgpu::{Texture, TextureFormat, TextureView};

use super::board::BoardView;
use super::camera::Camera;
use super::gpu::{Gpu, RenderError};
use super::light::Surroundings;
use super::picture::Picture;
use super::read_back::ReadBack;
use super::scene_renderer::{SceneRenderer, Target};
use super::targets::Antialiasing;
use super::targets::Viewport;
use super::uploads::Uploads;
use super::viewpoint::Viewpoint;
use crate::ui::{Look, Overlay, status_panel, still_input};

/// Makes pictures of one size.
pub struct Offscreen {
    gpu: Gpu,
    renderer: SceneRenderer,
    overlay: Overlay,
    texture: Texture,
    view: TextureView,
    read_back: ReadBack,
    size: [u32; 2],
}

/// True if the status panel is part of the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusPanel {
    Shown,
    Hidden,
}

/// Colour format without sRGB encoding: the panel's colours are encoded already.
const FORMAT: TextureFormat = TextureFormat::Rgba8Unorm;

impl Offscreen {
    /// Prepares for pictures of `width` x `height` pixels.
    pub fn new(width: u32, height: u32) -> Result<Self, RenderError> {
        let gpu = Gpu::without_surface()?;
        let largest = gpu.device.limits().max_texture_dimension_2d;
        if ![width, height].iter().all(|side| (1..=largest).contains(side)) {
            return Err(RenderError::PictureSize { width, height, largest });
        }
        let texture = gpu.sheet([width, height], 1, FORMAT);
        let read_back = ReadBack::new(&gpu, [width, height]);
        Ok(Self {
            renderer: SceneRenderer::new(&gpu, FORMAT, Antialiasing::Full),
            overlay: Overlay::new(&gpu.device, &gpu.queue, FORMAT),
            view: texture.create_view(&wgpu::TextureViewDescriptor::default()),
            texture,
            read_back,
            size: [width, height],
            gpu,
        })
    }

    /// Renders `scene` as `camera` sees it.
    pub fn picture(
        &mut self,
        scene: &Scene,
        camera: &Camera,
        panel: StatusPanel,
    ) -> Result<Picture, RenderError> {
        match panel {
            StatusPanel::Shown => self.picture_with_panels(scene, camera, Look::default(), |ui| {
                status_panel(ui, ui.available_rect_before_wrap().right(), &scene.status);
            }),
            StatusPanel::Hidden => self.picture_with_panels(scene, camera, Look::default(), |_| {}),
        }
    }

    /// Renders `scene` in the area that `panels` leave free, and the panels.
    pub fn picture_with_panels(
        &mut self,
        scene: &Scene,
        camera: &Camera,
        look: Look,
        panels: impl FnMut(&mut egui::Ui),
    ) -> Result<Picture, RenderError> {
        self.renderer.surround(look.theme.into());
        let target = Target { view: &self.view, size: self.size };
        let laid_out = self.overlay.lay_out(still_input(self.size, look), panels);
        let [from, to] = [laid_out.free.min, laid_out.free.max];
        let scale = look.pixels_per_point;
        let viewport = Viewport::between(
            [from.x * scale, from.y * scale],
            [to.x * scale, to.y * scale],
            self.size,
        );
        self.renderer.upload(scene);
        if viewport.has_area() {
            self.renderer.draw(&camera.viewpoint(viewport.aspect()), target, viewport);
        }
        self.overlay.paint(target.view, target.size, laid_out);
        self.pixels()
    }

    /// Renders only `scene`, from any viewpoint.
    pub fn picture_from(
        &mut self,
        scene: &Scene,
        viewpoint: &Viewpoint,
    ) -> Result<Picture, RenderError> {
        self.renderer.upload(scene);
        self.look_again(viewpoint)
    }

    /// Renders the same moment again, for the other eye.
    pub fn look_again(&mut self, viewpoint: &Viewpoint) -> Result<Picture, RenderError> {
        let target = Target { view: &self.view, size: self.size };
        self.renderer.draw(viewpoint, target, Viewport::whole(self.size));
        self.pixels()
    }

    /// Returns a board that is drawn in the scene after it is placed.
    pub fn board(&mut self) -> &mut BoardView {
        self.renderer.board()
    }

    /// Sets the surroundings of the next pictures.
    pub fn surround(&mut self, surroundings: Surroundings) {
        self.renderer.surround(surroundings);
    }

    /// Returns the counts of data sent to the device.
    pub fn uploads(&self) -> Uploads {
        self.renderer.uploads()
    }

    fn pixels(&self) -> Result<Picture, RenderError> {
        self.read_back.picture(&self.gpu, &self.texture, 0)
    }
}
