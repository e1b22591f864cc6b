//! How deep a finger's segment is in the skin.
//!
//! A ball about a point of the segment's axis reaches as far below the skin as its radius is larger than the
//! point's distance, which is negative inside. While the whole axis is outside, the deepest ball is where
//! the axis is nearest to the skin, and exact. Inside, the deepest place of the axis is enclosed by halving:
//! between two places, depth grows at most as fast as the way, and is at most the distance to the triangle
//! that is nearest to either end, which along a line stays below its chord.

use nalgebra::Point3;
use physics::Shape;

use super::contact::TouchableSurface;
use super::interference::sphere_touches_capsule;
use super::segment::Segment;
use super::triangle::nearest_point;

/// How much too deep a segment may be said to be, in metres.
const TOLERANCE: f64 = 1e-4;
/// So often a segment is halved at most: enough for half a metre.
const MOST_HALVINGS: u32 = 12;

/// A place of the axis, how deep it is below the skin, and the triangle nearest to it.
#[derive(Debug, Clone, Copy)]
struct Probe {
    at: Point3<f64>,
    depth: f64,
    triangle: usize,
}

/// A segment of a finger that is in the skin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sunk {
    /// How deep it reaches below the skin, in metres.
    pub depth: f64,
    /// The place of its axis that is deepest.
    pub at: Point3<f64>,
}

impl TouchableSurface {
    /// How deep a segment of a finger, in the object's frame, reaches below the skin: 0 if it is clear.
    ///
    /// A cylinder counts with round ends, as the joints between the segments are. The answer is exact while
    /// the axis is outside; for an axis inside it is at most a tenth of a millimetre too much, and never too
    /// little. A surface that is not closed has no inside: there, no more than the radius is seen.
    pub fn segment_depth(&self, shape: &Shape) -> f64 {
        self.sunk(shape).map_or(0.0, |sunk| sunk.depth)
    }

    /// The same, and where it is deepest; nothing if it is clear.
    pub fn sunk(&self, shape: &Shape) -> Option<Sunk> {
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
            // The axis passes through the skin or is below it from end to end.
            Some(_) | None => {
                let (depth, at) = self.deepest(&axis)?;
                (radius + depth, at)
            }
        };
        (depth > 0.0).then_some(Sunk { depth, at })
    }

    /// The distance between an axis and the skin if it is within `reach`, and where on the axis.
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
        // Most of a hand is beside the object: what is out of its box is not worth a search.
        self.tree().box_holds(point)
            && self.nearest(point, f64::INFINITY).is_some_and(|nearest| nearest.distance < 0.0)
    }

    /// The depth of an axis' deepest place below the skin, or a little more, and that place.
    fn deepest(&self, axis: &Segment) -> Option<(f64, Point3<f64>)> {
        let start = self.probe(&axis.start, f64::INFINITY)?;
        let end = self.probe(&axis.end, start.reach_to(&axis.end))?;
        let mut deepest = if end.depth > start.depth { end } else { start };
        let bound = self.bound_between(&start, &end, MOST_HALVINGS, &mut deepest)?;
        Some((bound.max(deepest.depth), deepest.at))
    }

    /// A depth that no place between two others exceeds; `deepest` is the deepest place seen so far.
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

    /// Depth grows at most as fast as the way.
    fn steepest(&self, one: &Probe, other: &Probe) -> f64 {
        (one.depth + other.depth + (other.at - one.at).norm()) * 0.5
    }

    /// No place is farther from the skin than from the triangles at both ends, whose distances are convex.
    fn below_chords(&self, one: &Probe, other: &Probe) -> f64 {
        let apart = |probe: &Probe, from: &Probe| {
            let corners = self.skin().corners(from.triangle);
            (probe.at - nearest_point(&probe.at, &corners)).norm()
        };
        let (one_here, other_here) = (one.depth.abs(), other.depth.abs());
        // How far each end's triangle falls behind the other's at the other end.
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
    /// How far the skin can be from another place at most, with a little for rounding.
    fn reach_to(&self, other: &Point3<f64>) -> f64 {
        (self.depth.abs() + (other - self.at).norm()) * (1.0 + 1e-9) + 1e-12
    }
}
