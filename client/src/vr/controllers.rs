//! Controllers of the headset, for hands that are not tracked. Their grip poses move the hand,
//! their triggers close its fingers, and their motors vibrate with the force on the fingers.

use std::time::Instant;

use calibration::HandPose;
use drivers::Side;
use interaction::posture::{FULLY_CLOSED, Posture};
use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};
use openxr as xr;

use super::error::HeadsetError;
use super::hand_tracking::{SeenBy, SeenHand};
use super::room_space::RoomSpace;

/// OpenXR actions for all kinds of controllers.
pub(super) struct Controllers {
    actions: xr::ActionSet,
    hands: [(Side, xr::Path); 2],
    grips: [xr::Space; 2],
    aims: [xr::Space; 2],
    close: xr::Action<f32>,
    menu: xr::Action<bool>,
    vibrate: xr::Action<xr::Haptic>,
    posture: Posture,
}

/// Use of a button, pose or motor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartUse {
    Grip,
    Aim,
    Close,
    Menu,
    Vibrate,
}

/// A part of a controller: its use and its path below that of the hand.
type ControllerPart = (PartUse, &'static str);

const GRIP: ControllerPart = (PartUse::Grip, "input/grip/pose");
const AIM: ControllerPart = (PartUse::Aim, "input/aim/pose");
const MENU: ControllerPart = (PartUse::Menu, "input/menu/click");
const TRIGGER: ControllerPart = (PartUse::Close, "input/trigger/value");
const SQUEEZE: ControllerPart = (PartUse::Close, "input/squeeze/value");
const SQUEEZE_CLICK: ControllerPart = (PartUse::Close, "input/squeeze/click");
const MOTOR: ControllerPart = (PartUse::Vibrate, "output/haptic");

/// Kinds of controllers. Runtimes map other kinds to one of these. If several parts close the
/// fingers, the one that is pressed farthest counts.
const KINDS: [(&str, &[ControllerPart]); 5] = [
    ("khr/simple_controller", &[GRIP, AIM, (PartUse::Close, "input/select/click"), MENU, MOTOR]),
    // The menu buttons are in `SINGLE`: left and right controllers differ.
    ("oculus/touch_controller", &[GRIP, AIM, TRIGGER, SQUEEZE, MOTOR]),
    (
        "valve/index_controller",
        &[GRIP, AIM, TRIGGER, SQUEEZE, (PartUse::Menu, "input/b/click"), MOTOR],
    ),
    ("htc/vive_controller", &[GRIP, AIM, TRIGGER, SQUEEZE_CLICK, MENU, MOTOR]),
    ("microsoft/motion_controller", &[GRIP, AIM, TRIGGER, SQUEEZE_CLICK, MENU, MOTOR]),
];
/// Parts that only one controller of a pair has, with full paths.
const SINGLE: [(&str, ControllerPart); 2] = [
    ("oculus/touch_controller", (PartUse::Menu, "/user/hand/left/input/menu/click")),
    ("oculus/touch_controller", (PartUse::Menu, "/user/hand/right/input/b/click")),
];
/// Trigger value beyond which it counts as a click.
const CLICK: f32 = 0.6;

/// Duration of one vibration command. Each frame sends a new one, so vibration stops soon after the
/// last frame.
const TREMBLE_NANOS: i64 = 100_000_000;

impl Controllers {
    pub(super) fn new(
        instance: &xr::Instance,
        session: &xr::Session<xr::Vulkan>,
    ) -> Result<Self, HeadsetError> {
        let actions = instance.create_action_set("hand", "Hand", 0)?;
        let hands = [(Side::Left, "/user/hand/left"), (Side::Right, "/user/hand/right")];
        let paths = [instance.string_to_path(hands[0].1)?, instance.string_to_path(hands[1].1)?];
        let grip = actions.create_action::<xr::Posef>("grip", "Where the hand is", &paths)?;
        let aim = actions.create_action::<xr::Posef>("aim", "Where the hand points", &paths)?;
        let menu = actions.create_action::<bool>("menu", "Open or close the menu", &paths)?;
        let close = actions.create_action::<f32>("close", "Close the fingers", &paths)?;
        let vibrate = actions.create_action::<xr::Haptic>("vibrate", "Vibration", &paths)?;
        for (kind, parts) in KINDS {
            let both = hands.iter().flat_map(|(_, hand)| {
                parts.iter().map(move |(action, part)| (*action, format!("{hand}/{part}")))
            });
            let single = SINGLE.iter().filter(|(of, _)| *of == kind);
            let single = single.map(|(_, (action, path))| (*action, (*path).to_owned()));
            let mut bindings = Vec::new();
            for (action, path) in both.chain(single) {
                let path = instance.string_to_path(&path)?;
                bindings.push(match action {
                    PartUse::Grip => xr::Binding::new(&grip, path),
                    PartUse::Aim => xr::Binding::new(&aim, path),
                    PartUse::Close => xr::Binding::new(&close, path),
                    PartUse::Menu => xr::Binding::new(&menu, path),
                    PartUse::Vibrate => xr::Binding::new(&vibrate, path),
                });
            }
            let profile = instance.string_to_path(&format!("/interaction_profiles/{kind}"))?;
            // A runtime may support only some of the kinds.
            if let Err(why) = instance.suggest_interaction_profile_bindings(profile, &bindings) {
                tracing::debug!(kind, ?why, "the runtime does not support these controllers");
            }
        }
        session.attach_action_sets(&[&actions])?;
        let space = |of: &xr::Action<xr::Posef>, hand: usize| {
            of.create_space(session, paths[hand], xr::Posef::IDENTITY)
        };
        Ok(Self {
            grips: [space(&grip, 0)?, space(&grip, 1)?],
            aims: [space(&aim, 0)?, space(&aim, 1)?],
            menu,
            hands: [(hands[0].0, paths[0]), (hands[1].0, paths[1])],
            actions,
            close,
            vibrate,
            posture: Posture::grasping(),
        })
    }

    /// Reads the state of all controllers from the runtime.
    pub(super) fn sync(&self, session: &xr::Session<xr::Vulkan>) -> Result<(), HeadsetError> {
        Ok(session.sync_actions(&[xr::ActiveActionSet::new(&self.actions)])?)
    }

    /// Returns the hands that hold a controller, as predicted for `time`, left first.
    pub(super) fn held(
        &self,
        session: &xr::Session<xr::Vulkan>,
        room: &RoomSpace,
        time: xr::Time,
        hand: usize,
    ) -> Result<Option<SeenHand>, HeadsetError> {
        let (side, path) = self.hands[hand];
        let arrival = Instant::now();
        let trigger = self.close.state(session, path)?;
        let grip = room.locate(&self.grips[hand], time)?;
        let Some(world_from_grip) = grip.filter(|_| trigger.is_active) else { return Ok(None) };
        let closed = f64::from(trigger.current_state).clamp(0.0, 1.0) * FULLY_CLOSED;
        let pose = HandPose {
            angles: self.posture.natural_angles(&[closed; 5]),
            world_from_wrist: world_from_grip * grip_from_wrist(side, room.scale()),
        };
        Ok(Some(SeenHand {
            side,
            pose,
            size: None,
            by: SeenBy::Controller,
            world_scale: room.scale(),
            arrival,
            table: room.table(),
        }))
    }

    /// Returns a controller's grip pose in the room.
    pub(super) fn grip_in_room(
        &self,
        room: &RoomSpace,
        time: xr::Time,
        hand: usize,
    ) -> Result<Option<Isometry3<f64>>, HeadsetError> {
        room.locate_in_room(&self.grips[hand], time)
    }

    /// Returns a controller's aim pose in the world, which points along -z, and whether its trigger
    /// is pulled.
    pub(super) fn aim(
        &self,
        session: &xr::Session<xr::Vulkan>,
        room: &RoomSpace,
        time: xr::Time,
        hand: usize,
    ) -> Result<Option<(Isometry3<f64>, bool)>, HeadsetError> {
        let trigger = self.close.state(session, self.hands[hand].1)?;
        let aim = room.locate(&self.aims[hand], time)?.filter(|_| trigger.is_active);
        Ok(aim.map(|aim| (aim, trigger.current_state > CLICK)))
    }

    /// True if a menu button is pressed.
    pub(super) fn wants_menu(
        &self,
        session: &xr::Session<xr::Vulkan>,
    ) -> Result<bool, HeadsetError> {
        let [left, right] = self.hands.map(|(_, path)| self.menu.state(session, path));
        Ok(left?.current_state || right?.current_state)
    }

    /// Sets a controller's vibration, from 0 (still) to 1 (strongest). Returns false if there is no
    /// controller.
    pub(super) fn vibrate(
        &self,
        session: &xr::Session<xr::Vulkan>,
        hand: usize,
        amplitude: f32,
    ) -> Result<bool, HeadsetError> {
        let (_, path) = self.hands[hand];
        if amplitude > 0.0 {
            let event = xr::HapticVibration::new()
                .amplitude(amplitude)
                .frequency(xr::FREQUENCY_UNSPECIFIED)
                .duration(xr::Duration::from_nanos(TREMBLE_NANOS));
            self.vibrate.apply_feedback(session, path, &event)?;
        } else {
            self.vibrate.stop_feedback(session, path)?;
        }
        Ok(self.close.state(session, path)?.is_active)
    }
}

/// Returns the wrist's pose of a hand at an OpenXR grip pose.
///
/// The origin of a grip pose is in the middle of the palm, on the skin. Its -z runs along the
/// handle in the fist, from the little finger to the thumb. Its x is normal to the palm: out of the
/// back of a right hand, out of the palm of a left hand. Its y therefore runs from the fingers to
/// the wrist.
fn grip_from_wrist(side: Side, scale: f64) -> Isometry3<f64> {
    /// Distance from the wrist ahead to the grip, for a hand of average size, in metres.
    const AHEAD: f64 = 0.055;
    /// Distance from the wrist down to the grip, for a hand of average size, in metres.
    const BELOW: f64 = 0.012;
    let out = match side {
        Side::Right => 1.0,
        Side::Left => -1.0,
    };
    // Columns are the grip's axes in the wrist's frame.
    let turn = Matrix3::from_columns(&[Vector3::y() * out, Vector3::z(), Vector3::x() * out]);
    let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn));
    let place = Translation3::new(0.0, -BELOW / scale, -AHEAD / scale);
    Isometry3::from_parts(place, turn).inverse()
}

#[cfg(test)]
mod tests {
    use calibration::{Finger, JointAngles, Profile};
    use nalgebra::Point3;

    use super::*;

    #[test]
    fn a_hand_is_round_what_it_holds() {
        for side in [Side::Left, Side::Right] {
            let bones = Profile::uncalibrated(side).bones(&JointAngles::default());
            let grip_from_wrist = grip_from_wrist(side, 1.0);
            let at = |p: Point3<f64>| grip_from_wrist * p;
            let knuckle = |finger: Finger| at(bones.fingers[finger.index()].joints[0]);
            // From the pinkie to the index, a handle goes along -z.
            let along = knuckle(Finger::Index) - knuckle(Finger::Pinkie);
            assert!(along.z < -0.04 && along.z.abs() > 5.0 * along.x.abs(), "{side:?}: {along}");
            // The wrist is on the +y side, the fingers on the other.
            let (wrist, tip) = (at(Point3::origin()), at(bones.fingers[2].joints[3]));
            assert!(wrist.y > 0.04 && tip.y < -0.1, "{side:?}: {wrist} {tip}");
            // The flesh is between the grip's origin and the back of the hand.
            let back = grip_from_wrist * Vector3::y();
            assert!((back.x.abs() - 1.0).abs() < 1e-12);
            assert!((wrist.coords.dot(&back) - 0.012).abs() < 1e-12, "{side:?}");
        }
    }

    #[test]
    fn every_kind_of_controller_has_all_five_uses() {
        for (kind, parts) in KINDS {
            let single = SINGLE.iter().filter(|(of, _)| *of == kind).map(|(_, (used, _))| used);
            let uses: Vec<&PartUse> = parts.iter().map(|(used, _)| used).chain(single).collect();
            for wanted in
                [PartUse::Grip, PartUse::Aim, PartUse::Close, PartUse::Menu, PartUse::Vibrate]
            {
                assert!(uses.contains(&&wanted), "{kind}: {wanted:?}");
            }
        }
    }
}
