//! Reads counts, integers and coordinates of a Gmsh file, written as words or as bytes.

use nalgebra::Point3;

use super::super::FormatError;
use super::super::binary::ByteOrder;
use super::super::text::Scanner;
use super::{Form, Header};

/// A position in a file, with the form of its numbers.
pub(super) struct NumberReader<'a> {
    pub(super) scanner: Scanner<'a>,
    pub(super) header: Header,
}

impl NumberReader<'_> {
    /// An integer that Gmsh keeps in an `int`.
    pub(super) fn integer(&mut self, expected: &str) -> Result<i64, FormatError> {
        match self.header.form {
            Form::Text => self.scanner.word(expected),
            Form::Binary(order) => Ok(order.i32(self.scanner.array(expected)?).into()),
        }
    }

    /// A count or a name, which Gmsh 4.1 keeps in a `size_t`.
    pub(super) fn count(&mut self, expected: &str) -> Result<u64, FormatError> {
        match (self.header.form, self.header.count_bytes) {
            (Form::Text, _) => self.scanner.word(expected),
            (Form::Binary(order), 4) => Ok(order.u32(self.scanner.array(expected)?).into()),
            (Form::Binary(order), _) => Ok(order.u64(self.scanner.array(expected)?)),
        }
    }

    /// Appends `n_rows` rows of counts or names.
    pub(super) fn counts(
        &mut self,
        n_rows: usize,
        n_columns: usize,
        expected: &str,
        numbers: &mut Vec<u64>,
    ) -> Result<(), FormatError> {
        match self.header.form {
            Form::Text => {
                for _ in 0..n_rows.saturating_mul(n_columns) {
                    numbers.push(self.scanner.word(expected)?);
                }
            }
            Form::Binary(order) => {
                let n_bytes = self.header.count_bytes;
                let bytes =
                    self.scanner.take(n_rows, n_columns.saturating_mul(n_bytes), expected)?;
                if n_bytes == 4 {
                    let chunks = bytes.as_chunks().0.iter();
                    numbers.extend(chunks.map(|bytes| u64::from(order.u32(*bytes))));
                } else {
                    numbers.extend(bytes.as_chunks().0.iter().map(|bytes| order.u64(*bytes)));
                }
            }
        }
        Ok(())
    }

    /// Appends `n` points and skips the `n_parameters` numbers that follow each.
    pub(super) fn points(
        &mut self,
        n: usize,
        n_parameters: usize,
        points: &mut Vec<Point3<f64>>,
    ) -> Result<(), FormatError> {
        match self.header.form {
            Form::Text => {
                for _ in 0..n {
                    points.push(self.scanner.point()?);
                    for _ in 0..n_parameters {
                        self.scanner.word::<f64>("a parameter of a node")?;
                    }
                }
            }
            Form::Binary(order) => {
                let row = 8 * (3 + n_parameters);
                let bytes = self.scanner.take(n, row, "the coordinates of nodes")?;
                if n_parameters == 0 {
                    let rows = bytes.as_chunks::<24>().0.iter();
                    points.extend(rows.map(|row| point(row, order)));
                } else {
                    let rows = bytes.chunks_exact(row).filter_map(|row| row.first_chunk());
                    points.extend(rows.map(|row| point(row, order)));
                }
            }
        }
        Ok(())
    }
}

/// Reads a point from 24 bytes.
pub(super) fn point(bytes: &[u8; 24], order: ByteOrder) -> Point3<f64> {
    let (coordinates, _) = bytes.as_chunks();
    Point3::new(order.f64(coordinates[0]), order.f64(coordinates[1]), order.f64(coordinates[2]))
}

/// A count as `usize`; a larger one is larger than any file.
pub(super) fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
