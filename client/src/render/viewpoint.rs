//! Position and lens of a camera or an eye, as the renderer needs them.
//!
//! The world is right-handed with y up; the view frame looks along -z; clip space has depth 0 at
//! the near plane and 1 at the far plane.

use nalgebra::{Isometry3, Matrix4, Point3};

/// Position and lens of one picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewpoint {
    pub clip_from_world: Matrix4<f32>,
    pub eye_in_world: Point3<f32>,
    pub backdrop: Backdrop,
}

/// What the backdrop stays fixed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backdrop {
    /// The picture, as on a photographer's table.
    Picture,
    /// The world: it has a horizon, which stays level when a head moves.
    World,
}

/// Field of view of an eye: angles from straight ahead to the edges of its picture, in radians, as
/// OpenXR gives them (left and down are negative for an eye that looks straight ahead), and the
/// nearest and farthest distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lens {
    pub left: f64,
    pub right: f64,
    pub up: f64,
    pub down: f64,
    pub near: f64,
    pub far: f64,
}

impl Viewpoint {
    /// Returns the viewpoint of an eye at a pose: that of a headset, or a fixed camera.
    pub fn of_eye(world_from_view: &Isometry3<f64>, lens: &Lens) -> Self {
        let clip_from_world = lens.clip_from_view() * world_from_view.inverse().to_homogeneous();
        Self {
            clip_from_world: clip_from_world.cast(),
            eye_in_world: Point3::from(world_from_view.translation.vector.cast()),
            backdrop: Backdrop::World,
        }
    }
}

impl Lens {
    fn clip_from_view(&self) -> Matrix4<f64> {
        let [left, right] = [self.left.tan(), self.right.tan()];
        let [down, up] = [self.down.tan(), self.up.tan()];
        let (width, height, depth) = (right - left, up - down, self.far - self.near);
        #[rustfmt::skip]
        let matrix = Matrix4::new(
            2.0 / width, 0.0, (right + left) / width, 0.0,
            0.0, 2.0 / height, (up + down) / height, 0.0,
            0.0, 0.0, -self.far / depth, -self.far * self.near / depth,
            0.0, 0.0, -1.0, 0.0,
        );
        matrix
    }
}

/// nalgebra's projections give depths of -1..1, the graphics processor wants 0..1.
#[rustfmt::skip]
pub(super) const WITH_DEPTH_FROM_ZERO: Matrix4<f64> = Matrix4::new(
    1.0, 0.0, 0.0, 0.0,
    0.0, 1.0, 0.0, 0.0,
    0.0, 0.0, 0.5, 0.5,
    0.0, 0.0, 0.0, 1.0,
);

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    #[test]
    fn an_eye_sees_its_edges_at_the_edges_of_its_picture() {
        // As for the left eye of a headset: more to the left than to the right.
        let lens = Lens { left: -0.9, right: 0.7, up: 0.6, down: -0.8, near: 0.05, far: 20.0 };
        let pose = Isometry3::new(Vector3::new(0.3, 1.6, 0.5), Vector3::new(0.2, -0.4, 0.1));
        let viewpoint = Viewpoint::of_eye(&pose, &lens);
        let check = |across: f64, up: f64, away: f64, expected: [f64; 3]| {
            let in_view = Point3::new(across.tan() * away, up.tan() * away, -away);
            let clip = viewpoint.clip_from_world.cast::<f64>().transform_point(&(pose * in_view));
            let error = (clip - Point3::from(expected)).norm();
            assert!(error < 1e-4, "{clip} instead of {expected:?}");
        };
        check(lens.left, lens.down, lens.near, [-1.0, -1.0, 0.0]);
        check(lens.right, lens.up, lens.far, [1.0, 1.0, 1.0]);
        assert!((viewpoint.eye_in_world - Point3::new(0.3, 1.6, 0.5)).norm() < 1e-6);
    }
}
