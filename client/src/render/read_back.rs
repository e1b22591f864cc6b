//! Copies a picture from the graphics device into memory.

use wgpu::{Buffer, Texture, TextureFormat};

use super::gpu::{Gpu, RenderError};
use super::picture::{Picture, Pixel};

/// For pictures of one size, with four bytes a pixel.
#[derive(Debug)]
pub struct ReadBack {
    buffer: Buffer,
    size: [u32; 2],
}

const BYTES_PER_PIXEL: u32 = 4;

impl ReadBack {
    pub fn new(gpu: &Gpu, [width, height]: [u32; 2]) -> Self {
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size: u64::from(padded_row(width)) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        Self { buffer, size: [width, height] }
    }

    /// Reads a layer of a texture, which must have the size given to `new`.
    pub fn picture(
        &self,
        gpu: &Gpu,
        texture: &Texture,
        layer: u32,
    ) -> Result<Picture, RenderError> {
        let [width, height] = self.size;
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut source = texture.as_image_copy();
        source.origin.z = layer;
        encoder.copy_texture_to_buffer(
            source,
            wgpu::TexelCopyBufferInfo {
                buffer: &self.buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(padded_row(width)),
                    rows_per_image: None,
                },
            },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        gpu.queue.submit([encoder.finish()]);
        // A failed mapping shows when the mapped bytes are read.
        self.buffer.map_async(wgpu::MapMode::Read, .., |_| {});
        gpu.device.poll(wgpu::PollType::wait_indefinitely())?;
        let mapped = self.buffer.get_mapped_range(..)?;
        let mut pixels: Vec<Pixel> = Vec::with_capacity((width * height) as usize);
        for row in mapped.chunks_exact(padded_row(width) as usize) {
            let row = &row[..(width * BYTES_PER_PIXEL) as usize];
            pixels.extend_from_slice(bytemuck::cast_slice(row));
        }
        drop(mapped);
        self.buffer.unmap();
        if matches!(texture.format(), TextureFormat::Bgra8Unorm | TextureFormat::Bgra8UnormSrgb) {
            pixels.iter_mut().for_each(|pixel| pixel.swap(0, 2));
        }
        Ok(Picture::of_rows(width, pixels))
    }
}

/// Bytes of a row in the buffer, whose rows start at multiples of a power of two.
fn padded_row(width: u32) -> u32 {
    (width * BYTES_PER_PIXEL).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT)
}
