//! The key light: where it comes from and what it reaches.

use bytemuck::{Pod, Zeroable};
use nalgebra::{Matrix4, Orthographic3, Point3, Vector3};

use super::viewpoint::WITH_DEPTH_FROM_ZERO;

/// The light; `Stage` in the shaders.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Stage {
    light_from_world: [[f32; 4]; 4],
    to_light: [f32; 4],
    /// How bright the surroundings are, 0 to 1, and nothing else.
    surroundings: [f32; 4],
}

/// What is behind and below the things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Surroundings {
    /// A dim room with a pool of light.
    #[default]
    Dark,
    /// A bright table.
    Light,
}

/// What is within this distance of the middle of the stage casts a shadow.
const REACH: f32 = 0.26;
const MIDDLE: Point3<f32> = Point3::new(0.02, 0.08, 0.0);
/// Towards the light: over the viewer's left shoulder, high enough for short shadows.
const TO_LIGHT: Vector3<f32> = Vector3::new(-0.42, 0.80, 0.43);

impl From<egui::Theme> for Surroundings {
    fn from(theme: egui::Theme) -> Self {
        match theme {
            egui::Theme::Dark => Self::Dark,
            egui::Theme::Light => Self::Light,
        }
    }
}

impl Stage {
    pub(super) fn new(surroundings: Surroundings) -> Self {
        let to_light = TO_LIGHT / TO_LIGHT.norm();
        Self {
            light_from_world: light_from_world(&to_light).into(),
            to_light: to_light.push(0.0).into(),
            surroundings: match surroundings {
                Surroundings::Dark => [0.0; 4],
                Surroundings::Light => [1.0, 0.0, 0.0, 0.0],
            },
        }
    }
}

/// Parallel light: its clip space is a box round the stage.
fn light_from_world(to_light: &Vector3<f32>) -> Matrix4<f32> {
    let lamp_from_world = Matrix4::look_at_rh(&(MIDDLE + to_light), &MIDDLE, &Vector3::y());
    let (near, far) = (1.0 - REACH, 1.0 + REACH);
    let box_from_lamp = Orthographic3::new(-REACH, REACH, -REACH, REACH, near, far);
    WITH_DEPTH_FROM_ZERO.cast::<f32>() * box_from_lamp.to_homogeneous() * lamp_from_world
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_on_the_stage_is_in_the_light() {
        let light = light_from_world(&(TO_LIGHT / TO_LIGHT.norm()));
        for corner in [[-0.1, 0.0, -0.1], [0.15, 0.2, 0.1], [0.1, 0.0, 0.1], [-0.1, 0.2, 0.1]] {
            let seen = light.transform_point(&Point3::from(corner));
            assert!(seen.x.abs() < 1.0 && seen.y.abs() < 1.0, "{seen}");
            assert!(seen.z > 0.0 && seen.z < 1.0, "{seen}");
        }
    }
}
