//! Numbers of an array, in any encoding.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::Read;

use flate2::read::ZlibDecoder;

use super::super::binary::{ByteOrder, Scalar, is_rounded_word};
use super::super::text::Scanner;
use super::super::{FormatError, Limits, spend};
use super::Base64;
use super::document::{Appended, Array, Compressor, Data, Document};

/// Decodes the arrays of a document within the limits.
pub(super) struct Arrays<'a> {
    document: &'a Document<'a>,
    limits: &'a Limits,
    /// Number of bytes that may still be expanded: many arrays may share the same bytes of the
    /// file.
    n_left: usize,
    /// Number of integers among the values that an `f64` cannot hold exactly.
    n_rounded: usize,
}

/// Raw bytes, or base64 text that encodes them.
enum Stream<'a> {
    Raw(&'a [u8]),
    Base64(Base64<'a>),
}

impl<'a> Arrays<'a> {
    pub(super) fn new(document: &'a Document<'a>, limits: &'a Limits) -> Self {
        Self { document, limits, n_left: limits.unfolded_bytes, n_rounded: 0 }
    }

    pub(super) fn integers(&mut self, array: &Array) -> Result<Vec<i64>, FormatError> {
        self.numbers(array, |scanner, what| scanner.word(what), Scalar::integers)
    }

    pub(super) fn floats(&mut self, array: &Array) -> Result<Vec<f64>, FormatError> {
        // Numbers of single precision are rounded as in the binary forms.
        if array.scalar == Some(Scalar::F32) {
            let single =
                |scanner: &mut Scanner<'_>, what: &str| scanner.word::<f32>(what).map(f64::from);
            return self.numbers(array, single, Scalar::floats);
        }
        self.numbers(array, |scanner, what| scanner.word(what), Scalar::floats)
    }

    /// Same as `floats`, and counts integers that are rounded.
    pub(super) fn values(&mut self, array: &Array) -> Result<Vec<f64>, FormatError> {
        if !array.scalar.is_some_and(Scalar::is_whole) {
            return self.floats(array);
        }
        let n_rounded = Cell::new(0);
        let word = |scanner: &mut Scanner<'_>, what: &str| {
            let word = scanner.clone().next_word().unwrap_or_default();
            n_rounded.set(n_rounded.get() + usize::from(is_rounded_word(word)));
            scanner.word(what)
        };
        let values = self.numbers(array, word, |scalar, bytes, order| {
            n_rounded.set(scalar.n_rounded(bytes, order));
            scalar.floats(bytes, order)
        })?;
        self.n_rounded += n_rounded.get();
        Ok(values)
    }

    pub(super) fn n_rounded(&self) -> usize {
        self.n_rounded
    }

    fn numbers<T>(
        &mut self,
        array: &Array,
        word: impl Fn(&mut Scanner<'_>, &str) -> Result<T, FormatError>,
        from_bytes: impl Fn(Scalar, &[u8], ByteOrder) -> Vec<T>,
    ) -> Result<Vec<T>, FormatError> {
        let stream = match &array.data {
            Data::Words(text) => {
                let mut scanner = Scanner::of(text.trim_ascii(), "");
                let mut numbers = Vec::new();
                while !scanner.rest().is_empty() {
                    numbers.push(word(&mut scanner, "a number")?);
                }
                return Ok(numbers);
            }
            Data::Base64(text) => Stream::Base64(Base64::of(text.trim_ascii())),
            Data::Appended(offset) => self.appended(*offset)?,
        };
        let scalar = array.scalar.ok_or_else(|| {
            FormatError::Unsupported(format!("the array {:?} has no type of numbers", array.name))
        })?;
        let bytes = self.bytes(stream)?;
        // Each number takes eight bytes in memory.
        spend(&mut self.n_left, bytes.len() / scalar.n_bytes() * 8, self.limits)?;
        Ok(from_bytes(scalar, &bytes, self.document.byte_order))
    }

    fn appended(&self, offset: usize) -> Result<Stream<'a>, FormatError> {
        let ends = || FormatError::Ends("appended data".to_owned());
        match self.document.appended.ok_or_else(ends)? {
            Appended::Raw(data) => Ok(Stream::Raw(data.get(offset..).ok_or_else(ends)?)),
            Appended::Base64(data) => {
                Ok(Stream::Base64(Base64::of(data.get(offset..).ok_or_else(ends)?)))
            }
        }
    }

    /// Reads data after its length, or compressed blocks after their lengths.
    fn bytes<'s>(&mut self, mut stream: Stream<'s>) -> Result<Cow<'s, [u8]>, FormatError> {
        let first = stream.lengths(1, self.document)?[0];
        match &self.document.compressor {
            Compressor::None => return stream.take(first),
            Compressor::Zlib => {}
            Compressor::Unknown(name) => {
                return Err(FormatError::Unsupported(format!(
                    "the file is compressed by {name:?}, expected \"vtkZLibDataCompressor\" or \
                     nothing"
                )));
            }
        }
        let n_blocks = first;
        // Sizes of a whole block and of the last one, then the compressed sizes of all blocks.
        let lengths = stream.lengths(n_blocks.saturating_add(2), self.document)?;
        let mut bytes = Vec::new();
        for length in &lengths[2..] {
            let block = stream.take(*length)?;
            let most = self.n_left as u64 + 1;
            let n_before = bytes.len();
            ZlibDecoder::new(&*block).take(most).read_to_end(&mut bytes).map_err(|e| {
                FormatError::Damaged { what: "compressed data".to_owned(), why: e.to_string() }
            })?;
            spend(&mut self.n_left, bytes.len() - n_before, self.limits)?;
        }
        Ok(Cow::Owned(bytes))
    }
}

impl<'a> Stream<'a> {
    fn take(&mut self, n_bytes: usize) -> Result<Cow<'a, [u8]>, FormatError> {
        match self {
            Self::Raw(bytes) => {
                let taken = bytes.split_off(..n_bytes);
                taken
                    .map(Cow::Borrowed)
                    .ok_or_else(|| FormatError::Ends("appended data".to_owned()))
            }
            Self::Base64(base64) => base64.take(n_bytes).map(Cow::Owned),
        }
    }

    fn lengths(&mut self, n: usize, document: &Document<'_>) -> Result<Vec<usize>, FormatError> {
        let order = document.byte_order;
        let bytes = self.take(n.saturating_mul(document.header_bytes))?;
        let size = |length: u64| usize::try_from(length).unwrap_or(usize::MAX);
        Ok(if document.header_bytes == 8 {
            bytes.as_chunks().0.iter().map(|bytes| size(order.u64(*bytes))).collect()
        } else {
            bytes.as_chunks().0.iter().map(|bytes| order.u32(*bytes) as usize).collect()
        })
    }
}
