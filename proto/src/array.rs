//! Arrays as little-endian bytes, and the errors of reading messages.

use std::sync::Arc;

use bytemuck::Pod;
use bytes::Bytes;
use nalgebra::Vector3;

/// A message is not valid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WireError {
    /// A `oneof` or message field is absent.
    #[error("the message lacks {0}")]
    Missing(&'static str),
    /// An array has the wrong length.
    #[error("{field} has {got} bytes, expected {want}")]
    Length { field: &'static str, got: usize, want: String },
    /// A number is not finite.
    #[error("{0} contains a number that is not finite")]
    NotFinite(&'static str),
    /// A frame belongs to a topology that was not received.
    #[error("the frame is for topology {frame}, the last one sent is {sent:?}")]
    Topology { frame: u32, sent: Option<u32> },
    /// An index is out of range.
    #[error("{field} names {index}, expected less than {limit}")]
    Index { field: &'static str, index: u32, limit: usize },
    /// The mesh is not valid.
    #[error(transparent)]
    Mesh(#[from] physics::MeshError),
    /// The material is not valid.
    #[error(transparent)]
    Material(#[from] physics::material::MaterialError),
    /// Mesh and supports do not fit together.
    #[error(transparent)]
    Spec(#[from] physics::SpecError),
    /// An enumeration has a value that this version does not know.
    #[error("unknown {field} {value}")]
    Unknown { field: &'static str, value: i32 },
    /// A length is not positive.
    #[error("{field} is {value}, expected a positive number")]
    NotPositive { field: &'static str, value: f64 },
    /// A vector does not have length 1.
    #[error("{0} is not a unit vector")]
    NotANormal(&'static str),
    /// A hand has no part with this number.
    #[error(
        "a proxy has the number {0:#010x}, expected a hand up to 1, a finger up to 4 and a segment \
         up to 3"
    )]
    NoPartOfHand(u32),
    /// A contact model has numbers that no contact has.
    #[error(
        "a contact model has numbers that no contact has, expected finite ones, a unit normal, and \
         a stiffness and sizes that are not negative"
    )]
    NoContactModel,
    /// A quaternion does not have length 1.
    #[error("{0} is not a unit quaternion")]
    NotARotation(&'static str),
}

/// Number that is sent as `N` little-endian bytes.
pub(crate) trait WireNumber<const N: usize>: Copy {
    fn to_wire(self) -> [u8; N];
    fn from_wire(bytes: [u8; N]) -> Self;
}

macro_rules! wire_number {
    ($($number:ty: $n:literal),*) => {$(
        impl WireNumber<$n> for $number {
            fn to_wire(self) -> [u8; $n] {
                self.to_le_bytes()
            }
            fn from_wire(bytes: [u8; $n]) -> Self {
                Self::from_le_bytes(bytes)
            }
        }
    )*};
}
wire_number!(u32: 4, u64: 8, f32: 4, f64: 8);

pub(crate) fn packed<T: WireNumber<N>, const N: usize>(
    numbers: impl IntoIterator<Item = T>,
) -> Bytes {
    numbers.into_iter().flat_map(|number| number.to_wire()).collect::<Vec<u8>>().into()
}

/// Bytes of vectors, without a copy if the machine is little endian.
pub(crate) fn shared_vectors<T, const N: usize>(vectors: &Arc<Vec<[T; 3]>>) -> Bytes
where
    T: WireNumber<N> + Pod + Send + Sync,
{
    struct Shared<T>(Arc<Vec<[T; 3]>>);
    impl<T: Pod> AsRef<[u8]> for Shared<T> {
        fn as_ref(&self) -> &[u8] {
            bytemuck::cast_slice(&self.0)
        }
    }
    if cfg!(target_endian = "little") {
        Bytes::from_owner(Shared(Arc::clone(vectors)))
    } else {
        packed(vectors.iter().flatten().copied())
    }
}

/// Reads groups of `K` numbers each.
pub(crate) fn unpacked<T: WireNumber<N>, const N: usize, const K: usize>(
    field: &'static str,
    bytes: &[u8],
) -> Result<Vec<[T; K]>, WireError> {
    let size = N * K;
    if !bytes.len().is_multiple_of(size) {
        let want = format!("a multiple of {size}");
        return Err(WireError::Length { field, got: bytes.len(), want });
    }
    let number = |group: &[u8], i: usize| {
        let mut number = [0; N];
        number.copy_from_slice(&group[i * N..(i + 1) * N]);
        T::from_wire(number)
    };
    Ok(bytes.chunks_exact(size).map(|group| std::array::from_fn(|i| number(group, i))).collect())
}

/// Reads vectors of three finite numbers.
pub(crate) fn vectors(field: &'static str, bytes: &[u8]) -> Result<Vec<Vector3<f64>>, WireError> {
    let vectors: Vec<Vector3<f64>> =
        unpacked::<f64, 8, 3>(field, bytes)?.into_iter().map(Vector3::from).collect();
    if vectors.iter().all(|v| v.iter().all(|c| c.is_finite())) {
        Ok(vectors)
    } else {
        Err(WireError::NotFinite(field))
    }
}

/// Checks that two arrays that belong together have the same length.
pub(crate) fn same_length(
    field: &'static str,
    got: usize,
    want: usize,
    bytes_each: usize,
) -> Result<(), WireError> {
    if got == want {
        Ok(())
    } else {
        let want = (want * bytes_each).to_string();
        Err(WireError::Length { field, got: got * bytes_each, want })
    }
}
