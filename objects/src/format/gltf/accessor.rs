//! Reads numbers from the buffers of a glTF file.

use std::borrow::Cow;

use nalgebra::Point3;

use super::super::FormatError;
use super::super::binary::{ByteOrder, Scalar};
use super::super::memory::Memory;
use super::super::srgb::share_of_one;
use super::super::vtu::Base64;
use super::damaged;
use super::document::{Accessor, Buffer, Document};

/// Reads accessors within the limits.
pub(super) struct Accessors<'a> {
    document: &'a Document,
    buffers: Vec<Cow<'a, [u8]>>,
    /// Memory that may still be taken: many accessors may share the same bytes of the file.
    memory: &'a mut Memory,
}

// Memory for each item, in bytes: the item while it is decoded, and its places in growing lists.
const PER_POINT: usize = 24 + 3 * 24;
const PER_COLOUR: usize = 12 + 3 * 12 + 24;
const PER_INDEX: usize = 8 + 4 + 3 * 12;

/// Returns the bytes of a file in the same folder.
pub(super) type Fetch<'a> = dyn FnMut(&str) -> Result<Vec<u8>, FormatError> + 'a;

impl<'a> Accessors<'a> {
    pub(super) fn new(
        document: &'a Document,
        binary: Option<&'a [u8]>,
        fetch: &mut Fetch<'_>,
        memory: &'a mut Memory,
    ) -> Result<Self, FormatError> {
        let mut buffers: Vec<Cow<'_, [u8]>> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for (number, buffer) in document.buffers.iter().enumerate() {
            let bytes = bytes_of(buffer, binary, fetch)?;
            if let (Some(uri), Cow::Owned(bytes)) = (&buffer.uri, &bytes) {
                // A file that is named again is in memory again, but it is still the same file.
                if !uri.starts_with("data:") && !names.contains(&uri.as_str()) {
                    names.push(uri);
                    memory.add_file(bytes.len());
                } else {
                    memory.take(bytes.len())?;
                }
            }
            let n = bytes.len();
            if let Some(announced) = buffer.byte_length.filter(|a| !(0..=n as i64).contains(a)) {
                return Err(damaged(format!(
                    "buffer {number} announces {announced} bytes, but there are {n}"
                )));
            }
            buffers.push(bytes);
        }
        Ok(Self { document, buffers, memory })
    }

    pub(super) fn points(&mut self, number: usize) -> Result<Vec<Point3<f64>>, FormatError> {
        let (accessor, scalar) = self.find(number, &["VEC3"])?;
        let scale = scale(accessor, scalar);
        let n_bytes = scalar.n_bytes();
        self.check_rows(accessor, 3 * n_bytes, PER_POINT)?;
        let rows = self.rows(accessor, 3 * n_bytes)?;
        let point = |row: &[u8]| {
            let coordinate = |i| scalar.float(&row[i * n_bytes..], ByteOrder::Little) / scale;
            Point3::new(coordinate(0), coordinate(1), coordinate(2))
        };
        Ok(rows.map(point).collect())
    }

    /// Linear red, green and blue; opacity is ignored.
    pub(super) fn colours(&mut self, number: usize) -> Result<Vec<[f32; 3]>, FormatError> {
        let (accessor, scalar) = self.find(number, &["VEC3", "VEC4"])?;
        let scale = scale(accessor, scalar);
        let n_bytes = scalar.n_bytes();
        let n_components = if accessor.kind == "VEC4" { 4 } else { 3 };
        self.check_rows(accessor, n_components * n_bytes, PER_COLOUR)?;
        let rows = self.rows(accessor, n_components * n_bytes)?;
        let colour = |row: &[u8]| {
            let share = |i| scalar.float(&row[i * n_bytes..], ByteOrder::Little) / scale;
            [0, 1, 2].map(|i| share_of_one(share(i) as f32))
        };
        Ok(rows.map(colour).collect())
    }

    pub(super) fn indices(&mut self, number: usize) -> Result<Vec<u64>, FormatError> {
        let (accessor, scalar) = self.find(number, &["SCALAR"])?;
        if !matches!(scalar, Scalar::U8 | Scalar::U16 | Scalar::U32) {
            return Err(damaged("indices are not unsigned numbers".to_owned()));
        }
        self.check_rows(accessor, scalar.n_bytes(), PER_INDEX)?;
        let rows = self.rows(accessor, scalar.n_bytes())?;
        let index = |row: &[u8]| scalar.integer(row, ByteOrder::Little).unsigned_abs();
        Ok(rows.map(index).collect())
    }

    fn find(&self, number: usize, kinds: &[&str]) -> Result<(&'a Accessor, Scalar), FormatError> {
        let found = self.document.accessors.get(number);
        let accessor = found.ok_or_else(|| damaged(format!("accessor {number} does not exist")))?;
        if !kinds.contains(&accessor.kind.as_str()) {
            let (found, expected) = (&accessor.kind, kinds.join(" or "));
            return Err(damaged(format!("accessor {number} is {found}, expected {expected}")));
        }
        let scalar = match accessor.component_type {
            5120 => Scalar::I8,
            5121 => Scalar::U8,
            5122 => Scalar::I16,
            5123 => Scalar::U16,
            5125 => Scalar::U32,
            5126 => Scalar::F32,
            other => return Err(damaged(format!("accessor {number} has component type {other}"))),
        };
        Ok((accessor, scalar))
    }

    /// Checks that an accessor's rows exist, and takes the memory for them.
    fn check_rows(
        &mut self,
        accessor: &Accessor,
        row_bytes: usize,
        memory_each: usize,
    ) -> Result<(), FormatError> {
        drop(self.rows(accessor, row_bytes)?);
        self.memory.take(accessor.count.saturating_mul(memory_each))
    }

    /// The bytes of each of an accessor's rows.
    fn rows(
        &self,
        accessor: &Accessor,
        row_bytes: usize,
    ) -> Result<impl Iterator<Item = &[u8]>, FormatError> {
        let number = match (accessor.buffer_view, &accessor.sparse) {
            (Some(number), None) => number,
            _ => return Err(FormatError::Unsupported("sparse accessors are not read".to_owned())),
        };
        let missing = || damaged(format!("buffer view {number} is missing or too short"));
        let view = self.document.buffer_views.get(number).ok_or_else(missing)?;
        let buffer = self.buffers.get(view.buffer).ok_or_else(missing)?;
        let end = view.byte_offset.checked_add(view.byte_length).ok_or_else(missing)?;
        let bytes = buffer.get(view.byte_offset..end).ok_or_else(missing)?;
        let bytes = bytes.get(accessor.byte_offset..).ok_or_else(missing)?;
        let stride = view.byte_stride.unwrap_or(row_bytes);
        // The last row need not be followed by the gap between rows.
        let last = accessor.count.saturating_sub(1).checked_mul(stride);
        let needed = last.and_then(|last| last.checked_add(row_bytes)).ok_or_else(missing)?;
        if stride < row_bytes || (accessor.count > 0 && needed > bytes.len()) {
            return Err(missing());
        }
        let rows = (0..accessor.count).map(move |i| &bytes[i * stride..i * stride + row_bytes]);
        Ok(rows)
    }
}

/// Divisor of the numbers: integers may stand for shares of one.
fn scale(accessor: &Accessor, scalar: Scalar) -> f64 {
    if accessor.normalized { scalar.largest_share() } else { 1.0 }
}

fn bytes_of<'a>(
    buffer: &Buffer,
    binary: Option<&'a [u8]>,
    fetch: &mut Fetch<'_>,
) -> Result<Cow<'a, [u8]>, FormatError> {
    let Some(uri) = &buffer.uri else {
        return binary
            .map(Cow::Borrowed)
            .ok_or_else(|| damaged("a buffer has no bytes".to_owned()));
    };
    if let Some(data) = uri.strip_prefix("data:") {
        let encoded = data.split_once(";base64,").map(|(_, encoded)| encoded);
        let encoded = encoded.ok_or_else(|| damaged("a buffer is not in base64".to_owned()))?;
        return Base64::of(encoded.as_bytes()).rest().map(Cow::Owned);
    }
    let name = unescaped(uri);
    // Only a plain name stays in the folder; drives, hosts and parent folders lead out of it.
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', ':', '\0']) {
        return Err(FormatError::Unsupported(format!(
            "a buffer is at {name:?}, expected a file in the same folder"
        )));
    }
    fetch(&name).map(Cow::Owned)
}

/// Decodes the escapes of a URI, such as `%20`.
fn unescaped(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let code = (*byte == b'%').then(|| after.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
