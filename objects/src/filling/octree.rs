//! Cells that grow with the distance from the surface, and the tetrahedra between them.
//!
//! Around every site that the surface may move, cells have the smallest size; elsewhere they are as
//! large as they can be while adjacent cells differ by at most a factor of two. The tetrahedra are
//! those of the body-centred cubic lattice, and where sizes change, halves and quarters of them and
//! of pyramids, as in \[LS07\]; the worst angles of these are 45 and 120 degrees.

use super::inside_front::SIDES;
use super::lattice::{Cell, Lattice, Site, SiteSet, centre, corner};

/// An octree, from the smallest cells up.
pub(super) struct Octree {
    lattice: Lattice,
    /// Cells of each level that are divided into smaller ones.
    split: Vec<SiteSet>,
    /// Smallest cells near the surface.
    small: SiteSet,
}

impl Octree {
    pub(super) fn new(lattice: Lattice, small: SiteSet) -> Self {
        let mut split = vec![SiteSet::default(); lattice.top + 1];
        if lattice.top > 0 {
            split[1].extend(small.iter().map(|cell| cell.parent()));
        }
        for level in 1..lattice.top {
            let parents: SiteSet = split[level]
                .iter()
                .flat_map(|&cell| around(lattice, level, cell))
                .map(Cell::parent)
                .collect();
            split[level + 1] = parents;
        }
        Self { lattice, split, small }
    }

    /// All tetrahedra that may be partly inside; their corners are in no particular order. Calls
    /// `is_inside` for centres of cells only.
    pub(super) fn tets(&self, is_inside: impl Fn(Site) -> bool) -> Vec<[Site; 4]> {
        let mut tets = Vec::new();
        for level in 0..=self.lattice.top {
            for cell in self.leaves(level) {
                let is_of_interest = |level: usize, cell: Cell| {
                    (level == 0 && self.small.contains(&cell)) || is_inside(centre(level, cell))
                };
                let interests = is_of_interest(level, cell);
                for step in SIDES {
                    let Some(other) = self.lattice.beside(level, cell, step) else { continue };
                    if self.is_leaf(level, other) {
                        let is_counted_here = step.iter().sum::<i32>() > 0;
                        if is_counted_here && (interests || is_of_interest(level, other)) {
                            self.between_equals(level, cell, other, step, &mut tets);
                        }
                    } else if level < self.lattice.top && self.is_leaf(level + 1, other.parent()) {
                        let parent = other.parent();
                        if interests || is_of_interest(level + 1, parent) {
                            self.between_unequals(level, cell, parent, step, &mut tets);
                        }
                    }
                }
            }
        }
        tets
    }

    /// Centres of all leaves; [`Octree::tets`] calls `is_inside` for these.
    pub(super) fn centres(&self) -> Vec<Site> {
        (0..=self.lattice.top)
            .flat_map(|level| self.leaves(level).into_iter().map(move |cell| centre(level, cell)))
            .collect()
    }

    /// Adds four tetrahedra around the line between two centres; each is halved if a smaller cell
    /// puts a site into the middle of its outer edge.
    fn between_equals(
        &self,
        level: usize,
        cell: Cell,
        other: Cell,
        step: [i32; 3],
        tets: &mut Vec<[Site; 4]>,
    ) {
        let centres = [centre(level, cell), centre(level, other)];
        let ring = face(level, cell, step);
        for i in 0..4 {
            let [p, q] = [ring[i], ring[(i + 1) % 4]];
            match self.middle_of_edge(level, [cell, other], centres, [p, q]) {
                Some(middle) => tets.extend([
                    [centres[0], centres[1], p, middle],
                    [centres[0], centres[1], middle, q],
                ]),
                None => tets.push([centres[0], centres[1], p, q]),
            }
        }
    }

    /// Adds two half pyramids on each side of the face between a cell and one of twice its size.
    /// They meet along the line from the middle of the larger face to its corner.
    fn between_unequals(
        &self,
        level: usize,
        cell: Cell,
        larger: Cell,
        step: [i32; 3],
        tets: &mut Vec<[Site; 4]>,
    ) {
        let apexes = [centre(level, cell), centre(level + 1, larger)];
        let ring = face(level, cell, step);
        let axis = (0..3).find(|&axis| step[axis] != 0).expect("a step goes along an axis");
        let mut middle = apexes[1].at();
        middle[axis] = ring[0].at()[axis];
        let middle = Site::new(middle);
        let from = ring.iter().position(|&p| p == middle).expect("the middle is a corner");
        let [m, p, opposite, q] = std::array::from_fn(|i| ring[(from + i) % 4]);
        for apex in apexes {
            tets.extend([[apex, m, p, opposite], [apex, m, opposite, q]]);
        }
    }

    /// The site in the middle of an edge of the face between two leaves, if a smaller cell has one
    /// there.
    fn middle_of_edge(
        &self,
        level: usize,
        cells: [Cell; 2],
        centres: [Site; 2],
        ends: [Site; 2],
    ) -> Option<Site> {
        let [p, q] = ends.map(Site::at);
        let [a, b] = centres.map(Site::at);
        let middle = [0, 1, 2].map(|axis| (p[axis] + q[axis]) / 2);
        // The other two cells around the edge are in the direction from the middle of the face to
        // the edge.
        let outward = [0, 1, 2].map(|axis| {
            let twice = 2 * middle[axis] - a[axis] - b[axis];
            twice.signum()
        });
        let is_split = cells.iter().any(|&cell| {
            let beside = self.lattice.beside(level, cell, outward);
            beside.is_some_and(|cell| self.split[level].contains(&cell))
        });
        is_split.then(|| Site::new(middle))
    }

    fn is_leaf(&self, level: usize, cell: Cell) -> bool {
        let exists = level == self.lattice.top || self.split[level + 1].contains(&cell.parent());
        exists && !self.split[level].contains(&cell)
    }

    /// Leaves of a level in a fixed order.
    fn leaves(&self, level: usize) -> Vec<Cell> {
        let mut cells: Vec<Cell> = if level == self.lattice.top {
            let [nx, ny, nz] = self.lattice.size.map(|n| n >> level);
            let row = |y: i32, z: i32| (0..nx).map(move |x| Site::new([x, y, z]));
            (0..nz).flat_map(|z| (0..ny).flat_map(move |y| row(y, z))).collect()
        } else {
            self.split[level + 1].iter().flat_map(|cell| cell.children()).collect()
        };
        cells.retain(|cell| !self.split[level].contains(cell));
        cells.sort_unstable();
        cells
    }
}

/// A cell and the 26 around it.
fn around(lattice: Lattice, level: usize, cell: Cell) -> impl Iterator<Item = Cell> {
    (0..27)
        .map(|i| [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1])
        .filter_map(move |by| lattice.beside(level, cell, by))
}

/// The corners of one side of a cell, one after another.
fn face(level: usize, cell: Cell, step: [i32; 3]) -> [Site; 4] {
    let axis = (0..3).find(|&axis| step[axis] != 0).expect("a step goes along an axis");
    let upper = usize::from(step[axis] > 0) << axis;
    let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
    [0, u, u | v, v].map(|bits| corner(level, cell, upper | bits))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use nalgebra::Point3;

    use super::super::dihedral_angles::dihedral_degrees;
    use super::*;

    /// An octree with some small cells in the middle of 64 cells along each axis.
    fn octree(n_small: i32) -> Octree {
        let high = Point3::new(1.0, 1.0, 1.0);
        let lattice = Lattice::around(&Point3::origin(), &high, 1.0 / 31.5, 3);
        assert_eq!(lattice.size, [64; 3]);
        let small = (0..n_small).map(|i| Site::new([29 + i % 3, 30 + i, 33 - i / 2])).collect();
        Octree::new(lattice, small)
    }

    #[test]
    fn tetrahedra_share_faces_and_fill_space() {
        for n_small in [0, 1, 5] {
            let octree = octree(n_small);
            let tets = octree.tets(|_| true);
            let mut uses: HashMap<[Site; 3], usize> = HashMap::new();
            let mut volume = 0;
            for tet in &tets {
                let [a, b, c, d] = tet.map(Site::at).map(nalgebra::Vector3::from);
                volume += (b - a).dot(&(c - a).cross(&(d - a))).abs();
                for skip in 0..4 {
                    let mut face = *tet;
                    face[skip] = face[3];
                    let mut face = [face[0], face[1], face[2]];
                    face.sort_unstable();
                    *uses.entry(face).or_default() += 1;
                }
            }
            // All but the pyramids on the border, a sixth of each cell there: these cells are the
            // largest, sixteen half spacings wide.
            let border = 6 * 8 * 8 * 16_i32.pow(3);
            assert_eq!(volume, 6 * 128_i32.pow(3) - border);
            let is_at_border =
                |face: &[Site; 3]| face.iter().all(|s| s.at().iter().any(|&c| c <= 16 || c >= 112));
            for (face, n) in &uses {
                assert!(*n == 2 || (*n == 1 && is_at_border(face)), "{face:?} {n}");
            }
        }
    }

    #[test]
    fn angles_between_sizes_are_good() {
        let tets = octree(5).tets(|_| true);
        let places =
            tets.iter().map(|tet| tet.map(|site| Point3::from(site.at().map(f64::from)).cast()));
        // The order of the corners only affects the sign of the angles.
        let positive = places.map(|[a, b, c, d]: [Point3<f64>; 4]| {
            if (b - a).dot(&(c - a).cross(&(d - a))) > 0.0 { [a, b, c, d] } else { [a, b, d, c] }
        });
        let [least, most] = dihedral_degrees(positive);
        assert!((least - 45.0).abs() < 1e-6 && (most - 120.0).abs() < 1e-6, "{least} {most}");
    }

    #[test]
    fn cells_grow_away_from_small_ones() {
        let octree = octree(5);
        let counts = [0, 1, 2, 3].map(|level| octree.leaves(level).len());
        let volume: usize = counts.iter().zip(0..).map(|(n, level)| n << (3 * level)).sum();
        assert_eq!(volume, 64_usize.pow(3), "leaves fill the lattice: {counts:?}");
        assert!(counts.iter().all(|&n| n > 0) && counts.iter().sum::<usize>() < 2000);
    }
}
