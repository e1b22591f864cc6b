//! Seeks the spacing that gives the wanted number of nodes.

use nalgebra::{Point3, Vector3};

use super::FillError;
use super::background::Background;
use super::lattice::Lattice;
use super::progress::Progress;
use super::quality::dihedral_degrees;
use super::skin::{drop_specks, pinches, skin};
use super::stuffing::{LEAST_DEGREES, MOST_DEGREES, Stuffed, stuff};
use super::tree::Tree;
use super::winding::Winding;

/// What is filled, of size one, and what is wanted.
pub(super) struct Search<'a> {
    pub(super) tree: &'a Tree,
    pub(super) winding: &'a Winding<'a>,
    /// Of the surface.
    pub(super) area: f64,
    /// That the surface encloses, about.
    pub(super) volume: f64,
    pub(super) n_nodes: usize,
    pub(super) progress: &'a Progress,
}

/// A filled surface of size one.
pub(super) struct Solid {
    pub(super) places: Vec<Point3<f64>>,
    pub(super) tets: Vec<[u32; 4]>,
    pub(super) spacing: f64,
    pub(super) n_specks: usize,
    /// The least and greatest dihedral angle.
    pub(super) dihedral_deg: [f64; 2],
}

/// Cells grow to at most this many times two: eight spacings.
const COARSEST_LEVEL: usize = 3;
/// By how much the number of nodes may miss the wish, as a share of it.
const CLOSE_ENOUGH: f64 = 0.04;
const TRIES: usize = 14;
/// For the progress: how often it is tried, and what a try is made of.
const USUAL_TRIES: u64 = 3;
const PARTS_CUTTING: u64 = 3;
const PARTS_STUFFING: u64 = 1;
/// Limits of the spacing, as shares of the body's size.
const FINEST: f64 = 1.0 / 1500.0;
const COARSEST: f64 = 0.5;
/// How far from the estimate the spacing is sought: thin bodies need a finer one, few nodes a coarser one.
const AROUND: f64 = 3.0;
/// Spacings that are as near to each other as this leave nothing to try.
const NO_CHOICE: f64 = 1.002;
/// Nodes for each square spacing of the surface and each cubic spacing of the inside, as measured on balls,
/// rings and cubes of 5000 to 40 000 nodes. Thin bodies have fewer; the search finds out.
const NODES_PER_SQUARE: f64 = 3.74;
const NODES_PER_CUBE: f64 = 0.70;
/// Nodes beyond which nobody who asked for too few would wait to hear how many would do.
const WORTH_TRYING: f64 = 1e5;
const BISECTIONS: usize = 40;

impl Search<'_> {
    /// The filling whose number of nodes is nearest to the wish, among those that are met. Angles beyond what is
    /// promised have never been seen, but nobody has proved that there are none: whatever has such is not taken.
    pub(super) fn best(&self) -> Result<Solid, FillError> {
        let wish = self.n_nodes as f64;
        let mut spacing = self.spacing_for(wish);
        let mut best: Option<(f64, Solid)> = None;
        let mut beyond = None;
        // The spacings known to give too many and too few nodes that are nearest to each other.
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
            if count > wish {
                too_fine = spacing;
            } else {
                too_coarse = spacing;
            }
            let is_kept = solid.keeps_promise();
            if !is_kept {
                beyond = Some(solid.dihedral_deg);
            } else if count > 0.0 && best.as_ref().is_none_or(|(least, _)| miss < *least) {
                best = Some((miss, solid));
            }
            if (miss < CLOSE_ENOUGH && is_kept) || too_coarse < too_fine * NO_CHOICE {
                break;
            }
            // The estimate is off by the same factor nearby; where it is of no use, we halve.
            let next = self.spacing_for(wish * self.estimate(spacing) / count.max(1.0));
            let is_useful = next > too_fine && next < too_coarse && attempt < TRIES / 2;
            spacing = if is_useful { next } else { (too_fine * too_coarse).sqrt() };
        }
        match (best, beyond) {
            (Some((_, solid)), _) => Ok(solid),
            (None, Some(degrees)) => Err(FillError::Angles(degrees)),
            (None, None) => Err(self.none(too_fine)?),
        }
    }

    /// Why nothing was found with cells of that size or larger: there is no inside, or only finer cells show it.
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
            if !solid.tets.is_empty() && enough > wanted {
                return Ok(FillError::TooFew { wanted, enough });
            }
            spacing /= FINER;
        }
        Ok(FillError::NoInside(wanted))
    }

    /// Whether as much of the surface looks one way as the other, but for small holes: only then is there an inside to
    /// be found.
    fn is_closed(&self) -> bool {
        const HOLES: f64 = 0.02;
        let triangles = self.tree.triangles().iter();
        let sum: Vector3<f64> = triangles.map(|[a, b, c]| (b - a).cross(&(c - a)) / 2.0).sum();
        sum.norm() <= HOLES * self.area
    }

    /// About how many nodes a spacing gives.
    fn estimate(&self, spacing: f64) -> f64 {
        NODES_PER_SQUARE * self.area / spacing.powi(2)
            + NODES_PER_CUBE * self.volume / spacing.powi(3)
    }

    /// The spacing that gives about so many nodes.
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

    /// Fills with a lattice of the given spacing.
    fn solid(&self, spacing: f64) -> Result<Solid, FillError> {
        let root = &self.tree.nodes()[0];
        let lattice = Lattice::around(&root.low, &root.high, spacing, COARSEST_LEVEL);
        let background =
            Background::new(lattice, self.tree, self.winding).map_err(|_| FillError::Unclear)?;
        self.progress.add(PARTS_CUTTING);
        let mut stays = vec![false; background.places.len()];
        let mut stuffed = stuff(&background, &stays);
        // Every round makes more sites stay, and once all do, nothing is pinched.
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

/// To two digits: it is said to people.
fn rounded_up(n_nodes: usize) -> usize {
    let step = 10_usize.pow(n_nodes.max(10).ilog10() - 1);
    n_nodes.div_ceil(step) * step
}

impl Solid {
    /// Whether all angles are within the promised bounds; nothing at all keeps every promise.
    fn keeps_promise(&self) -> bool {
        let [least, most] = self.dihedral_deg;
        self.tets.is_empty() || (least >= LEAST_DEGREES && most <= MOST_DEGREES)
    }
}

/// Without specks, and without the nodes that only they had.
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
