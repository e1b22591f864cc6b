//! Poses and fields of view of the eyes.
#![allow(unsafe_code, reason = "the safe way to ask where eyes are allocates for every frame")]

use std::ptr;

use nalgebra::Isometry3;
use openxr as xr;

use super::error::HeadsetError;
use super::room_space::RoomSpace;
use super::runtime::BOTH_EYES;
use super::table_placement::isometry;
use crate::render::{Lens, Viewpoint};

/// One eye at the predicted display time.
#[derive(Debug, Clone, Copy)]
pub(super) struct EyeView {
    /// The view as the runtime gave it.
    pub(super) pose_in_room: xr::Posef,
    pub(super) fov: xr::Fovf,
    /// The same view for our renderer.
    pub(super) world_from_eye: Isometry3<f64>,
    pub(super) lens: Lens,
}

/// Near clip distance, in metres of the room; the eyes cannot focus on anything closer.
const NEAR: f64 = 0.02;
/// Far clip distance, in metres of the room; there is only the ground beyond it.
const FAR: f64 = 20.0;

/// Returns the eyes as predicted for `time`, left first; `None` without tracking.
pub(super) fn locate_eyes(
    session: &xr::Session<xr::Vulkan>,
    room: &RoomSpace,
    time: xr::Time,
) -> Result<Option<[EyeView; 2]>, HeadsetError> {
    let Some([left, right]) = located(session, room.space(), time)? else { return Ok(None) };
    let view_of = |view: xr::sys::View| {
        let world_from_eye = room.in_world(&isometry(&view.pose)?)?;
        let lens = lens(&view.fov, room.scale());
        Some(EyeView { pose_in_room: view.pose, fov: view.fov, world_from_eye, lens })
    };
    Ok(view_of(left).zip(view_of(right)).map(|(left, right)| [left, right]))
}

/// Returns the runtime's views, or `None` without tracking.
fn located(
    session: &xr::Session<xr::Vulkan>,
    space: &xr::Space,
    time: xr::Time,
) -> Result<Option<[xr::sys::View; 2]>, HeadsetError> {
    let info = xr::sys::ViewLocateInfo {
        ty: xr::sys::ViewLocateInfo::TYPE,
        next: ptr::null(),
        view_configuration_type: BOTH_EYES,
        display_time: time,
        space: space.as_raw(),
    };
    let mut state = xr::sys::ViewState {
        ty: xr::sys::ViewState::TYPE,
        next: ptr::null_mut(),
        view_state_flags: xr::ViewStateFlags::EMPTY,
    };
    let unknown = xr::sys::View {
        ty: xr::sys::View::TYPE,
        next: ptr::null_mut(),
        pose: xr::Posef::IDENTITY,
        fov: xr::Fovf::default(),
    };
    let (mut views, mut n_views) = ([unknown; 2], 0);
    // SAFETY: session and space live, the structures are whole and of the types that they say, and
    // the call says that there is room for two views.
    let result = unsafe {
        (session.instance().fp().locate_views)(
            session.as_raw(),
            &raw const info,
            &raw mut state,
            2,
            &raw mut n_views,
            views.as_mut_ptr(),
        )
    };
    if result.into_raw() < 0 {
        return Err(result.into());
    }
    let needed = xr::ViewStateFlags::POSITION_VALID | xr::ViewStateFlags::ORIENTATION_VALID;
    let are_known = n_views == 2 && state.view_state_flags.contains(needed);
    Ok(are_known.then_some(views))
}

impl EyeView {
    pub(super) fn viewpoint(&self) -> Viewpoint {
        Viewpoint::of_eye(&self.world_from_eye, &self.lens)
    }
}

fn lens(fov: &xr::Fovf, scale: f64) -> Lens {
    let xr::Fovf { angle_left, angle_right, angle_up, angle_down } = *fov;
    let [left, right, up, down] = [angle_left, angle_right, angle_up, angle_down].map(f64::from);
    Lens { left, right, up, down, near: NEAR / scale, far: FAR / scale }
}
