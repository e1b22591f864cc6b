//! Places on the skin that shapes touch, each with its share of the area.
//!
//! Every triangle is split into `k x k` smaller ones, whose corners become points. A point's force
//! goes to the three nodes of its triangle, so contact does not depend on where the nodes are.

use std::collections::HashMap;

use nalgebra::{Point3, Vector3};

use super::shape::ContactProxy;
use crate::mesh::{TetMesh, Topology};

/// Largest number of points of a skin. Beyond it, the points are farther apart.
const MOST_POINTS: usize = 20_000;

/// Points of a group that is searched together.
const GROUP: usize = 48;

/// Place on the skin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkinPoint {
    /// Points of the topology at the corners of the triangle.
    pub corners: [u32; 3],
    /// Weights of the corners; their sum is 1.
    pub weights: [f64; 3],
    /// Share of the skin's area, in m².
    pub area: f64,
    /// The sides of the skin that meet here, up to three: a point on an edge of the body belongs to
    /// two.
    pub sides: [Facet; 3],
    /// Rest position.
    pub rest: Point3<f64>,
    /// Unit normal out of the body at rest.
    pub normal: Vector3<f64>,
    /// True if the point is a node.
    pub is_node: bool,
}

impl SkinPoint {
    /// Weighted sum of a quantity of the corners.
    pub fn mean(&self, of_corner: impl Fn(u32) -> Vector3<f64>) -> Vector3<f64> {
        if self.is_node {
            return of_corner(self.corners[0]);
        }
        let [a, b, c] = self.corners.map(of_corner);
        a * self.weights[0] + b * self.weights[1] + c * self.weights[2]
    }
}

/// Part of a point's area with one direction.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Facet {
    /// Area times outer unit normal.
    pub directed_area: Vector3<f64>,
    /// Area in m².
    pub area: f64,
    /// Area if the nodes are the only points; zero for points that are not nodes.
    pub node_area: f64,
}

impl Facet {
    fn normal(&self) -> Vector3<f64> {
        self.directed_area / self.area.max(f64::MIN_POSITIVE)
    }
}

impl SkinPoint {
    /// Area that faces a shape which pushes along `push`. The side of an edge that looks away
    /// carries nothing. The area rises with the angle and is whole from 30 degrees on.
    pub fn area_facing(&self, push: &Vector3<f64>, touches_nodes_only: bool) -> f64 {
        let share = |side: &Facet| {
            let share = (-2.0 * push.dot(&side.normal())).clamp(0.0, 1.0);
            share * if touches_nodes_only { side.node_area } else { side.area }
        };
        self.sides.iter().map(share).sum()
    }

    /// The point as a shape meets it: with the area of a node, if the shape touches nodes only.
    pub(super) fn met_by(&self, proxy: &ContactProxy) -> Self {
        let node_area = || self.sides.iter().map(|side| side.node_area).sum();
        let area = if proxy.touches_nodes_only { node_area() } else { self.area };
        Self { area, ..*self }
    }

    /// Adds a part of a triangle to the side that it belongs to.
    fn add(&mut self, normal: &Vector3<f64>, area: f64, node_area: f64) {
        /// Least cosine between the normals of one side's triangles: about 37 degrees.
        const SAME_SIDE: f64 = 0.8;
        self.area += area;
        let closeness = |side: &Facet| side.normal().dot(normal);
        let free = self.sides.iter().position(|side| side.area == 0.0);
        let nearest = (0..3)
            .filter(|&at| self.sides[at].area > 0.0)
            .max_by(|&a, &b| closeness(&self.sides[a]).total_cmp(&closeness(&self.sides[b])));
        let at = match (nearest, free) {
            (Some(at), Some(free)) if closeness(&self.sides[at]) < SAME_SIDE => free,
            (Some(at), _) => at,
            (None, _) => 0,
        };
        let side = &mut self.sides[at];
        side.directed_area += normal * area;
        side.area += area;
        side.node_area += node_area;
    }
}

/// All points of a skin, in groups of neighbours.
#[derive(Debug, Clone)]
pub struct SkinPoints {
    points: Vec<SkinPoint>,
    groups: Vec<Group>,
}

/// Neighbouring points in a ball.
#[derive(Debug, Clone, Copy)]
struct Group {
    first: u32,
    end: u32,
    centre: Point3<f64>,
    radius: f64,
}

/// Place on the skin that several triangles share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Corner(u32),
    /// Share `numerator / denominator` of the way between two corners, in lowest terms.
    Edge {
        ends: [u32; 2],
        numerator: u32,
        denominator: u32,
    },
    Inner {
        triangle: u32,
        number: u32,
    },
}

impl SkinPoints {
    /// Makes the points of a skin at most `spacing` apart; `None` makes one point of each node.
    pub fn of(mesh: &TetMesh, topology: &Topology, spacing: Option<f64>) -> Self {
        let rest: Vec<Point3<f64>> =
            topology.nodes.iter().map(|node| mesh.rest_positions()[node.index()]).collect();
        let mut spacing = spacing.unwrap_or(f64::INFINITY);
        let estimate = |spacing: f64| -> f64 {
            let splits = topology.triangles.iter().map(|t| n_splits(&rest, t, spacing) as f64);
            splits.map(|n| 0.5 * n * n).sum()
        };
        while estimate(spacing) > MOST_POINTS as f64 && spacing.is_finite() {
            spacing *= 1.1;
            // Points that are farther apart than the nodes are the nodes.
            if topology.triangles.iter().all(|t| n_splits(&rest, t, spacing) == 1) {
                break;
            }
        }
        let mut points = lattice(&rest, topology, spacing);
        let order = along_curve(&points);
        points = order.into_iter().map(|at| points[at]).collect();
        let groups = (0..points.len()).step_by(GROUP).map(|first| {
            let end = (first + GROUP).min(points.len());
            let of_group = &points[first..end];
            let sum: Vector3<f64> = of_group.iter().map(|p| p.rest.coords).sum();
            let centre = Point3::from(sum / of_group.len() as f64);
            let radius = of_group.iter().map(|p| (p.rest - centre).norm()).fold(0.0, f64::max);
            Group { first: first as u32, end: end as u32, centre, radius }
        });
        Self { groups: groups.collect(), points }
    }

    /// The points.
    pub fn points(&self) -> &[SkinPoint] {
        &self.points
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// True if there are no points.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Numbers of points in groups whose ball at rest, enlarged by `margin`, is within `distance`
    /// returns at most zero; ascending.
    pub(super) fn in_groups(
        &self,
        margin: f64,
        distance: impl Fn(&Point3<f64>) -> f64,
    ) -> impl Iterator<Item = u32> {
        let near = move |group: &&Group| distance(&group.centre) <= group.radius + margin;
        self.groups.iter().filter(near).flat_map(|group| group.first..group.end)
    }
}

/// Number of parts of a triangle's edges.
fn n_splits(rest: &[Point3<f64>], triangle: &[u32; 3], spacing: f64) -> usize {
    let [a, b, c] = triangle.map(|corner| rest[corner as usize]);
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    // A length that is a multiple up to rounding needs no further part.
    ((longest / spacing - 1e-9).ceil() as usize).max(1)
}

fn lattice(rest: &[Point3<f64>], topology: &Topology, spacing: f64) -> Vec<SkinPoint> {
    let mut points: Vec<SkinPoint> = Vec::new();
    let mut at_place: HashMap<Place, usize> = HashMap::new();
    for (number, triangle) in topology.triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|corner| rest[corner as usize]);
        let k = n_splits(rest, triangle, spacing);
        let doubled = (b - a).cross(&(c - a));
        let normal = doubled / doubled.norm().max(f64::MIN_POSITIVE);
        let small = 0.5 * doubled.norm() / (k * k) as f64;
        for i in 0..=k {
            for j in 0..=k - i {
                let parts = [(k - i - j) as u32, i as u32, j as u32];
                let place = place(number, triangle, parts, k as u32);
                let at = *at_place.entry(place).or_insert_with(|| {
                    points.push(new_point(rest, triangle, parts, k));
                    points.len() - 1
                });
                // Every small triangle gives a third of its area to each of its corners.
                let share = small * f64::from(n_small(parts)) / 3.0;
                let node_area = if points[at].is_node { 0.5 * doubled.norm() / 3.0 } else { 0.0 };
                points[at].add(&normal, share, node_area);
            }
        }
    }
    for point in &mut points {
        let sum: Vector3<f64> = point.sides.iter().map(|side| side.directed_area).sum();
        point.normal = sum.try_normalize(0.0).unwrap_or_else(Vector3::y);
    }
    points
}

/// Number of small triangles of one triangle that meet at a lattice point: one at a corner, three
/// on an edge, six inside.
fn n_small(parts: [u32; 3]) -> u32 {
    match parts.iter().filter(|part| **part == 0).count() {
        2 => 1,
        1 => 3,
        _ => 6,
    }
}

fn place(triangle_number: usize, triangle: &[u32; 3], parts: [u32; 3], k: u32) -> Place {
    let mut used = (0..3).filter(|&i| parts[i] > 0);
    match (used.next(), used.next(), used.next()) {
        (Some(one), None, _) => Place::Corner(triangle[one]),
        (Some(one), Some(other), None) => {
            let (low, high) =
                if triangle[one] < triangle[other] { (one, other) } else { (other, one) };
            let divisor = greatest_divisor(parts[high], k);
            Place::Edge {
                ends: [triangle[low], triangle[high]],
                numerator: parts[high] / divisor,
                denominator: k / divisor,
            }
        }
        _ => {
            Place::Inner { triangle: triangle_number as u32, number: parts[1] * (k + 1) + parts[2] }
        }
    }
}

fn greatest_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

fn new_point(rest: &[Point3<f64>], triangle: &[u32; 3], parts: [u32; 3], k: usize) -> SkinPoint {
    let corner = parts.iter().position(|&part| part as usize == k);
    let (corners, weights) = match corner {
        Some(corner) => ([triangle[corner]; 3], [1.0, 0.0, 0.0]),
        None => (*triangle, parts.map(|part| f64::from(part) / k as f64)),
    };
    let sum: Vector3<f64> =
        corners.iter().zip(weights).map(|(c, weight)| rest[*c as usize].coords * weight).sum();
    SkinPoint {
        corners,
        weights,
        area: 0.0,
        sides: [Facet::default(); 3],
        rest: sum.into(),
        normal: Vector3::zeros(),
        is_node: corner.is_some(),
    }
}

/// Order of the points along Morton's curve, so that neighbours have neighbouring numbers.
fn along_curve(points: &[SkinPoint]) -> Vec<usize> {
    let low = points.iter().fold(Point3::from([f64::INFINITY; 3]), |low, p| low.inf(&p.rest));
    let size = points.iter().map(|p| (p.rest - low).amax()).fold(f64::MIN_POSITIVE, f64::max);
    let code = |point: &SkinPoint| {
        let cell = (point.rest - low).map(|c| (c / size * 1023.0) as u32);
        (0..10).fold(0_u32, |code, bit| {
            let bits = [0, 1, 2].map(|axis| (cell[axis] >> bit & 1) << (3 * bit + axis));
            code | bits[0] | bits[1] | bits[2]
        })
    };
    let mut order: Vec<(u32, usize)> = points.iter().map(code).zip(0..).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, at)| at).collect()
}
