//! Draws a scene into any colour target.

use interaction::scene::Scene;
use wgpu::{CommandBuffer, CommandEncoder, Device, Queue, TextureFormat, TextureView};

use super::bindings::{Bindings, ViewUniform};
use super::board::BoardView;
use super::gpu::Gpu;
use super::growing_buffer::Upload;
use super::hand_buffers::HandBuffers;
use super::light::{Casters, LightUniform, Surroundings};
use super::lines::LineBuffer;
use super::object_buffers::ObjectBuffers;
use super::pipelines::Pipelines;
use super::targets::{Antialiasing, Samples, Viewport};
use super::uploads::Uploads;
use super::viewpoint::Viewpoint;

/// Draws scenes. One `upload` serves any number of pictures of the same moment.
#[derive(Debug)]
pub struct SceneRenderer {
    device: Device,
    queue: Queue,
    format: TextureFormat,
    antialiasing: Antialiasing,
    bindings: Bindings,
    pipelines: Pipelines,
    objects: Vec<ObjectBuffers>,
    hands: HandBuffers,
    lines: LineBuffer,
    /// Created when first needed.
    board: Option<BoardView>,
    /// Sample textures for the sizes of the last pictures, newest first.
    samples: Vec<Samples>,
    /// Light as last sent to the device; `None` on a new device.
    sent_light: Option<(Surroundings, Casters)>,
    uploads: Uploads,
}

/// Number of cached sizes: a window, and two eyes of a headset with different sizes.
const MOST_SIZES: usize = 3;

/// Target of a picture.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub view: &'a TextureView,
    /// Width and height in pixels.
    pub size: [u32; 2],
}

impl SceneRenderer {
    /// `format` is that of the targets, display-encoded by itself (sRGB) or not.
    pub fn new(gpu: &Gpu, format: TextureFormat, antialiasing: Antialiasing) -> Self {
        let Gpu { device, queue, .. } = gpu;
        let bindings = Bindings::new(device);
        Self {
            device: device.clone(),
            queue: queue.clone(),
            format,
            antialiasing,
            pipelines: Pipelines::new(device, format, antialiasing, &bindings),
            bindings,
            objects: Vec::new(),
            hands: HandBuffers::new(device),
            lines: LineBuffer::default(),
            board: None,
            samples: Vec::new(),
            sent_light: None,
            uploads: Uploads::default(),
        }
    }

    /// Sets the surroundings of the next pictures.
    pub fn surround(&mut self, surroundings: Surroundings) {
        let (_, casters) = self.sent_light.unwrap_or_default();
        self.set_light(surroundings, casters);
    }

    fn set_light(&mut self, surroundings: Surroundings, casters: Casters) {
        if self.sent_light.replace((surroundings, casters)) != Some((surroundings, casters)) {
            let light = LightUniform::new(surroundings, &casters);
            self.queue.write_buffer(&self.bindings.light, 0, bytemuck::bytes_of(&light));
        }
    }

    /// Returns a board that is drawn in the scene after it is placed.
    pub fn board(&mut self) -> &mut BoardView {
        let Self { device, queue, format, antialiasing, bindings, .. } = self;
        self.board
            .get_or_insert_with(|| BoardView::new(device, queue, *format, *antialiasing, bindings))
    }

    pub fn hide_board(&mut self) {
        self.board.iter_mut().for_each(BoardView::hide);
    }

    /// Returns the counts of data sent to the device.
    pub fn uploads(&self) -> Uploads {
        self.uploads
    }

    /// Uploads a new moment: sends changes and draws the shadows.
    pub fn upload(&mut self, scene: &Scene) {
        self.objects.truncate(scene.objects.len());
        let to =
            &mut Upload { device: &self.device, queue: &self.queue, uploads: &mut self.uploads };
        for (i, object) in scene.objects.iter().enumerate() {
            match self.objects.get_mut(i) {
                Some(buffers) if buffers.fit(object) => {}
                Some(buffers) => *buffers = ObjectBuffers::new(to, object),
                None => self.objects.push(ObjectBuffers::new(to, object)),
            }
            self.objects[i].update(to, object, &scene.colouring);
        }
        self.hands.update(to, scene);
        self.lines.update(to, &scene.lines);
        self.uploads.shadows += 1;
        let mut casters = Casters::default();
        self.objects.iter().for_each(|object| object.cast(&mut casters));
        self.hands.cast(&mut casters);
        let (surroundings, _) = self.sent_light.unwrap_or_default();
        self.set_light(surroundings, casters);
        self.submit(|encoder| self.draw_shadows(encoder));
    }

    /// Draws the uploaded moment into a part of the target; the rest becomes black. May be called
    /// for any number of eyes per moment.
    pub fn draw(&mut self, viewpoint: &Viewpoint, target: Target<'_>, viewport: Viewport) {
        let commands = self.record(0, target, viewport);
        self.aim(0, viewpoint);
        self.take([commands]);
    }

    /// Records the commands for the picture of one eye. Its viewpoint is set only by [`Self::aim`],
    /// before the commands are submitted.
    pub fn record(&mut self, eye: usize, target: Target<'_>, viewport: Viewport) -> CommandBuffer {
        self.prepare_samples(target.size);
        let mut encoder =
            self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.draw_picture(&mut encoder, eye, target.view, viewport);
        encoder.finish()
    }

    /// Sets the viewpoint of an eye for the recorded pictures.
    pub fn aim(&self, eye: usize, viewpoint: &Viewpoint) {
        let view = ViewUniform::from(viewpoint);
        self.queue.write_buffer(&self.bindings.views[eye], 0, bytemuck::bytes_of(&view));
    }

    /// Submits recorded pictures.
    pub fn take(&self, pictures: impl IntoIterator<Item = CommandBuffer>) {
        self.queue.submit(pictures);
    }

    /// Moves the sample textures of this size to the front.
    fn prepare_samples(&mut self, size: [u32; 2]) {
        match self.samples.iter().position(|samples| samples.size == size) {
            Some(at) => self.samples[..=at].rotate_right(1),
            None => {
                self.samples.truncate(MOST_SIZES - 1);
                let samples = Samples::new(&self.device, size, self.format, self.antialiasing);
                self.samples.insert(0, samples);
            }
        }
    }

    fn submit(&self, record: impl FnOnce(&mut CommandEncoder)) {
        let mut encoder =
            self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        record(&mut encoder);
        self.queue.submit([encoder.finish()]);
    }

    fn draw_shadows(&self, encoder: &mut CommandEncoder) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadows"),
            depth_stencil_attachment: Some(depth_attachment(
                &self.bindings.shadow_map,
                wgpu::StoreOp::Store,
            )),
            ..Default::default()
        });
        // Shadows are the same for every eye.
        pass.set_bind_group(0, &self.bindings.uniforms[0], &[]);
        pass.set_pipeline(&self.pipelines.object.shadow);
        self.objects.iter().for_each(|object| object.draw(&mut pass));
        pass.set_pipeline(&self.pipelines.hand.shadow);
        self.hands.draw(&mut pass);
    }

    fn draw_picture(
        &self,
        encoder: &mut CommandEncoder,
        eye: usize,
        target: &TextureView,
        viewport: Viewport,
    ) {
        let samples = self.samples.first().expect("they are prepared before a picture is drawn");
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(samples.attachment(target))],
            depth_stencil_attachment: Some(depth_attachment(
                &samples.depth,
                wgpu::StoreOp::Discard,
            )),
            ..Default::default()
        });
        let [x, y, width, height] = [viewport.left, viewport.top, viewport.width, viewport.height];
        let [left, top, wide, high] = [x, y, width, height].map(|pixels| pixels as f32);
        pass.set_viewport(left, top, wide, high, 0.0, 1.0);
        pass.set_scissor_rect(x, y, width, height);
        pass.set_bind_group(0, &self.bindings.uniforms[eye], &[]);
        pass.set_bind_group(1, &self.bindings.shadow, &[]);
        // Nearest first, so that few hidden pixels are shaded.
        pass.set_pipeline(&self.pipelines.object.colour);
        self.objects.iter().for_each(|object| object.draw(&mut pass));
        pass.set_pipeline(&self.pipelines.hand.colour);
        self.hands.draw(&mut pass);
        pass.set_pipeline(&self.pipelines.ground);
        pass.draw(0..4, 0..1);
        pass.set_pipeline(&self.pipelines.background);
        pass.draw(0..3, 0..1);
        for pipeline in &self.pipelines.lines {
            pass.set_pipeline(pipeline);
            self.lines.draw(&mut pass);
        }
        self.board.iter().for_each(|board| board.draw(&mut pass));
    }
}

fn depth_attachment(
    view: &TextureView,
    store: wgpu::StoreOp,
) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store }),
        stencil_ops: None,
    }
}
