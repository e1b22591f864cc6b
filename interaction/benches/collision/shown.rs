//! A hand that is shown at a skin which it presses: fingers that stop there, look after look.

use calibration::{HandPose, Profile};
use drivers::Hand as Side;
use interaction::collision::TouchableSurface;
use interaction::grasp::GraspRules;
use interaction::posture::{CUBE_MIDDLE, Posture, grasping_wrist};
use interaction::shown_hand::{Obstacle, Stops};
use nalgebra::Isometry3;

/// A hand about the middle of a body.
pub(crate) struct ShownHand {
    profile: Profile,
    posture: Posture,
    rules: GraspRules,
    world_from_object: Isometry3<f64>,
    stops: Stops,
    n_looks: u32,
}

impl ShownHand {
    pub(crate) fn new() -> Self {
        let [x, y, z] = CUBE_MIDDLE;
        Self {
            profile: Profile::uncalibrated(Side::Right),
            posture: Posture::grasping(),
            rules: GraspRules::default(),
            world_from_object: Isometry3::translation(x, y, z),
            stops: Stops::default(),
            n_looks: 0,
        }
    }

    /// One more look, at 90 Hz; the hand trembles. Says whether a finger is shown elsewhere than it is.
    pub(crate) fn look(&mut self, surface: &TouchableSurface) -> bool {
        self.n_looks += 1;
        let time = f64::from(self.n_looks) / 90.0;
        let angles = self.posture.natural_angles(&[1.3 + 0.02 * (9.0 * time).sin(); 5]);
        let pose = HandPose { angles, world_from_wrist: grasping_wrist(Side::Right) };
        let obstacles = [Obstacle { surface, world_from_object: &self.world_from_object }];
        let shown = self.stops.show(&self.profile, &pose, &self.rules, &obstacles, time);
        shown.segments != interaction::hand::Hand::new(&self.profile, &pose).segments
    }
}
