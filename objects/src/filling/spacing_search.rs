//! Searches for the spacing that gives the requested number of nodes.

use nalgebra::{Point3, Vector3};

use super::FillError;
use super::background_lattice::BackgroundLattice;
use super::dihedral_angles::dihedral_degrees;
use super::lattice::Lattice;
use super::progress::Progress;
use super::skin::{drop_specks, pinches, skin};
use super::stuffing::{LEAST_DEGREES, MOST_DEGREES, Stuffed, stuff};
use super::triangle_tree::TriangleTree;
use super::walls::{SURELY_KEPT, Walls, walls};
use super::winding::Winding;
use super::{MOST_NODES, MOST_THICKNESS_ERROR};

/// The surface to fill, scaled to size one, and the request.
pub(super) struct SpacingSearch<'a> {
    pub(super) tree: &'a TriangleTree,
    pub(super) winding: &'a Winding<'a>,
    /// Area of the surface.
    pub(super) area: f64,
    /// Approximate volume that the surface encloses.
    pub(super) volume: f64,
    /// Size of the surface before it was scaled, in metres.
    pub(super) size: f64,
    pub(super) n_nodes: usize,
    pub(super) progress: &'a Progress,
}

/// A filled surface of size one.
pub(super) struct Solid {
    pub(super) places: Vec<Point3<f64>>,
    pub(super) tets: Vec<[u32; 4]>,
    pub(super) spacing: f64,
    pub(super) n_specks: usize,
    /// Smallest and largest dihedral angle, in degrees.
    pub(super) dihedral_deg: [f64; 2],
}

/// Level of the largest cells: they are two to the power of this, eight spacings, wide.
const COARSEST_LEVEL: usize = 3;
/// Acceptable error of the number of nodes, as a share of the requested number.
const CLOSE_ENOUGH: f64 = 0.04;
/// Largest number of spacings that are tried.
const TRIES: usize = 14;
/// Usual number of tries, for the progress.
const USUAL_TRIES: u64 = 3;
/// Progress steps of cutting the lattice, in each try.
const PARTS_CUTTING: u64 = 3;
/// Progress steps of filling, in each try.
const PARTS_STUFFING: u64 = 1;
/// Smallest spacing, as a share of the body's size.
const FINEST: f64 = 1.0 / 1500.0;
/// Largest spacing, as a share of the body's size.
const COARSEST: f64 = 0.5;
/// Range of the search around the estimated spacing, as a factor: thin bodies need a finer spacing,
/// few nodes a coarser one.
const AROUND: f64 = 3.0;
/// Ratio of two spacings below which no spacing between them is tried.
const NO_CHOICE: f64 = 1.002;
/// Nodes for each square spacing of the surface. Measured, like `NODES_PER_CUBE`, on balls, rings
/// and cubes of 5000 to 40 000 nodes; thin bodies have fewer, which the search corrects.
const NODES_PER_SQUARE: f64 = 3.74;
/// Nodes for each cubic spacing of the inside.
const NODES_PER_CUBE: f64 = 0.70;
/// Number of nodes beyond which the search for a sufficient number gives up: it would take too
/// long.
const WORTH_TRYING: f64 = 1e5;
/// Number of bisections that invert the estimate.
const BISECTIONS: usize = 40;
impl SpacingSearch<'_> {
    /// The filling whose number of nodes is nearest to the request, of those that were tried.
    /// Angles beyond the bounds have never been observed, but there is no proof that they cannot
    /// occur: a filling with such angles is rejected.
    pub(super) fn best(&self) -> Result<Solid, FillError> {
        let wish = self.n_nodes as f64;
        let mut spacing = self.spacing_for(wish);
        let mut best: Option<(f64, Solid)> = None;
        let (mut beyond, mut wrong) = (None, None);
        // The closest pair of spacings known to give too many and too few nodes.
        let (mut too_fine, mut too_coarse) =
            ((spacing / AROUND).max(FINEST), (spacing * AROUND).min(COARSEST));
        self.progress.expect(USUAL_TRIES * (PARTS_CUTTING + PARTS_STUFFING));
        for attempt in 0..TRIES {
            if self.progress.is_cancelled() {
                return Err(FillError::Cancelled);
            }
            let solid = self.solid(spacing)?;
            self.progress.add(PARTS_STUFFING);
            let count = solid.places.len() as f64;
            let miss = (count / wish - 1.0).abs();
            let walls = self.wrong_walls(&solid);
            // Only smaller cells keep the thickness of walls, whatever the count is.
            if count > wish && walls.is_none() {
                too_fine = spacing;
            } else {
                too_coarse = spacing;
            }
            let is_kept = solid.keeps_promise() && walls.is_none();
            if let Some(walls) = walls {
                wrong = Some(walls);
            } else if !is_kept {
                beyond = Some(solid.dihedral_deg);
            } else if count > 0.0 && best.as_ref().is_none_or(|(least, _)| miss < *least) {
                best = Some((miss, solid));
            }
            if (miss < CLOSE_ENOUGH && is_kept) || too_coarse < too_fine * NO_CHOICE {
                break;
            }
            // Close to the solution, the estimate is wrong by a constant factor; if that does not
            // help, halve.
            let next = self.spacing_for(wish * self.estimate(spacing) / count.max(1.0));
            let is_useful = next > too_fine && next < too_coarse && attempt < TRIES / 2;
            spacing = if is_useful { next } else { (too_fine * too_coarse).sqrt() };
        }
        match (best, wrong, beyond) {
            (Some((_, solid)), _, _) => Ok(solid),
            (None, Some(walls), _) => Err(FillError::Thickness {
                wanted: self.n_nodes,
                thickness: walls.thickness * self.size,
                share: walls.share,
                enough: self.enough_for_walls(walls.thickness)?,
            }),
            (None, None, Some(degrees)) => Err(FillError::Angles(degrees)),
            (None, None, None) => Err(self.none(too_fine)?),
        }
    }

    /// Error for a search without a result at this spacing or larger ones: there is no inside, or
    /// only finer cells show it.
    fn none(&self, spacing: f64) -> Result<FillError, FillError> {
        const FINER: f64 = 1.25;
        let wanted = self.n_nodes;
        let mut spacing = spacing / FINER;
        while self.is_closed() && spacing >= FINEST && self.estimate(spacing) < WORTH_TRYING {
            if self.progress.is_cancelled() {
                return Err(FillError::Cancelled);
            }
            let solid = self.solid(spacing)?;
            let enough = rounded_up(solid.places.len());
            if !solid.tets.is_empty() && enough > wanted && self.wrong_walls(&solid).is_none() {
                return Ok(FillError::TooFew { wanted, enough });
            }
            spacing /= FINER;
        }
        Ok(FillError::NoInside(wanted))
    }

    /// Walls of a thin body whose thickness in the solid is too far off.
    /// Torn surfaces have no thickness.
    fn wrong_walls(&self, solid: &Solid) -> Option<Walls> {
        let mean = 2.0 * self.volume / self.area;
        if solid.tets.is_empty() || solid.spacing < SURELY_KEPT * mean || !self.is_closed() {
            return None;
        }
        let corners = |node: u32| solid.places[node as usize];
        let skin: Vec<_> = skin(&solid.tets).iter().map(|t| t.map(corners)).collect();
        walls(self.tree, &skin, solid.spacing, self.volume)
            .filter(|walls| (walls.share - 1.0).abs() > MOST_THICKNESS_ERROR)
    }

    /// Number of nodes that keeps walls of this thickness; `None` if it would be too large.
    fn enough_for_walls(&self, thickness: f64) -> Result<Option<usize>, FillError> {
        // A little smaller than what surely keeps them: the search does not meet it exactly.
        const SMALLER: f64 = 0.95;
        let spacing = SMALLER * SURELY_KEPT * thickness;
        if spacing < FINEST {
            return Ok(None);
        }
        // Measured on plates, which have fewer nodes than the estimate.
        const SHARE_IN_PLATES: f64 = 0.65;
        let count = match self.estimate(spacing) < WORTH_TRYING {
            true => self.solid(spacing)?.places.len(),
            false => (SHARE_IN_PLATES * self.estimate(spacing)) as usize,
        };
        Ok(Some(rounded_up(count)).filter(|count| *count <= MOST_NODES))
    }

    /// True if the directed areas of the surface cancel, except for small holes: only then is there
    /// an inside.
    pub(super) fn is_closed(&self) -> bool {
        const HOLES: f64 = 0.02;
        let triangles = self.tree.triangles().iter();
        let sum: Vector3<f64> = triangles.map(|[a, b, c]| (b - a).cross(&(c - a)) / 2.0).sum();
        sum.norm() <= HOLES * self.area
    }

    /// Approximate number of nodes for a spacing.
    fn estimate(&self, spacing: f64) -> f64 {
        NODES_PER_SQUARE * self.area / spacing.powi(2)
            + NODES_PER_CUBE * self.volume / spacing.powi(3)
    }

    /// The spacing that gives about `n_nodes` nodes.
    fn spacing_for(&self, n_nodes: f64) -> f64 {
        let (mut fine, mut coarse) = (FINEST, COARSEST);
        for _ in 0..BISECTIONS {
            let middle = (fine * coarse).sqrt();
            if self.estimate(middle) > n_nodes {
                fine = middle;
            } else {
                coarse = middle;
            }
        }
        (fine * coarse).sqrt()
    }

    /// Fills the surface, using a lattice with the given spacing.
    fn solid(&self, spacing: f64) -> Result<Solid, FillError> {
        let root = &self.tree.nodes()[0];
        let lattice = Lattice::around(&root.low, &root.high, spacing, COARSEST_LEVEL);
        let background = BackgroundLattice::new(lattice, self.tree, self.winding)
            .map_err(|_| FillError::Unclear)?;
        self.progress.add(PARTS_CUTTING);
        let mut stays = vec![false; background.places.len()];
        let mut stuffed = stuff(&background, &stays);
        // Every round fixes more sites. Once all are fixed, there are no pinches, so the loop ends.
        loop {
            let pinches = pinches(&skin(&stuffed.tets), stuffed.places.len());
            let mut has_news = false;
            for site in pinches.iter().filter_map(|&node| stuffed.moved_site[node as usize]) {
                has_news |= !std::mem::replace(&mut stays[site as usize], true);
            }
            if !has_news {
                break;
            }
            if self.progress.is_cancelled() {
                return Err(FillError::Cancelled);
            }
            stuffed = stuff(&background, &stays);
        }
        Ok(solid(stuffed, spacing))
    }
}

/// Rounds up to two digits, for messages.
fn rounded_up(n_nodes: usize) -> usize {
    let step = 10_usize.pow(n_nodes.max(10).ilog10() - 1);
    n_nodes.div_ceil(step) * step
}

impl Solid {
    /// True if all angles are within the bounds, or if there are no tetrahedra.
    fn keeps_promise(&self) -> bool {
        let [least, most] = self.dihedral_deg;
        self.tets.is_empty() || (least >= LEAST_DEGREES && most <= MOST_DEGREES)
    }
}

/// Makes the result, without specks and the nodes that only specks used.
fn solid(stuffed: Stuffed, spacing: f64) -> Solid {
    let Stuffed { mut places, mut tets, .. } = stuffed;
    let n_specks = drop_specks(&places, &mut tets);
    if n_specks > 0 {
        let mut number = vec![u32::MAX; places.len()];
        let mut kept = Vec::new();
        for corner in tets.as_flattened_mut() {
            let node = *corner as usize;
            if number[node] == u32::MAX {
                number[node] = kept.len() as u32;
                kept.push(places[node]);
            }
            *corner = number[node];
        }
        places = kept;
    }
    let dihedral_deg =
        dihedral_degrees(tets.iter().map(|tet| tet.map(|node| places[node as usize])));
    Solid { places, tets, spacing, n_specks, dihedral_deg }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sliver_breaks_the_promise() {
        let corner = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for (height, expected) in [(1.0, true), (0.3, true), (0.05, false)] {
            let places = corner.map(|[x, y, z]| Point3::new(x, y, height * z)).to_vec();
            let stuffed = Stuffed { places, tets: vec![[0, 1, 2, 3]], moved_site: Vec::new() };
            assert_eq!(solid(stuffed, 1.0).keeps_promise(), expected, "{height}");
        }
    }
}
