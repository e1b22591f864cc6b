//! Values at points and cells of VTK's legacy format: the sections `POINT_DATA` and `CELL_DATA`,
//! which come last.

use super::super::binary::{ByteOrder, Scalar, is_rounded_word};
use super::super::field::{Field, FieldPlace, NumberKind};
use super::super::memory::Memory;
use super::super::raw_mesh::RawMesh;
use super::super::{FormatError, MOST_FIELDS};
use super::{Form, NumberReader};

/// Fields that were read, each for all points or all cells of the file.
#[derive(Default)]
pub(super) struct Values {
    fields: Vec<Field>,
    /// Names of the fields that could not be read.
    left_out: Vec<String>,
    n_rounded: usize,
    /// Name of the field that is being read.
    current: String,
}

impl Values {
    /// Reads from after the keyword `first` to the end of the file. The shape is complete by now,
    /// so fields that cannot be read are left out and named; the file is not refused.
    pub(super) fn read(source: &mut NumberReader<'_>, first: &[u8], memory: &mut Memory) -> Self {
        let mut values = Self::default();
        if values.read_sections(source, first, memory).is_err() {
            let current = std::mem::take(&mut values.current);
            values.left_out.push(current);
        }
        values
    }

    /// Moves the fields into the mesh; `tetrahedra` are the positions of the tetrahedra among the
    /// cells.
    pub(super) fn add_to(mut self, mesh: &mut RawMesh, tetrahedra: &[u32], n_cells: usize) {
        // Fields of points first, as in VTK's XML format.
        self.fields.sort_by_key(|field| field.place() == FieldPlace::Elements);
        for field in self.fields {
            let (n_rows, is_nodal) = match field.place() {
                FieldPlace::Nodes => (mesh.points.len(), true),
                FieldPlace::Elements => (n_cells, false),
            };
            if field.n_rows() != n_rows || mesh.fields.len() >= MOST_FIELDS {
                self.left_out.push(field.name().to_owned());
            } else if is_nodal {
                mesh.fields.push(field);
            } else {
                mesh.fields.push(field.rows(tetrahedra.iter().map(|i| *i as usize)));
            }
        }
        mesh.fields_left_out.append(&mut self.left_out);
        mesh.n_rounded += self.n_rounded;
    }

    fn read_sections(
        &mut self,
        source: &mut NumberReader<'_>,
        first: &[u8],
        memory: &mut Memory,
    ) -> Result<(), FormatError> {
        let (mut place, mut n_rows) = (FieldPlace::Nodes, 0);
        let mut keyword = Some(first);
        while let Some(word) = keyword {
            self.current = String::from_utf8_lossy(word).into_owned();
            match word {
                b"POINT_DATA" | b"CELL_DATA" => {
                    place = if word == b"POINT_DATA" {
                        FieldPlace::Nodes
                    } else {
                        FieldPlace::Elements
                    };
                    n_rows = source.scanner.word("the number of rows")?;
                }
                b"METADATA" => self.name_components(&source.metadata()),
                b"FIELD" => {
                    source.scanner.expect_word("the name of a field")?;
                    for _ in 0..source.scanner.word::<u64>("the number of arrays")? {
                        if let Some(lines) = source.metadata_if_next() {
                            self.name_components(&lines);
                        }
                        let name = self.name(source)?;
                        let n_components = source.scanner.word("the number of components")?;
                        let n_rows = source.scanner.word("the number of rows")?;
                        let scalar = source.scalar()?;
                        let shape = (place, n_components, n_rows);
                        self.take(source, name, shape, scalar, memory)?;
                    }
                }
                b"LOOKUP_TABLE" => {
                    self.name(source)?;
                    let n: usize = source.scanner.word("the number of colours")?;
                    source.floats(n.saturating_mul(4), Scalar::U8)?;
                }
                b"COLOR_SCALARS" => {
                    let name = self.name(source)?;
                    let n: usize = source.scanner.word("the number of components")?;
                    source.floats(n.saturating_mul(n_rows), Scalar::U8)?;
                    // Text files have shares from 0 to 1 here, binary files counts up to 255: once
                    // read, they could not be told apart.
                    self.left_out.push(name);
                }
                _ => {
                    let name = self.name(source)?;
                    let (n_components, scalar) = source.attribute(word)?;
                    let shape = (place, n_components, n_rows);
                    self.take(source, name, shape, scalar, memory)?;
                }
            }
            keyword = source.scanner.next_word();
        }
        Ok(())
    }

    fn name(&mut self, source: &mut NumberReader<'_>) -> Result<String, FormatError> {
        self.current = decoded(source.scanner.expect_word("the name of an array")?);
        Ok(self.current.clone())
    }

    fn take(
        &mut self,
        source: &mut NumberReader<'_>,
        name: String,
        (place, n_components, n_rows): (FieldPlace, usize, usize),
        scalar: Scalar,
        memory: &mut Memory,
    ) -> Result<(), FormatError> {
        let n = n_components.saturating_mul(n_rows);
        // Each number takes eight bytes in memory.
        memory.take(n.saturating_mul(8))?;
        let (values, n_rounded) = source.values(n, scalar)?;
        self.n_rounded += n_rounded;
        let numbers = if scalar.is_whole() { NumberKind::Whole } else { NumberKind::Floating };
        match Field::new(name.as_str(), place, n_components, values) {
            Ok(field) => self.fields.push(field.with_numbers(numbers)),
            Err(_) => self.left_out.push(name),
        }
        Ok(())
    }

    /// Names the components of the last field, if the lines of a `METADATA` section do so.
    fn name_components(&mut self, lines: &[&[u8]]) {
        let Some(at) = lines.iter().position(|line| *line == b"COMPONENT_NAMES") else { return };
        if let Some(field) = self.fields.pop() {
            let names = lines[at + 1..].iter().take(field.n_components());
            let names = names.map(|name| decoded(name)).collect();
            self.fields.push(field.with_component_names(names));
        }
    }
}

impl<'a> NumberReader<'a> {
    /// Number of components of an attribute such as `VECTORS`, and their type.
    fn attribute(&mut self, keyword: &[u8]) -> Result<(usize, Scalar), FormatError> {
        match keyword {
            b"SCALARS" => {
                let scalar = self.scalar()?;
                // One component, unless the rest of the line says otherwise.
                let rest = self.scanner.next_line().unwrap_or_default();
                let n_components = str::from_utf8(rest).ok().and_then(|n| n.parse().ok());
                let mut ahead = self.scanner.clone();
                if ahead.next_word() == Some(b"LOOKUP_TABLE") {
                    ahead.expect_word("the name of a table")?;
                    self.scanner = ahead;
                }
                Ok((n_components.unwrap_or(1), scalar))
            }
            b"VECTORS" | b"NORMALS" => Ok((3, self.scalar()?)),
            b"TENSORS" => Ok((9, self.scalar()?)),
            b"TENSORS6" => Ok((6, self.scalar()?)),
            b"GLOBAL_IDS" | b"PEDIGREE_IDS" => Ok((1, self.scalar()?)),
            b"TEXTURE_COORDINATES" => {
                let n_components = self.scanner.word("the number of coordinates")?;
                Ok((n_components, self.scalar()?))
            }
            _ => Err(self.scanner.unexpected("a keyword such as SCALARS or VECTORS", keyword)),
        }
    }

    /// Numbers, and how many integers among them an `f64` cannot hold exactly.
    fn values(&mut self, n: usize, scalar: Scalar) -> Result<(Vec<f64>, usize), FormatError> {
        match self.form {
            Form::Text => {
                let mut n_rounded = 0;
                let mut value = || {
                    let word = self.scanner.clone().next_word().unwrap_or_default();
                    n_rounded += usize::from(scalar.is_whole() && is_rounded_word(word));
                    self.scanner.word("a number")
                };
                let values = (0..n).map(|_| value()).collect::<Result<_, _>>()?;
                Ok((values, n_rounded))
            }
            Form::Binary => {
                let bytes = self.bytes(n, scalar)?;
                Ok((scalar.floats(bytes, ByteOrder::Big), scalar.n_rounded(bytes, ByteOrder::Big)))
            }
        }
    }

    /// Lines after the keyword `METADATA`, which end with an empty one.
    pub(super) fn metadata(&mut self) -> Vec<&'a [u8]> {
        // The rest of the keyword's line is empty as well.
        self.scanner.next_line();
        let next = || self.scanner.next_line().filter(|line| !line.is_empty());
        std::iter::from_fn(next).collect()
    }

    /// Same as `metadata`, if the keyword comes next; `None` otherwise.
    pub(super) fn metadata_if_next(&mut self) -> Option<Vec<&'a [u8]>> {
        let mut ahead = self.scanner.clone();
        if ahead.next_word() != Some(b"METADATA") {
            return None;
        }
        self.scanner = ahead;
        Some(self.metadata())
    }
}

/// Decodes a name in which VTK has written `%20` for a space and so on.
fn decoded(name: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| u8::from_str_radix(str::from_utf8(code).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_decoded() {
        for (name, expected) in [
            ("plain", "plain"),
            ("two%20words", "two words"),
            ("100%", "100%"),
            ("%zz%2", "%zz%2"),
            ("%c3%a4", "ä"),
        ] {
            assert_eq!(decoded(name.as_bytes()), expected);
        }
    }
}
