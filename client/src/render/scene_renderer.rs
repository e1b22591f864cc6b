//! Draws a scene into any colour target.

use wgpu::{CommandEncoder, Device, Queue, TextureFormat, TextureView};

use super::bindings::{Bindings, View};
use super::buffers::{HandBuffers, ObjectBuffers};
use super::camera::Viewpoint;
use super::light::Stage;
use super::lines::LineBuffer;
use super::pipelines::Pipelines;
use super::targets::{Part, Samples};
use crate::scene::Scene;

/// Draws scenes. One `upload` serves any number of pictures of the same moment.
#[derive(Debug)]
pub struct SceneRenderer {
    device: Device,
    queue: Queue,
    format: TextureFormat,
    bindings: Bindings,
    pipelines: Pipelines,
    objects: Vec<ObjectBuffers>,
    hands: HandBuffers,
    lines: LineBuffer,
    /// For the size of the last picture.
    samples: Samples,
}

/// What a picture is drawn to.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub view: &'a TextureView,
    /// Width and height in pixels.
    pub size: [u32; 2],
}

impl SceneRenderer {
    /// `format` is that of the targets, display-encoded by itself (sRGB) or not.
    pub fn new(device: &Device, queue: &Queue, format: TextureFormat) -> Self {
        let bindings = Bindings::new(device);
        Self {
            device: device.clone(),
            queue: queue.clone(),
            format,
            pipelines: Pipelines::new(device, format, &bindings),
            bindings,
            objects: Vec::new(),
            hands: HandBuffers::new(device),
            lines: LineBuffer::default(),
            samples: Samples::new(device, [1, 1], format),
        }
    }

    /// Takes over a new moment: moves what moved and draws the shadows.
    pub fn upload(&mut self, scene: &Scene) {
        self.objects.truncate(scene.objects.len());
        let (device, queue, colouring) = (&self.device, &self.queue, scene.colouring);
        for (i, object) in scene.objects.iter().enumerate() {
            match self.objects.get_mut(i) {
                Some(buffers) if buffers.fit(object) => {
                    buffers.update(device, queue, object, colouring);
                }
                Some(buffers) => *buffers = ObjectBuffers::new(device, queue, object, colouring),
                None => self.objects.push(ObjectBuffers::new(device, queue, object, colouring)),
            }
        }
        self.hands.update(device, queue, scene);
        self.lines.update(device, queue, &scene.lines);
        let stage = Stage::new();
        self.queue.write_buffer(&self.bindings.stage, 0, bytemuck::bytes_of(&stage));
        self.submit(|encoder| self.draw_shadows(encoder));
    }

    /// Draws the uploaded moment into a part of the target; the rest becomes black.
    pub fn draw(&mut self, viewpoint: &Viewpoint, target: Target<'_>, part: Part) {
        if self.samples.size != target.size {
            self.samples = Samples::new(&self.device, target.size, self.format);
        }
        let view = View::from(viewpoint);
        self.queue.write_buffer(&self.bindings.view, 0, bytemuck::bytes_of(&view));
        self.submit(|encoder| self.draw_picture(encoder, target.view, part));
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
        pass.set_bind_group(0, &self.bindings.uniforms, &[]);
        pass.set_pipeline(&self.pipelines.object.shadow);
        self.objects.iter().for_each(|object| object.draw(&mut pass));
        pass.set_pipeline(&self.pipelines.hand.shadow);
        self.hands.draw(&mut pass);
    }

    fn draw_picture(&self, encoder: &mut CommandEncoder, target: &TextureView, part: Part) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.samples.colour,
                depth_slice: None,
                resolve_target: Some(target),
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Discard,
                },
            })],
            depth_stencil_attachment: Some(depth_attachment(
                &self.samples.depth,
                wgpu::StoreOp::Discard,
            )),
            ..Default::default()
        });
        let [x, y, width, height] = [part.left, part.top, part.width, part.height];
        let [left, top, wide, high] = [x, y, width, height].map(|pixels| pixels as f32);
        pass.set_viewport(left, top, wide, high, 0.0, 1.0);
        pass.set_scissor_rect(x, y, width, height);
        pass.set_bind_group(0, &self.bindings.uniforms, &[]);
        pass.set_bind_group(1, &self.bindings.shadow, &[]);
        // Nearest first, so that little is shaded that is hidden afterwards.
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
