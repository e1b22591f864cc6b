//! Gmsh's numbers of element types.

use super::super::FormatError;
use super::super::raw_mesh::{ElementShape, ElementType};

/// The element type with Gmsh's number.
pub(super) fn element_type(number: i64) -> Result<ElementType, FormatError> {
    let (shape, n_nodes) = match number {
        15 => (ElementShape::Point, 1),
        1 => (ElementShape::Line, 2),
        8 => (ElementShape::Line, 3),
        26..=28 => (ElementShape::Line, number as usize - 22),
        62..=66 => (ElementShape::Line, number as usize - 55),
        2 => (ElementShape::Triangle, 3),
        9 => (ElementShape::Triangle, 6),
        20 => (ElementShape::Triangle, 9),
        21 => (ElementShape::Triangle, 10),
        22 => (ElementShape::Triangle, 12),
        23 | 24 => (ElementShape::Triangle, 15),
        25 => (ElementShape::Triangle, 21),
        42 => (ElementShape::Triangle, 28),
        43 => (ElementShape::Triangle, 36),
        44 => (ElementShape::Triangle, 45),
        45 => (ElementShape::Triangle, 55),
        46 => (ElementShape::Triangle, 66),
        52..=56 => (ElementShape::Triangle, 18 + 3 * (number as usize - 52)),
        3 => (ElementShape::Quadrangle, 4),
        10 => (ElementShape::Quadrangle, 9),
        16 => (ElementShape::Quadrangle, 8),
        36 | 40 => (ElementShape::Quadrangle, 16),
        37 => (ElementShape::Quadrangle, 25),
        38 | 60 => (ElementShape::Quadrangle, 36),
        39 => (ElementShape::Quadrangle, 12),
        41 => (ElementShape::Quadrangle, 20),
        47 => (ElementShape::Quadrangle, 49),
        48 => (ElementShape::Quadrangle, 64),
        49 => (ElementShape::Quadrangle, 81),
        50 => (ElementShape::Quadrangle, 100),
        51 => (ElementShape::Quadrangle, 121),
        57..=59 => (ElementShape::Quadrangle, 24 + 4 * (number as usize - 57)),
        61 => (ElementShape::Quadrangle, 40),
        4 => (ElementShape::Tetrahedron, 4),
        11 => (ElementShape::Tetrahedron, 10),
        29 => (ElementShape::Tetrahedron, 20),
        30 => (ElementShape::Tetrahedron, 35),
        31 => (ElementShape::Tetrahedron, 56),
        32 => (ElementShape::Tetrahedron, 22),
        33 => (ElementShape::Tetrahedron, 28),
        71 => (ElementShape::Tetrahedron, 84),
        72 => (ElementShape::Tetrahedron, 120),
        73 => (ElementShape::Tetrahedron, 165),
        74 => (ElementShape::Tetrahedron, 220),
        75 => (ElementShape::Tetrahedron, 286),
        79..=83 => (ElementShape::Tetrahedron, 34 + 6 * (number as usize - 79)),
        137 => (ElementShape::Tetrahedron, 16),
        5 | 12 | 17 | 92..=105 => (ElementShape::Hexahedron, 8),
        6 | 13 | 18 | 90 | 91 | 106..=117 => (ElementShape::Prism, 6),
        7 | 14 | 19 | 118..=132 => (ElementShape::Pyramid, 5),
        35 => (ElementShape::Polyhedron, 0),
        _ => {
            return Err(FormatError::Unsupported(format!(
                "the file has elements of Gmsh's type {number}, expected points, lines, triangles, \
                 quadrangles and tetrahedra"
            )));
        }
    };
    // Other volumes are refused here, so their numbers of nodes need not be right.
    shape.check()?;
    Ok(ElementType { shape, n_nodes })
}
