//! The lattice near and inside a body: its sites, its tetrahedra, and its cuts with the surface.

use nalgebra::Point3;
use rayon::prelude::*;

use super::inside_front::InsideFront;
use super::lattice::{Cell, Lattice, N_LONG, NEIGHBOURS, Site, SiteMap};
use super::octree::Octree;
use super::triangle_tree::TriangleTree;
use super::winding::Winding;

/// Tetrahedra with at least one corner inside.
pub(super) struct BackgroundLattice {
    pub(super) places: Vec<Point3<f64>>,
    pub(super) is_inside: Vec<bool>,
    /// Corners, in positive orientation.
    pub(super) tets: Vec<[u32; 4]>,
    /// Cuts, ascending by their ends.
    pub(super) cuts: Vec<Cut>,
}

/// A point at which the surface cuts an edge of the lattice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cut {
    /// The inner and the outer site.
    pub(super) ends: [u32; 2],
    /// Distance from the inner end, as a share of the edge.
    pub(super) share: f64,
    pub(super) is_long: bool,
}

/// Error: the boundary of the inside is ambiguous at this spacing.
pub(super) struct Unclear;

/// Largest number of rounds that add cells around changes which were found late.
const ROUNDS: usize = 20;
/// Number of halvings that locate the end of the inside on an edge.
const BISECTIONS: usize = 20;

impl BackgroundLattice {
    pub(super) fn new(
        lattice: Lattice,
        tree: &TriangleTree,
        winding: &Winding<'_>,
    ) -> Result<Self, Unclear> {
        let mut front = InsideFront::new(lattice, winding, tree.triangles());
        for _ in 0..ROUNDS {
            let octree = Octree::new(lattice, front.cells_to_keep_small());
            front.learn(octree.centres());
            let mut tets = octree.tets(|site| front.is_inside(site));
            front.learn(tets.as_flattened().to_vec());
            tets.retain(|tet| tet.iter().any(|&site| front.is_inside(site)));
            let late = late_changes(&front, &tets);
            if late.is_empty() {
                return Ok(Self::between(&front, tets, tree, winding));
            }
            front.follow(late);
        }
        Err(Unclear)
    }

    fn between(
        front: &InsideFront<'_>,
        tets: Vec<[Site; 4]>,
        tree: &TriangleTree,
        winding: &Winding<'_>,
    ) -> Self {
        let mut sites = tets.as_flattened().to_vec();
        sites.sort_unstable();
        sites.dedup();
        let number: SiteMap<u32> = sites.iter().copied().zip(0..).collect();
        let places: Vec<_> = sites.iter().map(|&site| front.lattice.position(site)).collect();
        let is_inside: Vec<_> = sites.iter().map(|&site| front.is_inside(site)).collect();
        let tets =
            tets.iter().map(|tet| positive(tet.map(|site| number[&site]), &places)).collect();
        let cuts = (0..sites.len())
            .into_par_iter()
            .filter(|&site| is_inside[site] && front.active.contains(&sites[site]))
            .flat_map_iter(|site| {
                let (number, is_inside, places, sites) = (&number, &is_inside, &places, &sites);
                let mut cuts: Vec<Cut> = NEIGHBOURS
                    .iter()
                    .enumerate()
                    .filter_map(|(step, &by)| {
                        let other = *number.get(&front.lattice.site_beside(sites[site], by)?)?;
                        let is_cut = !is_inside[other as usize];
                        is_cut.then(|| {
                            let share =
                                share(tree, winding, &places[site], &places[other as usize]);
                            let ends = [site as u32, other];
                            Cut { ends, share, is_long: step < N_LONG }
                        })
                    })
                    .collect();
                cuts.sort_by_key(|cut| cut.ends);
                cuts
            })
            .collect();
        Self { places, is_inside, tets, cuts }
    }
}

/// Cells along edges on which the inside ends, but which the front has not reached.
fn late_changes(front: &InsideFront<'_>, tets: &[[Site; 4]]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for tet in tets {
        for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let ends = [tet[i], tet[j]];
            let is_change = front.is_inside(ends[0]) != front.is_inside(ends[1]);
            if is_change && !ends.iter().all(|end| front.active.contains(end)) {
                let [a, b] = ends.map(|end| front.lattice.position(end));
                let n_steps = ((b - a).norm() / front.lattice.spacing * 3.0).ceil() as usize;
                cells.extend(
                    (0..=n_steps)
                        .map(|i| {
                            front.lattice.cell_at(&(a + (b - a) * (i as f64 / n_steps as f64)))
                        })
                        .filter(|&at| front.lattice.has_cell(0, at))
                        .map(Site::new),
                );
            }
        }
    }
    cells.sort_unstable();
    cells.dedup();
    cells
}

fn positive(tet: [u32; 4], places: &[Point3<f64>]) -> [u32; 4] {
    let [a, b, c, d] = tet.map(|site| places[site as usize]);
    if (b - a).dot(&(c - a).cross(&(d - a))) > 0.0 { tet } else { [tet[0], tet[1], tet[3], tet[2]] }
}

/// Point between an inner and an outer point at which the inside ends, as a share of the distance.
fn share(
    tree: &TriangleTree,
    winding: &Winding<'_>,
    inner: &Point3<f64>,
    outer: &Point3<f64>,
) -> f64 {
    let at = |share: f64| inner + (outer - inner) * share;
    let crossings = tree.crossings(inner, outer);
    if let [only] = crossings.as_slice() {
        return *only;
    }
    // The winding number is constant between two crossings, so one test there shows if the first
    // leads out.
    for pair in crossings.windows(2) {
        if !winding.is_inside(&at((pair[0] + pair[1]) / 2.0)) {
            return pair[0];
        }
    }
    if let Some(&last) = crossings.last() {
        return last;
    }
    // A tear: only the winding number decides.
    let (mut inside, mut outside) = (0.0, 1.0);
    for _ in 0..BISECTIONS {
        let middle = (inside + outside) / 2.0;
        if winding.is_inside(&at(middle)) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    (inside + outside) / 2.0
}
