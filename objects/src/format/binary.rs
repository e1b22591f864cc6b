//! Numbers in binary files, of either byte order.

/// Order of the bytes in a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    pub(super) fn u16(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }

    pub(super) fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }

    pub(super) fn u64(self, bytes: [u8; 8]) -> u64 {
        match self {
            Self::Little => u64::from_le_bytes(bytes),
            Self::Big => u64::from_be_bytes(bytes),
        }
    }

    pub(super) fn i32(self, bytes: [u8; 4]) -> i32 {
        self.u32(bytes).cast_signed()
    }

    pub(super) fn f32(self, bytes: [u8; 4]) -> f32 {
        f32::from_bits(self.u32(bytes))
    }

    pub(super) fn f64(self, bytes: [u8; 8]) -> f64 {
        f64::from_bits(self.u64(bytes))
    }
}

/// Kinds of numbers in self-describing formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    pub(super) fn n_bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    pub(super) fn is_whole(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    /// Value that stands for 1 where numbers are shares: the largest one of an integer type, 1 of a
    /// float type.
    pub(super) fn largest_share(self) -> f64 {
        match self {
            Self::I8 => f64::from(i8::MAX),
            Self::U8 => f64::from(u8::MAX),
            Self::I16 => f64::from(i16::MAX),
            Self::U16 => f64::from(u16::MAX),
            Self::I32 => f64::from(i32::MAX),
            Self::U32 => f64::from(u32::MAX),
            Self::I64 => i64::MAX as f64,
            Self::U64 => u64::MAX as f64,
            Self::F32 | Self::F64 => 1.0,
        }
    }

    /// The integer at the beginning of `bytes`, which must be long enough.
    ///
    /// Fractions are cut off, and values beyond 64 bits become the nearest 64-bit value.
    pub(super) fn integer(self, bytes: &[u8], order: ByteOrder) -> i64 {
        match self {
            Self::I8 => i64::from(first::<1>(bytes)[0].cast_signed()),
            Self::U8 => i64::from(first::<1>(bytes)[0]),
            Self::I16 => i64::from(order.u16(first(bytes)).cast_signed()),
            Self::U16 => i64::from(order.u16(first(bytes))),
            Self::I32 => i64::from(order.i32(first(bytes))),
            Self::U32 => i64::from(order.u32(first(bytes))),
            Self::I64 => order.u64(first(bytes)).cast_signed(),
            Self::U64 => i64::try_from(order.u64(first(bytes))).unwrap_or(i64::MAX),
            Self::F32 => order.f32(first(bytes)) as i64,
            Self::F64 => order.f64(first(bytes)) as i64,
        }
    }

    /// The number at the beginning of `bytes`, which must be long enough.
    pub(super) fn float(self, bytes: &[u8], order: ByteOrder) -> f64 {
        match self {
            Self::F32 => f64::from(order.f32(first(bytes))),
            Self::F64 => order.f64(first(bytes)),
            Self::U64 => order.u64(first(bytes)) as f64,
            Self::I8 | Self::U8 | Self::I16 | Self::U16 | Self::I32 | Self::U32 | Self::I64 => {
                self.integer(bytes, order) as f64
            }
        }
    }

    /// Number of the integers in `bytes` that an `f64` cannot hold exactly.
    pub(super) fn n_rounded(self, bytes: &[u8], order: ByteOrder) -> usize {
        let words = bytes.as_chunks().0.iter().map(|bytes| order.u64(*bytes));
        match self {
            Self::I64 => words.filter(|n| is_rounded(i128::from(n.cast_signed()))).count(),
            Self::U64 => words.filter(|n| is_rounded(i128::from(*n))).count(),
            _ => 0,
        }
    }

    /// Whole numbers in `bytes`, as integers.
    pub(super) fn integers(self, bytes: &[u8], order: ByteOrder) -> Vec<i64> {
        bytes.chunks_exact(self.n_bytes()).map(|bytes| self.integer(bytes, order)).collect()
    }

    /// All numbers in `bytes`, as floats.
    pub(super) fn floats(self, bytes: &[u8], order: ByteOrder) -> Vec<f64> {
        bytes.chunks_exact(self.n_bytes()).map(|bytes| self.float(bytes, order)).collect()
    }
}

/// True if a word is an integer that an `f64` cannot hold exactly.
pub(super) fn is_rounded_word(word: &[u8]) -> bool {
    str::from_utf8(word).ok().and_then(|word| word.parse().ok()).is_some_and(is_rounded)
}

fn is_rounded(number: i128) -> bool {
    (number as f64) as i128 != number
}

fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    *bytes.first_chunk().expect("as many bytes as the number has were taken")
}
