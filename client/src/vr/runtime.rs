//! OpenXR loader, runtime and headset, and their capabilities.
#![allow(
    unsafe_code,
    reason = "the OpenXR loader is a library that is found while the program runs"
)]

use std::sync::mpsc::sync_channel;
use std::time::Duration;

use openxr as xr;

use super::error::HeadsetError;

/// OpenXR version that the program requests. Every loader and runtime in use supports 1.0; older
/// loaders refuse newer versions.
const API_VERSION: xr::Version = xr::Version::new(1, 0, 0);

/// View configuration: both eyes, one picture each.
pub(super) const BOTH_EYES: xr::ViewConfigurationType = xr::ViewConfigurationType::PRIMARY_STEREO;

/// A connected runtime.
pub(super) struct Runtime {
    pub(super) instance: xr::Instance,
    /// Name and version of the runtime.
    pub(super) name: String,
}

/// A connected headset.
pub(super) struct System {
    pub(super) id: xr::SystemId,
    pub(super) name: String,
    /// Recommended width and height of each eye's picture, in pixels.
    pub(super) eye_size: [u32; 2],
    pub(super) tracks_hands: bool,
    /// True if it has a force glove.
    pub(super) holds_fingers: bool,
}

/// Capabilities of this machine's OpenXR runtime.
#[derive(Debug)]
pub struct RuntimeInfo {
    pub runtime: String,
    pub headset: Result<HeadsetInfo, HeadsetError>,
}

/// Capabilities of a headset.
#[derive(Debug)]
pub struct HeadsetInfo {
    pub name: String,
    /// Width and height of each eye's picture, in pixels.
    pub eye_size: [u32; 2],
    /// `Ok` if it tracks bare hands, else the reason.
    pub hands: Result<(), HeadsetError>,
    /// True if it has a force glove.
    pub holds_fingers: bool,
}

/// Time limit of `runtime_info`.
const LONGEST_QUESTION: Duration = Duration::from_secs(15);

/// Asks the runtime for its capabilities; shows nothing in the headset. If the runtime hangs, the
/// asking thread is abandoned.
pub fn runtime_info() -> Result<RuntimeInfo, HeadsetError> {
    let (answer, answered) = sync_channel(1);
    let asking = std::thread::Builder::new().name("headset".to_owned());
    // The caller may have given up already.
    asking.spawn(move || drop(answer.send(ask()))).map_err(|_| HeadsetError::Hangs)?;
    answered.recv_timeout(LONGEST_QUESTION).unwrap_or(Err(HeadsetError::Hangs))
}

fn ask() -> Result<RuntimeInfo, HeadsetError> {
    let runtime = Runtime::connect()?;
    let headset = runtime.system().map(|system| HeadsetInfo {
        hands: runtime.hands_of(&system),
        name: system.name,
        eye_size: system.eye_size,
        holds_fingers: system.holds_fingers,
    });
    Ok(RuntimeInfo { runtime: runtime.name, headset })
}

impl Runtime {
    /// Loads the OpenXR loader, which loads the active runtime.
    pub(super) fn connect() -> Result<Self, HeadsetError> {
        // SAFETY: the library with the name libopenxr_loader is assumed to be an OpenXR loader;
        // there is no way to check. It stays loaded as long as the instance that is made with it.
        let entry = unsafe { xr::Entry::load(&()) }.map_err(|_| HeadsetError::NoLoader)?;
        let offered = entry.enumerate_extensions().map_err(no_instance)?;
        let mut wanted = xr::ExtensionSet::default();
        wanted.khr_vulkan_enable2 = offered.khr_vulkan_enable2;
        wanted.ext_hand_tracking = offered.ext_hand_tracking;
        wanted.ext_local_floor = offered.ext_local_floor;
        wanted.mndx_force_feedback_curl = offered.mndx_force_feedback_curl;
        let application = xr::ApplicationInfo {
            application_name: "Palpate",
            application_version: 1,
            engine_name: "Palpate",
            engine_version: 1,
            api_version: API_VERSION,
        };
        let instance =
            entry.create_instance(&application, &wanted, &[], &()).map_err(no_instance)?;
        let properties = instance.properties().map_err(HeadsetError::RuntimeDown)?;
        let name = format!("{} {}", properties.runtime_name, properties.runtime_version);
        Ok(Self { instance, name })
    }

    /// Returns the headset, if there is one.
    pub(super) fn system(&self) -> Result<System, HeadsetError> {
        let runtime = self.name.clone();
        let found = self.instance.system(xr::FormFactor::HEAD_MOUNTED_DISPLAY);
        let id = found.map_err(|result| match result {
            xr::sys::Result::ERROR_FORM_FACTOR_UNAVAILABLE
            | xr::sys::Result::ERROR_FORM_FACTOR_UNSUPPORTED => HeadsetError::NoHeadset { runtime },
            other => HeadsetError::RuntimeDown(other),
        })?;
        let name = self.instance.system_properties(id)?.system_name;
        let views = self.instance.enumerate_view_configuration_views(id, BOTH_EYES)?;
        let largest = |side: fn(&xr::ViewConfigurationView) -> u32| views.iter().map(side).max();
        let eye_size = [
            largest(|view| view.recommended_image_rect_width).unwrap_or(0),
            largest(|view| view.recommended_image_rect_height).unwrap_or(0),
        ];
        let tracks_hands = self.instance.exts().ext_hand_tracking.is_some()
            && self.instance.supports_hand_tracking(id)?;
        let holds_fingers = tracks_hands && self.holds_fingers(id)?;
        Ok(System { id, name, eye_size, tracks_hands, holds_fingers })
    }

    fn holds_fingers(&self, system: xr::SystemId) -> Result<bool, HeadsetError> {
        if self.instance.exts().mndx_force_feedback_curl.is_none() {
            return Ok(false);
        }
        // No answer counts as no.
        let mut curls = xr::sys::SystemForceFeedbackCurlPropertiesMNDX {
            ty: xr::sys::SystemForceFeedbackCurlPropertiesMNDX::TYPE,
            next: std::ptr::null_mut(),
            supports_force_feedback_curl: xr::sys::FALSE,
        };
        let mut properties = xr::sys::SystemProperties::out((&raw mut curls).cast());
        // SAFETY: the extension of the chained structure is enabled; both structures live until the
        // call is over and have their types written into them.
        let result = unsafe {
            (self.instance.fp().get_system_properties)(
                self.instance.as_raw(),
                system,
                properties.as_mut_ptr(),
            )
        };
        if result.into_raw() < 0 {
            return Err(result.into());
        }
        Ok(curls.supports_force_feedback_curl.into())
    }

    /// `Ok` if the headset tracks bare hands, else the reason.
    pub(super) fn hands_of(&self, system: &System) -> Result<(), HeadsetError> {
        let headset = system.name.clone();
        if self.instance.exts().ext_hand_tracking.is_none() {
            let why = "its runtime lacks XR_EXT_hand_tracking";
            return Err(HeadsetError::NoHandTracking { headset, why });
        }
        match system.tracks_hands {
            true => Ok(()),
            false => {
                Err(HeadsetError::NoHandTracking { headset, why: "it has no sensors for hands" })
            }
        }
    }
}

/// Converts the error of creating an instance.
fn no_instance(result: xr::sys::Result) -> HeadsetError {
    match result {
        xr::sys::Result::ERROR_RUNTIME_UNAVAILABLE | xr::sys::Result::ERROR_FILE_ACCESS_ERROR => {
            HeadsetError::NoRuntime
        }
        xr::sys::Result::ERROR_API_VERSION_UNSUPPORTED => HeadsetError::VersionRefused,
        other => HeadsetError::RuntimeDown(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_has_advice() {
        let check = |result, expected: &str, may_pass| {
            let error = no_instance(result);
            assert!(error.to_string().contains(expected), "{error}");
            assert_eq!(error.may_pass(), may_pass, "{error}");
        };
        check(xr::sys::Result::ERROR_RUNTIME_UNAVAILABLE, "make it the active one", false);
        check(xr::sys::Result::ERROR_API_VERSION_UNSUPPORTED, "refuses version 1.0", false);
        check(xr::sys::Result::ERROR_RUNTIME_FAILURE, "start its service", true);
    }
}
