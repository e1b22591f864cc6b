//! The glove as placed copies of unit shapes.

use std::f64::consts::PI;

use bytemuck::{Pod, Zeroable};
use nalgebra::{Matrix4, Point3, Rotation3, Vector3};
use physics::Shape;

use super::shapes::{CONE_LENGTH, N_SHAPES, UnitShape};
use crate::scene::{FingerContact, FingertipView, HandRole, HandView, Mark, MarkShape, Palm};

/// Where one unit shape stands, and its look.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Placement {
    world_from_shape: [[f32; 4]; 4],
    /// Linear colour.
    colour: [f32; 3],
    /// How much it shines by itself, from 0 to 1.
    glow: f32,
}

impl Placement {
    fn new(world_from_shape: Matrix4<f64>, look: Look) -> Self {
        let Look { colour, glow } = look;
        Self { world_from_shape: world_from_shape.cast().into(), colour, glow }
    }
}

/// The look of one part.
#[derive(Debug, Clone, Copy)]
struct Look {
    colour: [f32; 3],
    glow: f32,
}

/// The colours of a hand at rest.
#[derive(Debug, Clone, Copy)]
struct Wear {
    fabric: Look,
    palm: Look,
    tip: Look,
}

const GLOVE: Wear = Wear {
    fabric: Look { colour: [0.012, 0.150, 0.185], glow: 0.0 },
    palm: Look { colour: [0.010, 0.115, 0.150], glow: 0.0 },
    tip: Look { colour: [0.030, 0.270, 0.310], glow: 0.0 },
};
/// Bare and pale, so that nobody takes it for the own one.
const MODEL: Wear = Wear {
    fabric: Look { colour: [0.560, 0.400, 0.260], glow: 0.0 },
    palm: Look { colour: [0.500, 0.340, 0.215], glow: 0.0 },
    tip: Look { colour: [0.640, 0.450, 0.300], glow: 0.0 },
};
const TOUCHING: Look = Look { colour: [0.900, 0.420, 0.030], glow: 0.25 };
const PRESSING: Look = Look { colour: [1.000, 0.700, 0.400], glow: 0.9 };

/// Signs are no matter: they shine, so that their colour is the same everywhere.
const SIGN_GLOW: f32 = 0.6;
/// The head of an arrow is so much wider than its shaft.
const ARROW_HEAD: f64 = 2.2;

/// A fingertip is drawn as a thimble, a hair larger than the finger so that its colour wins.
const THIMBLE_OVERSIZE: f64 = 1.04;
/// Length of a thimble below the centre of its tip, in radii.
const THIMBLE_LENGTH: f64 = 1.4;

/// All placements of a hand, by shape in the order of [`UnitShape::ALL`].
pub(super) fn placements(hand: &HandView) -> [Vec<Placement>; N_SHAPES] {
    let mut parts = Parts::default();
    let wear = match hand.role {
        HandRole::Own => GLOVE,
        HandRole::Model => MODEL,
    };
    for shape in &hand.shapes {
        match *shape {
            Shape::Sphere { centre, radius } => parts.ball(centre, radius, wear.fabric),
            Shape::Cylinder { start, end, radius } => {
                parts.capsule(start, end, radius, wear.fabric);
                for tip in &hand.fingertips {
                    for (here, there) in [(start, end), (end, start)] {
                        if is_same_place(&here, &tip.centre) {
                            parts.thimble(tip, &there, tip_look(tip.contact, wear));
                        }
                    }
                }
            }
        }
    }
    parts.palm(&hand.palm, wear.palm);
    for tip in &hand.fingertips {
        parts.ball(tip.centre, tip.radius * THIMBLE_OVERSIZE, tip_look(tip.contact, wear));
    }
    parts.by_shape
}

/// All placements of some signs, in the same order.
pub(super) fn sign_placements(marks: &[Mark]) -> [Vec<Placement>; N_SHAPES] {
    let mut parts = Parts::default();
    for mark in marks {
        let look = Look { colour: mark.colour, glow: SIGN_GLOW };
        match mark.shape {
            MarkShape::Arrow { from, to, radius } => parts.arrow(from, to, radius, look),
            MarkShape::Ball { centre, radius } => parts.ball(centre, radius, look),
        }
    }
    parts.by_shape
}

fn tip_look(contact: FingerContact, wear: Wear) -> Look {
    match contact {
        FingerContact::Free => wear.tip,
        FingerContact::Touching => TOUCHING,
        FingerContact::Pressing => PRESSING,
    }
}

/// Joints are computed along different ways; a micrometre is far below what can be seen.
fn is_same_place(a: &Point3<f64>, b: &Point3<f64>) -> bool {
    (a - b).norm() < 1e-6
}

/// From y to this way. The rotation to -y is not unique; any will do for a round shape.
fn turned_to(way: &Vector3<f64>) -> Rotation3<f64> {
    Rotation3::rotation_between(&Vector3::y(), way)
        .unwrap_or_else(|| Rotation3::from_axis_angle(&Vector3::x_axis(), PI))
}

#[derive(Default)]
struct Parts {
    by_shape: [Vec<Placement>; N_SHAPES],
}

impl Parts {
    fn add(&mut self, shape: UnitShape, world_from_shape: Matrix4<f64>, look: Look) {
        self.by_shape[shape as usize].push(Placement::new(world_from_shape, look));
    }

    fn ball(&mut self, centre: Point3<f64>, radius: f64, look: Look) {
        let placed = Matrix4::new_scaling(radius).append_translation(&centre.coords);
        let ball = Placement::new(placed, look);
        let balls = &mut self.by_shape[UnitShape::Sphere as usize];
        // Neighbouring segments share a joint; its ball is drawn once.
        if !balls.contains(&ball) {
            balls.push(ball);
        }
    }

    /// A cylinder whose ends are closed by balls, so that bent joints have no gaps.
    fn capsule(&mut self, start: Point3<f64>, end: Point3<f64>, radius: f64, look: Look) {
        self.tube(start, end - start, radius, look);
        self.ball(start, radius, look);
        self.ball(end, radius, look);
    }

    /// A shaft and a head; one that is shorter than its head is all head.
    fn arrow(&mut self, from: Point3<f64>, to: Point3<f64>, radius: f64, look: Look) {
        let along = to - from;
        let Some(way) = along.try_normalize(0.0) else { return };
        let length = along.norm();
        let head = (radius * ARROW_HEAD * f64::from(CONE_LENGTH)).min(length);
        let shaft = way * (length - head);
        if shaft.norm() > 0.0 {
            self.tube(from, shaft, radius, look);
            self.ball(from, radius, look);
        }
        let size = head / f64::from(CONE_LENGTH);
        let placed = (turned_to(&way).to_homogeneous() * Matrix4::new_scaling(size))
            .append_translation(&(from + shaft).coords);
        self.add(UnitShape::Cone, placed, look);
    }

    fn tube(&mut self, start: Point3<f64>, along: Vector3<f64>, radius: f64, look: Look) {
        let turned = turned_to(&along);
        let stretched =
            Matrix4::new_nonuniform_scaling(&Vector3::new(radius, along.norm(), radius));
        let placed = (turned.to_homogeneous() * stretched).append_translation(&start.coords);
        self.add(UnitShape::Tube, placed, look);
    }

    /// The part of a fingertip that clasps the finger, whose next joint is at `joint`.
    fn thimble(&mut self, tip: &FingertipView, joint: &Point3<f64>, look: Look) {
        let finger = joint - tip.centre;
        let along = finger.cap_magnitude(tip.radius * THIMBLE_LENGTH);
        self.tube(tip.centre, along, tip.radius * THIMBLE_OVERSIZE, look);
    }

    /// A slab under a fan of triangles, with capsules along its outline.
    fn palm(&mut self, palm: &Palm, look: Look) {
        let corners = palm.outline;
        let middle = Point3::from(
            corners.iter().map(|corner| corner.coords).sum::<Vector3<f64>>() / corners.len() as f64,
        );
        let edges = corners.into_iter().zip(corners.into_iter().cycle().skip(1));
        // One normal for all triangles, so that a slightly warped palm shows no facets.
        let area: Vector3<f64> =
            edges.clone().map(|(a, b)| (a - middle).cross(&(b - middle))).sum();
        let half_thickness = area.try_normalize(0.0).unwrap_or_else(Vector3::zeros) * palm.radius;
        for (a, b) in edges {
            self.capsule(a, b, palm.radius, look);
            let columns = [a - middle, b - middle, half_thickness, middle.coords];
            let mut placed = Matrix4::identity();
            for (i, column) in columns.iter().enumerate() {
                placed.fixed_view_mut::<3, 1>(0, i).copy_from(column);
            }
            self.add(UnitShape::Slab, placed, look);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_capsule(start: [f64; 3], end: [f64; 3]) {
        let mut parts = Parts::default();
        parts.capsule(start.into(), end.into(), 0.01, GLOVE.fabric);
        let tube = Matrix4::from(parts.by_shape[UnitShape::Tube as usize][0].world_from_shape);
        let at = |y: f32| tube.transform_point(&Point3::new(0.0, y, 0.0)).cast::<f64>();
        assert!((at(0.0) - Point3::from(start)).norm() < 1e-6);
        assert!((at(1.0) - Point3::from(end)).norm() < 1e-6, "{}", at(1.0));
        let side = tube.transform_vector(&Vector3::x());
        assert!((side.norm() - 0.01).abs() < 1e-6);
    }

    #[test]
    fn an_arrow_ends_where_it_points_however_short_it_is() {
        for length in [0.05, 0.004, 0.0] {
            let (from, to) = (Point3::new(0.1, 0.0, 0.0), Point3::new(0.1, -length, 0.0));
            let shape = MarkShape::Arrow { from, to, radius: 0.001 };
            let placed = sign_placements(&[Mark { shape, colour: [1.0; 3] }]);
            let heads = &placed[UnitShape::Cone as usize];
            assert_eq!(heads.len(), usize::from(length > 0.0));
            for head in heads {
                let point = Matrix4::from(head.world_from_shape).transform_point(&Point3::new(
                    0.0,
                    CONE_LENGTH,
                    0.0,
                ));
                assert!((point.cast::<f64>() - to).norm() < 1e-6, "{point}");
            }
            assert_eq!(placed[UnitShape::Tube as usize].len(), usize::from(length > 0.01));
        }
    }

    #[test]
    fn capsules_reach_from_start_to_end_whichever_way_they_point() {
        check_capsule([0.0; 3], [0.0, 0.05, 0.0]);
        check_capsule([0.1, 0.2, 0.3], [0.1, 0.15, 0.3]);
        check_capsule([0.1, 0.2, 0.3], [0.12, 0.2, 0.27]);
    }
}
