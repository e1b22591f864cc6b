//! Controllers: for hands that nobody tracks. Where they are held is where the hand is, their triggers close its
//! fingers, and they tremble with what the fingers press.

use std::time::Instant;

use calibration::HandPose;
use drivers::Side;
use interaction::posture::{FULLY_CLOSED, Posture};
use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};
use openxr as xr;

use super::error::HeadsetError;
use super::hand_tracking::{SeenBy, SeenHand};
use super::room_space::RoomSpace;

/// What the program asks of controllers, whichever they are.
pub(super) struct Controllers {
    actions: xr::ActionSet,
    hands: [(Side, xr::Path); 2],
    grips: [xr::Space; 2],
    aims: [xr::Space; 2],
    close: xr::Action<f32>,
    menu: xr::Action<bool>,
    tremble: xr::Action<xr::Haptic>,
    posture: Posture,
}

/// What a button or a motor is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartUse {
    Grip,
    Aim,
    Close,
    Menu,
    Tremble,
}

/// Where a part of a controller is, below the path of its hand.
type ControllerPart = (PartUse, &'static str);

const GRIP: ControllerPart = (PartUse::Grip, "input/grip/pose");
const AIM: ControllerPart = (PartUse::Aim, "input/aim/pose");
const MENU: ControllerPart = (PartUse::Menu, "input/menu/click");
const TRIGGER: ControllerPart = (PartUse::Close, "input/trigger/value");
const SQUEEZE: ControllerPart = (PartUse::Close, "input/squeeze/value");
const SQUEEZE_CLICK: ControllerPart = (PartUse::Close, "input/squeeze/click");
const MOTOR: ControllerPart = (PartUse::Tremble, "output/haptic");

/// Kinds of controllers that runtimes know; others they map to one of these. Of several parts that close the fingers,
/// the one that is pressed farthest counts.
const KINDS: [(&str, &[ControllerPart]); 5] = [
    ("khr/simple_controller", &[GRIP, AIM, (PartUse::Close, "input/select/click"), MENU, MOTOR]),
    // The right one has no button of that name.
    ("oculus/touch_controller", &[GRIP, AIM, TRIGGER, SQUEEZE, MOTOR]),
    (
        "valve/index_controller",
        &[GRIP, AIM, TRIGGER, SQUEEZE, (PartUse::Menu, "input/b/click"), MOTOR],
    ),
    ("htc/vive_controller", &[GRIP, AIM, TRIGGER, SQUEEZE_CLICK, MENU, MOTOR]),
    ("microsoft/motion_controller", &[GRIP, AIM, TRIGGER, SQUEEZE_CLICK, MENU, MOTOR]),
];
/// Buttons that only one of a pair has: whole paths.
const SINGLE: [(&str, ControllerPart); 2] = [
    ("oculus/touch_controller", (PartUse::Menu, "/user/hand/left/input/menu/click")),
    ("oculus/touch_controller", (PartUse::Menu, "/user/hand/right/input/b/click")),
];
/// A trigger that is pulled farther clicks.
const CLICK: f32 = 0.6;

/// Every frame says anew how hard they tremble; without frames they soon keep still.
const TREMBLE_NANOS: i64 = 100_000_000;

impl Controllers {
    pub(super) fn new(
        instance: &xr::Instance,
        session: &xr::Session<xr::Vulkan>,
    ) -> Result<Self, HeadsetError> {
        let actions = instance.create_action_set("hand", "The hand at work", 0)?;
        let hands = [(Side::Left, "/user/hand/left"), (Side::Right, "/user/hand/right")];
        let paths = [instance.string_to_path(hands[0].1)?, instance.string_to_path(hands[1].1)?];
        let grip = actions.create_action::<xr::Posef>("grip", "Where the hand is", &paths)?;
        let aim = actions.create_action::<xr::Posef>("aim", "Where the hand points", &paths)?;
        let menu = actions.create_action::<bool>("menu", "Open or close the menu", &paths)?;
        let close = actions.create_action::<f32>("close", "Close the fingers", &paths)?;
        let tremble = actions.create_action::<xr::Haptic>("tremble", "What is felt", &paths)?;
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
                    PartUse::Tremble => xr::Binding::new(&tremble, path),
                });
            }
            let profile = instance.string_to_path(&format!("/interaction_profiles/{kind}"))?;
            // A runtime need not know all of them.
            if let Err(why) = instance.suggest_interaction_profile_bindings(profile, &bindings) {
                tracing::debug!(kind, ?why, "the runtime takes no such controllers");
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
            tremble,
            posture: Posture::grasping(),
        })
    }

    /// Takes what has been done with them since the last call.
    pub(super) fn listen(&self, session: &xr::Session<xr::Vulkan>) -> Result<(), HeadsetError> {
        Ok(session.sync_actions(&[xr::ActiveActionSet::new(&self.actions)])?)
    }

    /// A hand that holds a controller, left first, as it will be at that time.
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

    /// Where a controller is held, in the room.
    pub(super) fn grip_in_room(
        &self,
        room: &RoomSpace,
        time: xr::Time,
        hand: usize,
    ) -> Result<Option<Isometry3<f64>>, HeadsetError> {
        room.locate_in_room(&self.grips[hand], time)
    }

    /// Where a controller points in the world, along -z, and whether its trigger is pulled.
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

    /// Whether a button for the menu is pressed.
    pub(super) fn wants_menu(
        &self,
        session: &xr::Session<xr::Vulkan>,
    ) -> Result<bool, HeadsetError> {
        let [left, right] = self.hands.map(|(_, path)| self.menu.state(session, path));
        Ok(left?.current_state || right?.current_state)
    }

    /// Lets a controller tremble; 0 keeps it still, 1 is all it can do. Says whether there is one.
    pub(super) fn tremble(
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
            self.tremble.apply_feedback(session, path, &event)?;
        } else {
            self.tremble.stop_feedback(session, path)?;
        }
        Ok(self.close.state(session, path)?.is_active)
    }
}

/// Where the wrist is of a hand that holds something at a grip pose of OpenXR.
///
/// A grip's origin is in the middle of the palm, on its skin. Its -z goes along what the fist holds, from the little finger to
/// the thumb; its x is across the palm, out of the back of a right hand and out of the palm of a left one; so its y
/// goes from the fingers to the wrist.
fn grip_from_wrist(side: Side, scale: f64) -> Isometry3<f64> {
    /// Of a hand of average size.
    const AHEAD: f64 = 0.055;
    const BELOW: f64 = 0.012;
    let out = match side {
        Side::Right => 1.0,
        Side::Left => -1.0,
    };
    // Columns are the grip's axes as the wrist has them.
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
    fn every_kind_of_controller_places_points_closes_asks_and_trembles() {
        for (kind, parts) in KINDS {
            let single = SINGLE.iter().filter(|(of, _)| *of == kind).map(|(_, (used, _))| used);
            let uses: Vec<&PartUse> = parts.iter().map(|(used, _)| used).chain(single).collect();
            for wanted in
                [PartUse::Grip, PartUse::Aim, PartUse::Close, PartUse::Menu, PartUse::Tremble]
            {
                assert!(uses.contains(&&wanted), "{kind}: {wanted:?}");
            }
        }
    }
}
