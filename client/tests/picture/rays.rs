//! Rays through the pixels of a picture by the default camera, and their hits.

use client::render::Camera;
use interaction::scene::HandView;
use nalgebra::{Isometry3, Point3, Vector3};
use physics::Shape;

use crate::things::HALF;
use crate::{HEIGHT, WIDTH};

/// A ray from the eye through the middle of a pixel.
pub(crate) struct Ray {
    eye: Point3<f64>,
    along: Vector3<f64>,
}

pub(crate) fn pixels_with_rays() -> impl Iterator<Item = (u32, u32, Ray)> {
    let viewpoint = Camera::default().viewpoint(f64::from(WIDTH) / f64::from(HEIGHT));
    let world_from_clip =
        viewpoint.clip_from_world.cast::<f64>().try_inverse().expect("the view is not flat");
    let eye = viewpoint.eye_in_world.cast();
    (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y))).map(move |(x, y)| {
        let right = (f64::from(x) + 0.5) / f64::from(WIDTH) * 2.0 - 1.0;
        let up = 1.0 - (f64::from(y) + 0.5) / f64::from(HEIGHT) * 2.0;
        let through = world_from_clip.transform_point(&Point3::new(right, up, 0.5));
        (x, y, Ray { eye, along: through - eye })
    })
}

/// The pixel on which a point appears.
pub(crate) fn seen_at(point: &Point3<f64>) -> [u32; 2] {
    let viewpoint = Camera::default().viewpoint(f64::from(WIDTH) / f64::from(HEIGHT));
    let clip = viewpoint.clip_from_world.cast::<f64>().transform_point(point);
    let across = (clip.x + 1.0) / 2.0 * f64::from(WIDTH);
    let down = (1.0 - clip.y) / 2.0 * f64::from(HEIGHT);
    [across as u32, down as u32]
}

impl Ray {
    /// Point at which the ray crosses the plane of this z.
    pub(crate) fn at_depth(&self, z: f64) -> Point3<f64> {
        self.eye + self.along * ((z - self.eye.z) / self.along.z)
    }

    pub(crate) fn hits_cube(&self, world_from_object: &Isometry3<f64>) -> bool {
        let eye = world_from_object.inverse_transform_point(&self.eye);
        let along = world_from_object.inverse_transform_vector(&self.along);
        let (mut enter, mut leave) = (0.0_f64, f64::MAX);
        for axis in 0..3 {
            let to = |side: f64| (side - eye[axis]) / along[axis];
            let (a, b) = (to(-f64::from(HALF)), to(f64::from(HALF)));
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        enter < leave
    }

    pub(crate) fn hits_hand(&self, hand: &HandView) -> bool {
        let edges = edges(&hand.palm.outline);
        let hits_shape = |shape: &Shape| match *shape {
            Shape::Sphere { centre, radius } => self.distance(&centre, &centre) < radius,
            Shape::Cylinder { start, end, radius } => self.distance(&start, &end) < radius,
        };
        // The side on which the ray passes each edge; if all are the same, it hits the middle.
        let sides = edges.map(|(a, b)| (a - self.eye).cross(&(b - self.eye)).dot(&self.along));
        hand.shapes.iter().any(hits_shape)
            || edges.iter().any(|(a, b)| self.distance(a, b) < hand.palm.radius)
            || sides.iter().all(|&side| side > 0.0)
            || sides.iter().all(|&side| side < 0.0)
    }

    /// True if the ray passes a line of points within a radius.
    pub(crate) fn hits_line(&self, line: &[Point3<f64>], radius: f64) -> bool {
        line.windows(2).any(|ends| self.distance(&ends[0], &ends[1]) < radius)
    }

    /// Distance from the line of the ray to a segment. It uses plain arrays because it runs for
    /// every pixel and tests are not optimised.
    fn distance(&self, start: &Point3<f64>, end: &Point3<f64>) -> f64 {
        let (eye, along) = (<[f64; 3]>::from(self.eye), <[f64; 3]>::from(self.along));
        let to_line = |p: &Point3<f64>| {
            let v = [p.x - eye[0], p.y - eye[1], p.z - eye[2]];
            plus(v, -dot(v, along) / dot(along, along), along)
        };
        // Seen along the ray, this is a distance in a plane.
        let (a, b) = (to_line(start), to_line(end));
        let segment = plus(b, -1.0, a);
        let t = (-dot(a, segment) / dot(segment, segment).max(1e-12)).clamp(0.0, 1.0);
        let nearest = plus(a, t, segment);
        dot(nearest, nearest).sqrt()
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a + s b`.
fn plus(a: [f64; 3], s: f64, b: [f64; 3]) -> [f64; 3] {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

fn edges(outline: &[Point3<f64>; 6]) -> [(Point3<f64>, Point3<f64>); 6] {
    std::array::from_fn(|i| (outline[i], outline[(i + 1) % 6]))
}
