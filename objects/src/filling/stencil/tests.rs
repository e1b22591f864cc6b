//! Tests all stencils, with surfaces in all positions that the lattice allows.

use nalgebra::{Point3, Vector3};

use super::super::dihedral_angles::dihedral_degrees;
use super::super::stuffing::{LEAST_DEGREES, LONG_REACH, MOST_DEGREES, SHORT_REACH};
use super::super::test_samples::Scatter;
use super::*;

/// A tetrahedron of the lattice, in spacings: the edges 0-1 and 2-3 are long.
const CORNERS: [[f64; 3]; 4] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, 0.5, -0.5]];

fn is_long(i: usize, j: usize) -> bool {
    matches!((i.min(j), i.max(j)), (0, 1) | (2, 3))
}

/// Positions of corners and cuts.
struct Places {
    corners: [Point3<f64>; 4],
    /// Position of each cut from the first to the second corner, as a share of the edge.
    cuts: [[f64; 4]; 4],
}

impl Places {
    fn cut(i: usize, j: usize) -> u32 {
        (4 + 4 * i + j) as u32
    }

    fn place(&self, node: u32) -> Point3<f64> {
        let node = node as usize;
        if node < 4 {
            return self.corners[node];
        }
        let (i, j) = ((node - 4) / 4, (node - 4) % 4);
        self.corners[i] + (self.corners[j] - self.corners[i]) * self.cuts[i][j]
    }

    fn fill(&self, sides: [Side; 4]) -> Vec<[Point3<f64>; 4]> {
        let mut corners = [0, 1, 2, 3];
        let [a, b, c, d] = self.corners;
        if (b - a).dot(&(c - a).cross(&(d - a))) < 0.0 {
            corners.swap(2, 3);
        }
        let numbered = corners.map(|corner: u32| corner as usize);
        let cell = Cell {
            corners,
            sides: numbered.map(|corner| sides[corner]),
            cut: &|i, j| Self::cut(numbered[i], numbered[j]),
            is_long: &|i, j| is_long(numbered[i], numbered[j]),
            place: &|node| self.place(node),
        };
        let mut tets = Vec::new();
        cell.fill(&mut tets);
        tets.into_iter().map(|tet| tet.map(|node| self.place(node))).collect()
    }
}

/// Steps from a corner to its neighbours in the lattice, as far as the corner may be moved along
/// each.
fn reaches() -> Vec<Vector3<f64>> {
    let mut reaches = Vec::new();
    for axis in 0..3 {
        reaches.extend([1.0, -1.0].map(|way| Vector3::ith(axis, way * LONG_REACH)));
    }
    for bits in 0..8 {
        let half = Vector3::from_fn(|axis, _| if bits >> axis & 1 == 1 { 0.5 } else { -0.5 });
        reaches.push(half * SHORT_REACH);
    }
    reaches
}

fn all_sides() -> impl Iterator<Item = [Side; 4]> {
    let side = |i: usize| [Side::Inside, Side::On, Side::Outside][i % 3];
    (0..81).map(move |i| [side(i), side(i / 3), side(i / 9), side(i / 27)])
}

/// Random positions within the limits, or exactly at the limits, where angles are extreme.
///
/// A corner on the surface was moved along an edge that led to the other side, while the corner at
/// its end was still there. That corner comes later in the order of the moves, which is the same
/// for all tetrahedra.
fn places(scatter: &mut Scatter, sides: [Side; 4], reaches: &[Vector3<f64>]) -> Places {
    let was_inside = sides.map(|side| match side {
        Side::Inside => true,
        Side::Outside => false,
        Side::On => scatter.next() > 0.0,
    });
    let turn = sides.map(|side| if side == Side::On { scatter.next() } else { f64::INFINITY });
    let can_move = |from: usize, by: &Vector3<f64>| {
        (0..4).filter(|&to| to != from).all(|to| {
            let way = Point3::from(CORNERS[to]) - Point3::from(CORNERS[from]);
            let leads_there = way.angle(by) < 1e-6;
            !leads_there || (was_inside[to] != was_inside[from] && turn[from] < turn[to])
        })
    };
    let corners = std::array::from_fn(|i| {
        let from = Point3::from(CORNERS[i]);
        if sides[i] != Side::On {
            return from;
        }
        let by = loop {
            let which = (scatter.next() + 1.0) / 2.0 * reaches.len() as f64;
            let by = reaches[which as usize % reaches.len()];
            if can_move(i, &by) {
                break by;
            }
        };
        from + by * share(scatter, 0.0, 1.0)
    });
    let cuts = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let reach = if is_long(i, j) { LONG_REACH } else { SHORT_REACH };
            share(scatter, reach, 1.0 - reach)
        })
    });
    Places { corners, cuts }
}

fn share(scatter: &mut Scatter, low: f64, high: f64) -> f64 {
    let random = scatter.next();
    let at = if scatter.next() > 0.0 { random.signum() } else { random };
    low + (high - low) * (at + 1.0) / 2.0
}

/// Tests the guarantee: angles are within the bounds for every surface.
#[test]
fn angles_are_within_bounds_wherever_the_surface_goes() {
    let reaches = reaches();
    let mut scatter = Scatter::new(7);
    let mut all = [180.0_f64, 0.0];
    for sides in all_sides() {
        let mut range = [180.0_f64, 0.0];
        for _ in 0..20_000 {
            let places = places(&mut scatter, sides, &reaches);
            let [least, most] = dihedral_degrees(places.fill(sides).into_iter());
            range = [range[0].min(least), range[1].max(most)];
        }
        all = [all[0].min(range[0]), all[1].max(range[1])];
    }
    println!("{all:?}");
    assert!(all[0] >= LEAST_DEGREES && all[1] <= MOST_DEGREES, "{all:?}");
}

/// The inner part and the inner part with sides exchanged make up the whole tetrahedron, if the
/// surface between them is one triangle.
#[test]
fn parts_make_up_the_whole() {
    let volume = |tets: Vec<[Point3<f64>; 4]>| -> f64 {
        let each = tets.iter().map(|[a, b, c, d]| (b - a).dot(&(c - a).cross(&(d - a))));
        each.inspect(|&volume| assert!(volume > 0.0)).sum()
    };
    let exchanged = |side: Side| match side {
        Side::Inside => Side::Outside,
        Side::On => Side::On,
        Side::Outside => Side::Inside,
    };
    let reaches = reaches();
    let mut scatter = Scatter::new(3);
    for sides in all_sides() {
        let count = |side: Side| sides.iter().filter(|&&s| s == side).count();
        if count(Side::Inside) == 2 && count(Side::Outside) == 2 || count(Side::On) == 4 {
            continue;
        }
        for _ in 0..100 {
            let mut places = places(&mut scatter, sides, &reaches);
            // The same cuts, seen from the other end.
            for i in 0..4 {
                for j in 0..i {
                    places.cuts[i][j] = 1.0 - places.cuts[j][i];
                }
            }
            let [a, b, c, d] = places.corners;
            let whole = (b - a).dot(&(c - a).cross(&(d - a))).abs();
            let parts = volume(places.fill(sides)) + volume(places.fill(sides.map(exchanged)));
            assert!((parts / whole - 1.0).abs() < 1e-9, "{sides:?}: {parts} of {whole}");
        }
    }
}
