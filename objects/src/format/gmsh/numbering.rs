//! Conversion of Gmsh's node numbers to indices.

use std::collections::HashMap;

use super::super::FormatError;
use super::super::raw_mesh::{MISSING, RawMesh};

/// Index of the node with each number. Numbers may come in any order and with gaps, but mostly do
/// not.
#[derive(Debug)]
pub(super) enum Numbering {
    /// Consecutive numbers from `first` on.
    InOrder { first: u64, n_nodes: u32 },
    /// Most of the numbers from `first` on; [`MISSING`] marks gaps.
    Table { first: u64, places: Vec<u32> },
    /// Numbers with wide gaps.
    Map(HashMap<u64, u32>),
}

impl Default for Numbering {
    fn default() -> Self {
        Self::InOrder { first: 1, n_nodes: 0 }
    }
}

impl Numbering {
    /// Numbering by the numbers of all nodes in the order of the file.
    pub(super) fn of(numbers: &[u64]) -> Result<Self, FormatError> {
        let Ok(n_nodes) = u32::try_from(numbers.len()) else {
            return Err(FormatError::TooLarge { what: "too many nodes", most: MISSING as usize });
        };
        let first = numbers.iter().copied().min().unwrap_or(1);
        let last = numbers.iter().copied().max().unwrap_or(0);
        if numbers.iter().enumerate().all(|(i, number)| number - first == i as u64) {
            return Ok(Self::InOrder { first, n_nodes });
        }
        let twice = |number: &u64| FormatError::Damaged {
            what: "the list of nodes".to_owned(),
            why: format!("two nodes have the number {number}, expected unique numbers"),
        };
        let width = last - first;
        if width < 4 * u64::from(n_nodes) + 1024 {
            let mut places = vec![MISSING; width as usize + 1];
            for (number, place) in numbers.iter().zip(0..) {
                let slot = &mut places[(number - first) as usize];
                if std::mem::replace(slot, place) != MISSING {
                    return Err(twice(number));
                }
            }
            return Ok(Self::Table { first, places });
        }
        let mut map = HashMap::with_capacity(numbers.len());
        for (number, place) in numbers.iter().zip(0..) {
            if map.insert(*number, place).is_some() {
                return Err(twice(number));
            }
        }
        Ok(Self::Map(map))
    }

    /// Index of one node, or [`MISSING`].
    pub(super) fn place(&self, number: u64) -> u32 {
        match self {
            Self::InOrder { first, n_nodes } => in_order(*first, *n_nodes, number),
            Self::Table { first, places } => in_table(*first, places, number),
            Self::Map(map) => map.get(&number).copied().unwrap_or(MISSING),
        }
    }

    /// Adds tetrahedra, given by the numbers of their nodes, to the mesh.
    pub(super) fn take_tetrahedra(
        &self,
        rows: impl Iterator<Item = [u64; 4]> + Clone,
        mesh: &mut RawMesh,
    ) {
        let n_before = mesh.tetrahedra.len();
        // One loop for each kind of numbering, so that no loop branches on it.
        match self {
            Self::InOrder { first, n_nodes } => {
                let (first, n_nodes) = (*first, *n_nodes);
                let places = |row: [u64; 4]| row.map(|number| in_order(first, n_nodes, number));
                mesh.tetrahedra.extend(rows.clone().map(places));
            }
            Self::Table { first, places } => {
                let places = |row: [u64; 4]| row.map(|number| in_table(*first, places, number));
                mesh.tetrahedra.extend(rows.clone().map(places));
            }
            Self::Map(_) => {
                mesh.tetrahedra.extend(rows.clone().map(|row| row.map(|n| self.place(n))));
            }
        }
        let taken = &mesh.tetrahedra[n_before..];
        if taken.as_flattened().contains(&MISSING) {
            self.note_missing(n_before, rows, mesh);
        }
    }

    fn note_missing(
        &self,
        n_before: usize,
        mut rows: impl Iterator<Item = [u64; 4]>,
        mesh: &mut RawMesh,
    ) {
        let taken = &mesh.tetrahedra[n_before..];
        let first = taken.iter().position(|places| places.contains(&MISSING));
        let row = first.and_then(|first| rows.nth(first)).unwrap_or_default();
        let name = row.into_iter().find(|number| self.place(*number) == MISSING);
        mesh.note_missing(n_before + first.unwrap_or_default(), signed(name.unwrap_or_default()));
    }
}

/// The number as it is in the file, where a negative one is read as one beyond all others.
pub(super) fn signed(number: u64) -> i128 {
    i64::try_from(number).map_or_else(|_| i128::from(number.cast_signed()), i128::from)
}

fn in_order(first: u64, n_nodes: u32, number: u64) -> u32 {
    let place = number.wrapping_sub(first);
    if place < u64::from(n_nodes) { place as u32 } else { MISSING }
}

fn in_table(first: u64, places: &[u32], number: u64) -> u32 {
    let at = usize::try_from(number.wrapping_sub(first)).unwrap_or(usize::MAX);
    places.get(at).copied().unwrap_or(MISSING)
}
