//! The runtime's swapchain images for the eyes, as wgpu textures.
#![allow(unsafe_code, reason = "images of the OpenXR runtime become textures of wgpu")]

use ash::vk::{self, Handle};
use openxr as xr;
use wgpu::hal::vulkan as hal;
use wgpu::{Texture, TextureFormat, TextureView};

use super::error::HeadsetError;
use super::runtime::{Runtime, System};
use crate::render::{Gpu, Picture, ReadBack, Target, layer};

/// The swapchain for both eyes; each image has one layer per eye.
pub(super) struct EyeSwapchain {
    /// Must be dropped before the swapchain.
    images: Vec<EyeImage>,
    swapchain: xr::Swapchain<xr::Vulkan>,
    size: [u32; 2],
    gpu: Gpu,
    format: TextureFormat,
}

struct EyeImage {
    texture: Texture,
    layers: [TextureView; 2],
}

/// Index of an acquired image, which may be drawn to until it is released.
#[derive(Debug, Clone, Copy)]
pub(super) struct Acquired(usize);

/// Supported formats, as Vulkan and wgpu name them. All are sRGB: the hardware encodes for the
/// display.
const FORMATS: [(vk::Format, TextureFormat); 2] = [
    (vk::Format::R8G8B8A8_SRGB, TextureFormat::Rgba8UnormSrgb),
    (vk::Format::B8G8R8A8_SRGB, TextureFormat::Bgra8UnormSrgb),
];
const N_EYES: u32 = 2;

impl EyeSwapchain {
    pub(super) fn new(
        runtime: &Runtime,
        system: &System,
        session: &xr::Session<xr::Vulkan>,
        gpu: &Gpu,
    ) -> Result<Self, HeadsetError> {
        let [width, height] = system.eye_size;
        let largest = gpu.device.limits().max_texture_dimension_2d;
        if ![width, height].iter().all(|side| (1..=largest).contains(side)) {
            let headset = system.name.clone();
            return Err(HeadsetError::PictureSize { headset, width, height });
        }
        // The runtime lists formats in its order of preference.
        let offered = session.enumerate_swapchain_formats()?;
        let known = |offered: &u32| {
            FORMATS.into_iter().find(|(raw, _)| u32::try_from(raw.as_raw()) == Ok(*offered))
        };
        let (raw_format, format) = offered
            .iter()
            .find_map(known)
            .ok_or_else(|| HeadsetError::NoFormat { runtime: runtime.name.clone() })?;
        let swapchain = session.create_swapchain(&xr::SwapchainCreateInfo {
            create_flags: xr::SwapchainCreateFlags::EMPTY,
            usage_flags: xr::SwapchainUsageFlags::COLOR_ATTACHMENT
                | xr::SwapchainUsageFlags::TRANSFER_SRC,
            format: raw_format.as_raw() as u32,
            sample_count: 1,
            width,
            height,
            face_count: 1,
            array_size: N_EYES,
            mip_count: 1,
        })?;
        let images = swapchain
            .enumerate_images()?
            .into_iter()
            .map(|image| EyeImage::new(gpu, vk::Image::from_raw(image), [width, height], format))
            .collect();
        let gpu = gpu.clone();
        Ok(Self { images, swapchain, size: [width, height], gpu, format })
    }

    pub(super) fn format(&self) -> TextureFormat {
        self.format
    }

    /// Waits until the runtime releases an image, and acquires it.
    pub(super) fn acquire(&mut self) -> Result<Acquired, HeadsetError> {
        let index = self.swapchain.acquire_image()?;
        self.swapchain.wait_image(xr::Duration::INFINITE)?;
        Ok(Acquired(index as usize))
    }

    /// Returns the render target of an eye; 0 is left.
    pub(super) fn target(&self, image: Acquired, eye: usize) -> Target<'_> {
        Target { view: &self.images[image.0].layers[eye], size: self.size }
    }

    /// Releases the image. Its drawing commands must have been submitted.
    pub(super) fn release(&mut self, _image: Acquired) -> Result<(), HeadsetError> {
        Ok(self.swapchain.release_image()?)
    }

    /// Describes an eye's layer for the runtime.
    pub(super) fn sub_image(&self, eye: usize) -> xr::SwapchainSubImage<'_, xr::Vulkan> {
        let [width, height] = self.size.map(|side| i32::try_from(side).unwrap_or(i32::MAX));
        xr::SwapchainSubImage::new()
            .swapchain(&self.swapchain)
            .image_array_index(eye as u32)
            .image_rect(xr::Rect2Di {
                offset: xr::Offset2Di { x: 0, y: 0 },
                extent: xr::Extent2Di { width, height },
            })
    }

    /// Reads back the pictures of both eyes, left first. Must be called before `release`.
    pub(super) fn pictures(&self, image: Acquired) -> Result<[Picture; 2], HeadsetError> {
        let texture = &self.images[image.0].texture;
        let read_back = ReadBack::new(&self.gpu, self.size);
        let left = read_back.picture(&self.gpu, texture, 0)?;
        let right = read_back.picture(&self.gpu, texture, 1)?;
        // The runtime expects the image in the layout of a colour attachment.
        let mut encoder =
            self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let state = wgpu::TextureUses::COLOR_TARGET;
        let transition = wgpu::wgt::TextureTransition { texture, selector: None, state };
        encoder.transition_resources(std::iter::empty(), std::iter::once(transition));
        self.gpu.queue.submit([encoder.finish()]);
        Ok([left, right])
    }
}

/// The runtime destroys its images with the swapchain, so all drawing to them must have ended.
impl Drop for EyeSwapchain {
    fn drop(&mut self) {
        // An error means a lost device, which draws nothing either.
        let _ = self.gpu.device.poll(wgpu::PollType::wait_indefinitely());
    }
}

impl EyeImage {
    fn new(gpu: &Gpu, image: vk::Image, [width, height]: [u32; 2], format: TextureFormat) -> Self {
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: N_EYES };
        let hal_description = wgpu::hal::TextureDescriptor {
            label: Some("eyes"),
            size,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUses::COLOR_TARGET | wgpu::TextureUses::COPY_SRC,
            memory_flags: wgpu::hal::MemoryFlags::empty(),
            view_formats: Vec::new(),
        };
        let description = wgpu::TextureDescriptor {
            label: Some("eyes"),
            size,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        };
        // SAFETY: the device is the one that the runtime made the image on, with this size, format
        // and use. The callback, which does nothing, says that image and memory stay the runtime's:
        // it keeps them as long as the swapchain, which outlives the textures (see the order of
        // fields in `EyeSwapchain`, and its `drop`). No more is known of its contents than that
        // they may be thrown away.
        let texture = unsafe {
            let device = gpu.device.as_hal::<hal::Api>().expect("the device was made with Vulkan");
            let raw = device.texture_from_raw(
                image,
                &hal_description,
                Some(Box::new(|| {})),
                hal::TextureMemory::External,
            );
            drop(device);
            gpu.device.create_texture_from_hal::<hal::Api>(
                raw,
                &description,
                wgpu::TextureUses::UNINITIALIZED,
            )
        };
        let layers = [0, 1].map(|eye| layer(&texture, eye));
        Self { texture, layers }
    }
}
