//! Sites of the smallest cells near the surface, each marked as inside or outside.
//!
//! The inside can end only in a cell that contains a triangle, or at a tear of the surface. A tear
//! begins at triangles, so the search follows the change from cell to cell until it closes.

use rayon::prelude::*;

use super::lattice::{Cell, Lattice, NEIGHBOURS, Site, SiteMap, SiteSet, centre, corner};
use super::triangle_tree::Triangle;
use super::winding::Winding;

/// The known sites near the surface.
pub(super) struct InsideFront<'a> {
    pub(super) lattice: Lattice,
    winding: &'a Winding<'a>,
    is_inside: SiteMap<bool>,
    /// Cells that have been visited.
    seen: SiteSet,
    /// Sites with a neighbour on the other side of the surface.
    pub(super) active: SiteSet,
}

impl<'a> InsideFront<'a> {
    pub(super) fn new(lattice: Lattice, winding: &'a Winding<'a>, triangles: &[Triangle]) -> Self {
        let (is_inside, seen) = (SiteMap::default(), SiteSet::default());
        let mut front = Self { lattice, winding, is_inside, seen, active: SiteSet::default() };
        let chunks: Vec<Vec<Cell>> = triangles
            .par_chunks(1024)
            .map(|chunk| {
                let mut cells = Vec::new();
                for triangle in chunk {
                    lattice.cells_of(triangle, &mut cells);
                }
                cells.sort_unstable();
                cells.dedup();
                cells
            })
            .collect();
        front.follow(chunks.concat());
        front
    }

    /// Visits cells, and continues at every cell in which the inside ends.
    pub(super) fn follow(&mut self, mut cells: Vec<Cell>) {
        while !cells.is_empty() {
            cells.retain(|&cell| self.seen.insert(cell));
            let sites: Vec<Site> = cells.iter().flat_map(|&cell| self.star(cell)).collect();
            self.learn(sites);
            let mut next = Vec::new();
            for cell in std::mem::take(&mut cells) {
                for site in self.star(cell).collect::<Vec<_>>() {
                    if !self.active.contains(&site) && self.is_active(site) {
                        self.active.insert(site);
                        next.extend(self.cells_around(site));
                    }
                }
            }
            cells = next;
        }
    }

    /// Finds out which of `sites` are inside.
    pub(super) fn learn(&mut self, mut sites: Vec<Site>) {
        sites.retain(|site| !self.is_inside.contains_key(site));
        sites.sort_unstable();
        sites.dedup();
        let (lattice, winding) = (&self.lattice, self.winding);
        let found: Vec<bool> = sites
            .par_iter()
            .map(|&site| !lattice.is_border(site) && winding.is_inside(&lattice.position(site)))
            .collect();
        self.is_inside.extend(sites.into_iter().zip(found));
    }

    /// True if a site is inside; it must have been passed to `learn` before.
    pub(super) fn is_inside(&self, site: Site) -> bool {
        self.is_inside[&site]
    }

    /// Smallest cells with an active site at a corner, at the centre or at a neighbour's centre.
    pub(super) fn cells_to_keep_small(&self) -> SiteSet {
        self.active.iter().flat_map(|&site| self.cells_around(site)).collect()
    }

    /// True if a known neighbour is on the other side of the surface.
    fn is_active(&self, site: Site) -> bool {
        let is_inside = self.is_inside[&site];
        NEIGHBOURS
            .iter()
            .filter_map(|&step| self.lattice.site_beside(site, step))
            .any(|neighbour| self.is_inside.get(&neighbour).is_some_and(|&n| n != is_inside))
    }

    /// Corners and centre of a cell, and the centres of the cells at its sides.
    fn star(&self, cell: Cell) -> impl Iterator<Item = Site> + use<> {
        let lattice = self.lattice;
        let beside = SIDES.into_iter().filter_map(move |by| lattice.beside(0, cell, by));
        let centres = std::iter::once(cell).chain(beside).map(|cell| centre(0, cell));
        centres.chain((0..8).map(move |bits| corner(0, cell, bits)))
    }

    /// Cells that contain the tetrahedra around a site.
    fn cells_around(&self, site: Site) -> impl Iterator<Item = Cell> + use<> {
        let lattice = self.lattice;
        let at = site.at();
        let is_centre = at[0] % 2 == 1;
        let first = Site::new(at.map(|c| c / 2));
        let steps: &[[i32; 3]] = if is_centre { &AT_CENTRE } else { &AT_CORNER };
        steps.iter().filter_map(move |&by| lattice.beside(0, first, by))
    }
}

impl Lattice {
    /// True if a site is on the border of the lattice, where no site is inside.
    fn is_border(&self, site: Site) -> bool {
        let at = site.at();
        (0..3).any(|axis| at[axis] <= 1 || at[axis] >= 2 * self.size[axis] - 1)
    }
}

/// Steps to the six cells that share a side with a cell.
pub(super) const SIDES: [[i32; 3]; 6] =
    [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
/// Steps from a centre's cell to the cells around the centre.
const AT_CENTRE: [[i32; 3]; 7] =
    [[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
/// Steps from the cell above a corner to the cells around the corner.
const AT_CORNER: [[i32; 3]; 8] = [
    [0, 0, 0],
    [-1, 0, 0],
    [0, -1, 0],
    [-1, -1, 0],
    [0, 0, -1],
    [-1, 0, -1],
    [0, -1, -1],
    [-1, -1, -1],
];
