//! Fills closed surfaces with tetrahedra, which makes a deformable object of a surface from a file.
//!
//! The modules, in the order of the work:
//! - `orientation`: turns triangles the same way as their neighbours;
//! - `triangle_tree`, `distance`, `line_crossing`, `winding`: find what is near a point or on a
//!   line, and if a point is inside, even where the surface is torn or intersects itself (the
//!   generalised winding number \[JKS13\]);
//! - `lattice`, `raster`, `inside_front`, `octree`, `background_lattice`: a body-centred cubic
//!   lattice, fine along the surface and coarser inside, and the cuts of its edges with the
//!   surface;
//! - `stencil`, `stuffing`, `skin`: isosurface stuffing \[LS07\], which keeps dihedral angles
//!   within bounds, and a skin that is a closed surface without pinches;
//! - `spacing_search`: finds the spacing that gives the requested number of nodes;
//! - `deviation`: distances between the skin and the surface of the file; `walls`: thickness of
//!   thin bodies; `shells`: parts of the surface, also inside each other; `colours`: colours of the
//!   skin.
//!
//! All computations use a surface of size one around the origin, so neither the unit of a file nor
//! the position of a body matters. Loops run on the rayon pool of the caller; results do not depend
//! on the size of that pool. Features smaller than the spacing are rounded or lost, which the
//! deviation shows.

mod background_lattice;
mod colours;
mod deviation;
mod dihedral_angles;
mod distance;
mod filled_text;
mod inside_front;
mod lattice;
mod line_crossing;
mod octree;
mod orientation;
mod progress;
mod raster;
mod shells;
mod skin;
mod spacing_search;
mod stencil;
mod stuffing;
#[cfg(test)]
mod test_samples;
mod triangle_tree;
mod walls;
mod winding;

use nalgebra::{Point3, Vector3};
use physics::{MeshError, NodeId, TetMesh};

use crate::TriangleSurface;
use crate::check::Length;
use orientation::{shell_of_triangles, turned_triangles};
use spacing_search::SpacingSearch;
use triangle_tree::{Triangle, TriangleTree, bounds};
use winding::Winding;

pub use colours::colours_at;
pub use deviation::{Deviation, Distances};
pub use progress::{Progress, Stage};
pub use shells::Shells;
pub use stuffing::{LEAST_DEGREES, MOST_DEGREES};

/// A surface filled with tetrahedra.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// The solid. Its skin is a closed surface: two triangles at every edge, one fan at every
    /// point.
    pub mesh: TetMesh,
    /// Distances between its skin and the surface.
    pub deviation: Deviation,
    /// Smallest and largest dihedral angle in degrees, within [`LEAST_DEGREES`] and
    /// [`MOST_DEGREES`].
    pub dihedral_deg: [f64; 2],
    /// Length of the smallest lattice cells, in metres: smaller features are rounded off.
    pub spacing: f64,
    /// Number of parts that were too small for the spacing and were left out.
    pub n_specks: usize,
    /// Requested number of nodes.
    pub n_wanted: usize,
    /// Volume of the solid as a share of the surface's volume, in which overlapping parts count
    /// once; `None` for a surface with large holes, whose volume is unknown.
    pub volume_share: Option<f64>,
    /// Shells of the surface.
    pub shells: Shells,
    /// Smallest side of the box around the surface, in metres.
    pub smallest_side: f64,
}

/// Error of filling a surface.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FillError {
    /// The number of nodes is out of range: fewer cannot show a shape, more cannot be solved in
    /// real time.
    #[error("{0} nodes requested, expected {FEWEST_NODES} to {MOST_NODES}")]
    Nodes(usize),
    /// The surface has no area.
    #[error("the surface has no triangles with area, expected a closed surface")]
    Empty,
    /// The surface is not closed, or thinner than the finest lattice.
    #[error("the surface has no inside that {0} nodes could show: is it closed, and thick enough?")]
    NoInside(usize),
    /// The surface has an inside, but only finer cells can show it.
    #[error("the surface is too thin for {wanted} nodes, expected at least about {enough}")]
    TooFew {
        /// Requested number of nodes.
        wanted: usize,
        /// Number of nodes that is sufficient.
        enough: usize,
    },
    /// Thin walls would become thicker or thinner by more than [`MOST_THICKNESS_ERROR`].
    #[error(
        "walls {} thick would become {:.0} % {} with {wanted} nodes, {}",
        Length(*thickness),
        100.0 * (share - 1.0).abs(),
        if *share > 1.0 { "thicker" } else { "thinner" },
        enough_text(*enough)
    )]
    Thickness {
        /// Requested number of nodes.
        wanted: usize,
        /// Thickness of the walls, in metres.
        thickness: f64,
        /// Thickness that they would have, as a share of it.
        share: f64,
        /// Number of nodes that is sufficient, if there is one.
        enough: Option<usize>,
    },
    /// The inside of the surface is ambiguous.
    #[error("the surface is too torn to tell its inside from its outside")]
    Unclear,
    /// Every filling had angles beyond the bounds.
    #[error(
        "dihedral angles would be {:.1} to {:.1} degrees, expected {LEAST_DEGREES} to \
         {MOST_DEGREES}: try another number of nodes",
        .0[0], .0[1]
    )]
    Angles([f64; 2]),
    /// The caller cancelled the work.
    #[error("filling was cancelled")]
    Cancelled,
    /// Coordinates of the mesh are too large or too small.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// Largest error of the thickness of thin walls, as a share of the thickness: bending goes with its
/// cube.
pub const MOST_THICKNESS_ERROR: f64 = 0.05;

fn enough_text(enough: Option<usize>) -> String {
    let other = "a mesh of tetrahedra from another program, such as Gmsh";
    match enough {
        Some(enough) => format!("expected at least about {enough} nodes, or {other}"),
        None => format!("expected {other}"),
    }
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
    let tree = TriangleTree::new(&triangles);
    let winding = Winding::new(&tree);

    progress.enter(Stage::Filling);
    let search = SpacingSearch {
        tree: &tree,
        winding: &winding,
        area,
        volume: volume.abs(),
        size,
        n_nodes,
        progress,
    };
    let solid = search.best()?;

    progress.enter(Stage::Measuring);
    progress.expect(1);
    let corners = |node: u32| solid.places[node as usize];
    let skin: Vec<_> = skin::skin(&solid.tets).iter().map(|t| t.map(corners)).collect();
    let deviation = deviation::deviation(&tree, &winding, &skin, solid.spacing).scaled(size);
    let is_simple = volume != 0.0 && deviation::is_simple(&tree, &winding, solid.spacing);
    let inside = match is_simple {
        true => Some(volume.abs()),
        false if search.is_closed() => {
            Some(deviation::volume_inside(&tree, &winding, solid.spacing, area))
        }
        false => None,
    };
    let inside = inside.filter(|inside| *inside > 0.0);
    let volume_share = inside.map(|inside| enclosed(&skin) / inside);
    let beside = deviation::BESIDE * solid.spacing;
    let shells = shells::shells(&triangles, &shell_of_triangles(surface), &winding, beside);
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
        shells,
        smallest_side: (high - low).min(),
    })
}

/// Volume enclosed by triangles that are oriented outward.
fn enclosed(triangles: &[Triangle]) -> f64 {
    triangles.iter().map(|t| t[0].coords.dot(&t[1].coords.cross(&t[2].coords)) / 6.0).sum()
}
