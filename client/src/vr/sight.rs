//! What the eyes see, and from where.

use nalgebra::Isometry3;
use openxr as xr;

use super::error::HeadsetError;
use super::room::Room;
use super::runtime::BOTH_EYES;
use super::table::isometry;
use crate::render::{Lens, Viewpoint};

/// One eye at the moment for which a picture is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight {
    /// For the runtime.
    pub(super) pose_in_room: xr::Posef,
    pub(super) fov: xr::Fovf,
    /// For us.
    pub(super) world_from_eye: Isometry3<f64>,
    pub(super) lens: Lens,
}

/// Nearer, nobody sees a thing sharply; farther, there is only the ground. In the room.
const NEAR: f64 = 0.02;
const FAR: f64 = 20.0;

/// Where the eyes will be at that time, left first; `None` while the runtime does not know.
pub(super) fn both(
    session: &xr::Session<xr::Vulkan>,
    room: &Room,
    time: xr::Time,
) -> Result<Option<[Sight; 2]>, HeadsetError> {
    let (flags, views) = session.locate_views(BOTH_EYES, time, room.space())?;
    let needed = xr::ViewStateFlags::POSITION_VALID | xr::ViewStateFlags::ORIENTATION_VALID;
    let [left, right] = views[..] else { return Ok(None) };
    if !flags.contains(needed) {
        return Ok(None);
    }
    let sight = |view: xr::View| {
        let world_from_eye = room.in_world(&isometry(&view.pose)?)?;
        let lens = lens(&view.fov, room.scale());
        Some(Sight { pose_in_room: view.pose, fov: view.fov, world_from_eye, lens })
    };
    Ok(sight(left).zip(sight(right)).map(|(left, right)| [left, right]))
}

impl Sight {
    pub(super) fn viewpoint(&self) -> Viewpoint {
        Viewpoint::of_eye(&self.world_from_eye, &self.lens)
    }
}

fn lens(fov: &xr::Fovf, scale: f64) -> Lens {
    let xr::Fovf { angle_left, angle_right, angle_up, angle_down } = *fov;
    let [left, right, up, down] = [angle_left, angle_right, angle_up, angle_down].map(f64::from);
    Lens { left, right, up, down, near: NEAR / scale, far: FAR / scale }
}
