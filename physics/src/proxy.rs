//! Proxies: the rigid shapes that stand for a hand's bones in contact with an object.

use nalgebra::{Point3, UnitQuaternion, Vector3};

/// Part of a hand that a proxy stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProxyId {
    /// 0 is the left hand, 1 the right.
    pub hand: u8,
    /// 0 is the thumb, 4 the little finger.
    pub finger: u8,
    /// 0 to 2 are the finger's segments from the palm outwards, 3 is the fingertip.
    pub segment: u8,
}

impl ProxyId {
    /// `segment` of a fingertip.
    pub const TIP: u8 = 3;

    /// True if a hand has this part.
    pub fn is_of_hand(&self) -> bool {
        self.hand <= 1 && self.finger <= 4 && self.segment <= Self::TIP
    }
}

/// A rigid shape that follows a bone or a tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proxy {
    /// Part of the hand. Unique within a touch.
    pub id: ProxyId,
    /// Shape and place, in the object's frame.
    pub shape: Shape,
    /// Orientation of the bone, in the object's frame. A ball shows no turn, but skin that sticks
    /// to a fingertip turns with it.
    pub orientation: UnitQuaternion<f64>,
    /// Velocity of the shape's centre relative to the object's frame: zero while the hand carries
    /// the object.
    pub velocity: Vector3<f64>,
    /// Angular velocity about the shape's centre, relative to the object's frame.
    pub angular_velocity: Vector3<f64>,
}

/// Shape of a proxy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// A ball.
    Sphere {
        /// Centre of the ball.
        centre: Point3<f64>,
        /// Radius of the ball.
        radius: f64,
    },
    /// A cylinder with flat caps.
    Cylinder {
        /// Centre of one cap.
        start: Point3<f64>,
        /// Centre of the other cap.
        end: Point3<f64>,
        /// Radius of the cylinder.
        radius: f64,
    },
}

impl Shape {
    /// Interpolates between `self` (at 0) and `to` (at 1). The radius is that of `to`. Shapes of
    /// different kinds cannot be interpolated: the result is `to`.
    pub fn on_the_way(&self, to: &Self, share: f64) -> Self {
        let point = |from: &Point3<f64>, to: &Point3<f64>| from + (to - from) * share;
        match (self, to) {
            (Self::Sphere { centre: a, .. }, Self::Sphere { centre: b, radius }) => {
                Self::Sphere { centre: point(a, b), radius: *radius }
            }
            (
                Self::Cylinder { start: a, end: b, .. },
                Self::Cylinder { start: c, end: d, radius },
            ) => Self::Cylinder { start: point(a, c), end: point(b, d), radius: *radius },
            (Self::Sphere { .. }, Self::Cylinder { .. })
            | (Self::Cylinder { .. }, Self::Sphere { .. }) => *to,
        }
    }

    /// Velocity of the centre and angular velocity of a shape that becomes `to` within `seconds`.
    /// The turn of a ball, and the turn of a cylinder about its axis, cannot be seen and count as
    /// zero.
    pub fn velocities_to(&self, to: &Self, seconds: f64) -> (Vector3<f64>, Vector3<f64>) {
        let velocity = (to.centre() - self.centre()) / seconds;
        let turn = match (self, to) {
            (Self::Cylinder { start: a, end: b, .. }, Self::Cylinder { start: c, end: d, .. }) => {
                UnitQuaternion::rotation_between(&(b - a), &(d - c))
            }
            (Self::Sphere { .. }, _) | (_, Self::Sphere { .. }) => None,
        };
        let turn = turn.map_or_else(Vector3::zeros, |turn| turn.scaled_axis());
        (velocity, turn / seconds)
    }

    fn centre(&self) -> Point3<f64> {
        match self {
            Self::Sphere { centre, .. } => *centre,
            Self::Cylinder { start, end, .. } => nalgebra::center(start, end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cylinder_that_hardly_turns_has_a_finite_velocity() {
        let cylinder = |end: Vector3<f64>| Shape::Cylinder {
            start: Point3::origin(),
            end: end.into(),
            radius: 0.01,
        };
        // The cosine between nearly parallel axes may be rounded to more than 1.
        for i in 1..2000_u32 {
            let i = f64::from(i);
            let along = Vector3::new((0.7 * i).sin(), (1.3 * i).cos(), (0.4 * i).sin() + 0.1);
            let turned = along + Vector3::new(1e-9, -2e-9, 1e-9) * (i % 7.0);
            let (_, angular) = cylinder(along).velocities_to(&cylinder(turned), 0.01);
            assert!(angular.norm() < 1e-4, "{along} {angular}");
        }
    }

    #[test]
    fn velocities_lead_from_one_shape_to_the_next() {
        let cylinder = |x: f64, angle: f64| {
            let half = Vector3::new(angle.cos(), angle.sin(), 0.0) * 0.02;
            let centre = Point3::new(x, 0.1, 0.0);
            Shape::Cylinder { start: centre - half, end: centre + half, radius: 0.008 }
        };
        let (velocity, angular) = cylinder(0.0, 0.3).velocities_to(&cylinder(0.01, 0.5), 0.1);
        assert!((velocity - Vector3::new(0.1, 0.0, 0.0)).norm() < 1e-12, "{velocity}");
        assert!((angular - Vector3::new(0.0, 0.0, 2.0)).norm() < 1e-12, "{angular}");
        let ball = |y: f64| Shape::Sphere { centre: Point3::new(0.0, y, 0.0), radius: 0.01 };
        let (velocity, angular) = ball(0.0).velocities_to(&ball(-0.3), 0.5);
        assert_eq!((velocity.y, angular), (-0.6, Vector3::zeros()));
    }
}
