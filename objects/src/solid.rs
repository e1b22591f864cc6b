//! Fills closed surfaces with tetrahedra: a surface from a file becomes something to squeeze.
//!
//! The road, in order:
//! - `orientation`: triangles are turned the same way as their neighbours;
//! - `tree`, `nearest`, `crossing`, `winding`: what is near a point or on a way, and whether a point is
//!   inside, also if the surface is torn or runs through itself (the generalised winding number [JKS13]);
//! - `lattice`, `raster`, `front`, `octree`, `background`: a body-centred cubic lattice, fine along the
//!   surface and coarser inside, and where the surface cuts it;
//! - `stencil`, `stuffing`, `skin`: isosurface stuffing [LS07], which keeps dihedral angles within bounds, and
//!   a skin that is a closed surface without pinches;
//! - `deviation`: how far the skin is from the surface that was asked for; `colour`: its colours.
//!
//! Everything happens at the size of one unit around the origin, so neither the unit of a file nor the
//! place of a body matters. Loops run on the rayon pool that the caller is in; results do not depend on
//! its size. Features smaller than the spacing are rounded or lost, and the deviation says so.

mod background;
mod colour;
mod crossing;
mod deviation;
mod front;
mod lattice;
mod nearest;
mod octree;
mod orientation;
mod progress;
mod quality;
mod raster;
#[cfg(test)]
mod samples;
mod search;
mod skin;
mod stencil;
mod stuffing;
mod tree;
mod winding;
mod words;

use nalgebra::{Point3, Vector3};
use physics::{MeshError, NodeId, TetMesh};

use crate::TriangleSurface;
use orientation::turned_triangles;
use search::Search;
use tree::{Tree, Triangle, bounds};
use winding::Winding;

pub use colour::colours_at;
pub use deviation::{Deviation, Distances};
pub use progress::{Progress, Stage};
pub use stuffing::{LEAST_DEGREES, MOST_DEGREES};

/// A surface filled with tetrahedra.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// The solid. Its skin is a closed surface: two triangles at every edge, one fan at every point.
    pub mesh: TetMesh,
    /// How far its skin is from the surface.
    pub deviation: Deviation,
    /// The least and greatest dihedral angle in degrees, within [`LEAST_DEGREES`] and [`MOST_DEGREES`].
    pub dihedral_deg: [f64; 2],
    /// Length of the smallest lattice cells, in metres: what is smaller is rounded off.
    pub spacing: f64,
    /// Parts too small for the spacing that were left out.
    pub n_specks: usize,
    /// How many nodes were asked for.
    pub n_wanted: usize,
    /// The share of the surface's volume that the solid has. Of a surface that runs through itself or is torn widely,
    /// nobody can say it.
    pub volume_share: Option<f64>,
    /// The smallest side of the box around the surface, in metres.
    pub smallest_side: f64,
}

/// Why a surface could not be filled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FillError {
    /// Fewer nodes cannot show a shape; more are not solved while a hand waits.
    #[error("{0} nodes are wanted, expected {FEWEST_NODES} to {MOST_NODES}")]
    Nodes(usize),
    /// There is nothing to fill.
    #[error("the surface has no triangles with area, expected a closed surface")]
    Empty,
    /// Neither closed nor nearly so, or thinner than the finest lattice.
    #[error(
        "the surface has no inside that {0} nodes could show: is it closed, and thick enough for them?"
    )]
    NoInside(usize),
    /// The surface has an inside, but finer cells would have to show it.
    #[error("the surface is too thin for {wanted} nodes, expected at least about {enough}")]
    TooFew {
        /// What was asked for.
        wanted: usize,
        /// What would do.
        enough: usize,
    },
    /// The surface goes round nothing clearly.
    #[error("the surface is too torn to tell its inside from its outside")]
    Unclear,
    /// Every filling had angles beyond what is promised.
    #[error(
        "dihedral angles would be {:.1} to {:.1} degrees, expected {LEAST_DEGREES} to {MOST_DEGREES}: try \
         another number of nodes",
        .0[0], .0[1]
    )]
    Angles([f64; 2]),
    /// Somebody asked to end.
    #[error("filling was cancelled")]
    Cancelled,
    /// Coordinates leave the range of numbers.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

const FEWEST_NODES: usize = 50;
const MOST_NODES: usize = 500_000;

/// Fills a surface with about `n_nodes` nodes (50 to 500 000).
pub fn fill(
    surface: &TriangleSurface,
    n_nodes: usize,
    progress: &Progress,
) -> Result<Filled, FillError> {
    if !(FEWEST_NODES..=MOST_NODES).contains(&n_nodes) {
        return Err(FillError::Nodes(n_nodes));
    }
    progress.enter(Stage::Sorting);
    let used = surface.triangles().iter().flatten().map(|&i| &surface.points()[i as usize]);
    let (low, high) = bounds(used);
    let size = (high - low).max();
    if !(size > 0.0 && size.is_finite()) {
        return Err(FillError::Empty);
    }
    let middle = low + (high - low) / 2.0;
    let triangles = turned_triangles(surface, |x| Point3::from((x - middle) / size));
    let area: f64 = triangles.iter().map(|[a, b, c]| (b - a).cross(&(c - a)).norm() / 2.0).sum();
    let volume = enclosed(&triangles);
    if area <= 0.0 {
        return Err(FillError::Empty);
    }
    let tree = Tree::new(&triangles);
    let winding = Winding::new(&tree);

    progress.enter(Stage::Filling);
    let solid =
        Search { tree: &tree, winding: &winding, area, volume: volume.abs(), n_nodes, progress }
            .best()?;

    progress.enter(Stage::Measuring);
    progress.expect(1);
    let corners = |node: u32| solid.places[node as usize];
    let skin: Vec<_> = skin::skin(&solid.tets).iter().map(|t| t.map(corners)).collect();
    let deviation = deviation::deviation(&tree, &winding, &skin, solid.spacing).scaled(size);
    let is_simple = volume != 0.0 && deviation::is_simple(&tree, &winding, solid.spacing);
    let volume_share = is_simple.then(|| enclosed(&skin) / volume.abs());
    let offset: Vector3<f64> = middle.coords;
    let mesh = TetMesh::new(
        solid.places.iter().map(|x| Point3::from(x.coords * size + offset)).collect(),
        solid.tets.iter().map(|tet| tet.map(NodeId)).collect(),
    )?;
    progress.add(1);
    Ok(Filled {
        mesh,
        deviation,
        dihedral_deg: solid.dihedral_deg,
        spacing: solid.spacing * size,
        n_specks: solid.n_specks,
        n_wanted: n_nodes,
        volume_share,
        smallest_side: (high - low).min(),
    })
}

/// The volume within triangles that are turned outward.
fn enclosed(triangles: &[Triangle]) -> f64 {
    triangles.iter().map(|t| t[0].coords.dot(&t[1].coords.cross(&t[2].coords)) / 6.0).sum()
}
