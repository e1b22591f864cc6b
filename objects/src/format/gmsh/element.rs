//! Gmsh's numbers of element types.

use super::super::FormatError;
use super::super::raw::{ElementType, Shape};

/// What Gmsh means by the number of a type.
pub(super) fn element_type(number: i64) -> Result<ElementType, FormatError> {
    let (shape, n_nodes) = match number {
        15 => (Shape::Point, 1),
        1 => (Shape::Line, 2),
        8 => (Shape::Line, 3),
        26..=28 => (Shape::Line, number as usize - 22),
        62..=66 => (Shape::Line, number as usize - 55),
        2 => (Shape::Triangle, 3),
        9 => (Shape::Triangle, 6),
        20 => (Shape::Triangle, 9),
        21 => (Shape::Triangle, 10),
        22 => (Shape::Triangle, 12),
        23 | 24 => (Shape::Triangle, 15),
        25 => (Shape::Triangle, 21),
        42 => (Shape::Triangle, 28),
        43 => (Shape::Triangle, 36),
        44 => (Shape::Triangle, 45),
        45 => (Shape::Triangle, 55),
        46 => (Shape::Triangle, 66),
        52..=56 => (Shape::Triangle, 18 + 3 * (number as usize - 52)),
        3 => (Shape::Quadrangle, 4),
        10 => (Shape::Quadrangle, 9),
        16 => (Shape::Quadrangle, 8),
        36 | 40 => (Shape::Quadrangle, 16),
        37 => (Shape::Quadrangle, 25),
        38 | 60 => (Shape::Quadrangle, 36),
        39 => (Shape::Quadrangle, 12),
        41 => (Shape::Quadrangle, 20),
        47 => (Shape::Quadrangle, 49),
        48 => (Shape::Quadrangle, 64),
        49 => (Shape::Quadrangle, 81),
        50 => (Shape::Quadrangle, 100),
        51 => (Shape::Quadrangle, 121),
        57..=59 => (Shape::Quadrangle, 24 + 4 * (number as usize - 57)),
        61 => (Shape::Quadrangle, 40),
        4 => (Shape::Tetrahedron, 4),
        11 => (Shape::Tetrahedron, 10),
        29 => (Shape::Tetrahedron, 20),
        30 => (Shape::Tetrahedron, 35),
        31 => (Shape::Tetrahedron, 56),
        32 => (Shape::Tetrahedron, 22),
        33 => (Shape::Tetrahedron, 28),
        71 => (Shape::Tetrahedron, 84),
        72 => (Shape::Tetrahedron, 120),
        73 => (Shape::Tetrahedron, 165),
        74 => (Shape::Tetrahedron, 220),
        75 => (Shape::Tetrahedron, 286),
        79..=83 => (Shape::Tetrahedron, 34 + 6 * (number as usize - 79)),
        137 => (Shape::Tetrahedron, 16),
        5 | 12 | 17 | 92..=105 => (Shape::Hexahedron, 8),
        6 | 13 | 18 | 90 | 91 | 106..=117 => (Shape::Prism, 6),
        7 | 14 | 19 | 118..=132 => (Shape::Pyramid, 5),
        35 => (Shape::Polyhedron, 0),
        _ => {
            return Err(FormatError::Unsupported(format!(
                "the file has elements of Gmsh's type {number}, expected points, lines, triangles, \
                 quadrangles and tetrahedra"
            )));
        }
    };
    // Volumes that are refused need no right number of nodes.
    shape.check()?;
    Ok(ElementType { shape, n_nodes })
}
