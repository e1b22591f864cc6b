//! State of an object as a value: with it and the description, an object can be continued exactly.

use crate::proxy::Proxy;
use crate::touch::SampleId;

/// Inner state of an object at one moment, in the format of its family. It consists of plain
/// numbers, so that it can be written to a file, sent to another solver and read by a later
/// version.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Family of the object.
    pub family: String,
    /// Version of the family's format. It grows when the meaning of the numbers changes.
    pub version: u32,
    /// Finite numbers, in the family's order.
    pub reals: Vec<f64>,
    /// Whole numbers, in the family's order.
    pub integers: Vec<u64>,
}

/// Complete state of an object at one moment: everything that its next step depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Sample of the last touch; 0 before the first touch.
    pub sample: SampleId,
    /// Start of the object's time, in seconds; `None` before the first touch.
    pub origin: Option<f64>,
    /// Number of substeps since `origin`. They are counted, so that the time does not depend on the
    /// intervals between touches.
    pub n_substeps: u64,
    /// Time of the last touch, in seconds.
    pub touched: f64,
    /// Proxies in the last touch. The next step moves them on from there.
    pub proxies: Vec<Proxy>,
    /// True if the matter moved by itself after its last substep. A long pause is then cut.
    pub is_moving: bool,
    /// Inner state of the object.
    pub matter: State,
}

impl Default for Snapshot {
    /// State before the first touch. The matter counts as moving until its first substep.
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
    /// Copies the inner state into a snapshot of `sample` whose time starts at the next touch. The
    /// pause before that touch does not count as time.
    pub fn with_new_time(&self, sample: SampleId) -> Self {
        Self { sample, matter: self.matter.clone(), ..Self::default() }
    }

    /// Approximate size of a proxy on the wire, in bytes.
    pub const BYTES_PER_PROXY: usize = 128;

    /// Approximate size of the snapshot on the wire, in bytes.
    pub fn bytes(&self) -> usize {
        let numbers = 8 * (self.matter.reals.len() + self.matter.integers.len());
        numbers + Self::BYTES_PER_PROXY * self.proxies.len()
    }
}

/// A state cannot be restored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// The state is of another family.
    #[error("the state is of the family {got:?}, expected {want:?}")]
    Family {
        /// Family of the state.
        got: String,
        /// Family of the object.
        want: &'static str,
    },
    /// The state has another version.
    #[error("the state of a {family} has version {got}, expected {want}")]
    Version {
        /// Family of the state and the object.
        family: &'static str,
        /// Version of the state.
        got: u32,
        /// Version that this program reads.
        want: u32,
    },
    /// The state has too many or too few numbers.
    #[error("the state has {got:?} real and whole numbers, expected {want:?}")]
    Length {
        /// Numbers of reals and integers in the state.
        got: [usize; 2],
        /// Numbers of reals and integers of this object.
        want: [usize; 2],
    },
    /// A number is not finite.
    #[error("the state holds a number that is not finite")]
    NotFinite,
}

impl State {
    /// True if the state has no numbers: matter without memory has nothing to restore.
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
