//! Depth of a finger segment in the skin.
//!
//! A ball about a point of the segment's axis reaches below the skin by its radius minus the
//! point's distance, which is negative inside. While the whole axis is outside, the deepest ball is
//! at the place of the axis that is nearest to the skin, and the answer is exact. Inside, the
//! deepest place of the axis is enclosed by halving. Between two places, the depth grows at most as
//! fast as the distance along the axis. It is also at most the distance to the triangle nearest to
//! either end, which along a line stays below its chord.

use nalgebra::Point3;
use physics::Shape;

use super::interference::sphere_touches_capsule;
use super::segment::Segment;
use super::touchable_surface::TouchableSurface;
use super::triangle::nearest_point;

/// Largest error of a computed depth, in metres; depths are never too small.
const TOLERANCE: f64 = 1e-4;
/// Greatest number of halvings of a segment: enough for half a metre.
const MOST_HALVINGS: u32 = 12;

/// A place of the axis, its depth below the skin, and the triangle nearest to it.
#[derive(Debug, Clone, Copy)]
struct Probe {
    at: Point3<f64>,
    depth: f64,
    triangle: usize,
}

/// The deepest place of a finger segment that is in the skin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penetration {
    /// Depth of the segment's surface below the skin, in metres.
    pub depth: f64,
    /// The deepest place of the segment's axis.
    pub at: Point3<f64>,
}

impl TouchableSurface {
    /// Depth of a finger segment below the skin, in the object's frame; 0 if it is clear.
    ///
    /// A cylinder counts with round ends, like the joints between segments. The result is exact
    /// while the axis is outside. For an axis inside, it is at most a tenth of a millimetre too
    /// large and never too small. A surface that is not closed has no inside: there, the depth is
    /// at most the radius.
    pub fn segment_depth(&self, shape: &Shape) -> f64 {
        self.penetration(shape).map_or(0.0, |penetration| penetration.depth)
    }

    /// Same as [`segment_depth`](Self::segment_depth), with the deepest place; `None` if the
    /// segment is clear.
    pub fn penetration(&self, shape: &Shape) -> Option<Penetration> {
        let (axis, radius) = match *shape {
            Shape::Sphere { centre, radius } => (Segment { start: centre, end: centre }, radius),
            Shape::Cylinder { start, end, radius } => (Segment { start, end }, radius),
        };
        let is_near = self.tree().root().is_some_and(|(centre, around)| {
            sphere_touches_capsule(&centre, around, &axis.start, &axis.end, radius)
        });
        if !is_near {
            return None;
        }
        let is_closed = self.skin().adjacency.is_closed();
        let (depth, at) = match self.gap(&axis, radius) {
            Some((gap, at)) if !is_closed => (radius - gap, at),
            Some((gap, at)) if gap > 0.0 && !self.is_inside(&at) => (radius - gap, at),
            None if !is_closed || !self.is_inside(&axis.start) => return None,
            // The axis passes through the skin, or all of it is below the skin.
            Some(_) | None => {
                let (depth, at) = self.deepest(&axis)?;
                (radius + depth, at)
            }
        };
        (depth > 0.0).then_some(Penetration { depth, at })
    }

    /// The distance between an axis and the skin if it is within `reach`, and its place on the
    /// axis.
    fn gap(&self, axis: &Segment, reach: f64) -> Option<(f64, Point3<f64>)> {
        let mut least: Option<(f64, Point3<f64>)> = None;
        self.tree().nearest(&|centre| axis.apart_from_point(centre), reach, &mut |triangle| {
            let (apart, at) = axis.apart(&self.skin().corners(triangle));
            if apart <= reach && least.is_none_or(|(least, _)| apart < least) {
                least = Some((apart, at));
            }
            apart
        });
        least
    }

    fn is_inside(&self, point: &Point3<f64>) -> bool {
        // Most of a hand is beside the object: points outside of the object's box need no search.
        self.tree().box_holds(point)
            && self.nearest(point, f64::INFINITY).is_some_and(|nearest| nearest.distance < 0.0)
    }

    /// The greatest depth of an axis below the skin, or slightly more, and its place.
    fn deepest(&self, axis: &Segment) -> Option<(f64, Point3<f64>)> {
        let start = self.probe(&axis.start, f64::INFINITY)?;
        let end = self.probe(&axis.end, start.reach_to(&axis.end))?;
        let mut deepest = if end.depth > start.depth { end } else { start };
        let bound = self.bound_between(&start, &end, MOST_HALVINGS, &mut deepest)?;
        Some((bound.max(deepest.depth), deepest.at))
    }

    /// A depth that no place between two probes exceeds; `deepest` is the deepest place found so
    /// far.
    fn bound_between(
        &self,
        one: &Probe,
        other: &Probe,
        halvings: u32,
        deepest: &mut Probe,
    ) -> Option<f64> {
        let bound = self.steepest(one, other).min(self.below_chords(one, other));
        if bound <= deepest.depth + TOLERANCE || halvings == 0 {
            return Some(bound);
        }
        let at = nalgebra::center(&one.at, &other.at);
        let middle = self.probe(&at, one.reach_to(&at).min(other.reach_to(&at)))?;
        if middle.depth > deepest.depth {
            *deepest = middle;
        }
        let first = self.bound_between(one, &middle, halvings - 1, deepest)?;
        let second = self.bound_between(&middle, other, halvings - 1, deepest)?;
        Some(first.max(second))
    }

    /// Bound from the slope: depth grows at most as fast as the distance along the axis.
    fn steepest(&self, one: &Probe, other: &Probe) -> f64 {
        (one.depth + other.depth + (other.at - one.at).norm()) * 0.5
    }

    /// Bound from convexity: no place is farther from the skin than from the triangles at both
    /// ends, and the distances from these triangles are convex.
    fn below_chords(&self, one: &Probe, other: &Probe) -> f64 {
        let apart = |probe: &Probe, from: &Probe| {
            let corners = self.skin().corners(from.triangle);
            (probe.at - nearest_point(&probe.at, &corners)).norm()
        };
        let (one_here, other_here) = (one.depth.abs(), other.depth.abs());
        // By how much the triangle of each end is farther away at the other end.
        let (rise, fall) = (apart(other, one) - one_here, apart(one, other) - other_here);
        let part = (apart(one, other) - one_here) / (rise + fall);
        let crossing = if part.is_finite() { one_here + rise * part } else { one_here };
        crossing.max(one_here).max(other_here)
    }

    fn probe(&self, at: &Point3<f64>, reach: f64) -> Option<Probe> {
        let (nearest, triangle) = self.nearest_with_triangle(at, reach)?;
        Some(Probe { at: *at, depth: -nearest.distance, triangle })
    }
}

impl Probe {
    /// Greatest possible distance of the skin from another place, with a margin for rounding.
    fn reach_to(&self, other: &Point3<f64>) -> f64 {
        (self.depth.abs() + (other - self.at).norm()) * (1.0 + 1e-9) + 1e-12
    }
}
