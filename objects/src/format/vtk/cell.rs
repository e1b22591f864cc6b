//! VTK's cells: their types by number, and lists of corners.

use super::super::FormatError;
use super::super::raw::{ElementType, MISSING, RawMesh, Shape};

/// The corners of all cells in one list, and where each cell ends there.
#[derive(Debug)]
pub(in super::super) struct Cells {
    corners: Vec<i64>,
    ends: Vec<usize>,
}

impl Cells {
    /// Checks that the ends are in order and within the list.
    pub(in super::super) fn new(corners: Vec<i64>, ends: Vec<i64>) -> Result<Self, FormatError> {
        let mut last = 0;
        for end in &ends {
            match usize::try_from(*end) {
                Ok(end) if (last..=corners.len()).contains(&end) => last = end,
                _ => {
                    return Err(damaged(format!("a cell ends at {end}, expected at least {last}")));
                }
            }
        }
        Ok(Self { corners, ends: ends.into_iter().map(|end| end as usize).collect() })
    }

    /// From a list in which every cell begins with its number of corners.
    pub(super) fn behind_lengths(numbers: &[i64]) -> Result<Self, FormatError> {
        let (mut corners, mut ends) = (Vec::with_capacity(numbers.len()), Vec::new());
        let mut rest = numbers;
        while let Some((length, after)) = rest.split_first() {
            let cell =
                usize::try_from(*length).ok().and_then(|length| after.split_at_checked(length));
            let (cell, after) =
                cell.ok_or_else(|| damaged(format!("a cell has {length} corners")))?;
            corners.extend_from_slice(cell);
            ends.push(corners.len());
            rest = after;
        }
        Ok(Self { corners, ends })
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Calls `take` with the corners of each cell.
    pub(super) fn each(
        &self,
        mut take: impl FnMut(&[i64]) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        let mut begin = 0;
        for end in &self.ends {
            take(&self.corners[begin..*end])?;
            begin = *end;
        }
        Ok(())
    }

    /// Adds the cells, whose corners count from the points that `mesh` has; says which are tetrahedra.
    pub(in super::super) fn add_to(
        &self,
        mesh: &mut RawMesh,
        types: &[i64],
    ) -> Result<Vec<usize>, FormatError> {
        self.add_from(0, mesh, types)
    }

    /// The same with corners that count from the point `base` on.
    pub(in super::super) fn add_from(
        &self,
        base: usize,
        mesh: &mut RawMesh,
        types: &[i64],
    ) -> Result<Vec<usize>, FormatError> {
        if types.len() != self.ends.len() {
            let (n_types, n_cells) = (types.len(), self.ends.len());
            return Err(damaged(format!("there are {n_types} types for {n_cells} cells")));
        }
        let mut tetrahedra = Vec::new();
        let (mut places, mut number) = (Vec::new(), 0);
        self.each(|corners| {
            let kind = element_type(types[number], corners.len())?;
            places.clear();
            for corner in corners {
                let place = usize::try_from(*corner)
                    .ok()
                    .and_then(|corner| corner.checked_add(base))
                    .filter(|place| *place < mesh.points.len())
                    .map_or(MISSING, |place| place as u32);
                if place == MISSING {
                    mesh.note_missing(mesh.tetrahedra.len(), corner.unsigned_abs());
                }
                places.push(place);
            }
            let n_before = mesh.tetrahedra.len();
            mesh.add(kind, &places)?;
            if mesh.tetrahedra.len() > n_before {
                tetrahedra.push(number);
            }
            number += 1;
            Ok(())
        })?;
        Ok(tetrahedra)
    }
}

/// What VTK means by the number of a type.
fn element_type(number: i64, n_nodes: usize) -> Result<ElementType, FormatError> {
    let (shape, n_least) = match number {
        // Empty cells are as good as points.
        0 => (Shape::Point, 0),
        1 => (Shape::Point, 1),
        2 => (Shape::Point, 0),
        3 | 4 | 21 | 35 | 60 | 68 | 75 => (Shape::Line, 1),
        5 | 22 | 34 | 61 | 69 | 76 => (Shape::Triangle, 3),
        8 | 9 | 23 | 28 | 30 | 62 | 70 | 77 => (Shape::Quadrangle, 4),
        6 | 7 | 36 | 63 => (Shape::Polygon, 0),
        10 | 24 | 64 | 71 | 78 => (Shape::Tetrahedron, 4),
        11 | 12 | 25 | 29 | 33 | 67 | 72 | 79 => (Shape::Hexahedron, 8),
        13 | 15 | 16 | 26 | 31 | 32 | 65 | 73 | 80 => (Shape::Prism, 6),
        14 | 27 | 37 | 66 | 74 | 81 => (Shape::Pyramid, 5),
        41 | 42 => (Shape::Polyhedron, 0),
        _ => {
            return Err(FormatError::Unsupported(format!(
                "the file has cells of VTK's type {number}, expected points, lines, triangles, \
                 quadrangles, polygons and tetrahedra"
            )));
        }
    };
    if n_nodes < n_least {
        return Err(damaged(format!("a cell of type {number} has only {n_nodes} corners")));
    }
    Ok(ElementType { shape, n_nodes })
}

fn damaged(why: String) -> FormatError {
    FormatError::Damaged { what: "the list of cells".to_owned(), why }
}
