//! Sites of a body-centred cubic lattice whose cells may be doubled in size.
//!
//! Coordinates are counted in halves of the spacing from one corner of a box around the body, so
//! that corners of the smallest cells are even, their centres are odd, and a site fits into one
//! number.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use nalgebra::{Point3, Vector3};

/// A point of the lattice, packed into one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Site(u64);

/// A cell of some level, packed in the same way; a cell of level `l` is `2^l` spacings wide.
pub(super) type Cell = Site;

/// Number of bits for each coordinate.
const BITS: u32 = 21;
const MASK: u64 = (1 << BITS) - 1;

impl Site {
    pub(super) fn new(at: [i32; 3]) -> Self {
        debug_assert!(at.iter().all(|&c| c >= 0 && c as u64 <= MASK));
        let [x, y, z] = at.map(|c| c as u64);
        Self((z << (2 * BITS)) | (y << BITS) | x)
    }

    pub(super) fn at(self) -> [i32; 3] {
        [0, 1, 2].map(|axis| ((self.0 >> (axis * BITS)) & MASK) as i32)
    }

    pub(super) fn parent(self) -> Self {
        Self::new(self.at().map(|c| c / 2))
    }

    pub(super) fn children(self) -> [Self; 8] {
        let at = self.at();
        std::array::from_fn(|bits| {
            Self::new([0, 1, 2].map(|axis| 2 * at[axis] + (bits >> axis & 1) as i32))
        })
    }
}

/// Position, spacing and size of a lattice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lattice {
    origin: Point3<f64>,
    pub(super) spacing: f64,
    /// Number of smallest cells along each axis, a multiple of the width of the largest cells.
    pub(super) size: [i32; 3],
    /// Level of the largest cells.
    pub(super) top: usize,
}

/// Number of empty cells of the largest size around the body.
const MARGIN: i32 = 2;
/// Shift of the lattice, in spacings, so that no flat side of a body coincides with its planes.
const ASIDE: [f64; 3] = [0.1371, 0.2893, 0.4107];

impl Lattice {
    /// A lattice around a box.
    pub(super) fn around(low: &Point3<f64>, high: &Point3<f64>, spacing: f64, top: usize) -> Self {
        let largest = 1 << top;
        let before = Vector3::repeat(f64::from(MARGIN * largest)) + Vector3::from(ASIDE);
        let size = [0, 1, 2].map(|axis| {
            let cells = ((high - low)[axis] / spacing + ASIDE[axis]).ceil() as i32;
            ((cells + largest - 1) / largest + 2 * MARGIN) * largest
        });
        Self { origin: low - before * spacing, spacing, size, top }
    }

    pub(super) fn position(&self, site: Site) -> Point3<f64> {
        self.origin + Vector3::from(site.at().map(f64::from)) * (self.spacing / 2.0)
    }

    /// Indices of the smallest cell that contains a point; it may be outside of the lattice.
    pub(super) fn cell_at(&self, x: &Point3<f64>) -> [i32; 3] {
        let cells = (x - self.origin) / self.spacing;
        [0, 1, 2].map(|axis| cells[axis].floor() as i32)
    }

    /// True if the lattice has a cell of this level with these indices.
    pub(super) fn has_cell(&self, level: usize, at: [i32; 3]) -> bool {
        (0..3).all(|axis| at[axis] >= 0 && at[axis] < self.size[axis] >> level)
    }

    /// The cell `by` cells beside `cell`, if it exists.
    pub(super) fn beside(&self, level: usize, cell: Cell, by: [i32; 3]) -> Option<Cell> {
        let at = cell.at();
        let at = [0, 1, 2].map(|axis| at[axis] + by[axis]);
        self.has_cell(level, at).then(|| Site::new(at))
    }

    /// The site `by` half spacings beside `site`, if it exists.
    pub(super) fn site_beside(&self, site: Site, by: [i32; 3]) -> Option<Site> {
        let at = site.at();
        let at = [0, 1, 2].map(|axis| at[axis] + by[axis]);
        (0..3).all(|axis| at[axis] >= 0 && at[axis] <= 2 * self.size[axis]).then(|| Site::new(at))
    }
}

/// A corner of a cell; each bit of `bits` selects the upper corner along one axis.
pub(super) fn corner(level: usize, cell: Cell, bits: usize) -> Site {
    let at = cell.at();
    Site::new([0, 1, 2].map(|axis| (2 * at[axis] + 2 * (bits >> axis & 1) as i32) << level))
}

pub(super) fn centre(level: usize, cell: Cell) -> Site {
    Site::new(cell.at().map(|c| (2 * c + 1) << level))
}

/// Steps to the fourteen neighbours in the lattice of smallest cells: six long ones, eight short
/// ones.
pub(super) const NEIGHBOURS: [[i32; 3]; 14] = [
    [2, 0, 0],
    [-2, 0, 0],
    [0, 2, 0],
    [0, -2, 0],
    [0, 0, 2],
    [0, 0, -2],
    [1, 1, 1],
    [-1, 1, 1],
    [1, -1, 1],
    [-1, -1, 1],
    [1, 1, -1],
    [-1, 1, -1],
    [1, -1, -1],
    [-1, -1, -1],
];
/// Number of long steps in `NEIGHBOURS`; they come first.
pub(super) const N_LONG: usize = 6;

/// Map by site.
pub(super) type SiteMap<V> = HashMap<Site, V, BuildHasherDefault<SiteHasher>>;
/// Set of sites.
pub(super) type SiteSet = HashSet<Site, BuildHasherDefault<SiteHasher>>;

/// Mixes the bits of one number; sites are not chosen by an attacker, so this need not resist one.
#[derive(Default)]
pub(super) struct SiteHasher(u64);

impl Hasher for SiteHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 29);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
