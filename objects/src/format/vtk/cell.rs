//! VTK's cells: their types by number, and their corners.

use std::borrow::Cow;

use super::super::FormatError;
use super::super::binary::{ByteOrder, Scalar};
use super::super::raw_mesh::{ElementShape, ElementType, MISSING, RawMesh};

/// Whole numbers: decoded, or as bytes that are decoded where they are used, which saves memory.
#[derive(Debug)]
pub(in super::super) enum Integers<'a> {
    Decoded(Vec<i64>),
    Bytes(Cow<'a, [u8]>, Scalar, ByteOrder),
}

impl Integers<'_> {
    pub(in super::super) fn len(&self) -> usize {
        match self {
            Self::Decoded(numbers) => numbers.len(),
            Self::Bytes(bytes, scalar, _) => bytes.len() / scalar.n_bytes(),
        }
    }

    /// The number at a place that exists.
    pub(in super::super) fn get(&self, place: usize) -> i64 {
        match self {
            Self::Decoded(numbers) => numbers[place],
            Self::Bytes(bytes, scalar, order) => {
                scalar.integer(&bytes[place * scalar.n_bytes()..], *order)
            }
        }
    }
}

/// Corners of all cells in one list, with the range of each cell in it.
#[derive(Debug)]
pub(in super::super) struct Cells<'a> {
    corners: Integers<'a>,
    ends: Ends<'a>,
}

/// Places at which the corners of cells end.
#[derive(Debug)]
enum Ends<'a> {
    /// Listed, from this place of the list on; checked.
    Listed(Integers<'a>, usize),
    /// Each cell begins with its number of corners; this is the number of cells.
    BehindLengths(usize),
}

impl<'a> Cells<'a> {
    /// Checks that the ends, from the first one on that counts, are ascending and that the last one
    /// is the end of the list.
    pub(in super::super) fn new(
        corners: Integers<'a>,
        ends: Integers<'a>,
        first: usize,
    ) -> Result<Self, FormatError> {
        let n_corners = corners.len();
        let mut last = 0;
        for place in first..ends.len() {
            let end = ends.get(place);
            match usize::try_from(end) {
                Ok(end) if end < last => {
                    return Err(damaged(format!("a cell ends at {end}, expected at least {last}")));
                }
                Ok(end) if end <= n_corners => last = end,
                _ => {
                    let expected = match end < 0 {
                        true => format!("at least {last}"),
                        false => format!("at most {n_corners}, the number of all corners"),
                    };
                    return Err(damaged(format!("a cell ends at {end}, expected {expected}")));
                }
            }
        }
        if last != n_corners {
            return Err(damaged(format!(
                "the last cell ends at {last}, expected {n_corners}, the number of all corners"
            )));
        }
        Ok(Self { corners, ends: Ends::Listed(ends, first) })
    }

    /// Makes cells from a list in which every cell begins with its number of corners.
    pub(super) fn behind_lengths(numbers: Integers<'a>) -> Result<Self, FormatError> {
        let (mut at, mut n_cells) = (0_usize, 0);
        while at < numbers.len() {
            let length = numbers.get(at);
            let end = usize::try_from(length).ok().and_then(|length| at.checked_add(1 + length));
            at = end.filter(|end| *end <= numbers.len()).ok_or_else(|| {
                let n_left = numbers.len() - at - 1;
                damaged(format!(
                    "a cell has {length} corners, expected at most {n_left}, which are left"
                ))
            })?;
            n_cells += 1;
        }
        Ok(Self { corners: numbers, ends: Ends::BehindLengths(n_cells) })
    }

    pub(super) fn len(&self) -> usize {
        match &self.ends {
            Ends::Listed(ends, first) => ends.len().saturating_sub(*first),
            Ends::BehindLengths(n_cells) => *n_cells,
        }
    }

    /// Calls `take` with the corners of each cell.
    pub(super) fn each(
        &self,
        mut take: impl FnMut(&[i64]) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        let mut begin = 0;
        let mut corners = Vec::new();
        for cell in 0..self.len() {
            let end = match &self.ends {
                Ends::Listed(ends, first) => ends.get(first + cell) as usize,
                Ends::BehindLengths(_) => {
                    begin += 1;
                    begin + self.corners.get(begin - 1) as usize
                }
            };
            corners.clear();
            corners.extend((begin..end).map(|place| self.corners.get(place)));
            take(&corners)?;
            begin = end;
        }
        Ok(())
    }

    /// Adds the cells, whose corners are indices of the points of `mesh`; returns the positions of
    /// the tetrahedra.
    pub(in super::super) fn add_to(
        &self,
        mesh: &mut RawMesh,
        types: &Integers<'_>,
    ) -> Result<Vec<u32>, FormatError> {
        self.add_from(0, mesh, types)
    }

    /// Same as `add_to`, with corners that count from the point `base` on.
    pub(in super::super) fn add_from(
        &self,
        base: usize,
        mesh: &mut RawMesh,
        types: &Integers<'_>,
    ) -> Result<Vec<u32>, FormatError> {
        if types.len() != self.len() {
            let (n_types, n_cells) = (types.len(), self.len());
            return Err(damaged(format!("there are {n_types} types for {n_cells} cells")));
        }
        let mut tetrahedra = Vec::new();
        let (mut places, mut number) = (Vec::new(), 0_u32);
        self.each(|corners| {
            let kind = element_type(types.get(number as usize), corners.len())?;
            places.clear();
            for corner in corners {
                let place = usize::try_from(*corner)
                    .ok()
                    .and_then(|corner| corner.checked_add(base))
                    .filter(|place| *place < mesh.points.len())
                    .map_or(MISSING, |place| place as u32);
                if place == MISSING {
                    mesh.note_missing(mesh.tetrahedra.len(), *corner);
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
