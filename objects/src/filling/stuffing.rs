//! Moves lattice sites onto the surface where they are near it, cuts the lattice elsewhere, and
//! fills the inside: isosurface stuffing \[LS07\].
//!
//! A site near a cut is moved onto the surface, to the nearest cut, and its other cuts are dropped.
//! So every tetrahedron has corners that were not moved, corners that were moved slightly, and cuts
//! well within its edges, and its parts have angles within [`LEAST_DEGREES`] and [`MOST_DEGREES`].
//! This is a property of the stencils alone, for every surface. It was found by search, not by
//! proof: `stencil/tests.rs` tries all stencils with corners and cuts at and between their limits.
//! For this reason `spacing_search` measures every filling and never returns one with other angles.
//!
//! Where moved sites would pinch the skin, the sites stay and the cuts keep their distance instead:
//! a skin made by cuts alone is always simple. This differs from the paper.

use nalgebra::Point3;

use super::background_lattice::BackgroundLattice;
use super::stencil::{Cell, Side};

/// Lower bound of all dihedral angles, in degrees.
pub const LEAST_DEGREES: f64 = 9.2;
/// Upper bound of all dihedral angles, in degrees.
pub const MOST_DEGREES: f64 = 162.0;

/// Distance from a site within which a cut moves it, as a share of a long edge. This and
/// `SHORT_REACH` are the choice of \[LS07\] for the best smallest angle.
pub(super) const LONG_REACH: f64 = 0.24999;
/// Distance from a site within which a cut moves it, as a share of a short edge.
pub(super) const SHORT_REACH: f64 = 0.41189;

/// Tetrahedra, with the origin of their corners.
pub(super) struct Stuffed {
    pub(super) places: Vec<Point3<f64>>,
    pub(super) tets: Vec<[u32; 4]>,
    /// For each node, the lattice site that was moved onto the surface, if the node is one.
    pub(super) moved_site: Vec<Option<u32>>,
}

/// Fills the inside; sites marked in `stays` are never moved.
pub(super) fn stuff(background: &BackgroundLattice, stays: &[bool]) -> Stuffed {
    let moves = Moves::new(background, stays);
    let n_sites = background.places.len();
    let place = |node: u32| moves.place(node as usize);
    let mut tets = Vec::with_capacity(background.tets.len());
    for &corners in &background.tets {
        let sides = corners.map(|corner| moves.sides[corner as usize]);
        let cut = |i: usize, j: usize| (n_sites + moves.cut_between(corners[i], corners[j])) as u32;
        let is_long =
            |i: usize, j: usize| background.cuts[moves.cut_between(corners[i], corners[j])].is_long;
        Cell { corners, sides, cut: &cut, is_long: &is_long, place: &place }.fill(&mut tets);
    }
    renumbered(&moves, tets)
}

/// Numbers the nodes that are used, in the order of their use.
fn renumbered(moves: &Moves<'_>, mut tets: Vec<[u32; 4]>) -> Stuffed {
    let n_sites = moves.sides.len();
    let mut number = vec![u32::MAX; n_sites + moves.background.cuts.len()];
    let mut stuffed = Stuffed { places: Vec::new(), tets: Vec::new(), moved_site: Vec::new() };
    for corner in tets.as_flattened_mut() {
        let node = *corner as usize;
        if number[node] == u32::MAX {
            number[node] = stuffed.places.len() as u32;
            stuffed.places.push(moves.place(node));
            let is_moved = node < n_sites && moves.sides[node] == Side::On;
            stuffed.moved_site.push(is_moved.then_some(node as u32));
        }
        *corner = number[node];
    }
    stuffed.tets = tets;
    stuffed
}

/// Positions of sites and cuts after the moves.
struct Moves<'a> {
    background: &'a BackgroundLattice,
    sides: Vec<Side>,
    places: Vec<Point3<f64>>,
    cut_places: Vec<Point3<f64>>,
    /// Number of the first cut of each inner site.
    first_cut: Vec<u32>,
}

impl<'a> Moves<'a> {
    fn new(background: &'a BackgroundLattice, stays: &[bool]) -> Self {
        let n_sites = background.places.len();
        let side = |&is_inside: &bool| if is_inside { Side::Inside } else { Side::Outside };
        let mut moves = Self {
            background,
            sides: background.is_inside.iter().map(side).collect(),
            places: background.places.clone(),
            cut_places: Vec::new(),
            first_cut: vec![0; n_sites + 1],
        };
        for cut in &background.cuts {
            moves.first_cut[cut.ends[0] as usize + 1] += 1;
        }
        for site in 0..n_sites {
            moves.first_cut[site + 1] += moves.first_cut[site];
        }
        moves.warp(stays);
        moves.cut_places = background
            .cuts
            .iter()
            .map(|cut| {
                let reach = if cut.is_long { LONG_REACH } else { SHORT_REACH };
                moves.along(cut.ends, cut.share.clamp(reach, 1.0 - reach))
            })
            .collect();
        moves
    }

    /// Moves sites onto the surface, one after another.
    fn warp(&mut self, stays: &[bool]) {
        let background = self.background;
        let n_sites = self.sides.len();
        let mut cuts_of_site = vec![Vec::new(); n_sites];
        for (number, cut) in background.cuts.iter().enumerate() {
            for end in cut.ends {
                cuts_of_site[end as usize].push(number as u32);
            }
        }
        for site in (0..n_sites).filter(|&site| !stays[site]) {
            let nearest = cuts_of_site[site]
                .iter()
                .map(|&number| &background.cuts[number as usize])
                .filter(|cut| cut.ends.iter().all(|&end| self.sides[end as usize] != Side::On))
                .map(|cut| {
                    let reach = if cut.is_long { LONG_REACH } else { SHORT_REACH };
                    let is_inner = cut.ends[0] as usize == site;
                    ((if is_inner { cut.share } else { 1.0 - cut.share }) / reach, cut)
                })
                .min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((reaches, cut)) = nearest
                && reaches < 1.0
            {
                self.places[site] = self.along(cut.ends, cut.share);
                self.sides[site] = Side::On;
            }
        }
    }

    /// A point on an edge of the original lattice.
    fn along(&self, ends: [u32; 2], share: f64) -> Point3<f64> {
        let [inner, outer] = ends.map(|end| self.background.places[end as usize]);
        inner + (outer - inner) * share
    }

    fn place(&self, node: usize) -> Point3<f64> {
        match node.checked_sub(self.places.len()) {
            Some(cut) => self.cut_places[cut],
            None => self.places[node],
        }
    }

    fn cut_between(&self, a: u32, b: u32) -> usize {
        let ends = if self.background.is_inside[a as usize] { [a, b] } else { [b, a] };
        let [first, end] = [0, 1].map(|i| self.first_cut[ends[0] as usize + i] as usize);
        let found = self.background.cuts[first..end].iter().position(|cut| cut.ends == ends);
        first + found.expect("every edge between inside and outside has a cut")
    }
}
