//! Numbers of an array, in any encoding.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::Read;

use flate2::read::ZlibDecoder;

use super::super::FormatError;
use super::super::binary::{ByteOrder, Scalar, is_rounded_word};
use super::super::memory::Memory;
use super::super::text::Scanner;
use super::super::vtk::cell::Integers;
use super::document::{Appended, Array, Compressor, Data, Document};
use super::{Base64, of_array};

/// Decodes the arrays of a document within the limits.
pub(super) struct Arrays<'a> {
    document: &'a Document<'a>,
    /// Memory that may still be taken: many arrays may share the same bytes of the file.
    memory: &'a mut Memory,
    /// Number of integers among the values that an `f64` cannot hold exactly.
    n_rounded: usize,
}

/// Raw bytes, or base64 text that encodes them.
enum Stream<'a> {
    Raw(&'a [u8]),
    Base64(Base64<'a>),
}

impl<'a> Arrays<'a> {
    pub(super) fn new(document: &'a Document<'a>, memory: &'a mut Memory) -> Self {
        Self { document, memory, n_rounded: 0 }
    }

    /// Whole numbers; those of binary arrays stay bytes.
    pub(super) fn integers<'s>(&mut self, array: &'s Array) -> Result<Integers<'s>, FormatError>
    where
        'a: 's,
    {
        if let Data::Words(text) = &array.data {
            return Ok(Integers::Decoded(words(text, |scanner, what| scanner.word(what))?));
        }
        let scalar = scalar_of(array)?;
        let bytes = self.bytes_of(array)?;
        Ok(Integers::Bytes(bytes, scalar, self.document.byte_order))
    }

    /// Takes memory for a copy of numbers.
    pub(super) fn take(&mut self, n_bytes: usize) -> Result<(), FormatError> {
        self.memory.take_unlimited(n_bytes)
    }

    /// Gives back the memory of numbers that are no longer needed.
    pub(super) fn give_back(&mut self, n_bytes: usize) {
        self.memory.give_back(n_bytes);
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
        if let Data::Words(text) = &array.data {
            return words(text, word);
        }
        let scalar = scalar_of(array)?;
        let bytes = self.bytes_of(array)?;
        // Each number takes eight bytes in memory.
        self.memory.take(bytes.len() / scalar.n_bytes() * 8)?;
        let numbers = from_bytes(scalar, &bytes, self.document.byte_order);
        if let Cow::Owned(bytes) = &bytes {
            self.memory.give_back(bytes.len());
        }
        Ok(numbers)
    }

    /// The bytes of an array that is not written in words.
    fn bytes_of<'s>(&mut self, array: &'s Array) -> Result<Cow<'s, [u8]>, FormatError>
    where
        'a: 's,
    {
        let stream = match &array.data {
            Data::Words(text) | Data::Base64(text) => Stream::Base64(Base64::of(text.trim_ascii())),
            Data::Appended(offset) => self.appended(*offset, array)?,
        };
        self.bytes(stream, array)
    }

    fn appended(&self, offset: usize, array: &Array) -> Result<Stream<'a>, FormatError> {
        let ends = || ends(array);
        match self.document.appended.ok_or_else(ends)? {
            Appended::Raw(data) => Ok(Stream::Raw(data.get(offset..).ok_or_else(ends)?)),
            Appended::Base64(data) => {
                Ok(Stream::Base64(Base64::of(data.get(offset..).ok_or_else(ends)?)))
            }
        }
    }

    /// Reads data after its length, or compressed blocks after their lengths.
    fn bytes<'s>(
        &mut self,
        mut stream: Stream<'s>,
        array: &Array,
    ) -> Result<Cow<'s, [u8]>, FormatError> {
        let first = stream.lengths(1, self.document, array)?[0];
        match &self.document.compressor {
            Compressor::None => {
                let bytes = stream.take(first, array)?;
                if let Cow::Owned(bytes) = &bytes {
                    self.memory.take_unlimited(bytes.len())?;
                }
                return Ok(bytes);
            }
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
        let lengths = stream.lengths(n_blocks.saturating_add(2), self.document, array)?;
        let (whole, last) = (lengths[0], if lengths[1] == 0 { lengths[0] } else { lengths[1] });
        let announced = match n_blocks {
            0 => 0,
            n => (n - 1).saturating_mul(whole).saturating_add(last),
        };
        self.memory.take(announced)?;
        // A file with other lengths than announced never takes more than these.
        let n_compressed = lengths[2..].iter().fold(0, |sum: usize, n| sum.saturating_add(*n));
        let most = n_compressed.saturating_mul(MOST_TIMES_COMPRESSED);
        let mut bytes = Vec::with_capacity(announced.min(most));
        for (number, length) in lengths[2..].iter().enumerate() {
            let block = stream.take(*length, array)?;
            let expected = if number + 1 == n_blocks { last } else { whole };
            let n_before = bytes.len();
            let mut decoder = ZlibDecoder::new(&*block);
            let read = (&mut decoder).take(expected as u64).read_to_end(&mut bytes);
            // One more byte shows that there is more, or checks the end.
            let n_more = read.and_then(|_| decoder.read(&mut [0]));
            let n_found = bytes.len() - n_before;
            let why = match n_more {
                Err(error) => format!("its block {number} is damaged: {error}"),
                Ok(1..) => format!(
                    "its block {number} unfolds to more than {expected} bytes, which its header \
                     announces"
                ),
                Ok(_) if n_found < expected => format!(
                    "its block {number} unfolds to {n_found} bytes, expected {expected}, which its \
                     header announces"
                ),
                Ok(_) => continue,
            };
            return Err(of_array(&array.name, why));
        }
        Ok(Cow::Owned(bytes))
    }
}

/// Largest size of data as a multiple of its compressed size, for zlib.
const MOST_TIMES_COMPRESSED: usize = 1040;

fn words<T>(
    text: &[u8],
    word: impl Fn(&mut Scanner<'_>, &str) -> Result<T, FormatError>,
) -> Result<Vec<T>, FormatError> {
    let mut scanner = Scanner::of(text.trim_ascii(), "");
    let mut numbers = Vec::new();
    while !scanner.rest().is_empty() {
        numbers.push(word(&mut scanner, "a number")?);
    }
    Ok(numbers)
}

fn scalar_of(array: &Array) -> Result<Scalar, FormatError> {
    array.scalar.ok_or_else(|| {
        FormatError::Unsupported(format!("the array {:?} has no type of numbers", array.name))
    })
}

fn ends(array: &Array) -> FormatError {
    FormatError::Ends(format!("the data of the array {:?}", array.name))
}

impl<'a> Stream<'a> {
    fn take(&mut self, n_bytes: usize, array: &Array) -> Result<Cow<'a, [u8]>, FormatError> {
        match self {
            Self::Raw(bytes) => {
                let taken = bytes.split_off(..n_bytes);
                taken.map(Cow::Borrowed).ok_or_else(|| ends(array))
            }
            Self::Base64(base64) => match base64.take(n_bytes) {
                Err(FormatError::Ends(_)) => Err(ends(array)),
                taken => taken.map(Cow::Owned),
            },
        }
    }

    fn lengths(
        &mut self,
        n: usize,
        document: &Document<'_>,
        array: &Array,
    ) -> Result<Vec<usize>, FormatError> {
        let order = document.byte_order;
        let bytes = self.take(n.saturating_mul(document.header_bytes), array)?;
        let size = |length: u64| usize::try_from(length).unwrap_or(usize::MAX);
        Ok(if document.header_bytes == 8 {
            bytes.as_chunks().0.iter().map(|bytes| size(order.u64(*bytes))).collect()
        } else {
            bytes.as_chunks().0.iter().map(|bytes| order.u32(*bytes) as usize).collect()
        })
    }
}
