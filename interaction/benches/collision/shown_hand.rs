//! A drawn hand that presses a skin: fingers that stop there, picture after picture.

use calibration::{HandPose, Profile};
use drivers::Side;
use interaction::collision::TouchableSurface;
use interaction::grasp::GraspRules;
use interaction::posture::{CUBE_MIDDLE, Posture, grasping_wrist};
use interaction::shown_hand::{Obstacle, ShownHand};
use nalgebra::Isometry3;

/// A hand about the middle of a body.
pub(crate) struct PressingHand {
    profile: Profile,
    posture: Posture,
    rules: GraspRules,
    world_from_object: Isometry3<f64>,
    shown: ShownHand,
    n_looks: u32,
}

impl PressingHand {
    pub(crate) fn new() -> Self {
        let [x, y, z] = CUBE_MIDDLE;
        Self {
            profile: Profile::uncalibrated(Side::Right),
            posture: Posture::grasping(),
            rules: GraspRules::default(),
            world_from_object: Isometry3::translation(x, y, z),
            shown: ShownHand::default(),
            n_looks: 0,
        }
    }

    /// Draws the next picture, at 90 Hz, of a trembling hand. Returns true if a finger is drawn
    /// elsewhere than the real one.
    pub(crate) fn look(&mut self, surface: &TouchableSurface) -> bool {
        self.n_looks += 1;
        let time = f64::from(self.n_looks) / 90.0;
        let angles = self.posture.natural_angles(&[1.3 + 0.02 * (9.0 * time).sin(); 5]);
        let pose = HandPose { angles, world_from_wrist: grasping_wrist(Side::Right) };
        let obstacles = [Obstacle { surface, world_from_object: self.world_from_object }];
        let shown = self.shown.show(&self.profile, &pose, &self.rules, &obstacles, time);
        shown.segments != interaction::hand::Hand::new(&self.profile, &pose).segments
    }
}
