//! Errors of the headset: each message is one sentence that names the cause and a remedy.

use openxr::sys;

use crate::render::RenderError;

/// Reason why a headset shows no picture.
#[derive(Debug, thiserror::Error)]
pub enum HeadsetError {
    #[error(
        "the OpenXR loader cannot be loaded; install it with `cargo xtask setup`, or as the package \
         libopenxr-loader1"
    )]
    NoLoader,
    #[error(
        "no OpenXR runtime is active; install the headset's (SteamVR, Monado, WiVRn), make it the active one or \
         name its manifest in XR_RUNTIME_JSON, and start again"
    )]
    NoRuntime,
    #[error(
        "the OpenXR runtime does not answer ({0:?}); start its service, or the program that comes with it"
    )]
    RuntimeDown(sys::Result),
    #[error(
        "the OpenXR runtime refuses version 1.0 of OpenXR; update it, or make another one active"
    )]
    VersionRefused,
    #[error(
        "{runtime} takes no pictures made with Vulkan (it lacks XR_KHR_vulkan_enable2); update it, or make \
         another runtime active"
    )]
    NoVulkan { runtime: String },
    #[error(
        "{runtime} wants Vulkan {least} or newer, expected 1.3 to do; update the graphics driver"
    )]
    VulkanVersion { runtime: String, least: String },
    #[error("{runtime} finds no headset; plug it in and switch it on")]
    NoHeadset { runtime: String },
    #[error(
        "{headset} sees no hands ({why}); hold its controllers, use a glove or `--hand mouse`, or a headset that \
         tracks hands"
    )]
    NoHandTracking { headset: String, why: &'static str },
    #[error("the graphics driver gives no Vulkan device that {runtime} can use ({why}); update it")]
    NoDevice { runtime: String, why: String },
    #[error(
        "{headset} shows two pictures of {width} x {height} pixels, which this graphics driver cannot make"
    )]
    PictureSize { headset: String, width: u32, height: u32 },
    #[error(
        "{runtime} offers none of the picture formats that we can draw, expected RGBA or BGRA in sRGB"
    )]
    NoFormat { runtime: String },
    #[error(
        "the OpenXR runtime hangs: it has not answered for a while; end its service and start it again"
    )]
    Hangs,
    #[error("the OpenXR runtime broke off ({0:?}); is its service still running?")]
    Lost(sys::Result),
    #[error("the OpenXR runtime is about to end")]
    Ending,
    #[error(transparent)]
    Graphics(#[from] RenderError),
}

impl HeadsetError {
    /// True if the cause may disappear while the program runs, so that retrying makes sense.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::RuntimeDown(_)
            | Self::NoHeadset { .. }
            | Self::Hangs
            | Self::Lost(_)
            | Self::Ending => true,
            Self::NoLoader
            | Self::NoRuntime
            | Self::VersionRefused
            | Self::NoVulkan { .. }
            | Self::VulkanVersion { .. }
            | Self::NoHandTracking { .. }
            | Self::NoDevice { .. }
            | Self::PictureSize { .. }
            | Self::NoFormat { .. }
            | Self::Graphics(_) => false,
        }
    }
}

/// Converts the error of a call in a running session.
impl From<sys::Result> for HeadsetError {
    fn from(result: sys::Result) -> Self {
        Self::Lost(result)
    }
}
