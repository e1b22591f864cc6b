//! Shapes that touch a body: gap and normal of a point beside each of them.

use nalgebra::{Isometry3, Point3, Vector3};

use super::pad::{Friction, Pad};
use super::settings::ContactError;

/// Rigid shape about its own origin. A pose places it; anchors ride on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ProxyShape {
    /// Ball about the origin.
    Sphere {
        /// Radius of the ball.
        radius: f64,
    },
    /// Cylinder along y, the middle of its axis in the origin.
    Cylinder {
        /// Radius of the cylinder.
        radius: f64,
        /// Half of the distance between the caps.
        half_length: f64,
        /// True if a half ball closes each end; else the caps are flat.
        is_rounded: bool,
    },
    /// Box about the origin.
    Box {
        /// Half of the lengths along x, y and z.
        half_extents: Vector3<f64>,
    },
    /// All points with `y < 0`. The plane pushes along y.
    Plane,
}

/// Distance of a point from a shape, negative inside, and the direction in which the shape pushes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// Signed distance, in metres.
    pub distance: f64,
    /// Unit vector out of the shape.
    pub normal: Vector3<f64>,
}

/// Shape in contact with a body: its motion during a step, its pad and its friction. The place in
/// the list of a step's shapes is its identity and must not change while it touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactProxy {
    /// The shape.
    pub shape: ProxyShape,
    /// Pose at the beginning of the step, in the world.
    pub from: Isometry3<f64>,
    /// Pose at the end of the step, in the world.
    pub to: Isometry3<f64>,
    /// Soft layer of the shape.
    pub pad: Pad,
    /// Friction between the shape and the body.
    pub friction: Friction,
    /// True if it touches nodes only, as a table does; else all points of the skin.
    pub touches_nodes_only: bool,
    /// Number of the limb that the shape is a part of. Shapes of a limb overlap, so a point touches
    /// only one of them.
    pub limb: Option<u32>,
}

impl ContactProxy {
    /// Shape that does not move.
    pub fn fixed(
        shape: ProxyShape,
        pose: Isometry3<f64>,
        pad: Pad,
        friction: Friction,
    ) -> ContactProxy {
        Self { shape, from: pose, to: pose, pad, friction, touches_nodes_only: false, limb: None }
    }

    /// Checks that there can be such a shape: finite places, positive sizes, and pads and friction
    /// that exist.
    pub fn check(&self) -> Result<(), ContactError> {
        let is_placed = |pose: &Isometry3<f64>| {
            let turn = (pose.rotation.norm() - 1.0).abs() < 1e-6;
            turn && pose.translation.vector.iter().all(|x| x.is_finite())
        };
        let is_length = |x: f64| x.is_finite() && x > 0.0;
        let has_size = match self.shape {
            ProxyShape::Sphere { radius } => is_length(radius),
            ProxyShape::Cylinder { radius, half_length, .. } => {
                is_length(radius) && half_length.is_finite() && half_length >= 0.0
            }
            ProxyShape::Box { half_extents } => half_extents.iter().all(|x| is_length(*x)),
            ProxyShape::Plane => true,
        };
        if !(has_size && is_placed(&self.from) && is_placed(&self.to)) {
            let origin = self.to.translation.vector.into();
            return Err(ContactError::Shape { shape: self.shape, origin });
        }
        self.pad.check()?;
        self.friction.check("a shape")
    }

    /// The same shape, now on its way to `to` from where it was.
    pub fn moved_to(self, to: Isometry3<f64>) -> Self {
        Self { from: self.to, to, ..self }
    }

    /// Pose after a share of the step: the centre moves on a line, the rotation at a constant rate.
    pub fn pose_at(&self, share: f64) -> Isometry3<f64> {
        let shift = self.from.translation.vector.lerp(&self.to.translation.vector, share);
        // Rotations by half a turn have no shortest way between them.
        let turn = self.from.rotation.try_slerp(&self.to.rotation, share, 1e-9);
        Isometry3::from_parts(shift.into(), turn.unwrap_or(self.to.rotation))
    }

    /// Largest distance that a point of the shape moves in the step.
    pub fn travel(&self) -> f64 {
        let turn = self.from.rotation.angle_to(&self.to.rotation);
        let reach = match self.shape {
            // The turn of a ball moves no point of its surface away.
            ProxyShape::Sphere { .. } | ProxyShape::Plane => 0.0,
            ProxyShape::Cylinder { radius, half_length, .. } => half_length + radius,
            ProxyShape::Box { half_extents } => half_extents.norm(),
        };
        (self.to.translation.vector - self.from.translation.vector).norm() + turn * reach
    }
}

impl ProxyShape {
    /// Gap at a point in the shape's own frame.
    pub fn gap(&self, point: &Point3<f64>) -> Gap {
        match *self {
            Self::Sphere { radius } => around(point.coords, radius),
            Self::Cylinder { radius, half_length, is_rounded: true } => {
                let on_axis = point.y.clamp(-half_length, half_length);
                around(point.coords - Vector3::y() * on_axis, radius)
            }
            Self::Cylinder { radius, half_length, is_rounded: false } => {
                flat_cylinder(point, radius, half_length)
            }
            Self::Box { half_extents } => in_box(point, &half_extents),
            Self::Plane => Gap { distance: point.y, normal: Vector3::y() },
        }
    }

    /// Distance from the shape's origin within which all of the shape lies; infinite for a plane.
    pub fn reach(&self) -> f64 {
        match *self {
            Self::Sphere { radius } => radius,
            Self::Cylinder { radius, half_length, is_rounded: true } => radius + half_length,
            Self::Cylinder { radius, half_length, is_rounded: false } => radius.hypot(half_length),
            Self::Box { half_extents } => half_extents.norm(),
            Self::Plane => f64::INFINITY,
        }
    }
}

/// Gap of a point at `apart` from a centre. The centre itself is pushed along y.
fn around(apart: Vector3<f64>, radius: f64) -> Gap {
    let distance = apart.norm();
    let normal = if distance > 1e-12 { apart / distance } else { Vector3::y() };
    Gap { distance: distance - radius, normal }
}

fn flat_cylinder(point: &Point3<f64>, radius: f64, half_length: f64) -> Gap {
    let beside = Vector3::new(point.x, 0.0, point.z);
    let side = around(beside, radius);
    let cap = Vector3::y() * point.y.signum();
    let beyond = point.y.abs() - half_length;
    match (side.distance > 0.0, beyond > 0.0) {
        // Outside of both: the rim of the cap is nearest.
        (true, true) => around(side.normal * side.distance + cap * beyond, 0.0),
        (true, false) => side,
        (false, true) => Gap { distance: beyond, normal: cap },
        (false, false) if side.distance >= beyond => side,
        (false, false) => Gap { distance: beyond, normal: cap },
    }
}

fn in_box(point: &Point3<f64>, half_extents: &Vector3<f64>) -> Gap {
    let beyond = point.coords.abs() - half_extents;
    let side = |axis: usize| Vector3::ith(axis, if point[axis] < 0.0 { -1.0 } else { 1.0 });
    let outside: Vector3<f64> = (0..3).map(|axis| side(axis) * beyond[axis].max(0.0)).sum();
    let distance = outside.norm();
    if distance > 0.0 {
        return Gap { distance, normal: outside / distance };
    }
    // The least deep face; the first one among equals.
    let axis = (1..3).fold(0, |best, axis| if beyond[axis] > beyond[best] { axis } else { best });
    Gap { distance: beyond[axis], normal: side(axis) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes() -> [ProxyShape; 5] {
        let (radius, half_length) = (0.008, 0.012);
        [
            ProxyShape::Sphere { radius },
            ProxyShape::Cylinder { radius, half_length, is_rounded: true },
            ProxyShape::Cylinder { radius, half_length, is_rounded: false },
            ProxyShape::Box { half_extents: Vector3::new(0.01, 0.004, 0.007) },
            ProxyShape::Plane,
        ]
    }

    #[test]
    fn the_normal_is_the_gradient_of_the_gap() {
        let mut number = 1_u64;
        let mut random = || {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            0.05 * ((number >> 11) as f64 / (1_u64 << 53) as f64 - 0.5)
        };
        for shape in shapes() {
            for _ in 0..2000 {
                let at = Point3::new(random(), random(), random());
                let gap = shape.gap(&at);
                assert!((gap.normal.norm() - 1.0).abs() < 1e-12);
                // A step along the normal lengthens the distance by as much. Points near the
                // shape's middle lines may change sides.
                let step = 1e-7;
                let farther = shape.gap(&(at + gap.normal * step)).distance - gap.distance;
                assert!((farther - step).abs() < 1e-4 * step, "{shape:?} {at} {farther}");
            }
        }
    }

    #[test]
    fn the_surface_is_where_the_gap_vanishes() {
        for shape in shapes() {
            let mut at = Point3::new(0.021, 0.017, -0.013);
            let gap = shape.gap(&at);
            at -= gap.normal * gap.distance;
            assert!(shape.gap(&at).distance.abs() < 1e-12, "{shape:?}");
        }
        let box_inside = shapes()[3].gap(&Point3::new(0.002, 0.003, 0.0));
        assert_eq!((box_inside.distance, box_inside.normal), (0.003 - 0.004, Vector3::y()));
    }
}
