//! The glove as placed copies of unit shapes.

use std::f64::consts::PI;

use bytemuck::{Pod, Zeroable};
use interaction::scene::{FingerContact, FingertipView, HandRole, HandView, Mark, MarkShape, Palm};
use nalgebra::{Matrix4, Point3, Rotation3, UnitQuaternion, Vector3};
use physics::Shape;

use super::unit_shapes::{CONE_LENGTH, N_SHAPES, UnitShape};

/// Placement and look of one unit shape.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ShapeInstance {
    world_from_shape: [[f32; 4]; 4],
    /// Linear colour.
    colour: [f32; 3],
    /// Own light, from 0 to 1.
    glow: f32,
    /// The width at y = 1, for a width of 1 at y = 0.
    taper: f32,
}

impl ShapeInstance {
    pub(super) fn world_from_shape(&self) -> Matrix4<f32> {
        self.world_from_shape.into()
    }

    fn new(world_from_shape: Matrix4<f64>, look: ShapeLook) -> Self {
        let ShapeLook { colour, glow } = look;
        Self { world_from_shape: world_from_shape.cast().into(), colour, glow, taper: 1.0 }
    }
}

/// The look of one part.
#[derive(Debug, Clone, Copy)]
struct ShapeLook {
    colour: [f32; 3],
    glow: f32,
}

/// The colours of a hand at rest.
#[derive(Debug, Clone, Copy)]
struct HandColours {
    fabric: ShapeLook,
    palm: ShapeLook,
    tip: ShapeLook,
    cuff: ShapeLook,
}

const GLOVE: HandColours = HandColours {
    fabric: ShapeLook { colour: [0.012, 0.150, 0.185], glow: 0.0 },
    palm: ShapeLook { colour: [0.010, 0.115, 0.150], glow: 0.0 },
    tip: ShapeLook { colour: [0.030, 0.270, 0.310], glow: 0.0 },
    cuff: ShapeLook { colour: [0.030, 0.031, 0.034], glow: 0.0 },
};
/// Colours of the hand to imitate: bare and pale, unlike the own hand.
const MODEL: HandColours = HandColours {
    fabric: ShapeLook { colour: [0.560, 0.400, 0.260], glow: 0.0 },
    palm: ShapeLook { colour: [0.500, 0.340, 0.215], glow: 0.0 },
    tip: ShapeLook { colour: [0.640, 0.450, 0.300], glow: 0.0 },
    cuff: ShapeLook { colour: [0.500, 0.340, 0.215], glow: 0.0 },
};
const TOUCHING: ShapeLook = ShapeLook { colour: [0.900, 0.420, 0.030], glow: 0.25 };
const PRESSING: ShapeLook = ShapeLook { colour: [1.000, 0.700, 0.400], glow: 0.9 };

/// Own light of marks: they are unlit, so that their colour is the same everywhere.
const MARK_GLOW: f32 = 0.6;
/// Width of an arrow's head, in widths of its shaft.
const ARROW_HEAD: f64 = 2.2;

/// Size of the thimble on a fingertip, slightly larger than the finger so that its colour is
/// visible.
const THIMBLE_OVERSIZE: f64 = 1.04;
/// Length of a thimble below the centre of its tip, in radii.
const THIMBLE_LENGTH: f64 = 1.4;

/// Width of a finger at its knuckle, in widths of its first bone; limited by the palm's thickness.
const KNUCKLE: f64 = 1.10;
/// The web between thumb and index: how far along the thumb's first bone it begins, how far along
/// the edge of the palm it ends, and half its thickness in radii of the palm.
const WEB: [f64; 3] = [0.62, 0.66, 0.62];
/// Cuff: its distance behind the wrist and its length, in radii of the palm; its thickness and
/// width relative to those of the wrist: the palm's round end lies over it.
const CUFF: [f64; 4] = [0.2, 2.6, 0.98, 0.93];

/// Radius of a finger at the beginning of a bone: that of the bone, but larger at the knuckle.
fn joint_before(hand: &HandView, start: &Point3<f64>, radius: f64) -> f64 {
    let ends_there =
        |shape: &Shape| matches!(shape, Shape::Cylinder { end, .. } if is_same_place(end, start));
    match hand.shapes.iter().any(ends_there) {
        true => radius,
        false => (radius * KNUCKLE).min(hand.palm.radius.max(radius)),
    }
}

/// Radius at the end of a bone: that of the next bone, so that fingers taper without steps.
fn joint_after(hand: &HandView, end: &Point3<f64>, radius: f64) -> f64 {
    let next = hand.shapes.iter().find_map(|shape| match shape {
        Shape::Cylinder { start, radius, .. } if is_same_place(start, end) => Some(*radius),
        Shape::Cylinder { .. } | Shape::Sphere { .. } => None,
    });
    next.unwrap_or(radius)
}

fn tip_look(contact: FingerContact, colours: HandColours) -> ShapeLook {
    match contact {
        FingerContact::Free => colours.tip,
        FingerContact::Touching => TOUCHING,
        FingerContact::Pressing => PRESSING,
    }
}

/// Tolerance for equal joints, which are computed in different ways; a micrometre cannot be seen.
fn is_same_place(a: &Point3<f64>, b: &Point3<f64>) -> bool {
    (a - b).norm() < 1e-6
}

/// Rotation from y to this direction. The rotation to -y is not unique; any is right for a round
/// shape.
fn turned_to(way: &Vector3<f64>) -> Rotation3<f64> {
    UnitQuaternion::rotation_between(&Vector3::y(), way)
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI))
        .to_rotation_matrix()
}

/// Placements of hands and marks, by shape in the order of [`UnitShape::ALL`].
#[derive(Debug, Default)]
pub(super) struct ShapeInstances {
    pub(super) by_shape: [Vec<ShapeInstance>; N_SHAPES],
}

impl ShapeInstances {
    /// Clears all placements and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.by_shape.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn add_hand(&mut self, hand: &HandView) {
        let colours = match hand.role {
            HandRole::Own => GLOVE,
            HandRole::Model => MODEL,
        };
        for shape in &hand.shapes {
            match *shape {
                Shape::Sphere { centre, radius } => self.ball(centre, radius, colours.fabric),
                Shape::Cylinder { start, end, radius } => {
                    let radii =
                        [joint_before(hand, &start, radius), joint_after(hand, &end, radius)];
                    self.bone([start, end], radii, colours.fabric);
                    for tip in &hand.fingertips {
                        for (here, there) in [(start, end), (end, start)] {
                            if is_same_place(&here, &tip.centre) {
                                self.thimble(tip, &there, tip_look(tip.contact, colours));
                            }
                        }
                    }
                }
            }
        }
        self.palm(&hand.palm, colours.palm);
        self.web(hand, colours.palm);
        self.cuff(&hand.palm, colours.cuff);
        for tip in &hand.fingertips {
            self.ball(tip.centre, tip.radius * THIMBLE_OVERSIZE, tip_look(tip.contact, colours));
        }
    }

    pub(super) fn add_marks(&mut self, marks: &[Mark]) {
        for mark in marks {
            let look = ShapeLook { colour: mark.colour, glow: MARK_GLOW };
            match mark.shape {
                MarkShape::Arrow { from, to, radius } => self.arrow(from, to, radius, look),
                MarkShape::Ball { centre, radius } => self.ball(centre, radius, look),
            }
        }
    }

    fn add(&mut self, shape: UnitShape, world_from_shape: Matrix4<f64>, look: ShapeLook) {
        self.by_shape[shape as usize].push(ShapeInstance::new(world_from_shape, look));
    }

    fn ball(&mut self, centre: Point3<f64>, radius: f64, look: ShapeLook) {
        let placed = Matrix4::new_scaling(radius).append_translation(&centre.coords);
        let ball = ShapeInstance::new(placed, look);
        let balls = &mut self.by_shape[UnitShape::Sphere as usize];
        // Neighbouring segments share a joint; its ball is drawn once.
        if !balls.contains(&ball) {
            balls.push(ball);
        }
    }

    /// A cylinder whose ends are closed by balls, so that bent joints have no gaps.
    fn capsule(&mut self, start: Point3<f64>, end: Point3<f64>, radius: f64, look: ShapeLook) {
        self.tube(start, end - start, radius, look);
        self.ball(start, radius, look);
        self.ball(end, radius, look);
    }

    /// A capsule whose ends differ.
    fn bone(&mut self, ends: [Point3<f64>; 2], radii: [f64; 2], look: ShapeLook) {
        self.tube(ends[0], ends[1] - ends[0], radii[0], look);
        if let Some(tube) = self.by_shape[UnitShape::Tube as usize].last_mut() {
            tube.taper = (radii[1] / radii[0]) as f32;
        }
        self.ball(ends[0], radii[0], look);
        self.ball(ends[1], radii[1], look);
    }

    /// A shaft and a head. An arrow shorter than its head has no shaft.
    fn arrow(&mut self, from: Point3<f64>, to: Point3<f64>, radius: f64, look: ShapeLook) {
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

    fn tube(&mut self, start: Point3<f64>, along: Vector3<f64>, radius: f64, look: ShapeLook) {
        let turned = turned_to(&along);
        let stretched =
            Matrix4::new_nonuniform_scaling(&Vector3::new(radius, along.norm(), radius));
        let placed = (turned.to_homogeneous() * stretched).append_translation(&start.coords);
        self.add(UnitShape::Tube, placed, look);
    }

    /// The part of a fingertip that clasps the finger, whose next joint is at `joint`.
    fn thimble(&mut self, tip: &FingertipView, joint: &Point3<f64>, look: ShapeLook) {
        let finger = joint - tip.centre;
        let along = finger.cap_magnitude(tip.radius * THIMBLE_LENGTH);
        self.tube(tip.centre, along, tip.radius * THIMBLE_OVERSIZE, look);
    }

    /// A slab under a fan of triangles, with capsules along its outline.
    fn palm(&mut self, palm: &Palm, look: ShapeLook) {
        let edges = edges(&palm.outline);
        let (middle, across) = plane(palm);
        let half_thickness = across * palm.radius;
        for (a, b) in edges {
            self.capsule(a, b, palm.radius, look);
            self.slab(middle, [a - middle, b - middle, half_thickness], look);
        }
    }

    /// The fold of skin between the thumb's first bone and the palm's edge towards the index.
    fn web(&mut self, hand: &HandView, look: ShapeLook) {
        let [base, index, ..] = hand.palm.outline;
        let Some(thumb) = hand.shapes.iter().find_map(|shape| match *shape {
            Shape::Cylinder { start, end, .. } if is_same_place(&start, &base) => Some(end),
            Shape::Cylinder { .. } | Shape::Sphere { .. } => None,
        }) else {
            return;
        };
        let [on_thumb, on_palm] = [(thumb - base) * WEB[0], (index - base) * WEB[1]];
        let Some(across) = on_palm.cross(&on_thumb).try_normalize(1e-9) else { return };
        let half_thickness = hand.palm.radius * WEB[2];
        // Seen from either side: the corners stand so that the faces look outward.
        self.slab(base, [on_palm, on_thumb, across * half_thickness], look);
        self.capsule(base + on_thumb, base + on_palm, half_thickness, look);
    }

    /// The end of the glove: the beginning of the forearm, as wide as the wrist.
    fn cuff(&mut self, palm: &Palm, look: ShapeLook) {
        const NARROWING: f64 = 0.93;
        let [wrist, knuckles] = ends(palm);
        let (_, across) = plane(palm);
        let Some(back) = (wrist - knuckles).try_normalize(0.0) else { return };
        let Some(side) = across.cross(&back).try_normalize(0.0) else { return };
        let half_width = 0.5 * (palm.outline[0] - palm.outline[5]).norm() + palm.radius;
        let (begin, length) = (wrist + back * (palm.radius * CUFF[0]), palm.radius * CUFF[1]);
        let axes = [side * (half_width * CUFF[3]), back * length, across * (palm.radius * CUFF[2])];
        self.add(UnitShape::Tube, placed(begin, axes), look);
        if let Some(tube) = self.by_shape[UnitShape::Tube as usize].last_mut() {
            tube.taper = NARROWING as f32;
        }
        // Closed at both ends by flat domes.
        for (at, size) in [(begin, 1.0), (begin + axes[1], NARROWING)] {
            let dome = [axes[0] * size, back * (palm.radius * 0.3), axes[2] * size];
            self.add(UnitShape::Sphere, placed(at, dome), look);
        }
    }

    /// The two faces of a triangle: two of its edges from a corner, and half its thickness.
    fn slab(&mut self, corner: Point3<f64>, axes: [Vector3<f64>; 3], look: ShapeLook) {
        self.add(UnitShape::Slab, placed(corner, axes), look);
    }
}

/// Places a unit shape with this origin and these axes.
fn placed(origin: Point3<f64>, axes: [Vector3<f64>; 3]) -> Matrix4<f64> {
    // A mirrored shape would show its inside.
    let [x, y, z] = axes;
    let z = if x.cross(&y).dot(&z) < 0.0 { -z } else { z };
    let mut placed = Matrix4::identity();
    for (i, column) in [x, y, z, origin.coords].iter().enumerate() {
        placed.fixed_view_mut::<3, 1>(0, i).copy_from(column);
    }
    placed
}

fn edges(corners: &[Point3<f64>; 6]) -> [(Point3<f64>, Point3<f64>); 6] {
    std::array::from_fn(|i| (corners[i], corners[(i + 1) % 6]))
}

/// The middle of a palm, and one normal for all its triangles, so that a slightly warped one shows
/// no facets.
fn plane(palm: &Palm) -> (Point3<f64>, Vector3<f64>) {
    let sum: Vector3<f64> = palm.outline.iter().map(|corner| corner.coords).sum();
    let middle = Point3::from(sum / palm.outline.len() as f64);
    let area: Vector3<f64> =
        edges(&palm.outline).iter().map(|(a, b)| (a - middle).cross(&(b - middle))).sum();
    (middle, area.try_normalize(0.0).unwrap_or_else(Vector3::zeros))
}

/// The middle of the wrist and that of the knuckles.
fn ends(palm: &Palm) -> [Point3<f64>; 2] {
    let [base, index, middle, ring, pinkie, outer] = palm.outline;
    let knuckles = (index.coords + middle.coords + ring.coords + pinkie.coords) / 4.0;
    [nalgebra::center(&base, &outer), Point3::from(knuckles)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_capsule(start: [f64; 3], end: [f64; 3]) {
        let mut parts = ShapeInstances::default();
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
            let mut parts = ShapeInstances::default();
            parts.add_marks(&[Mark { shape, colour: [1.0; 3] }]);
            let placed = &parts.by_shape;
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
