//! An orbit camera around the objects, for a person at a screen.

use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::{Matrix4, Perspective3, Point3, Unit, Vector3};

use super::viewpoint::{Backdrop, Viewpoint, WITH_DEPTH_FROM_ZERO};

/// Turns about a target; `yaw` and `pitch` of zero look along -z at the height of the target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Point in the middle of the picture.
    pub target: Point3<f64>,
    /// Distance from the eye to the target.
    pub distance: f64,
    /// Positive to the right of the target.
    pub yaw: f64,
    /// Positive above the target.
    pub pitch: f64,
}

/// Vertical angle of view, narrow enough that a thing near the hand keeps its proportions.
const FIELD_OF_VIEW: f64 = 32.0 * TAU / 360.0;
const NEAR: f64 = 0.01;
const FAR: f64 = 10.0;
/// Least pitch: just above the ground, which shows nothing from below.
const LOWEST_PITCH: f64 = 0.04;
/// Largest pitch: less than straight down, where the upward direction is undefined.
const HIGHEST_PITCH: f64 = FRAC_PI_2 - 0.02;
const NEAREST: f64 = 0.08;
const FARTHEST: f64 = 2.0;
/// Largest distance of the target from the origin; beyond it, everything is out of sight.
const PAN_LIMIT: f64 = 0.5;

impl Default for Camera {
    /// Frames a thing of 6 cm on the ground and a hand that comes to it from the upper right.
    fn default() -> Self {
        Self { target: Point3::new(0.01, 0.085, 0.0), distance: 0.5, yaw: -0.32, pitch: 0.36 }
    }
}

impl Camera {
    /// Turns about the target.
    pub fn orbit(&mut self, yaw: f64, pitch: f64) {
        self.yaw = (self.yaw + yaw) % TAU;
        self.pitch = (self.pitch + pitch).clamp(LOWEST_PITCH, HIGHEST_PITCH);
    }

    /// Multiplies the distance, within limits.
    pub fn zoom(&mut self, factor: f64) {
        self.distance = (self.distance * factor).clamp(NEAREST, FARTHEST);
    }

    /// Moves the target in the picture's plane; one unit is the height of the picture.
    pub fn pan(&mut self, right: f64, up: f64) {
        let height = self.height_at_target();
        let [to_right, to_top] = self.across();
        let moved = self.target + (to_right * right + to_top * up) * height;
        self.target = moved.map(|x| x.clamp(-PAN_LIMIT, PAN_LIMIT));
    }

    /// Returns the height of the visible world at the target's distance.
    pub fn height_at_target(&self) -> f64 {
        2.0 * self.distance * (FIELD_OF_VIEW / 2.0).tan()
    }

    pub fn view_from_world(&self) -> Matrix4<f64> {
        Matrix4::look_at_rh(&self.eye(), &self.target, &Vector3::y())
    }

    /// Returns the viewpoint for a picture of `aspect` = width / height.
    pub fn viewpoint(&self, aspect: f64) -> Viewpoint {
        let clip_from_world = clip_from_view(aspect) * self.view_from_world();
        let (clip_from_world, eye_in_world) = (clip_from_world.cast(), self.eye().cast());
        Viewpoint { clip_from_world, eye_in_world, backdrop: Backdrop::Picture }
    }

    /// Returns the eye, and the line of sight through a point of the picture: from -1 to 1, to the
    /// right and up.
    pub fn ray(&self, aspect: f64, [right, up]: [f64; 2]) -> (Point3<f64>, Unit<Vector3<f64>>) {
        let half = (FIELD_OF_VIEW / 2.0).tan();
        let [to_right, to_top] = self.across();
        let way = to_right * (right * aspect * half) + to_top * (up * half) - self.back();
        (self.eye(), Unit::new_normalize(way))
    }

    /// Unit vectors to the right and to the top of the picture.
    pub fn across(&self) -> [Vector3<f64>; 2] {
        let to_right = Vector3::new(self.yaw.cos(), 0.0, -self.yaw.sin());
        [to_right, self.back().cross(&to_right)]
    }

    fn eye(&self) -> Point3<f64> {
        self.target + self.back() * self.distance
    }

    /// Unit vector from the target to the eye.
    fn back(&self) -> Vector3<f64> {
        let (sin_yaw, cos_yaw) = self.yaw.sin_cos();
        let (sin_pitch, cos_pitch) = self.pitch.sin_cos();
        Vector3::new(cos_pitch * sin_yaw, sin_pitch, cos_pitch * cos_yaw)
    }
}

fn clip_from_view(aspect: f64) -> Matrix4<f64> {
    WITH_DEPTH_FROM_ZERO * Perspective3::new(aspect, FIELD_OF_VIEW, NEAR, FAR).to_homogeneous()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level() -> Camera {
        Camera { target: Point3::origin(), distance: 0.5, yaw: 0.0, pitch: 0.0 }
    }

    /// Projects a point: x to the right and y up, both -1..1, and depth.
    fn landed(camera: &Camera, point: Point3<f64>) -> Point3<f64> {
        (clip_from_view(2.0) * camera.view_from_world()).transform_point(&point)
    }

    fn check(camera: &Camera, point: Point3<f64>, expected: [f64; 2]) {
        let clip = landed(camera, point);
        assert!((clip.x - expected[0]).abs() < 1e-12, "{clip} instead of {expected:?}");
        assert!((clip.y - expected[1]).abs() < 1e-12, "{clip} instead of {expected:?}");
        assert!(clip.z > 0.0 && clip.z < 1.0);
    }

    #[test]
    fn points_land_where_the_lens_puts_them() {
        let top = 0.5 * (FIELD_OF_VIEW / 2.0).tan();
        check(&level(), Point3::origin(), [0.0, 0.0]);
        check(&level(), Point3::new(0.0, top, 0.0), [0.0, 1.0]);
        check(&level(), Point3::new(2.0 * top, 0.0, 0.0), [1.0, 0.0]);
        // Half the distance doubles the apparent size.
        check(&level(), Point3::new(0.0, top / 2.0, 0.25), [0.0, 1.0]);
    }

    #[test]
    fn depth_runs_from_zero_to_one() {
        assert!(landed(&level(), Point3::new(0.0, 0.0, 0.5 - NEAR)).z.abs() < 1e-9);
        assert!((landed(&level(), Point3::new(0.0, 0.0, 0.5 - FAR)).z - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_quarter_turn_to_the_right_looks_from_the_right() {
        let mut camera = level();
        camera.orbit(FRAC_PI_2, 0.0);
        camera.pitch = 0.0;
        // What points at the viewer is now on the left.
        assert!((camera.eye() - Point3::new(0.5, 0.0, 0.0)).norm() < 1e-12);
        assert!(landed(&camera, Point3::new(0.0, 0.0, 0.1)).x < -0.1);
    }

    #[test]
    fn the_camera_stays_above_ground_and_in_reach() {
        let mut camera = level();
        camera.orbit(0.0, -9.0);
        assert_eq!(camera.pitch, LOWEST_PITCH);
        camera.orbit(0.0, 9.0);
        assert_eq!(camera.pitch, HIGHEST_PITCH);
        camera.zoom(1e9);
        assert_eq!(camera.distance, FARTHEST);
        camera.zoom(0.0);
        assert_eq!(camera.distance, NEAREST);
        camera.pan(1e9, -1e9);
        assert!(camera.target.iter().all(|x| x.abs() <= PAN_LIMIT));
    }

    #[test]
    fn panning_by_the_picture_moves_the_target_to_its_edge() {
        let before = Camera::default();
        let mut after = before;
        after.pan(0.0, 0.5);
        assert!((landed(&before, after.target) - Point3::new(0.0, 1.0, 0.0)).xy().norm() < 1e-12);
        after = before;
        after.pan(0.5, 0.0);
        // The picture is twice as wide as high.
        assert!((landed(&before, after.target) - Point3::new(0.5, 0.0, 0.0)).xy().norm() < 1e-12);
    }
}
