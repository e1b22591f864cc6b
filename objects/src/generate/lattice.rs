//! Fills a smooth body with tetrahedra from a lattice, with about the requested number of nodes.
//!
//! A body-centred cubic lattice gives the best-shaped tetrahedra that fill space. [`selection`]
//! keeps those that have a corner well inside the body, which leaves a skin of nodes near its
//! surface; [`relaxation`] moves these onto the surface and adjusts the layers below. All of this
//! happens at the size of the body's formula, a few units; the result is scaled at the end, so
//! the requested size cannot affect the shape.

#[cfg(test)]
pub(super) mod body_checks;
mod neighbours;
mod quality;
mod relaxation;
mod selection;
mod stars;

use nalgebra::{Point3, Vector3};
use physics::{MeshError, NodeId, TetMesh};

use relaxation::Relaxation;
use selection::Selection;

/// Error of `fill`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// The number of nodes is out of range: fewer cannot show the shape, more cannot be solved in
    /// real time.
    #[error("the body has {0} nodes, expected {FEWEST_NODES} to {MOST_NODES}")]
    Nodes(usize),
    /// The size is not a positive, finite length.
    #[error("the body has a size of {0} m, expected a positive, finite length")]
    Size(f64),
    /// The scaled mesh is invalid: its numbers became too large or too small.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

pub(super) const FEWEST_NODES: usize = 50;
pub(super) const MOST_NODES: usize = 200_000;

/// A smooth body given by a formula.
pub(super) trait Body {
    /// The lowest and highest corner of a box that contains the body.
    fn bounds(&self) -> [Point3<f64>; 2];

    /// Value and gradient of a smooth function that is positive inside, zero on the surface and
    /// negative outside. Near the surface the value is about the distance to it.
    fn level(&self, x: &Point3<f64>) -> (f64, Vector3<f64>);

    /// Depth of `x` inside the body, to first order; negative outside.
    fn depth(&self, x: &Point3<f64>) -> f64 {
        let (level, gradient) = self.level(x);
        level / gradient.norm().max(FLAT)
    }

    /// Point on the surface close to `x`, by Newton's method along the gradient.
    fn on_surface(&self, x: &Point3<f64>) -> Point3<f64> {
        let mut nearest = *x;
        for _ in 0..NEWTON_STEPS {
            let (level, gradient) = self.level(&nearest);
            nearest -= gradient * (level / gradient.norm_squared().max(FLAT));
        }
        nearest
    }
}

/// Lower limit of the gradient in divisions, which keeps them finite near a centre.
const FLAT: f64 = 1e-6;
/// Number of Newton steps: levels are nearly distances, so a few steps reach rounding error.
const NEWTON_STEPS: usize = 4;

/// Arrangement of the inner nodes: on the lattice, or displaced at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interior {
    Regular,
    Irregular,
}

/// Fills `body`, magnified `size` times, with tetrahedra between about `n_nodes` nodes.
pub(super) fn fill(
    body: &impl Body,
    interior: Interior,
    size: f64,
    n_nodes: usize,
) -> Result<TetMesh, BodyError> {
    if !(FEWEST_NODES..=MOST_NODES).contains(&n_nodes) {
        return Err(BodyError::Nodes(n_nodes));
    }
    if !(size.is_finite() && size > 0.0) {
        return Err(BodyError::Size(size));
    }
    let selection = selection_of(body, n_nodes);
    let mut relaxation = Relaxation::new(body, selection.spacing(), selection.tets());
    if interior == Interior::Irregular {
        relaxation.shake();
    }
    relaxation.settle();
    let (points, elements) = relaxation.into_parts();
    let nodes = points.iter().map(|x| x * size).collect();
    Ok(TetMesh::new(nodes, elements.iter().map(|tet| tet.map(NodeId)).collect())?)
}

/// The selection whose number of nodes is nearest to `n_nodes`, of those that bisection tries.
///
/// The number falls with the spacing, but in jumps, and for small bodies not always. Shifting the
/// lattice gives other jumps, so a few shifts are tried until one is close enough.
fn selection_of(body: &impl Body, n_nodes: usize) -> Selection {
    let miss =
        |selection: &Selection| selection.n_nodes().abs_diff(n_nodes) as f64 / n_nodes as f64;
    let [low, high] = body.bounds();
    // A lattice that fills the whole bounding box has two nodes in each cell.
    let of_full_box = ((high - low).product() * 2.0 / n_nodes as f64).cbrt();
    let mut best = Selection::new(body, of_full_box, SHIFTS[0].into());
    for shift in SHIFTS {
        let (mut fine, mut coarse) = (FINEST * of_full_box, COARSEST * of_full_box);
        for _ in 0..BISECTIONS {
            if miss(&best) <= CLOSE_ENOUGH {
                return best;
            }
            let spacing = (fine * coarse).sqrt();
            let selection = Selection::new(body, spacing, shift.into());
            if selection.n_nodes() > n_nodes {
                fine = spacing;
            } else {
                coarse = spacing;
            }
            if miss(&selection) < miss(&best) {
                best = selection;
            }
        }
    }
    best
}

/// Shifts of the lattice, in spacings: without symmetry, so that few nodes appear or vanish at a
/// time.
const SHIFTS: [[f64; 3]; 5] = [
    [0.13, 0.29, 0.41],
    [0.37, 0.07, 0.19],
    [0.23, 0.47, 0.11],
    [0.02, 0.17, 0.33],
    [0.43, 0.31, 0.05],
];
/// Finest spacing tried, in spacings of the full box: bodies fill less than their box.
const FINEST: f64 = 0.4;
/// Coarsest spacing tried, in spacings of the full box: small bodies are mostly skin.
const COARSEST: f64 = 2.5;
/// Steps of the bisection for each shift.
const BISECTIONS: usize = 16;
/// Acceptable error of the number of nodes, as a share of the requested number.
const CLOSE_ENOUGH: f64 = 0.01;

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball cut to its middle, with a gap that is often narrower than a tetrahedron.
    struct Clam;

    impl Body for Clam {
        fn bounds(&self) -> [Point3<f64>; 2] {
            [Point3::new(-1.0, -1.0, -1.0), Point3::new(1.0, 1.0, 1.0)]
        }

        fn level(&self, x: &Point3<f64>) -> (f64, Vector3<f64>) {
            let ball = (0.5 * (1.0 - x.coords.norm_squared()), -x.coords);
            let from_cut = Vector3::new(x.x.min(0.0), 0.0, x.z);
            let gap = (from_cut.norm() - 0.06, from_cut / from_cut.norm().max(FLAT));
            if ball.0 < gap.0 { ball } else { gap }
        }
    }

    #[test]
    fn gaps_are_open_or_closed_but_never_pinched() {
        for n_nodes in (60..2000).step_by(97) {
            let mesh = fill(&Clam, Interior::Regular, 1.0, n_nodes).unwrap();
            body_checks::check_simple(&mesh);
        }
    }
}
