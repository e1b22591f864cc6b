//! Scene with the hand to imitate and the person's own hand, side by side.
//!
//! The camera is fixed. Dragging turns each hand in place, so that neither ever hides the other.

use std::sync::Arc;

use calibration::{HandPose, JointAngles, Profile};
use interaction::hand::Hand;
use interaction::scene::{FingerContact, FingertipView, HandRole, HandView, Scene};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::page::{Body, Page};
use crate::render::Camera;

/// Makes a scene whenever hands or view have changed.
#[derive(Debug, Default)]
pub(super) struct Turntable {
    shown: Option<ShownHands>,
}

/// Contents of a scene.
#[derive(Debug, Clone, PartialEq)]
struct ShownHands {
    hand: drivers::Side,
    model: Option<JointAngles>,
    own: Option<JointAngles>,
    yaw: f64,
    pitch: f64,
}

/// Initial view. The hands point away from the person, as the own hand does, and are seen from
/// above and from the thumb's side, where bent fingers show best.
pub(super) const FIRST_LOOK: Camera =
    Camera { target: Point3::new(0.0, MIDDLE_HEIGHT, 0.0), distance: 0.45, yaw: 0.0, pitch: 0.46 };

/// Distance of each hand from the middle, in metres.
const ASIDE: f64 = 0.115;
/// Height above the ground: bent fingers need room.
const MIDDLE_HEIGHT: f64 = 0.13;
/// Distance from the wrist to the middle of the hand.
const REACH: f64 = 0.085;
/// Angle by which the thumb's side is turned to the camera, in radians.
const TOWARDS_THUMB: f64 = 0.95;
/// A thumb under the palm is seen from below and nearly from its side.
const UNDER_YAW: f64 = 0.25;
const UNDER_PITCH: f64 = -0.95;
/// Roll of the thumb beyond which a flat palm hides it, in radians.
const HIDDEN_ROLL: f64 = 0.8;
/// The least aspect of a picture at which both hands fill it.
const FULL_ASPECT: f64 = 1.75;
/// Pitch of the camera; the hands turn by the rest.
const EYE_PITCH: f64 = 0.22;

impl Turntable {
    /// Returns the scene if it has changed.
    pub(super) fn scene(&mut self, page: &Page, camera: &Camera) -> Option<Arc<Scene>> {
        let shown = ShownHands {
            hand: page.hand,
            model: model(page),
            own: page.live,
            yaw: camera.yaw,
            pitch: camera.pitch,
        };
        if self.shown.as_ref() == Some(&shown) {
            return None;
        }
        let scene = shown.scene();
        self.shown = Some(shown);
        Some(Arc::new(scene))
    }
}

/// Returns the camera for a picture of this aspect (width over height): at the person's distance,
/// but always from the front, and far enough to show all hands.
pub(super) fn eye(page: &Page, camera: &Camera, aspect: f64) -> Camera {
    let full = if model(page).is_some() { FULL_ASPECT } else { FULL_ASPECT / 2.0 };
    let distance = camera.distance * (full / aspect).max(1.0);
    Camera { yaw: 0.0, pitch: EYE_PITCH, distance, ..*camera }
}

/// Distance of each of two hands from the middle of a picture, as a share of its width.
pub(super) fn aside_share(page: &Page, aspect: f64) -> f64 {
    let eye = eye(page, &FIRST_LOOK, aspect);
    ASIDE / (aspect * eye.height_at_target())
}

/// The pose to make, while there is one.
fn model(page: &Page) -> Option<JointAngles> {
    match &page.body {
        Body::Step(step) => Some(step.picture),
        Body::Opening | Body::Outliers(_) | Body::Empty | Body::Result(_) | Body::Saved { .. } => {
            None
        }
    }
}

impl ShownHands {
    fn scene(&self) -> Scene {
        let mut hands = Vec::new();
        if let Some(angles) = &self.model {
            hands.push(self.view(angles, HandRole::Model, -ASIDE));
        }
        if let Some(angles) = &self.own {
            let x = if self.model.is_some() { ASIDE } else { 0.0 };
            hands.push(self.view(angles, HandRole::Own, x));
        }
        Scene { hands, ..Scene::default() }
    }

    fn view(&self, angles: &JointAngles, role: HandRole, x: f64) -> HandView {
        let thumb_side = match self.hand {
            drivers::Side::Right => 1.0,
            drivers::Side::Left => -1.0,
        };
        let (more_yaw, more_pitch) = match self.model.is_some_and(|model| hides_thumb(&model)) {
            true => (UNDER_YAW, UNDER_PITCH),
            false => (0.0, 0.0),
        };
        // The camera would orbit one way, so the hand turns the other way.
        let yaw = (TOWARDS_THUMB + more_yaw) * thumb_side - self.yaw;
        let yaw = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), yaw);
        let pitch = self.pitch + more_pitch - EYE_PITCH;
        let pitch = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), pitch);
        let world_from_middle =
            Isometry3::from_parts(Translation3::new(x, MIDDLE_HEIGHT, 0.0), pitch * yaw);
        let middle_from_wrist = Translation3::new(0.0, 0.0, REACH);
        let pose =
            HandPose { angles: *angles, world_from_wrist: world_from_middle * middle_from_wrist };
        let hand = Hand::new(&Profile::uncalibrated(self.hand), &pose);
        HandView {
            shapes: hand.shapes().collect(),
            palm: hand.palm,
            fingertips: hand.fingertips.map(|tip| FingertipView {
                centre: tip.centre,
                radius: tip.radius,
                contact: FingerContact::Free,
            }),
            role,
        }
    }
}

/// True if the pose is about the thumb, which is hidden from above.
fn hides_thumb(angles: &JointAngles) -> bool {
    let is_flat = angles.fingers.iter().all(|finger| finger.mpj + finger.pij < 0.5);
    is_flat && angles.thumb.roll > HIDDEN_ROLL
}

#[cfg(test)]
mod tests {
    use calibration::PoseId;

    use super::*;
    use crate::calibrate::window_ui::page::StepBody;

    #[test]
    fn thumbs_under_the_palm_are_seen_from_below_and_nothing_else_is() {
        let hidden: Vec<PoseId> =
            PoseId::all().filter(|pose| hides_thumb(&pose.pose().angles())).collect();
        assert_eq!(hidden, [PoseId::ThumbDown, PoseId::ThumbUnder, PoseId::ThumbAcross]);
    }

    #[test]
    fn both_hands_are_in_every_picture() {
        let step = Page { body: Body::Step(StepBody::default()), ..Page::default() };
        for aspect in [0.5, 1.0, 1.78, 1.9, 3.0] {
            let share = aside_share(&step, aspect);
            assert!((0.1..0.3).contains(&share), "{share}");
        }
    }

    #[test]
    fn nothing_new_is_no_new_scene() {
        let (mut turntable, mut page) = (Turntable::default(), Page::default());
        page.live = Some(JointAngles::default());
        assert_eq!(turntable.scene(&page, &FIRST_LOOK).unwrap().hands.len(), 1);
        assert!(turntable.scene(&page, &FIRST_LOOK).is_none());
        let turned = Camera { yaw: 0.1, ..FIRST_LOOK };
        assert!(turntable.scene(&page, &turned).is_some());
        // Another distance changes the picture, not the scene.
        assert!(turntable.scene(&page, &Camera { distance: 1.0, ..turned }).is_none());
    }
}
