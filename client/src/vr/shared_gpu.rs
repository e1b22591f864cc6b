//! A Vulkan device that wgpu and the OpenXR runtime share.
//!
//! The runtime creates instance and device, so that it can add extensions, and selects the adapter
//! of the headset. wgpu then takes over both.
#![allow(unsafe_code, reason = "Vulkan handles cross between OpenXR, ash and wgpu")]

use std::ffi::c_void;

use ash::vk::{self, Handle};
use openxr as xr;
use wgpu::hal::vulkan as hal;

use super::error::HeadsetError;
use super::runtime::{Runtime, System};
use crate::render::Gpu;

/// Least Vulkan version; wgpu finds no timeline semaphores in older ones.
const VULKAN: u32 = vk::API_VERSION_1_3;
const VULKAN_IN_XR: xr::Version = xr::Version::new(1, 3, 0);
const QUEUE_INDEX: u32 = 0;

/// The shared device, and its handles for the runtime.
pub(super) struct SharedGpu {
    pub(super) gpu: Gpu,
    pub(super) handles: xr::vulkan::SessionCreateInfo,
}

/// Creates the device that the runtime requires for this headset.
pub(super) fn shared(runtime: &Runtime, system: &System) -> Result<SharedGpu, HeadsetError> {
    if runtime.instance.exts().khr_vulkan_enable2.is_none() {
        return Err(HeadsetError::NoVulkan { runtime: runtime.name.clone() });
    }
    // OpenXR requires this call before an instance is created.
    let needs = runtime.instance.graphics_requirements::<xr::Vulkan>(system.id)?;
    if needs.min_api_version_supported > VULKAN_IN_XR {
        let least = needs.min_api_version_supported;
        let least = format!("{}.{}", least.major(), least.minor());
        return Err(HeadsetError::VulkanVersion { runtime: runtime.name.clone(), least });
    }
    let fails = |why: String| HeadsetError::NoDevice { runtime: runtime.name.clone(), why };
    // SAFETY: the library with the name libvulkan is assumed to be a Vulkan loader, as in wgpu.
    // wgpu's instance keeps it loaded.
    let entry = unsafe { ash::Entry::load() }.map_err(|why| fails(why.to_string()))?;
    let flags = wgpu::InstanceFlags::empty();
    let instance_extensions = hal::Instance::desired_extensions(&entry, VULKAN, flags)
        .map_err(|why| fails(why.to_string()))?;
    let instance = vulkan_instance(runtime, system, &entry, &instance_extensions)?;
    // SAFETY: the instance was just made with this entry, this version and these extensions, which
    // are those that wgpu desires. No flags were given to either. wgpu becomes its owner.
    let hal_instance = unsafe {
        hal::Instance::from_raw(
            entry.clone(),
            instance.clone(),
            VULKAN,
            0,
            None,
            instance_extensions,
            flags,
            wgpu::MemoryBudgetThresholds::default(),
            false,
            None,
        )
    }
    .map_err(|why| fails(why.to_string()))?;
    // SAFETY: the instance came from this runtime, for this system, and lives.
    let physical = unsafe {
        runtime
            .instance
            .vulkan_graphics_device(system.id, instance.handle().as_raw() as *const c_void)
    }?;
    let physical = vk::PhysicalDevice::from_raw(physical as u64);
    let exposed = hal_instance
        .expose_adapter(physical)
        .ok_or_else(|| fails("it is too old for us".to_owned()))?;
    // SAFETY: the handle came from this instance, which lives.
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
    let family = families
        .iter()
        .position(|family| family.queue_flags.contains(vk::QueueFlags::GRAPHICS))
        .and_then(|family| u32::try_from(family).ok())
        .ok_or_else(|| fails("it has no queue for graphics".to_owned()))?;

    let features = wgpu::Features::empty();
    // Low limits, as for the window: old and software drivers work as well.
    let limits =
        wgpu::Limits::downlevel_defaults().using_resolution(exposed.capabilities.limits.clone());
    let device_extensions = exposed.adapter.required_device_extensions(features);
    let mut device_features =
        exposed.adapter.physical_device_features(&device_extensions, features);
    let extension_names: Vec<_> = device_extensions.iter().map(|name| name.as_ptr()).collect();
    let queues =
        [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
    let wish = device_features.add_to_device_create(
        vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extension_names),
    );
    // SAFETY: the adapter is the one that the runtime named; everything that `wish` points at
    // outlives the call.
    let device = unsafe {
        runtime.instance.create_vulkan_device(
            system.id,
            in_xr(&entry),
            physical.as_raw() as *const c_void,
            (&raw const wish).cast(),
        )
    }?
    .map_err(|result| fails(vk::Result::from_raw(result).to_string()))?;
    // SAFETY: the runtime has just made this device with this instance.
    let device =
        unsafe { ash::Device::load(instance.fp_v1_0(), vk::Device::from_raw(device as u64)) };
    let handles = xr::vulkan::SessionCreateInfo {
        instance: instance.handle().as_raw() as *const c_void,
        physical_device: physical.as_raw() as *const c_void,
        device: device.handle().as_raw() as *const c_void,
        queue_family_index: family,
        queue_index: QUEUE_INDEX,
    };
    // SAFETY: the device was made from this adapter with this family, these extensions and the
    // features that the adapter wants for them; the runtime only adds to them. wgpu becomes its
    // owner.
    let open = unsafe {
        exposed.adapter.device_from_raw(
            device,
            None,
            &device_extensions,
            features,
            &limits,
            &wgpu::MemoryHints::default(),
            family,
            QUEUE_INDEX,
        )
    }
    .map_err(|why| fails(why.to_string()))?;
    // SAFETY: the instance is complete and has no other owner.
    let instance = unsafe { wgpu::Instance::from_hal::<hal::Api>(hal_instance) };
    // SAFETY: it was exposed by this instance.
    let adapter = unsafe { instance.create_adapter_from_hal(exposed) };
    let wish = wgpu::DeviceDescriptor {
        label: Some("palpate's headset"),
        required_features: features,
        required_limits: limits,
        ..Default::default()
    };
    // SAFETY: it was opened on this adapter with these features.
    let (device, queue) = unsafe { adapter.create_device_from_hal(open, &wish) }
        .map_err(|why| fails(why.to_string()))?;
    tracing::debug!(adapter = adapter.get_info().name, "the headset's graphics device");
    Ok(SharedGpu { gpu: Gpu { instance, adapter, device, queue }, handles })
}

fn vulkan_instance(
    runtime: &Runtime,
    system: &System,
    entry: &ash::Entry,
    extensions: &[&'static std::ffi::CStr],
) -> Result<ash::Instance, HeadsetError> {
    let application =
        vk::ApplicationInfo::default().application_name(c"Palpate").api_version(VULKAN);
    let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    let wish = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_extension_names(&names);
    // SAFETY: `wish` and everything that it points at outlive the call, and the requirements were
    // asked for before.
    let made = unsafe {
        runtime.instance.create_vulkan_instance(system.id, in_xr(entry), (&raw const wish).cast())
    }?;
    let handle = made.map_err(|result| HeadsetError::NoDevice {
        runtime: runtime.name.clone(),
        why: vk::Result::from_raw(result).to_string(),
    })?;
    // SAFETY: the runtime has just made this instance through this entry.
    Ok(unsafe { ash::Instance::load(entry.static_fn(), vk::Instance::from_raw(handle as u64)) })
}

/// The function that finds all other Vulkan functions, with the type of the OpenXR crate.
fn in_xr(entry: &ash::Entry) -> xr::sys::platform::VkGetInstanceProcAddr {
    let function: vk::PFN_vkGetInstanceProcAddr = entry.static_fn().get_instance_proc_addr;
    // SAFETY: both are types of the one C function vkGetInstanceProcAddr. A handle is an address in
    // one and a number of the same width in the other.
    unsafe { std::mem::transmute(function) }
}
