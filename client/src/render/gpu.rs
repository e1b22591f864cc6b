//! The graphics device, with or without a window's surface, and what can go wrong with graphics.

use wgpu::{
    Adapter, Device, Instance, Queue, Surface, SurfaceTarget, Texture, TextureFormat, TextureView,
};

/// Error of the graphics device.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    #[error(
        "no graphics adapter: a Vulkan driver is needed (`cargo xtask setup` installs a software one)"
    )]
    NoAdapter(#[source] wgpu::RequestAdapterError),
    #[error("the graphics adapter gives no device")]
    NoDevice(#[from] wgpu::RequestDeviceError),
    #[error("the window cannot be drawn to")]
    NoSurface(#[from] wgpu::CreateSurfaceError),
    #[error("the graphics adapter cannot show pictures in this window")]
    UnsupportedSurface,
    #[error("the window's surface was lost {0} times in a row")]
    SurfaceLost(u32),
    #[error(
        "a picture of {width} x {height} pixels was asked for, expected 1 to {largest} each way"
    )]
    PictureSize { width: u32, height: u32, largest: u32 },
    #[error("the graphics device did not finish the picture")]
    Unfinished(#[from] wgpu::PollError),
    #[error("the picture could not be read back")]
    ReadBack(#[from] wgpu::MapRangeError),
}

/// A graphics device and how it was found.
#[derive(Debug, Clone)]
pub struct Gpu {
    pub instance: Instance,
    pub adapter: Adapter,
    pub device: Device,
    pub queue: Queue,
}

impl Gpu {
    /// Returns a texture for pictures that can be read back, one picture in each layer.
    pub fn sheet(
        &self,
        [width, height]: [u32; 2],
        n_layers: u32,
        format: TextureFormat,
    ) -> Texture {
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("pictures"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: n_layers },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        })
    }

    /// Opens a device for pictures without a window.
    pub fn without_surface() -> Result<Self, RenderError> {
        Self::new(instance(), None)
    }

    /// Opens a device that can show pictures in `window`, and the window's surface.
    pub fn with_surface(
        window: impl Into<SurfaceTarget<'static>>,
    ) -> Result<(Self, Surface<'static>), RenderError> {
        let instance = instance();
        let surface = instance.create_surface(window)?;
        let gpu = Self::new(instance, Some(&surface))?;
        Ok((gpu, surface))
    }

    fn new(instance: Instance, surface: Option<&Surface<'static>>) -> Result<Self, RenderError> {
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: surface,
            ..Default::default()
        }))
        .map_err(RenderError::NoAdapter)?;
        // Low limits, so that old and software drivers work as well; pictures may be as large as
        // the adapter can make them.
        let required_limits = wgpu::Limits::downlevel_defaults().using_resolution(adapter.limits());
        let (device, queue) =
            pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
                label: Some("palpate"),
                required_limits,
                ..Default::default()
            }))?;
        let info = adapter.get_info();
        tracing::debug!(adapter = info.name, backend = %info.backend, "graphics device");
        Ok(Self { instance, adapter, device, queue })
    }
}

fn instance() -> Instance {
    Instance::new(wgpu::InstanceDescriptor::new_without_display_handle())
}

/// Returns one layer of a texture, as the target of a picture.
pub fn layer(texture: &Texture, layer: u32) -> TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2),
        base_array_layer: layer,
        array_layer_count: Some(1),
        ..Default::default()
    })
}
