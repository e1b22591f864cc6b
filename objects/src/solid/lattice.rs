//! Places in a body-centred cubic lattice whose cells may be doubled in size.
//!
//! Everything is counted in halves of the spacing from one corner of a box around the body, so that corners
//! of the smallest cells are even, their centres odd, and a place is one number.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use nalgebra::{Point3, Vector3};

/// A place, packed into one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Site(u64);

/// A cell of some level, packed likewise; a cell of level `l` is `2^l` spacings wide.
pub(super) type Cell = Site;

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

/// Where the lattice is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lattice {
    origin: Point3<f64>,
    pub(super) spacing: f64,
    /// Cells of the smallest size along each axis, a multiple of those of the largest.
    pub(super) size: [i32; 3],
    /// Level of the largest cells.
    pub(super) top: usize,
}

/// Empty cells of the largest size around the body.
const MARGIN: i32 = 2;
/// Moves the lattice aside, in spacings, so that no flat side of a body falls onto its planes.
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

    /// The smallest cells that a point's coordinates are in, which may be outside of the lattice.
    pub(super) fn cell_at(&self, x: &Point3<f64>) -> [i32; 3] {
        let cells = (x - self.origin) / self.spacing;
        [0, 1, 2].map(|axis| cells[axis].floor() as i32)
    }

    /// Whether there is a cell of a level at a place.
    pub(super) fn has_cell(&self, level: usize, at: [i32; 3]) -> bool {
        (0..3).all(|axis| at[axis] >= 0 && at[axis] < self.size[axis] >> level)
    }

    /// A cell beside another one.
    pub(super) fn beside(&self, level: usize, cell: Cell, by: [i32; 3]) -> Option<Cell> {
        let at = cell.at();
        let at = [0, 1, 2].map(|axis| at[axis] + by[axis]);
        self.has_cell(level, at).then(|| Site::new(at))
    }

    /// A site beside another one.
    pub(super) fn site_beside(&self, site: Site, by: [i32; 3]) -> Option<Site> {
        let at = site.at();
        let at = [0, 1, 2].map(|axis| at[axis] + by[axis]);
        (0..3).all(|axis| at[axis] >= 0 && at[axis] <= 2 * self.size[axis]).then(|| Site::new(at))
    }
}

/// A corner of a cell; `bits` says for each axis whether it is the upper one.
pub(super) fn corner(level: usize, cell: Cell, bits: usize) -> Site {
    let at = cell.at();
    Site::new([0, 1, 2].map(|axis| (2 * at[axis] + 2 * (bits >> axis & 1) as i32) << level))
}

pub(super) fn centre(level: usize, cell: Cell) -> Site {
    Site::new(cell.at().map(|c| (2 * c + 1) << level))
}

/// Steps to the fourteen neighbours in the lattice of smallest cells: six long ones, eight short ones.
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
pub(super) const N_LONG: usize = 6;

/// Maps and sets by place.
pub(super) type SiteMap<V> = HashMap<Site, V, BuildHasherDefault<SiteHasher>>;
pub(super) type SiteSet = HashSet<Site, BuildHasherDefault<SiteHasher>>;

/// Mixes the bits of one number; nobody chooses places in order to make them collide.
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
