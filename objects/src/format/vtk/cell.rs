//! VTK's cells: their types by number, and their corners.

use super::super::FormatError;
use super::super::raw_mesh::{ElementShape, ElementType, MISSING, RawMesh};

/// Corners of all cells in one list, with the end of each cell in it.
#[derive(Debug)]
pub(in super::super) struct Cells {
    corners: Vec<i64>,
    ends: Vec<usize>,
}

impl Cells {
    /// Checks that the ends are ascending and within the list.
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

    /// Makes cells from a list in which every cell begins with its number of corners.
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

    /// Adds the cells, whose corners are indices of the points of `mesh`; returns the positions of
    /// the tetrahedra.
    pub(in super::super) fn add_to(
        &self,
        mesh: &mut RawMesh,
        types: &[i64],
    ) -> Result<Vec<usize>, FormatError> {
        self.add_from(0, mesh, types)
    }

    /// Same as `add_to`, with corners that count from the point `base` on.
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

/// The element type with VTK's number.
fn element_type(number: i64, n_nodes: usize) -> Result<ElementType, FormatError> {
    let (shape, n_least) = match number {
        // Empty cells are treated like points.
        0 => (ElementShape::Point, 0),
        1 => (ElementShape::Point, 1),
        2 => (ElementShape::Point, 0),
        3 | 4 | 21 | 35 | 60 | 68 | 75 => (ElementShape::Line, 1),
        5 | 22 | 34 | 61 | 69 | 76 => (ElementShape::Triangle, 3),
        8 | 9 | 23 | 28 | 30 | 62 | 70 | 77 => (ElementShape::Quadrangle, 4),
        6 | 7 | 36 | 63 => (ElementShape::Polygon, 0),
        10 | 24 | 64 | 71 | 78 => (ElementShape::Tetrahedron, 4),
        11 | 12 | 25 | 29 | 33 | 67 | 72 | 79 => (ElementShape::Hexahedron, 8),
        13 | 15 | 16 | 26 | 31 | 32 | 65 | 73 | 80 => (ElementShape::Prism, 6),
        14 | 27 | 37 | 66 | 74 | 81 => (ElementShape::Pyramid, 5),
        41 | 42 => (ElementShape::Polyhedron, 0),
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
