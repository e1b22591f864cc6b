//! Reads numbers from the buffers of a glTF file.

use std::borrow::Cow;

use nalgebra::Point3;

use super::super::binary::{ByteOrder, Scalar};
use super::super::srgb::share_of_one;
use super::super::vtu::Base64;
use super::super::{FormatError, Limits, spend};
use super::damaged;
use super::document::{Accessor, Buffer, Document};

/// Reads accessors within the limits.
pub(super) struct Accessors<'a> {
    document: &'a Document,
    buffers: Vec<Cow<'a, [u8]>>,
    limits: &'a Limits,
    /// Number of bytes that may still be expanded: many accessors may share the same bytes of the
    /// file.
    n_left: usize,
}

/// Returns the bytes of a file in the same folder.
pub(super) type Fetch<'a> = dyn FnMut(&str) -> Result<Vec<u8>, FormatError> + 'a;

impl<'a> Accessors<'a> {
    pub(super) fn new(
        document: &'a Document,
        binary: Option<&'a [u8]>,
        fetch: &mut Fetch<'_>,
        limits: &'a Limits,
    ) -> Result<Self, FormatError> {
        let mut n_left = limits.unfolded_bytes;
        let mut buffers = Vec::new();
        for buffer in &document.buffers {
            let bytes = bytes_of(buffer, binary, fetch)?;
            if let Cow::Owned(bytes) = &bytes {
                spend(&mut n_left, bytes.len(), limits)?;
            }
            buffers.push(bytes);
        }
        Ok(Self { document, buffers, limits, n_left })
    }

    pub(super) fn points(&mut self, number: usize) -> Result<Vec<Point3<f64>>, FormatError> {
        let (accessor, scalar) = self.find(number, &["VEC3"])?;
        let scale = scale(accessor, scalar);
        let n_bytes = scalar.n_bytes();
        let rows = self.rows(accessor, 3 * n_bytes)?;
        let point = |row: &[u8]| {
            let coordinate = |i| scalar.float(&row[i * n_bytes..], ByteOrder::Little) / scale;
            Point3::new(coordinate(0), coordinate(1), coordinate(2))
        };
        let points = rows.map(point).collect();
        spend(&mut self.n_left, accessor.count.saturating_mul(24), self.limits)?;
        Ok(points)
    }

    /// Linear red, green and blue; opacity is ignored.
    pub(super) fn colours(&mut self, number: usize) -> Result<Vec<[f32; 3]>, FormatError> {
        let (accessor, scalar) = self.find(number, &["VEC3", "VEC4"])?;
        let scale = scale(accessor, scalar);
        let n_bytes = scalar.n_bytes();
        let n_components = if accessor.kind == "VEC4" { 4 } else { 3 };
        let rows = self.rows(accessor, n_components * n_bytes)?;
        let colour = |row: &[u8]| {
            let share = |i| scalar.float(&row[i * n_bytes..], ByteOrder::Little) / scale;
            [0, 1, 2].map(|i| share_of_one(share(i) as f32))
        };
        let colours = rows.map(colour).collect();
        spend(&mut self.n_left, accessor.count.saturating_mul(24), self.limits)?;
        Ok(colours)
    }

    pub(super) fn indices(&mut self, number: usize) -> Result<Vec<u64>, FormatError> {
        let (accessor, scalar) = self.find(number, &["SCALAR"])?;
        if !matches!(scalar, Scalar::U8 | Scalar::U16 | Scalar::U32) {
            return Err(damaged("indices are not unsigned numbers".to_owned()));
        }
        let rows = self.rows(accessor, scalar.n_bytes())?;
        let index = |row: &[u8]| scalar.integer(row, ByteOrder::Little).unsigned_abs();
        let indices = rows.map(index).collect();
        spend(&mut self.n_left, accessor.count.saturating_mul(24), self.limits)?;
        Ok(indices)
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
