//! The key light: its direction and the space that it reaches.

use bytemuck::{Pod, Zeroable};
use nalgebra::{Matrix4, Orthographic3, Point3, Vector3};

use super::viewpoint::WITH_DEPTH_FROM_ZERO;

/// The light; `KeyLight` in the shaders.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LightUniform {
    light_from_world: [[f32; 4]; 4],
    to_light: [f32; 4],
    /// Brightness of the surroundings, 0 to 1; the other components are unused.
    surroundings: [f32; 4],
    /// Least and largest x and y of shadow casters, in the light's view.
    casters: [f32; 4],
}

/// Bounds of the shadow casters in the light's view; shaders search for shadows only within.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Casters {
    light_from_world: Matrix4<f32>,
    low: [f32; 2],
    high: [f32; 2],
}

/// Background and ground of the scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Surroundings {
    /// A dim room with a pool of light.
    #[default]
    Dark,
    /// A bright table.
    Light,
}

/// Distance from the middle of the stage within which objects cast shadows.
const REACH: f32 = 0.26;
const MIDDLE: Point3<f32> = Point3::new(0.02, 0.08, 0.0);
/// Direction to the light: over the viewer's left shoulder, high enough for short shadows.
const TO_LIGHT: Vector3<f32> = Vector3::new(-0.42, 0.80, 0.43);

impl Default for Casters {
    /// Nothing yet.
    fn default() -> Self {
        let light_from_world = light_from_world(&(TO_LIGHT / TO_LIGHT.norm()));
        Self { light_from_world, low: [2.0; 2], high: [-2.0; 2] }
    }
}

impl Casters {
    /// Adds a box by its corners in the world.
    pub(super) fn add_box(&mut self, low: [f32; 3], high: [f32; 3], world_from_box: &Matrix4<f32>) {
        let light_from_box = self.light_from_world * world_from_box;
        for corner in 0..8 {
            let side = |axis: usize| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] };
            let seen = light_from_box.transform_point(&Point3::new(side(0), side(1), side(2)));
            for axis in 0..2 {
                self.low[axis] = self.low[axis].min(seen[axis]);
                self.high[axis] = self.high[axis].max(seen[axis]);
            }
        }
    }
}

impl From<egui::Theme> for Surroundings {
    fn from(theme: egui::Theme) -> Self {
        match theme {
            egui::Theme::Dark => Self::Dark,
            egui::Theme::Light => Self::Light,
        }
    }
}

impl LightUniform {
    pub(super) fn new(surroundings: Surroundings, casters: &Casters) -> Self {
        let to_light = TO_LIGHT / TO_LIGHT.norm();
        Self {
            light_from_world: casters.light_from_world.into(),
            casters: [casters.low[0], casters.low[1], casters.high[0], casters.high[1]],
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
    use nalgebra::Isometry3;

    #[test]
    fn casters_are_within_their_box_as_the_light_sees_it() {
        let mut casters = Casters::default();
        let turned = Isometry3::new(Vector3::new(0.02, 0.05, -0.01), Vector3::new(0.3, 0.8, -0.2));
        let world_from_box = turned.to_homogeneous();
        casters.add_box([-0.03, -0.02, -0.01], [0.03, 0.02, 0.01], &world_from_box);
        for inside in [[0.03, 0.02, 0.01], [-0.03, 0.02, 0.0], [0.0, 0.0, 0.0], [0.01, -0.02, 0.01]]
        {
            let seen = (casters.light_from_world * world_from_box).transform_point(&inside.into());
            for axis in 0..2 {
                assert!((casters.low[axis]..=casters.high[axis]).contains(&seen[axis]), "{seen}");
            }
        }
        assert!(casters.high[0] - casters.low[0] < 0.4, "half a box of a tenth of the stage");
    }

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
