//! A vertex buffer that is replaced by a larger one when its contents outgrow it.

use bytemuck::NoUninit;
use wgpu::{Buffer, BufferUsages, Device, Queue};

use super::uploads::Uploads;

/// Destination of uploads: the device, and the counters of sent data.
pub(super) struct Upload<'a> {
    pub(super) device: &'a Device,
    pub(super) queue: &'a Queue,
    pub(super) uploads: &'a mut Uploads,
}

/// Vertices or placements on the device.
#[derive(Debug)]
pub(super) struct GrowingBuffer {
    label: &'static str,
    /// `None` until the first write.
    pub(super) buffer: Option<Buffer>,
}

impl GrowingBuffer {
    pub(super) fn new(label: &'static str) -> Self {
        Self { label, buffer: None }
    }

    pub(super) fn write<T: NoUninit>(&mut self, to: &mut Upload<'_>, contents: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(contents);
        if bytes.is_empty() {
            return;
        }
        let size = bytes.len() as u64;
        let buffer = self.buffer.take().filter(|old| old.size() >= size).unwrap_or_else(|| {
            to.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(self.label),
                size: size.next_power_of_two(),
                usage: BufferUsages::VERTEX | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        to.queue.write_buffer(self.buffer.insert(buffer), 0, bytes);
        to.uploads.bytes += size;
    }
}
