//! The state of an object as a value: what it needs, besides its description, to go on as if nothing
//! had happened.

use crate::touch::{Proxy, SampleId};

/// What is inside an object at one moment, in the words of its family. Plain numbers, so that it can
/// be written to a file, sent to another solver and read by a later version.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// The family that can read it.
    pub family: String,
    /// Of the family's own format; it grows when the meaning of the numbers changes.
    pub version: u32,
    /// Finite numbers, in the family's order.
    pub reals: Vec<f64>,
    /// Whole numbers, in the family's order.
    pub integers: Vec<u64>,
}

/// An object at one moment, with all that its next step depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The last sample that was stepped; 0 before the first.
    pub sample: SampleId,
    /// When the object's time began, in seconds; absent before the first touch.
    pub origin: Option<f64>,
    /// Substeps since then: counted, so that time is the same however it is cut into strides.
    pub n_substeps: u64,
    /// When the last touch was, in seconds, and where the hands' shapes were then: the next step
    /// moves them on from there.
    pub touched: f64,
    /// The hands' shapes in the last touch.
    pub proxies: Vec<Proxy>,
    /// Whether the matter moved on by itself after its last substep: a pause is lost time then.
    pub is_moving: bool,
    /// What is inside the object.
    pub matter: State,
}

impl Default for Snapshot {
    /// Before the first touch: whether the matter moves, its first substep tells.
    fn default() -> Self {
        Self {
            sample: SampleId::default(),
            origin: None,
            n_substeps: 0,
            touched: 0.0,
            proxies: Vec::new(),
            is_moving: true,
            matter: State::default(),
        }
    }
}

impl Snapshot {
    /// The same matter with a time that begins anew, under the name of this sample: the pause before
    /// its next touch is no time of its own.
    pub fn with_new_time(&self, sample: SampleId) -> Self {
        Self { sample, matter: self.matter.clone(), ..Self::default() }
    }

    /// About how many bytes a proxy takes on the wire.
    pub const BYTES_PER_PROXY: usize = 128;

    /// About how many bytes it takes on the wire.
    pub fn bytes(&self) -> usize {
        let numbers = 8 * (self.matter.reals.len() + self.matter.integers.len());
        numbers + Self::BYTES_PER_PROXY * self.proxies.len()
    }
}

/// Why a state cannot be taken back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// It is of another family.
    #[error("the state is of the family {got:?}, expected {want:?}")]
    Family {
        /// What the state says.
        got: String,
        /// What the object is.
        want: &'static str,
    },
    /// It is of another version.
    #[error("the state of a {family} has version {got}, expected {want}")]
    Version {
        /// The family.
        family: &'static str,
        /// What the state says.
        got: u32,
        /// What this program reads.
        want: u32,
    },
    /// It has too many or too few numbers.
    #[error("the state has {got:?} real and whole numbers, expected {want:?}")]
    Length {
        /// How many there are.
        got: [usize; 2],
        /// How many this object has.
        want: [usize; 2],
    },
    /// A number is not finite.
    #[error("the state holds a number that is not finite")]
    NotFinite,
}

impl State {
    /// Whether there is nothing to go back to: matter without memory.
    pub fn is_empty(&self) -> bool {
        self.reals.is_empty() && self.integers.is_empty()
    }

    /// Checks that the state is of this family, version and size, with finite numbers.
    pub fn check(
        &self,
        family: &'static str,
        version: u32,
        lengths: [usize; 2],
    ) -> Result<(), StateError> {
        if self.family != family {
            return Err(StateError::Family { got: self.family.clone(), want: family });
        }
        if self.version != version {
            return Err(StateError::Version { family, got: self.version, want: version });
        }
        let got = [self.reals.len(), self.integers.len()];
        if got != lengths {
            return Err(StateError::Length { got, want: lengths });
        }
        if self.reals.iter().any(|x| !x.is_finite()) {
            return Err(StateError::NotFinite);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_of_something_else_is_refused_with_what_was_expected() {
        let state =
            State { family: "cloth".into(), version: 2, reals: vec![1.0], integers: vec![] };
        let said = |family, version, lengths| {
            state.check(family, version, lengths).map_err(|e| e.to_string())
        };
        assert_eq!(said("cloth", 2, [1, 0]), Ok(()));
        let other = "the state is of the family \"cloth\", expected \"thread\"";
        assert_eq!(said("thread", 2, [1, 0]), Err(other.to_owned()));
        let newer = "the state of a cloth has version 2, expected 1";
        assert_eq!(said("cloth", 1, [1, 0]), Err(newer.to_owned()));
        let long = "the state has [1, 0] real and whole numbers, expected [2, 0]";
        assert_eq!(said("cloth", 2, [2, 0]), Err(long.to_owned()));
        let wild = State { reals: vec![f64::NAN], ..state.clone() };
        assert_eq!(wild.check("cloth", 2, [1, 0]), Err(StateError::NotFinite));
    }
}
