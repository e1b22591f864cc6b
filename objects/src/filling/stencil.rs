//! The part of one lattice tetrahedron that is inside, as tetrahedra.
//!
//! The stencils are those of \[LS07\]. The inner part of a tetrahedron is a tetrahedron, a pyramid
//! or a prism. Its four-cornered sides are halved by a rule that depends on that side only, so that
//! neighbours agree:
//! - between a cut of a long edge and one of a short edge, at the cut of the long edge;
//! - between cuts of two short edges, along the shorter diagonal.
//!
//! The rule never leads to a prism that cannot be divided: of its sides within the lattice, two
//! share the cut of the long edge, or both cuts are on short edges and the third side is free.

use nalgebra::Point3;

/// Position of a corner relative to the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Inside,
    /// On the surface: the corner has been moved there.
    On,
    Outside,
}

/// A lattice tetrahedron and its surroundings.
pub(super) struct Cell<'a> {
    /// Corners, in positive orientation.
    pub(super) corners: [u32; 4],
    pub(super) sides: [Side; 4],
    /// The node at which the surface cuts the edge from an inner to an outer corner (0 to 3).
    pub(super) cut: &'a dyn Fn(usize, usize) -> u32,
    /// True if the edge between two corners is one of the two long ones.
    pub(super) is_long: &'a dyn Fn(usize, usize) -> bool,
    pub(super) place: &'a dyn Fn(u32) -> Point3<f64>,
}

/// Diagonal that halves a side of a prism: from its lower corner up to the next one, or down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Halved {
    Up,
    Down,
}

impl Cell<'_> {
    /// Appends the tetrahedra that fill the inner part, all positively oriented.
    pub(super) fn fill(&self, tets: &mut Vec<[u32; 4]>) {
        let at = |side: Side| (0..4).filter(move |&i| self.sides[i] == side);
        let first = tets.len();
        let inner: Vec<usize> = at(Side::Inside).collect();
        let outer: Vec<usize> = at(Side::Outside).collect();
        let node = |i: usize| self.corners[i];
        match (inner.as_slice(), outer.as_slice()) {
            ([], _) => {}
            (_, []) => tets.push(self.corners),
            (&[a], _) => tets.push(std::array::from_fn(|i| {
                if self.sides[i] == Side::Outside { (self.cut)(a, i) } else { node(i) }
            })),
            (&[a, b], &[d]) => {
                let on = at(Side::On).map(node).next().expect("two inside, one outside, one on");
                let (cut_a, cut_b) = ((self.cut)(a, d), (self.cut)(b, d));
                match self.halved(a, b, d) {
                    Halved::Up => {
                        tets.extend([[node(a), node(b), cut_b, on], [node(a), cut_b, cut_a, on]])
                    }
                    Halved::Down => {
                        tets.extend([[node(a), node(b), cut_a, on], [node(b), cut_b, cut_a, on]])
                    }
                }
            }
            (&[a, b], &[c, d]) => {
                let bottom = [node(a), (self.cut)(a, c), (self.cut)(a, d)];
                let top = [node(b), (self.cut)(b, c), (self.cut)(b, d)];
                let first = self.halved(a, b, c);
                let last = opposite(self.halved(a, b, d));
                let middle = self.free_half(bottom, top, first, last);
                tets.extend(prism(bottom, top, [first, middle, last]));
            }
            (&[a, b, c], &[d]) => {
                let top = [a, b, c].map(|corner| (self.cut)(corner, d));
                let halved = [self.halved(a, b, d), self.halved(b, c, d), self.halved(c, a, d)];
                tets.extend(prism([a, b, c].map(node), top, halved));
            }
            _ => unreachable!("a tetrahedron has four corners"),
        }
        for tet in &mut tets[first..] {
            if self.volume(*tet) < 0.0 {
                tet.swap(2, 3);
            }
        }
    }

    /// Diagonal of the side between the inner corners `a`, `b` and their cuts towards `d`: up is
    /// from `a` to the cut of `b`.
    fn halved(&self, a: usize, b: usize, d: usize) -> Halved {
        let (cut_a, cut_b) = ((self.cut)(a, d), (self.cut)(b, d));
        let is_up = match ((self.is_long)(a, d), (self.is_long)(b, d)) {
            (true, _) => false,
            (_, true) => true,
            (false, false) => {
                // Compute in the same order from both sides of the face, so that rounding is the
                // same.
                let (first, second) =
                    (self.corners[a].min(self.corners[b]), self.corners[a].max(self.corners[b]));
                let (cut_first, cut_second) =
                    if first == self.corners[a] { (cut_a, cut_b) } else { (cut_b, cut_a) };
                let from_first = self.squared(first, cut_second) <= self.squared(second, cut_first);
                from_first == (first == self.corners[a])
            }
        };
        if is_up { Halved::Up } else { Halved::Down }
    }

    /// Diagonal of the side of a prism that is on the surface. The side has no neighbour, so the
    /// shorter diagonal is used unless the other two sides leave no choice.
    fn free_half(&self, bottom: [u32; 3], top: [u32; 3], first: Halved, last: Halved) -> Halved {
        if first == last {
            return opposite(first);
        }
        if self.squared(bottom[1], top[2]) <= self.squared(bottom[2], top[1]) {
            Halved::Up
        } else {
            Halved::Down
        }
    }

    fn squared(&self, a: u32, b: u32) -> f64 {
        ((self.place)(a) - (self.place)(b)).norm_squared()
    }

    fn volume(&self, tet: [u32; 4]) -> f64 {
        let [a, b, c, d] = tet.map(|node| (self.place)(node));
        (b - a).dot(&(c - a).cross(&(d - a)))
    }
}

fn opposite(halved: Halved) -> Halved {
    match halved {
        Halved::Up => Halved::Down,
        Halved::Down => Halved::Up,
    }
}

/// Three tetrahedra that fill a prism; side `i` is between the corners `i` and `i + 1`.
fn prism(bottom: [u32; 3], top: [u32; 3], halved: [Halved; 3]) -> [[u32; 4]; 3] {
    let hub = (0..3)
        .find(|&i| halved[i] == Halved::Up && halved[(i + 2) % 3] == Halved::Down)
        .expect("sides that do not all turn the same way have a corner with two halvings");
    let (i, j, k) = (hub, (hub + 1) % 3, (hub + 2) % 3);
    let lid = [bottom[i], top[0], top[1], top[2]];
    match halved[j] {
        Halved::Up => {
            [lid, [bottom[i], bottom[j], bottom[k], top[k]], [bottom[i], bottom[j], top[k], top[j]]]
        }
        Halved::Down => {
            [lid, [bottom[i], bottom[j], bottom[k], top[j]], [bottom[i], bottom[k], top[k], top[j]]]
        }
    }
}

#[cfg(test)]
mod tests;
