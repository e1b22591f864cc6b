//! A cube of tetrahedra on a regular grid.

use nalgebra::Point3;
use physics::{MeshError, NodeId, TetMesh};

/// Error of `cube`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CubeError {
    /// The number of cells is out of range.
    #[error("the cube has {0} cells along an edge, expected 1 to {MAX_CELLS}")]
    Cells(usize),
    /// The edge is not a positive, finite length.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// Largest number of cells along an edge; about a million nodes, more than can be solved in real
/// time.
const MAX_CELLS: usize = 100;

/// A cube with its centre at the origin, `edge` metres long, of `cells`³ cells with six tetrahedra
/// each (Kuhn subdivision: all six share the cell's main diagonal, so neighbouring cells fit
/// together).
pub fn cube(edge: f64, cells: usize) -> Result<TetMesh, CubeError> {
    if !(1..=MAX_CELLS).contains(&cells) {
        return Err(CubeError::Cells(cells));
    }
    let side = cells + 1;
    let at = |i: usize| (i as f64 / cells as f64 - 0.5) * edge;
    let mut nodes = Vec::with_capacity(side.pow(3));
    for z in 0..side {
        for y in 0..side {
            for x in 0..side {
                nodes.push(Point3::new(at(x), at(y), at(z)));
            }
        }
    }
    let node =
        |corner: [usize; 3]| NodeId(((corner[2] * side + corner[1]) * side + corner[0]) as u32);
    let mut elements = Vec::with_capacity(6 * cells.pow(3));
    for z in 0..cells {
        for y in 0..cells {
            for x in 0..cells {
                elements.extend(KUHN_PATHS.map(|path| tet([x, y, z], path).map(node)));
            }
        }
    }
    Ok(TetMesh::new(nodes, elements)?)
}

/// Orders of the three axes along paths from a cell's lowest to its highest corner. The even
/// permutations come first; their tetrahedra are positive without a swap.
const KUHN_PATHS: [[usize; 3]; 6] =
    [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]];

/// Corners along a path; two are swapped for odd permutations to keep the volume positive.
fn tet(cell: [usize; 3], path: [usize; 3]) -> [[usize; 3]; 4] {
    let mut corners = [cell; 4];
    for step in 0..3 {
        corners[step + 1] = corners[step];
        corners[step + 1][path[step]] += 1;
    }
    let is_even = matches!(path, [0, 1, 2] | [1, 2, 0] | [2, 0, 1]);
    if !is_even {
        corners.swap(1, 2);
    }
    corners
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    #[test]
    fn cells_fill_the_cube() {
        let mesh = cube(0.06, 4).unwrap();
        assert_eq!(mesh.n_nodes(), 125);
        assert_eq!(mesh.elements().len(), 6 * 64);
        let volume: f64 = mesh
            .elements()
            .iter()
            .map(|nodes| {
                let [a, b, c, d] = nodes.map(|n| mesh.rest_positions()[n.index()]);
                (b - a).dot(&(c - a).cross(&(d - a))) / 6.0
            })
            .sum();
        assert!((volume - 0.06_f64.powi(3)).abs() < 1e-15);
    }

    #[test]
    fn skin_is_the_six_faces_seen_from_outside() {
        let surface = cube(0.06, 4).unwrap().surface();
        assert_eq!(surface.topology.triangles.len(), 6 * 16 * 2);
        assert_eq!(surface.positions.len(), 125 - 27);
        for triangle in &surface.topology.triangles {
            let at = |i: u32| Vector3::from(surface.positions[i as usize]);
            let [a, b, c] = triangle.map(at);
            let outward = (b - a).cross(&(c - a));
            assert!(outward.dot(&a) > 0.0);
        }
    }

    #[test]
    fn impossible_cubes_are_refused() {
        assert_eq!(cube(0.06, 0), Err(CubeError::Cells(0)));
        assert_eq!(cube(0.06, 1000), Err(CubeError::Cells(1000)));
        assert!(matches!(cube(f64::NAN, 2), Err(CubeError::Mesh(_))));
        assert!(matches!(cube(-1.0, 2), Err(CubeError::Mesh(_))));
    }
}
