//! A hand that closes around a ball: five fingers of three cylinders, with their tips on the skin.

use interaction::collision::{Ball, SphereTree, SurfaceContact, TouchableSurface, nearest_point};
use nalgebra::{Point3, Vector3};
use physics::{NodeId, Shape};

use crate::brute_force::BruteForce;

/// Fifteen cylinders and five fingertips on their way.
pub(crate) struct GraspingHand {
    segments: Vec<Shape>,
    /// Fingertips at the previous sample and now.
    tips: Vec<(Point3<f64>, Ball)>,
}

/// A way to find the contacts of a hand.
pub(crate) trait Ask {
    fn contact(&self, before: &Point3<f64>, tip: &Ball) -> Option<SurfaceContact>;
    fn depth(&self, segment: &Shape) -> f64;
}

/// Number of queries: five fingertips and fifteen cylinders.
pub(crate) const N_QUESTIONS: usize = 20;

/// Result of one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Answer {
    /// The node that a fingertip touches.
    Node(Option<NodeId>),
    /// Depth of a cylinder in the skin, in whole micrometres.
    Depth(i64),
}

impl GraspingHand {
    /// Creates a hand with fingers from all sides around a body that is about a ball.
    pub(crate) fn around(surface: &TouchableSurface, radius: f64) -> Self {
        let mut hand = Self { segments: Vec::new(), tips: Vec::new() };
        for finger in 0..5u8 {
            let angle = if finger == 0 { 3.3 } else { f64::from(finger) * 0.45 - 1.1 };
            let outward = Vector3::new(angle.cos(), angle.sin(), 0.1);
            let outward = outward / outward.norm();
            // From the palm, which is above the ball, down its side.
            let down = Vector3::new(-outward.y * 0.1, outward.x * 0.1, -1.0);
            let tip_radius = 0.007;
            let skin = surface
                .nearest(&Point3::from(outward * (radius * 1.1)), f64::INFINITY)
                .map_or(Point3::from(outward * radius), |nearest| nearest.point);
            // The fingertip has sunk in by half a millimetre.
            let tip = skin + outward * (tip_radius - 0.0005);
            let mut end = tip;
            for (length, thick, lift) in
                [(0.02, 0.007, 0.004), (0.025, 0.008, 0.012), (0.04, 0.009, 0.02)]
            {
                let start = end - down * length + outward * lift;
                hand.segments.push(Shape::Cylinder { start, end, radius: thick });
                end = start;
            }
            let before = tip + outward * 0.004 - down * 0.002;
            hand.tips.push((before, Ball { centre: tip, radius: tip_radius }));
        }
        hand
    }

    /// Results of all queries.
    pub(crate) fn ask(&self, of: &impl Ask) -> [Answer; N_QUESTIONS] {
        std::array::from_fn(|question| self.ask_one(question, of))
    }

    /// Result of one query: the fingertips come first.
    pub(crate) fn ask_one(&self, question: usize, of: &impl Ask) -> Answer {
        match self.tips.get(question) {
            Some((before, tip)) => {
                Answer::Node(of.contact(before, tip).map(|contact| contact.node))
            }
            None => {
                let depth = of.depth(&self.segments[question - self.tips.len()]);
                Answer::Depth((depth * 1e6).round() as i64)
            }
        }
    }

    /// Number of triangles that the hand's shapes touch.
    pub(crate) fn n_touched(&self, brute: &BruteForce) -> usize {
        let tips = self.tips.iter().map(|(_, tip)| sphere(tip));
        self.segments.iter().copied().chain(tips).map(|shape| touched(&shape, brute)).sum()
    }

    /// Number of triangles that a tree finds near the hand's shapes.
    pub(crate) fn n_near(&self, tree: &SphereTree) -> usize {
        let tips = self.tips.iter().map(|(_, tip)| sphere(tip));
        let mut n_near = 0;
        for shape in self.segments.iter().copied().chain(tips) {
            tree.near(&shape, &mut |_| n_near += 1);
        }
        n_near
    }
}

fn touched(shape: &Shape, brute: &BruteForce) -> usize {
    let is_touched = |triangle| match shape {
        Shape::Sphere { centre, radius } => {
            (centre - nearest_point(centre, &triangle)).norm() <= *radius
        }
        Shape::Cylinder { start, end, radius } => {
            interaction::collision::Segment { start: *start, end: *end }.apart(&triangle).0
                <= *radius
        }
    };
    brute.triangles().filter(|triangle| is_touched(*triangle)).count()
}

impl Ask for TouchableSurface {
    fn contact(&self, before: &Point3<f64>, tip: &Ball) -> Option<SurfaceContact> {
        self.contact(Some(before), tip, &[])
    }

    fn depth(&self, segment: &Shape) -> f64 {
        self.segment_depth(segment)
    }
}

impl Ask for BruteForce<'_> {
    fn contact(&self, before: &Point3<f64>, tip: &Ball) -> Option<SurfaceContact> {
        let part = self.first_touch(before, tip)?;
        let centre = before + (tip.centre - before) * part;
        let radius = tip.radius * (1.0 + 1e-6);
        self.touched(&Ball { centre, radius }, &[]).map(|point| self.contact(point))
    }

    fn depth(&self, segment: &Shape) -> f64 {
        self.shallow_depth(segment)
    }
}

fn sphere(ball: &Ball) -> Shape {
    Shape::Sphere { centre: ball.centre, radius: ball.radius }
}
